//! A whole config as text that can be read, and who uses it. Its rows are made when it is opened or read anew; values stay in
//! one piece, and a row points into them.

mod rows;

use std::ops::Range;

use chrono::{DateTime, Utc};

use super::screen::Screen;
use crate::analysis::{configs_of, kubectl, quote};
use crate::model::{Cluster, ConfigKind, ConfigRef, Facts, WorkloadRef};

/// How far one key press moves long lines, in characters.
const ACROSS: usize = 32;

/// What a key press does to the object on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectAct {
    /// To the next key or part.
    NextPart,
    PreviousPart,
    /// Another config of the same workload.
    NextConfig,
    PreviousConfig,
    TextLeft,
    TextRight,
}

/// A config on screen.
#[derive(Debug, Clone)]
pub struct ObjectView {
    /// The configs that the workload takes.
    pub configs: Vec<ConfigRef>,
    pub at: usize,
    pub workload: WorkloadRef,
    pub rows: Vec<Row>,
    /// The values that the rows point into.
    pub values: Vec<String>,
    /// First row on screen.
    pub scroll: usize,
    pub across: usize,
    /// What was open before.
    pub below: Box<Screen>,
}

/// One row, not yet laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    Heading(String),
    /// `resourceVersion: 14598`.
    Field(String, Told),
    /// A key of the data, and what stands beside it.
    Key(String, String),
    /// A line of a value, by the place of the value and its bytes.
    Value(usize, Range<usize>),
    /// A sentence; blanks before it stay.
    Note(String),
    /// Who wrote, how, when, and which keys it owns.
    Writer {
        manager: String,
        operation: String,
        time: Option<DateTime<Utc>>,
        owns: String,
    },
    Empty,
}

/// What a field holds; times are written in the zone on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    Text(String),
    Time(DateTime<Utc>),
}

impl ObjectView {
    /// Opens a config over a screen. It is the first of its workload's configs where the facts do not tell them.
    pub fn open(facts: &Facts, config: ConfigRef, workload: WorkloadRef, below: Screen) -> Self {
        let mut configs = configs_of(facts, &workload);
        let at = configs.iter().position(|other| *other == config);
        let at = at.unwrap_or_else(|| {
            configs.insert(0, config);
            0
        });
        let mut view = Self {
            configs,
            at,
            workload,
            rows: Vec::new(),
            values: Vec::new(),
            scroll: 0,
            across: 0,
            below: Box::new(below),
        };
        view.settle(facts);
        view
    }

    pub fn config(&self) -> Option<&ConfigRef> {
        self.configs.get(self.at)
    }

    /// Makes the rows of what is known now.
    pub fn settle(&mut self, facts: &Facts) {
        let Some(config) = self.config().cloned() else {
            return;
        };
        (self.rows, self.values) = rows::rows(facts, &config);
        self.scroll = self.scroll.min(self.rows.len().saturating_sub(1));
    }

    /// Does what a key means; a sentence comes back where there is something to say.
    pub(super) fn act(&mut self, act: ObjectAct, facts: &Facts) -> Option<String> {
        match act {
            ObjectAct::NextPart => self.part(true),
            ObjectAct::PreviousPart => self.part(false),
            ObjectAct::NextConfig => return self.turn(true, facts),
            ObjectAct::PreviousConfig => return self.turn(false, facts),
            ObjectAct::TextLeft => self.across = self.across.saturating_sub(ACROSS),
            ObjectAct::TextRight => {
                let longest = self.values.iter().map(String::len).max();
                self.across = (self.across + ACROSS).min(longest.unwrap_or(0));
            }
        }
        None
    }

    fn part(&mut self, next: bool) {
        let begins =
            |at: &usize| matches!(self.rows.get(*at), Some(Row::Heading(_) | Row::Key(..)));
        let found = if next {
            (self.scroll + 1..self.rows.len()).find(begins)
        } else {
            (0..self.scroll).rev().find(begins)
        };
        self.scroll = found.unwrap_or(if next { self.scroll } else { 0 });
    }

    fn turn(&mut self, next: bool, facts: &Facts) -> Option<String> {
        if self.configs.len() < 2 {
            return Some(format!(
                "{} is known to use no other config.",
                self.workload
            ));
        }
        let step = if next { 1 } else { self.configs.len() - 1 };
        self.at = (self.at + step) % self.configs.len();
        (self.scroll, self.across) = (0, 0);
        self.settle(facts);
        None
    }

    /// The command that shows the object.
    pub(super) fn command(&self, cluster: &Cluster) -> Option<String> {
        let config = self.config()?;
        // A Secret with its values is nothing to have in a clipboard.
        let form = match config.kind {
            ConfigKind::ConfigMap => "-o yaml --show-managed-fields",
            ConfigKind::Secret => "-o jsonpath='{.metadata}'",
        };
        Some(format!(
            "{} -n {} get {} {} {form}",
            kubectl(cluster),
            quote(&config.namespace),
            config.kind.as_str().to_lowercase(),
            quote(&config.name)
        ))
    }
}
