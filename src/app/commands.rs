//! What each command does to the state.

use super::diff::{self, DiffAct, DiffView};
use super::keymap::{self, Command, Key, Move};
use super::object::ObjectView;
use super::screen::{Overlay, Screen, Sheet, Tab, moved};
use super::{App, Effect, Origin, Reading, shown};
use crate::analysis::Incident;
use crate::text;

/// Lines of the screen that are never part of a list: header, title, tabs, footer, and most of the summary.
const FRAME: u16 = 12;

impl App {
    pub(super) fn press(&mut self, key: Key) -> Vec<Effect> {
        self.notice = None;
        let Some(command) = keymap::lookup(self.context(), key) else {
            return Vec::new();
        };
        self.touched = true;
        match command {
            Command::Quit => return vec![Effect::Quit],
            Command::Suspend => return vec![Effect::Suspend],
            Command::ReadAgain => return self.read_again(),
            Command::Copy => return self.copy(false),
            Command::CopyCommand => return self.copy(true),
            Command::Back => self.back(),
            Command::Help => self.toggle(Overlay::Help),
            Command::NotChecked => self.toggle(Overlay::NotChecked),
            Command::Whole => self.toggle(Overlay::Whole),
            Command::Open => self.open(),
            Command::ToggleZone => self.local_time = !self.local_time,
            Command::Move(by) => self.go(by),
            Command::Tab(tab) => self.turn(|_| tab),
            Command::NextTab => self.turn(Tab::next),
            Command::PreviousTab => self.turn(Tab::previous),
            Command::Diff(act) => self.in_diff(act),
            Command::Object => self.open_object(),
            Command::InObject(act) => {
                if let Screen::Object(object) = &mut self.screen {
                    self.notice = object.act(act, &self.facts);
                }
            }
        }
        Vec::new()
    }

    fn read_again(&mut self) -> Vec<Effect> {
        if matches!(self.reading, Reading::Running(_)) {
            self.notice = Some("Still reading.".into());
            return Vec::new();
        }
        self.reading = Reading::Running(Vec::new());
        if let Origin::Capture { .. } = self.options.origin {
            self.notice = Some("Reading the capture again; it shows the same moment.".into());
        }
        vec![Effect::Read]
    }

    fn back(&mut self) {
        if self.overlay.take().is_some() {
            return;
        }
        if let Screen::Sheet(sheet) = &mut self.screen
            && sheet.diff.list.take().is_some()
            && sheet.tab == Tab::Diff
        {
            return;
        }
        match &mut self.screen {
            Screen::Triage => {}
            Screen::Sheet(sheet) => {
                self.triage = sheet.index;
                self.screen = Screen::Triage;
            }
            Screen::Object(object) => {
                self.screen = std::mem::replace(&mut *object.below, Screen::Triage);
            }
        }
    }

    /// Opens the config of the incident that is open or selected.
    fn open_object(&mut self) {
        let Some((incident, _)) = self.incident() else {
            return;
        };
        let (config, workload) = (incident.config.clone(), incident.workload.clone());
        let below = std::mem::replace(&mut self.screen, Screen::Triage);
        let object = ObjectView::open(&self.facts, config, workload, below);
        self.screen = Screen::Object(Box::new(object));
    }

    fn toggle(&mut self, overlay: Overlay) {
        self.overlay = match self.overlay {
            Some((open, _)) if open == overlay => None,
            _ => Some((overlay, 0)),
        };
    }

    fn open(&mut self) {
        if let Some(incident) = self.incidents().get(self.triage) {
            self.screen = Screen::Sheet(Box::new(Sheet::new(self.triage, incident)));
        }
    }

    fn page(&self) -> usize {
        usize::from(self.size.1.saturating_sub(FRAME)).max(1)
    }

    fn go(&mut self, by: Move) {
        let page = self.page();
        if let Some((overlay, scroll)) = self.overlay {
            let len = self.overlay_len(overlay);
            self.overlay = Some((overlay, moved(scroll, len, by, page)));
            return;
        }
        let lens = self.lens();
        match &mut self.screen {
            Screen::Triage => {
                self.triage = moved(self.triage, self.incidents().len(), by, page);
            }
            Screen::Sheet(sheet) => {
                let (cursor, len) = match sheet.tab {
                    Tab::Timeline => (&mut sheet.entry, lens.entries),
                    Tab::Replicas => (&mut sheet.replica, lens.replicas),
                    Tab::Evidence => (&mut sheet.evidence, lens.evidence),
                    Tab::Plan => (&mut sheet.step, lens.steps),
                    Tab::Diff => sheet.diff.cursor(),
                };
                *cursor = moved(*cursor, len, by, page);
            }
            Screen::Object(object) => {
                object.scroll = moved(object.scroll, object.rows.len(), by, page);
            }
        }
    }

    fn lens(&self) -> Lens {
        let Some((incident, plans)) = self.incident() else {
            return Lens::default();
        };
        Lens {
            entries: incident.timeline.len(),
            replicas: incident.replicas.len(),
            evidence: self
                .diagnosis()
                .map_or(0, |diagnosis| shown::evidence(diagnosis, incident).len()),
            steps: shown::steps(plans).len(),
        }
    }

    /// How far an overlay can be scrolled, in paragraphs.
    fn overlay_len(&self, overlay: Overlay) -> usize {
        match overlay {
            Overlay::Help => keymap::bindings(self.context_below()).count(),
            Overlay::NotChecked => shown::not_checked(self).len(),
            Overlay::Whole => shown::whole(self).len(),
        }
    }

    fn turn(&mut self, to: impl Fn(Tab) -> Tab) {
        let Some(diagnosis) = self.diagnosis.clone() else {
            return;
        };
        if let Screen::Sheet(sheet) = &mut self.screen
            && let Some(incident) = diagnosis.incidents.get(sheet.index)
        {
            let before = sheet.tab;
            sheet.tab = to(before);
            if sheet.tab == Tab::Diff && before != Tab::Diff {
                open_diff(sheet, incident);
            }
        }
    }

    fn in_diff(&mut self, act: DiffAct) {
        let Some(diagnosis) = self.diagnosis.clone() else {
            return;
        };
        if let Screen::Sheet(sheet) = &mut self.screen
            && let Some(incident) = diagnosis.incidents.get(sheet.index)
        {
            let columns = usize::from(self.size.0);
            self.notice = sheet.diff.act(act, incident, columns);
        }
    }

    /// Copies what is selected, or the command that shows it.
    fn copy(&mut self, command: bool) -> Vec<Effect> {
        // What is pasted into a shell must be what was read on screen: no escape may hide in it.
        let harmless = self.to_copy(command).map(|text| {
            text.lines()
                .map(|line| text::harmless(line).into_owned())
                .collect::<Vec<_>>()
                .join("\n")
        });
        match harmless.filter(|text| !text.is_empty()) {
            Some(text) => vec![Effect::Copy(text)],
            None => {
                self.notice = Some("There is nothing to copy here.".into());
                Vec::new()
            }
        }
    }

    fn to_copy(&self, command: bool) -> Option<String> {
        if let Screen::Object(object) = &self.screen {
            return object.command(&self.options.cluster);
        }
        let (incident, plans) = self.incident()?;
        let Screen::Sheet(sheet) = &self.screen else {
            return None;
        };
        let diagnosis = self.diagnosis()?;
        match sheet.tab {
            Tab::Evidence => {
                let items = shown::evidence(diagnosis, incident);
                Some(items.get(sheet.evidence)?.command.clone())
            }
            Tab::Plan => {
                let steps = shown::steps(plans);
                Some(steps.get(sheet.step)?.2.command.clone())
            }
            Tab::Diff if command => diff::commands(&sheet.diff, incident, diagnosis),
            Tab::Diff => diff::unified(&sheet.diff, incident)
                .or_else(|| diff::commands(&sheet.diff, incident, diagnosis)),
            _ => None,
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Lens {
    entries: usize,
    replicas: usize,
    evidence: usize,
    steps: usize,
}

/// Compares what the selected replica runs with what is live.
fn open_diff(sheet: &mut Sheet, incident: &Incident) {
    let order = shown::replicas(incident);
    let selected = order.get(sheet.replica).copied();
    sheet.diff = DiffView::open(incident, diff::first_left(incident, selected));
}

/// Puts a sheet's cursors back within what its incident has after another reading. An open diff stays at its sides, key
/// and line as far as they are still there.
pub(super) fn settle(sheet: &mut Sheet, incident: &Incident) {
    sheet.entry = sheet.entry.min(incident.timeline.len().saturating_sub(1));
    sheet.replica = sheet.replica.min(incident.replicas.len().saturating_sub(1));
    if sheet.tab == Tab::Diff {
        sheet.diff.settle(incident);
    }
}
