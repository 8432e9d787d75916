//! Which screen is open, and where its cursors stand.

use std::collections::HashMap;

use super::diff::DiffView;
use super::filter::Filter;
use super::keymap::Move;
use super::logs::Logs;
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
    /// The remedy, over one of the others.
    Remedy(Box<Below>),
}

/// The screen that another one lies over, and how far that one is scrolled.
#[derive(Debug, Clone)]
pub struct Below {
    pub screen: Screen,
    pub scroll: usize,
}

impl Screen {
    /// The sheet that is open, under a config too.
    pub fn sheet(&self) -> Option<&Sheet> {
        match self {
            Self::Triage => None,
            Self::Sheet(sheet) => Some(sheet),
            Self::Object(object) => object.below.sheet(),
            Self::Remedy(below) => below.screen.sheet(),
        }
    }

    pub fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        match self {
            Self::Triage => None,
            Self::Sheet(sheet) => Some(sheet),
            Self::Object(object) => object.below.sheet_mut(),
            Self::Remedy(below) => below.screen.sheet_mut(),
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
    /// The choice of what to export; its scroll is the choice.
    Export,
    /// What was copied for a chat, for those whose terminal takes no clipboard.
    Summary,
    /// What would be run in containers, and the question whether it may be.
    Probe,
    /// A remedy that an earlier run left open.
    Left,
}

/// The tabs of a sheet, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tab {
    Timeline,
    Replicas,
    Diff,
    Logs,
    Evidence,
    Plan,
}

impl Tab {
    pub const ALL: [Self; 6] = [
        Self::Timeline,
        Self::Replicas,
        Self::Diff,
        Self::Logs,
        Self::Evidence,
        Self::Plan,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Timeline => "Timeline",
            Self::Replicas => "Replicas",
            Self::Diff => "Diff",
            Self::Logs => "Logs",
            Self::Evidence => "Evidence",
            Self::Plan => "Remedy",
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
    /// What the tabs' lists are narrowed to.
    filters: HashMap<Tab, Filter>,
    unfiltered: Filter,
    pub logs: Logs,
}

impl Sheet {
    pub fn new(index: usize, incident: &Incident) -> Self {
        let mut sheet = Self::about(incident.config.clone(), incident.workload.clone(), index);
        // The edit is what everything else is before or after.
        sheet.entry = incident
            .timeline
            .iter()
            .rposition(|entry| entry.kind == EntryKind::Edited)
            .unwrap_or(0);
        sheet
    }

    /// A sheet with every cursor at its beginning.
    pub(crate) fn about(config: ConfigRef, workload: WorkloadRef, index: usize) -> Self {
        Self {
            config,
            workload,
            index,
            tab: Tab::Timeline,
            entry: 0,
            replica: 0,
            evidence: 0,
            step: 0,
            diff: DiffView::default(),
            logs: Logs::default(),
            filters: HashMap::new(),
            unfiltered: Filter::default(),
        }
    }

    /// The filter of the open tab's list.
    pub fn filter(&self) -> &Filter {
        self.filter_of(self.tab)
    }

    pub fn filter_of(&self, tab: Tab) -> &Filter {
        self.filters.get(&tab).unwrap_or(&self.unfiltered)
    }

    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.filters.insert(self.tab, filter);
    }

    /// The cursor of the open tab's list; `None` where it is a text that is scrolled.
    pub(super) fn cursor_mut(&mut self) -> Option<&mut usize> {
        match self.tab {
            Tab::Timeline => Some(&mut self.entry),
            Tab::Replicas => Some(&mut self.replica),
            Tab::Evidence => Some(&mut self.evidence),
            Tab::Plan => Some(&mut self.step),
            Tab::Diff | Tab::Logs => None,
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
