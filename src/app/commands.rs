//! What each command does to the state.

use super::diff::{self, DiffView};
use super::keymap::{self, Command, Key, Move};
use super::logs::{Logs, LogsCommand};
use super::screen::{Overlay, Screen, Sheet, Tab, moved};
use super::{App, Effect, Origin, Reading, shown};
use crate::analysis::Incident;
use crate::model::Facts;
use crate::text;

/// Lines of the screen that are never part of a list: header, title, tabs, footer, and most of the summary.
const FRAME: u16 = 12;

impl App {
    pub(super) fn press(&mut self, key: Key) -> Vec<Effect> {
        self.notice = None;
        if let Some(logs) = self.typing(key) {
            self.notice = logs.typed(key);
            return Vec::new();
        }
        let Some(command) = keymap::lookup(self.context(), key) else {
            return Vec::new();
        };
        self.touched = true;
        match command {
            Command::Quit => return vec![Effect::Quit],
            Command::Suspend => return vec![Effect::Suspend],
            Command::ReadAgain => return self.read_again(),
            Command::Copy => return self.copy(),
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
            Command::NextChange => self.in_diff(DiffView::next_change),
            Command::PreviousChange => self.in_diff(DiffView::previous_change),
            Command::OlderRevision => self.in_diff(|view, of| view.turn_revision(of, false)),
            Command::Logs(LogsCommand::CopyCommand) => return self.copy_log_command(),
            Command::Logs(command) => {
                self.notice = self.logs().and_then(|logs| logs.act(command));
            }
            Command::NewerRevision => self.in_diff(|view, of| view.turn_revision(of, true)),
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
        if self.logs().is_some_and(Logs::widen) {
            return;
        }
        if let Screen::Sheet(sheet) = &self.screen {
            self.triage = sheet.index;
            self.screen = Screen::Triage;
        }
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
        // Of a log no line may be passed over, however high the summary is.
        if let Screen::Sheet(sheet) = &self.screen
            && sheet.tab == Tab::Logs
            && self.overlay.is_none()
        {
            let height = usize::from(self.size.1);
            return match sheet.logs.full {
                true => height.saturating_sub(8).max(1),
                false => (height.saturating_sub(FRAME.into()) / 2).max(1),
            };
        }
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
                    Tab::Logs => return sheet.logs.step(by, page),
                    Tab::Timeline => (&mut sheet.entry, lens.entries),
                    Tab::Replicas => (&mut sheet.replica, lens.replicas),
                    Tab::Evidence => (&mut sheet.evidence, lens.evidence),
                    Tab::Plan => (&mut sheet.step, lens.steps),
                    Tab::Diff => {
                        let len = sheet.diff.len();
                        (&mut sheet.diff.scroll, len)
                    }
                };
                *cursor = moved(*cursor, len, by, page);
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
            if sheet.tab == Tab::Logs && before != Tab::Logs {
                sheet.logs.feed(incident, &self.facts);
            }
        }
    }

    /// The logs, where their tab is open.
    fn logs(&mut self) -> Option<&mut Logs> {
        match &mut self.screen {
            Screen::Sheet(sheet) if sheet.tab == Tab::Logs => Some(&mut sheet.logs),
            _ => None,
        }
    }

    /// The logs, where a pattern is being typed that this key is for: all keys are, but for those that end or stop a program.
    fn typing(&mut self, key: Key) -> Option<&mut Logs> {
        let leaves = matches!(key, Key::Ctrl('c' | 'z'));
        let takes = self.is_typing() && self.overlay.is_none() && !leaves;
        self.logs().filter(|_| takes)
    }

    fn copy_log_command(&mut self) -> Vec<Effect> {
        let cluster = self.options.cluster.clone();
        let command = self.logs().and_then(|logs| logs.selected_command(&cluster));
        if command.is_none() {
            self.notice = Some("There is nothing to copy here.".into());
        }
        let harmless = command.map(|command| text::harmless(&command).into_owned());
        harmless.into_iter().map(Effect::Copy).collect()
    }

    fn in_diff(&mut self, act: impl Fn(&mut DiffView, &Incident)) {
        let Some(diagnosis) = self.diagnosis.clone() else {
            return;
        };
        if let Screen::Sheet(sheet) = &mut self.screen
            && let Some(incident) = diagnosis.incidents.get(sheet.index)
        {
            act(&mut sheet.diff, incident);
        }
    }

    fn copy(&mut self) -> Vec<Effect> {
        let Some((incident, plans)) = self.incident() else {
            return Vec::new();
        };
        let Screen::Sheet(sheet) = &self.screen else {
            return Vec::new();
        };
        let command = match sheet.tab {
            Tab::Evidence => self
                .diagnosis()
                .map(|diagnosis| shown::evidence(diagnosis, incident))
                .and_then(|items| Some(items.get(sheet.evidence)?.command.clone())),
            Tab::Plan => shown::steps(plans)
                .get(sheet.step)
                .map(|(_, _, step)| step.command.clone()),
            Tab::Logs => {
                let line = sheet.logs.selected_text();
                if line.as_ref().is_some_and(|(_, cut)| *cut) {
                    self.notice = Some("Only the first 64 KiB of the line are copied.".into());
                }
                line.map(|(line, _)| line)
            }
            _ => None,
        };
        // What is pasted into a shell must be what was read on screen: no escape may hide in it.
        let harmless = command.map(|command| {
            command
                .lines()
                .map(|line| text::harmless(line).into_owned())
                .collect::<Vec<_>>()
                .join("\n")
        });
        match harmless.filter(|command| !command.is_empty()) {
            Some(command) => vec![Effect::Copy(command)],
            None => {
                self.notice = Some("There is nothing to copy here.".into());
                Vec::new()
            }
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
    let selected = order
        .get(sheet.replica)
        .and_then(|replica| replica.loaded.as_deref());
    sheet.diff = DiffView::open(incident, diff::first_left(incident, selected));
}

/// Puts a sheet's cursors back within what its incident has after another reading. An open diff stays at its
/// revision, key and line as far as they are still there.
pub(super) fn settle(sheet: &mut Sheet, incident: &Incident, facts: &Facts) {
    sheet.entry = sheet.entry.min(incident.timeline.len().saturating_sub(1));
    sheet.replica = sheet.replica.min(incident.replicas.len().saturating_sub(1));
    if sheet.tab == Tab::Diff {
        match sheet.diff.left.filter(|at| *at < incident.revisions.len()) {
            Some(left) => sheet.diff = sheet.diff.again(incident, left),
            None => open_diff(sheet, incident),
        }
    }
    if sheet.tab == Tab::Logs {
        sheet.logs.feed(incident, facts);
    }
}
