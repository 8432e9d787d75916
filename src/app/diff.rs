//! The diff of a config's content, a key at a time: what stands on either side, which keys differ, and the one on screen.
//!
//! Everything that depends on the size of the contents is done when a key is opened; scrolling and drawing touch a screenful.

mod body;
mod copy;
mod marks;
mod sides;
pub mod text;
mod window;

use std::collections::BTreeSet;

use crate::analysis::{Incident, Revision};
use crate::model::Content;

pub use body::{Body, Change, weighed};
pub(super) use copy::{commands, unified};
pub use sides::{Side, first_left};
use text::{CONTEXT, Text};
pub use window::start;

/// How far one key press moves long lines, in characters.
const ACROSS: usize = 32;
/// Rows that are on screen at the least: a change within them is not scrolled to.
const VISIBLE: usize = 5;

/// What a key press does to the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffAct {
    NextChange,
    PreviousChange,
    OlderLeft,
    NewerLeft,
    OlderRight,
    NewerRight,
    Swap,
    NextReplica,
    /// Opens and closes the list of keys.
    Keys,
    /// Opens the key under the list's cursor.
    Pick,
    /// Shows the unchanged lines too, or leaves them out.
    Whole,
    TextLeft,
    TextRight,
}

/// The diff tab's state.
#[derive(Debug, Clone, Default)]
pub struct DiffView {
    pub left: Side,
    pub right: Side,
    /// Their places in the incident's revisions, where they are known.
    pub places: (Option<usize>, Option<usize>),
    /// Every key of both sides, those that differ first.
    pub keys: Vec<KeyRow>,
    /// How many of them differ.
    pub changed: usize,
    pub key: usize,
    pub body: Body,
    /// First row on screen.
    pub scroll: usize,
    /// Characters before the screen; by itself each line begins so that its first change is seen.
    pub across: Option<usize>,
    /// The change that was gone to.
    pub stop: usize,
    /// The cursor in the list of keys, while that is open.
    pub list: Option<usize>,
    /// Unchanged lines are shown, too.
    pub whole: bool,
    /// What was compared: nothing is done again while it stays the same.
    compared: Option<[Compared; 2]>,
}

/// A revision as far as the diff depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Compared {
    name: String,
    hash: Option<String>,
}

/// One key, and how it differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub name: String,
    pub change: Change,
}

impl DiffView {
    /// Compares a side with what is live, and opens the first key that differs.
    pub fn open(incident: &Incident, left: Side) -> Self {
        let mut view = Self {
            left,
            ..Self::default()
        };
        view.settle(incident);
        view
    }

    /// Looks again what the sides stand for. Where that has not changed, nothing has; else the key stays, if it is there.
    pub fn settle(&mut self, incident: &Incident) {
        let (left, right) = (self.left.place(incident), self.right.place(incident));
        self.places = (left.clone().ok(), right.clone().ok());
        let revision = |place: &Result<usize, String>| match place {
            Ok(place) => incident.revisions.get(*place).ok_or_else(String::new),
            Err(why) => Err(why.clone()),
        };
        match (revision(&left), revision(&right)) {
            (Ok(old), Ok(new)) => {
                let now = Some([compared(old), compared(new)]);
                if self.compared != now || !matches!(self.body, Body::Text { .. }) {
                    self.compared = now;
                    self.compare(incident, old, new);
                }
            }
            (Err(why), _) | (_, Err(why)) => self.say(why),
        }
    }

    /// There is nothing to compare, and no key of one side alone may look like an answer.
    fn say(&mut self, why: String) {
        self.compared = None;
        self.keys = Vec::new();
        self.changed = 0;
        self.key = 0;
        self.list = None;
        self.set_body(Body::Said(why));
    }

    fn set_body(&mut self, body: Body) {
        self.body = body;
        self.scroll = 0;
        self.across = None;
        self.stop = 0;
    }

    fn compare(&mut self, incident: &Incident, old: &Revision, new: &Revision) {
        let (Some(left), Some(right)) = (&old.content, &new.content) else {
            let lacking = if old.content.is_none() { old } else { new };
            return self.say(sides::unknown(lacking));
        };
        let open = self.keys.get(self.key).map(|key| key.name.clone());
        self.keys = keys(left, right);
        if let Some(taken) = self.taken(incident) {
            // What does not reach the replica comes after what does.
            self.keys.sort_by_key(|key| {
                (
                    key.change == Change::Same,
                    !taken.contains(key.name.as_str()),
                )
            });
        }
        self.changed = self.keys.partition_point(|key| key.change != Change::Same);
        let found = self
            .keys
            .iter()
            .position(|key| Some(&key.name) == open.as_ref());
        self.key = found.unwrap_or(0);
        self.list = self
            .list
            .map(|at| at.min(self.keys.len().saturating_sub(1)));
        let place = (self.scroll, self.across, self.stop);
        self.show((old, new), (left, right));
        if found.is_some() {
            self.scroll = place.0.min(self.len().saturating_sub(1));
            self.across = place.1;
            self.stop = place.2.min(self.stops().len().saturating_sub(1));
        }
    }

    fn show(&mut self, (old, new): (&Revision, &Revision), contents: (&Content, &Content)) {
        let body = match self.keys.get(self.key) {
            Some(key) => body::body(contents, (&old.name, &new.name), &key.name, self.whole),
            None => Body::Said("Neither side holds any key.".into()),
        };
        self.set_body(body);
    }

    /// Opens another key, or the same one anew.
    fn turn_to(&mut self, incident: &Incident, key: usize) {
        self.key = key;
        if let (Some(old), Some(new)) = self.revisions(incident)
            && let (Some(left), Some(right)) = (&old.content, &new.content)
        {
            self.show((old, new), (left, right));
        }
    }

    /// The revisions on either side.
    pub fn revisions<'a>(
        &self,
        incident: &'a Incident,
    ) -> (Option<&'a Revision>, Option<&'a Revision>) {
        let at = |place: Option<usize>| incident.revisions.get(place?);
        (at(self.places.0), at(self.places.1))
    }

    /// The keys that the replica on one of the sides takes, where it is told that these are all.
    pub fn taken<'a>(&self, incident: &'a Incident) -> Option<BTreeSet<&'a str>> {
        let replica = self.left.replica(incident);
        let replica = replica.or_else(|| self.right.replica(incident))?;
        let keys: Option<BTreeSet<&str>> = replica
            .uses
            .iter()
            .map(|usage| usage.key.as_deref())
            .collect();
        keys.filter(|keys| !keys.is_empty())
    }

    pub fn text(&self) -> Option<&Text> {
        match &self.body {
            Body::Text { text, .. } => Some(text),
            Body::Said(_) => None,
        }
    }

    fn stops(&self) -> &[text::Stop] {
        self.text().map_or(&[], |text| &text.stops)
    }

    fn len(&self) -> usize {
        self.text().map_or(1, |text| text.rows.len())
    }

    /// What the keys that move up and down move, and within how many.
    pub(super) fn cursor(&mut self) -> (&mut usize, usize) {
        let rows = self.len();
        match &mut self.list {
            Some(at) => (at, self.keys.len()),
            None => (&mut self.scroll, rows),
        }
    }

    /// Does what a key means. `columns` is the screen's width; a sentence comes back where there is something to say.
    pub(super) fn act(&mut self, act: DiffAct, of: &Incident, columns: usize) -> Option<String> {
        match act {
            DiffAct::NextChange => return self.next_change(of),
            DiffAct::PreviousChange => return self.previous_change(of),
            DiffAct::OlderLeft => return self.choose(of, |view| view.left.step(of, false)),
            DiffAct::NewerLeft => return self.choose(of, |view| view.left.step(of, true)),
            DiffAct::OlderRight => return self.choose(of, |view| view.right.step(of, false)),
            DiffAct::NewerRight => return self.choose(of, |view| view.right.step(of, true)),
            DiffAct::NextReplica => {
                return self.choose(of, |view| match view.right {
                    Side::Replica { .. } => view.right.next_replica(of),
                    _ => view.left.next_replica(of),
                });
            }
            DiffAct::Swap => {
                return self.choose(of, |view| {
                    std::mem::swap(&mut view.left, &mut view.right);
                    None
                });
            }
            DiffAct::Keys if self.list.is_some() => self.list = None,
            DiffAct::Keys => self.list = Some(self.key).filter(|_| !self.keys.is_empty()),
            DiffAct::Pick => {
                if let Some(at) = self.list.take() {
                    self.turn_to(of, at);
                }
            }
            DiffAct::Whole => {
                self.whole = !self.whole;
                self.turn_to(of, self.key);
                self.scroll_to(0);
            }
            DiffAct::TextLeft => self.move_across(false, columns),
            DiffAct::TextRight => self.move_across(true, columns),
        }
        None
    }

    /// Changes a side. What is on screen is then of other texts, so it begins at its beginning.
    fn choose(
        &mut self,
        incident: &Incident,
        change: impl Fn(&mut Self) -> Option<String>,
    ) -> Option<String> {
        let said = change(self);
        let before = self.compared.clone();
        self.settle(incident);
        if self.compared != before {
            (self.scroll, self.across, self.stop) = (0, None, 0);
        }
        said
    }

    /// To the next change in this key, or in the next one that differs.
    fn next_change(&mut self, incident: &Incident) -> Option<String> {
        if self.stop + 1 < self.stops().len() {
            self.scroll_to(self.stop + 1);
        } else if self.key + 1 < self.changed {
            self.turn_to(incident, self.key + 1);
        } else {
            return Some("That is the last change.".into());
        }
        None
    }

    /// To the change before, in this key or in the one before.
    fn previous_change(&mut self, incident: &Incident) -> Option<String> {
        if self.stop > 0 {
            self.scroll_to(self.stop - 1);
        } else if self.key > 0 && self.changed > 0 {
            self.turn_to(incident, (self.key - 1).min(self.changed - 1));
            self.scroll_to(self.stops().len().saturating_sub(1));
        } else {
            return Some("That is the first change.".into());
        }
        None
    }

    fn scroll_to(&mut self, stop: usize) {
        let Some(to) = self.stops().get(stop).copied() else {
            return;
        };
        self.stop = stop;
        self.across = to.across.map(|before| before.saturating_sub(ACROSS / 2));
        if !(self.scroll..self.scroll + VISIBLE).contains(&to.row) {
            self.scroll = to.row.saturating_sub(CONTEXT);
        }
    }

    fn move_across(&mut self, right: bool, columns: usize) {
        let Some(text) = self.text() else { return };
        let from = self.across.unwrap_or_else(|| {
            let row = self
                .stops()
                .get(self.stop)
                .and_then(|at| text.rows.get(at.row));
            row.map_or(0, |row| {
                let line = text.line(row).0;
                let start = window::start(line, &row.marks, columns, None);
                line.get(..start).unwrap_or_default().chars().count()
            })
        });
        let last = text.longest().saturating_sub(ACROSS);
        self.across = Some(if right {
            (from + ACROSS).min(last)
        } else {
            from.saturating_sub(ACROSS)
        });
    }
}

fn compared(revision: &Revision) -> Compared {
    Compared {
        name: revision.name.clone(),
        hash: revision.hash.clone(),
    }
}

/// Every key of both contents: those that differ by name, then those that do not.
fn keys(left: &Content, right: &Content) -> Vec<KeyRow> {
    let all: BTreeSet<&str> = left.keys().into_iter().chain(right.keys()).collect();
    let mut rows: Vec<KeyRow> = all
        .into_iter()
        .map(|key| KeyRow {
            name: key.to_owned(),
            change: Change::of(left, right, key),
        })
        .collect();
    // The sort keeps the order by name.
    rows.sort_by_key(|row| row.change == Change::Same);
    rows
}
