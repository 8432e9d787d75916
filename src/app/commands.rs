//! What each command does to the state.

use super::copying;
use super::diff::{self, DiffAct, DiffView};
use super::filter::Filter;
use super::keymap::{self, Command, Edit, Export, Key, Move};
use super::lists::Rows;
use super::logs::{Logs, LogsCommand};
use super::object::ObjectView;
use super::palette;
use super::prompt::{Asking, Prompt};
use super::screen::{Overlay, Screen, Sheet, Tab};
use super::triage::Listed;
use super::{App, Effect, Hit, Origin, Reading, shown};
use crate::analysis::Incident;
use crate::model::Facts;
use crate::text;

/// Lines of the screen that are never part of a list: header, title, tabs, footer, and most of the summary.
const FRAME: u16 = 12;
/// What a step of the wheel moves by.
const WHEEL: usize = 3;

impl App {
    pub(super) fn press(&mut self, key: Key) -> Vec<Effect> {
        self.notice = None;
        if let Some(logs) = self.typing(key) {
            self.notice = logs.typed(key);
            return Vec::new();
        }
        let context = self.context();
        let Some(command) = keymap::lookup(context, key) else {
            if let Key::Char(c) = key
                && context.types()
            {
                self.typed(c.encode_utf8(&mut [0; 4]));
            }
            return Vec::new();
        };
        self.touched = true;
        self.quitting &= command == Command::Quit;
        self.run(command)
    }

    pub(super) fn run(&mut self, command: Command) -> Vec<Effect> {
        match command {
            Command::Quit => return self.quit(),
            Command::Remedy => return self.open_remedy(),
            Command::InRemedy(act) => return self.remedy_act(act),
            Command::LeftOpen { undo } => return self.go_on_with_left(undo),
            Command::Suspend => return vec![Effect::Suspend],
            Command::ReadAgain => return self.read_again(),
            Command::Copy => return copying::copy(self, false),
            Command::CopyCommand => return copying::copy(self, true),
            Command::LogIn => return self.log_in(),
            Command::Mouse => return self.toggle_mouse(),
            Command::Export(what) => return self.export(what),
            Command::Accept => return self.accept(),
            Command::Back
                if matches!(self.overlay, Some((Overlay::Probe, _))) && self.prompt.is_none() =>
            {
                return self.leave_question();
            }
            Command::Agree(yes) => return self.agree(yes),
            Command::AskToProbe => self.ask_to_probe(),
            Command::Choose => self.choose(),
            Command::Back => self.back(),
            Command::Help => self.toggle(Overlay::Help),
            Command::NotChecked => self.toggle(Overlay::NotChecked),
            Command::Whole => self.toggle(Overlay::Whole),
            Command::ExportMenu => self.toggle(Overlay::Export),
            Command::Open => self.open(),
            Command::Sort => self.sort = self.sort.next(),
            Command::ToggleZone => self.local_time = !self.local_time,
            Command::Filter => {
                self.prompt = Some(Prompt::new(Asking::Filter, self.filter().text()));
            }
            Command::Palette => self.prompt = Some(Prompt::new(Asking::Command, "")),
            Command::NextMatch => self.go_to_match(Move::Down),
            Command::PreviousMatch => self.go_to_match(Move::Up),
            Command::Complete => self.complete(),
            Command::Edit(edit) => self.edit(edit),
            Command::Move(by) => self.step(by),
            Command::Tab(tab) => self.turn(|_| tab),
            Command::NextTab => self.turn(Tab::next),
            Command::PreviousTab => self.turn(Tab::previous),
            Command::Logs(LogsCommand::CopyCommand) => return self.copy_log_command(),
            Command::Logs(command) => {
                self.notice = self.logs().and_then(|logs| logs.act(command));
            }
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

    /// Whether a command would do anything now: what would not is not offered. `top` is the list on top, which is made once
    /// for all questions.
    pub fn offers(&self, command: Command, top: Option<&Rows>) -> bool {
        match command {
            Command::Open | Command::Copy => top.is_some_and(|rows| !rows.places.is_empty()),
            Command::Sort | Command::Filter => top.is_some_and(|rows| rows.of > 1),
            Command::NextMatch | Command::PreviousMatch => !self.filter().is_empty(),
            Command::InRemedy(act) => self.remedy_offers(act),
            _ => true,
        }
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

    fn log_in(&mut self) -> Vec<Effect> {
        if let Origin::Capture { .. } = self.options.origin {
            self.notice = Some("A capture is a file: there is nothing to log in to.".into());
            return Vec::new();
        }
        vec![Effect::LogIn]
    }

    fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.mouse = !self.mouse;
        let said = match self.mouse {
            true => "Mouse on: a click selects, the wheel scrolls; m gives it back.",
            false => "Mouse off: the terminal selects text again.",
        };
        self.notice = Some(said.into());
        vec![Effect::Mouse(self.mouse)]
    }

    fn export(&mut self, what: Export) -> Vec<Effect> {
        self.close();
        if self.diagnosis.is_none() {
            self.notice = Some("Nothing has been read yet that could be exported.".into());
            return Vec::new();
        }
        vec![Effect::Export(what)]
    }

    /// Takes what is typed or chosen.
    fn accept(&mut self) -> Vec<Effect> {
        if let Some(prompt) = self.prompt.take() {
            return match prompt.asking {
                // It has narrowed the list all along.
                Asking::Filter => Vec::new(),
                Asking::Command => self.take_command(prompt),
                Asking::Confirm => self.confirm(prompt.text()),
            };
        }
        match self.overlay {
            Some((Overlay::Export, choice)) => match Export::ALL.get(choice) {
                Some(what) => self.export(*what),
                None => Vec::new(),
            },
            Some((Overlay::Probe, _)) => self.agree(self.probing.yes),
            _ => Vec::new(),
        }
    }

    /// One step back: what is typed, then the filter, then what lies over the screen, then the screen.
    fn back(&mut self) {
        if let Some(prompt) = self.prompt.take() {
            match prompt.asking {
                Asking::Filter => self.set_filter(Filter::default()),
                Asking::Confirm => self.notice = Some("Cancelled: nothing is written.".into()),
                Asking::Command => {}
            }
        } else if !self.filter().is_empty() {
            self.set_filter(Filter::default());
        } else if self.overlay.is_some() {
            self.close();
        } else if self.logs().is_some_and(Logs::widen) {
            // The log shows more again.
        } else if !self.close_list_of_keys() {
            self.leave();
        }
    }

    /// Closes the list of keys that may lie over a diff; whether it was there.
    fn close_list_of_keys(&mut self) -> bool {
        match &mut self.screen {
            Screen::Sheet(sheet) => sheet.diff.list.take().is_some() && sheet.tab == Tab::Diff,
            _ => false,
        }
    }

    /// Leaves the screen for the one that it was opened from.
    fn leave(&mut self) {
        match &mut self.screen {
            Screen::Triage => {}
            Screen::Sheet(sheet) => {
                self.triage = sheet.index;
                self.screen = Screen::Triage;
                self.settle_cursors();
            }
            Screen::Object(object) => {
                self.screen = std::mem::replace(&mut *object.below, Screen::Triage);
            }
            Screen::Remedy(below) => {
                self.screen = std::mem::replace(&mut below.screen, Screen::Triage);
                // Its incident may be gone by now.
                self.reopen();
                if self.remedy_is_under_way() {
                    self.notice = Some("The remedy goes on; r shows it again.".into());
                }
            }
        }
    }

    /// Opens the config of the incident that is open or selected.
    fn open_object(&mut self) {
        let open = match self.incident() {
            Some((incident, _)) => Some((incident.config.clone(), incident.workload.clone())),
            None => self.listed_at(self.triage).map(Listed::pair),
        };
        let Some((config, workload)) = open else {
            return;
        };
        let below = std::mem::replace(&mut self.screen, Screen::Triage);
        let object = ObjectView::open(&self.facts, config, workload, below);
        self.screen = Screen::Object(Box::new(object));
    }

    pub(super) fn close(&mut self) {
        self.overlay = None;
        self.overlay_filter = Filter::default();
    }

    fn toggle(&mut self, overlay: Overlay) {
        let open = self.overlay.is_some_and(|(open, _)| open == overlay);
        self.close();
        if !open {
            self.overlay = Some((overlay, 0));
        }
    }

    fn open(&mut self) {
        if !self.triage_rows().places.contains(&self.triage) {
            return;
        }
        if let Some(Listed::Suspect(_)) = self.listed_at(self.triage) {
            self.toggle(Overlay::Whole);
        } else if let Some(incident) = self.incidents().get(self.triage) {
            self.screen = Screen::Sheet(Box::new(Sheet::new(self.triage, incident)));
        }
    }

    pub(super) fn page(&self) -> usize {
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

    /// Text that was typed or pasted. Outside of a line it is nothing: pasted text is no command.
    pub(super) fn typed(&mut self, text: &str) {
        if let Some(prompt) = &mut self.prompt {
            prompt.insert(text);
            self.narrow();
        }
    }

    fn edit(&mut self, edit: Edit) {
        if let Some(prompt) = &mut self.prompt {
            prompt.edit(edit);
            self.narrow();
        }
    }

    /// The list follows the filter while it is typed.
    fn narrow(&mut self) {
        if let Some(prompt) = &self.prompt
            && prompt.asking == Asking::Filter
        {
            self.set_filter(Filter::new(prompt.text()));
        }
    }

    fn go_to_match(&mut self, by: Move) {
        if self.filter().is_empty() {
            self.notice = Some("There is no filter; / sets one.".into());
        } else {
            self.go(by);
        }
    }

    /// A step in the list on top, or among the commands that are proposed.
    fn step(&mut self, by: Move) {
        let Some(prompt) = self.prompt.as_ref().filter(|p| p.asking == Asking::Command) else {
            return self.go(by);
        };
        let last = palette::candidates(self, prompt.text())
            .len()
            .checked_sub(1);
        let choice = match (prompt.choice, by) {
            (None, Move::Up) => last,
            (None, _) => last.map(|_| 0),
            (Some(at), Move::Up) => Some(at.saturating_sub(1)),
            (Some(at), _) => last.map(|last| (at + 1).min(last)),
        };
        if let Some(prompt) = &mut self.prompt {
            prompt.choice = choice;
        }
    }

    /// A click: the row is selected, or opened where it was; the tab is turned to.
    pub(super) fn click(&mut self, hit: Hit) -> Vec<Effect> {
        self.notice = None;
        self.touched = true;
        self.prompt = None;
        match (hit, self.overlay) {
            (Hit::Tab(tab), None) => self.turn(|_| tab),
            (Hit::Row(row), Some((Overlay::Export, _))) => {
                return Export::ALL
                    .get(row)
                    .map_or_else(Vec::new, |what| self.export(*what));
            }
            (Hit::Row(row), None) => match &mut self.screen {
                Screen::Triage if self.triage == row => self.open(),
                Screen::Triage => self.triage = row,
                Screen::Object(_) | Screen::Remedy(_) => {}
                Screen::Sheet(sheet) => {
                    if let Some(cursor) = sheet.cursor_mut() {
                        *cursor = row;
                    }
                }
            },
            (_, Some(_)) => {}
        }
        Vec::new()
    }

    pub(super) fn wheel(&mut self, down: bool) {
        for _ in 0..WHEEL {
            self.go(if down { Move::Down } else { Move::Up });
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
        self.settle_cursors();
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
}

/// Compares what the selected replica runs with what is live.
fn open_diff(sheet: &mut Sheet, incident: &Incident) {
    let order = shown::replicas(incident);
    let selected = order.get(sheet.replica).copied();
    sheet.diff = DiffView::open(incident, diff::first_left(incident, selected));
}

/// Puts a sheet's cursors back within what its incident has after another reading. An open diff stays at its sides, key
/// and line as far as they are still there.
pub(super) fn settle(sheet: &mut Sheet, incident: &Incident, facts: &Facts) {
    sheet.entry = sheet.entry.min(incident.timeline.len().saturating_sub(1));
    sheet.replica = sheet.replica.min(incident.replicas.len().saturating_sub(1));
    if sheet.tab == Tab::Diff {
        sheet.diff.settle(incident);
    }
    if sheet.tab == Tab::Logs {
        sheet.logs.feed(incident, facts);
    }
}
