//! Which screen is open, and where its cursors stand.

use super::diff::DiffView;
use super::keymap::Move;
use super::object::ObjectView;
use crate::analysis::{EntryKind, Incident};
use crate::model::{ConfigRef, WorkloadRef};

/// The screens. The list of incidents keeps its cursor outside, so that it survives a visit to a sheet.
#[derive(Debug, Clone)]
pub enum Screen {
    Triage,
    Sheet(Box<Sheet>),
    /// A config, over one of the others.
    Object(Box<ObjectView>),
}

impl Screen {
    /// The sheet that is open, under a config too.
    pub fn sheet(&self) -> Option<&Sheet> {
        match self {
            Self::Triage => None,
            Self::Sheet(sheet) => Some(sheet),
            Self::Object(object) => object.below.sheet(),
        }
    }

    pub fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        match self {
            Self::Triage => None,
            Self::Sheet(sheet) => Some(sheet),
            Self::Object(object) => object.below.sheet_mut(),
        }
    }
}

/// What lies over a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    Help,
    /// What was not checked, and what the data invites to conclude wrongly.
    NotChecked,
    /// Cause, impact and what to do, uncut.
    Whole,
}

/// The tabs of a sheet, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tab {
    Timeline,
    Replicas,
    Diff,
    Evidence,
    Plan,
}

impl Tab {
    pub const ALL: [Self; 5] = [
        Self::Timeline,
        Self::Replicas,
        Self::Diff,
        Self::Evidence,
        Self::Plan,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Timeline => "Timeline",
            Self::Replicas => "Replicas",
            Self::Diff => "Diff",
            Self::Evidence => "Evidence",
            Self::Plan => "Plan",
        }
    }

    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    pub fn previous(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }
}

/// One incident's screen. It is known by config and workload, so that reading again does not change what is open.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// Its place in the diagnosis on screen.
    pub index: usize,
    pub tab: Tab,
    /// Cursors: of the timeline's entries, the replicas in their order on screen, the evidence, and the plans' steps.
    pub entry: usize,
    pub replica: usize,
    pub evidence: usize,
    pub step: usize,
    pub diff: DiffView,
}

impl Sheet {
    pub fn new(index: usize, incident: &Incident) -> Self {
        Self {
            config: incident.config.clone(),
            workload: incident.workload.clone(),
            index,
            tab: Tab::Timeline,
            // The edit is what everything else is before or after.
            entry: incident
                .timeline
                .iter()
                .rposition(|entry| entry.kind == EntryKind::Edited)
                .unwrap_or(0),
            replica: 0,
            evidence: 0,
            step: 0,
            diff: DiffView::default(),
        }
    }

    pub fn is_about(&self, incident: &Incident) -> bool {
        self.config == incident.config && self.workload == incident.workload
    }
}

/// Moves a cursor within a list of `len`.
pub fn moved(cursor: usize, len: usize, by: Move, page: usize) -> usize {
    let last = len.saturating_sub(1);
    let page = page.max(1);
    match by {
        Move::Up => cursor.saturating_sub(1),
        Move::Down => cursor.saturating_add(1),
        Move::PageUp => cursor.saturating_sub(page),
        Move::PageDown => cursor.saturating_add(page),
        Move::First => 0,
        Move::Last => last,
    }
    .min(last)
}
