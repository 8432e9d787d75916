//! Which rows of each list are on screen and in which order: filtered, sorted, and with the cursor on one of them.

use std::cmp::Reverse;
use std::rc::Rc;

use super::filter::Filter;
use super::keymap::Move;
use super::screen::{Overlay, Screen, Tab, moved};
use super::shown::Note;
use super::triage::Listed;
use super::{App, probing, remedy, rows, shown, time};
use crate::analysis::Incident;
use crate::remedy::Plan;

/// The orders of the list of incidents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// As the diagnosis has them.
    #[default]
    Worst,
    Name,
    NewestEdit,
    MostFailing,
}

impl Sort {
    pub fn next(self) -> Self {
        match self {
            Self::Worst => Self::Name,
            Self::Name => Self::NewestEdit,
            Self::NewestEdit => Self::MostFailing,
            Self::MostFailing => Self::Worst,
        }
    }

    /// As the heading says it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Worst => "worst first",
            Self::Name => "by name",
            Self::NewestEdit => "newest edit first",
            Self::MostFailing => "most failing requests first",
        }
    }
}

/// The rows of a list that are on screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Their places in the whole list, in the order on screen.
    pub places: Vec<usize>,
    /// How many the whole list has.
    pub of: usize,
}

impl Rows {
    /// All of a list.
    pub fn all(of: usize) -> Self {
        Self {
            places: (0..of).collect(),
            of,
        }
    }

    /// Those whose text the filter lets through. The texts are made only where there is a filter.
    fn narrowed(filter: &Filter, of: usize, texts: impl FnOnce() -> Vec<String>) -> Self {
        let mut rows = Self::all(of);
        if !filter.is_empty() {
            let texts = texts();
            rows.places
                .retain(|at| texts.get(*at).is_some_and(|text| filter.matches(text)));
        }
        rows
    }

    /// The row on screen that a place has.
    pub fn row(&self, place: usize) -> Option<usize> {
        self.places.iter().position(|at| *at == place)
    }

    /// The place that a move from another one leads to. A place that is not on screen counts as the first row.
    fn moved(&self, place: usize, by: Move, page: usize) -> usize {
        let row = self.row(place).unwrap_or(0);
        let to = moved(row, self.places.len(), by, page);
        self.places.get(to).copied().unwrap_or(place)
    }

    /// The place, where it is on screen; else the next one that is.
    fn settled(&self, place: usize) -> usize {
        if self.places.contains(&place) {
            return place;
        }
        let next = self.places.iter().filter(|at| **at > place).min();
        next.or(self.places.iter().max()).copied().unwrap_or(place)
    }
}

impl App {
    /// The filter of the list that is on top.
    pub fn filter(&self) -> &Filter {
        match (&self.overlay, &self.screen) {
            (Some(_), _) => &self.overlay_filter,
            (None, Screen::Triage) => &self.triage_filter,
            (None, Screen::Sheet(sheet)) => sheet.filter(),
            (None, Screen::Object(_) | Screen::Remedy(_)) => &self.unfiltered,
        }
    }

    pub(super) fn set_filter(&mut self, filter: Filter) {
        match (&self.overlay, &mut self.screen) {
            (Some(_), _) => self.overlay_filter = filter,
            (None, Screen::Triage) => self.triage_filter = filter,
            (None, Screen::Sheet(sheet)) => sheet.set_filter(filter),
            (None, Screen::Object(_) | Screen::Remedy(_)) => {}
        }
        self.settle_cursors();
    }

    /// The list that is on top, as far as a filter narrows it; `None` where there is no list.
    pub fn top(&self) -> Option<(Rc<Rows>, &'static str)> {
        match (self.overlay, &self.screen) {
            (Some((overlay, _)), _) => {
                let of = self.notes(overlay).len();
                let places = (0..self.filtered_notes(overlay).len()).collect();
                Some((Rc::new(Rows { places, of }), "paragraphs"))
            }
            (None, Screen::Triage) => Some((
                self.triage_rows(),
                match self.triage_noun() {
                    "incident" => "incidents",
                    _ => "rows",
                },
            )),
            (None, Screen::Sheet(sheet)) => Some((self.rows(sheet.tab)?, noun(sheet.tab))),
            (None, Screen::Object(_) | Screen::Remedy(_)) => None,
        }
    }

    /// The incidents on screen.
    pub fn triage_rows(&self) -> Rc<Rows> {
        let filter = &self.triage_filter;
        // A filter finds ages too.
        let ages = (!filter.is_empty()).then(|| (self.reference().timestamp(), self.local_time));
        let key = (filter.text().to_owned(), self.sort, ages);
        self.kept.triage.get(key, || self.make_triage_rows())
    }

    fn make_triage_rows(&self) -> Rows {
        let of = self.listed_count();
        let mut rows = Rows::narrowed(&self.triage_filter, of, || rows::triage_texts(self));
        let name = |at: usize| {
            let listed = self.listed_at(at)?;
            let (config, workload) = (listed.config(), listed.workload());
            Some((
                config.namespace.clone(),
                config.name.clone(),
                workload.name.clone(),
                workload.kind.clone(),
            ))
        };
        // Each order ends in the names, so that new numbers move no row that they do not concern.
        match self.sort {
            Sort::Worst => {}
            Sort::Name => rows.places.sort_by_cached_key(|at| name(*at)),
            Sort::NewestEdit => rows.places.sort_by_cached_key(|at| {
                let edited = self.listed_at(*at).and_then(Listed::edited);
                (Reverse(edited), name(*at))
            }),
            Sort::MostFailing => rows.places.sort_by_cached_key(|at| {
                let failed = self.incidents().get(*at).map(|i| rows::requests(i).0);
                (Reverse(failed), name(*at))
            }),
        }
        rows
    }

    /// The rows of a tab's list; `None` where the tab has none.
    pub fn rows(&self, tab: Tab) -> Option<Rc<Rows>> {
        let (Some((incident, plans)), Screen::Sheet(sheet)) = (self.incident(), &self.screen)
        else {
            return None;
        };
        if matches!(tab, Tab::Diff | Tab::Logs) {
            return None;
        }
        let filter = sheet.filter_of(tab);
        let text = filter.text().to_owned();
        let key = (self.place(), tab, text, time::today(self));
        let make = || self.make_rows(tab, filter, incident, plans);
        Some(self.kept.rows.get(key, make))
    }

    fn make_rows(&self, tab: Tab, filter: &Filter, incident: &Incident, plans: &[Plan]) -> Rows {
        match tab {
            Tab::Timeline => Rows::narrowed(filter, incident.timeline.len(), || {
                rows::entry_texts(self, incident)
            }),
            Tab::Replicas => Rows::narrowed(filter, incident.replicas.len(), || {
                rows::replica_texts(self)
            }),
            Tab::Evidence => {
                let of = self.evidence().len();
                Rows::narrowed(filter, of, || rows::evidence_texts(self))
            }
            Tab::Plan => Rows::narrowed(filter, shown::steps(plans).len(), || {
                rows::step_texts(plans)
            }),
            Tab::Diff | Tab::Logs => Rows::default(),
        }
    }

    /// What an overlay shows, all of it.
    fn notes(&self, overlay: Overlay) -> Vec<Note> {
        match overlay {
            Overlay::Help => shown::help(self),
            Overlay::NotChecked => shown::not_checked(self),
            Overlay::Whole => shown::whole(self),
            Overlay::Summary => shown::summary(self),
            Overlay::Left => remedy::left_notes(self),
            Overlay::Export => shown::exports(),
            Overlay::Probe => probing::notes(self),
        }
    }

    /// What an overlay shows of it: paragraphs that the filter lets through, and the headings above them.
    pub fn filtered_notes(&self, overlay: Overlay) -> Vec<Note> {
        let notes = self.notes(overlay);
        if self.overlay_filter.is_empty() {
            return notes;
        }
        let mut kept: Vec<Note> = Vec::new();
        let mut heading = None;
        for note in notes {
            let found = self.overlay_filter.matches(&note.text());
            match note {
                Note::Empty => {}
                Note::Heading(_) if !found => heading = Some(note),
                note => {
                    if found {
                        kept.extend(heading.take());
                        kept.push(note);
                    }
                }
            }
        }
        kept
    }

    /// Moves the cursor of what is on top.
    pub(super) fn go(&mut self, by: Move) {
        let page = self.page();
        if let Some((overlay, scroll)) = self.overlay {
            let len = self.filtered_notes(overlay).len();
            self.overlay = Some((overlay, moved(scroll, len, by, page)));
            return;
        }
        match &self.screen {
            Screen::Triage => self.triage = self.triage_rows().moved(self.triage, by, page),
            Screen::Sheet(sheet) => {
                let rows = self.rows(sheet.tab);
                let Screen::Sheet(sheet) = &mut self.screen else {
                    return;
                };
                if sheet.tab == Tab::Logs {
                    return sheet.logs.step(by, page);
                }
                match (sheet.cursor_mut(), rows) {
                    (Some(cursor), Some(rows)) => *cursor = rows.moved(*cursor, by, page),
                    _ => {
                        let (cursor, len) = sheet.diff.cursor();
                        *cursor = moved(*cursor, len, by, page);
                    }
                }
            }
            Screen::Remedy(_) => {
                if let Screen::Remedy(below) = &mut self.screen {
                    below.scroll = moved(below.scroll, SCROLLED, by, page);
                }
            }
            Screen::Object(_) => {
                if let Screen::Object(object) = &mut self.screen {
                    object.scroll = moved(object.scroll, object.rows.len(), by, page);
                }
            }
        }
    }

    /// Puts every cursor on a row that is on screen.
    pub(super) fn settle_cursors(&mut self) {
        if let Some((overlay, scroll)) = self.overlay {
            let last = self.filtered_notes(overlay).len().saturating_sub(1);
            self.overlay = Some((overlay, scroll.min(last)));
        }
        match &self.screen {
            Screen::Triage => self.triage = self.triage_rows().settled(self.triage),
            Screen::Sheet(sheet) => {
                let rows = self.rows(sheet.tab);
                if let (Screen::Sheet(sheet), Some(rows)) = (&mut self.screen, rows)
                    && let Some(cursor) = sheet.cursor_mut()
                {
                    *cursor = rows.settled(*cursor);
                }
            }
            Screen::Object(_) | Screen::Remedy(_) => {}
        }
    }
}

/// No text of a remedy has more lines; the drawing stops at its end.
const SCROLLED: usize = 500;

fn noun(tab: Tab) -> &'static str {
    match tab {
        Tab::Timeline => "entries",
        Tab::Replicas => "replicas",
        Tab::Evidence => "items",
        Tab::Plan => "steps",
        Tab::Logs => "line",
        Tab::Diff => "lines",
    }
}

#[cfg(test)]
mod tests;
