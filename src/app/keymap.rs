//! One table of keys: what a key does on which screen. Help and footer are made from the same table.

mod export;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub use export::Export;

use super::diff::DiffAct;
use super::logs::LogsCommand;
use super::object::ObjectAct;
use super::remedy::RemedyAct;
use super::screen::Tab;

/// A key press, as far as any screen tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

impl Key {
    /// `None` for releases (Windows tells of each), and for keys that nothing is bound to.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        // Both together are AltGr on Windows, which is how `[` and `@` are typed on many keyboards.
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        match event.code {
            KeyCode::Char(_) if alt && !control => None,
            KeyCode::Char(c) if control && !alt => Some(Self::Ctrl(c.to_ascii_lowercase())),
            KeyCode::Char(c) => Some(Self::Char(c)),
            KeyCode::Enter => Some(Self::Enter),
            KeyCode::Esc => Some(Self::Esc),
            KeyCode::Tab => Some(Self::Tab),
            KeyCode::BackTab => Some(Self::BackTab),
            KeyCode::Backspace => Some(Self::Backspace),
            KeyCode::Delete => Some(Self::Delete),
            KeyCode::Up => Some(Self::Up),
            KeyCode::Down => Some(Self::Down),
            KeyCode::Left => Some(Self::Left),
            KeyCode::Right => Some(Self::Right),
            KeyCode::PageUp => Some(Self::PageUp),
            KeyCode::PageDown => Some(Self::PageDown),
            KeyCode::Home => Some(Self::Home),
            KeyCode::End => Some(Self::End),
            _ => None,
        }
    }

    /// As the help names it.
    pub fn label(self) -> String {
        match self {
            Self::Char(' ') => "Space".into(),
            Self::Char(c) => c.to_string(),
            Self::Ctrl(c) => format!("Ctrl-{}", c.to_ascii_uppercase()),
            Self::Enter => "Enter".into(),
            Self::Esc => "Esc".into(),
            Self::Tab => "Tab".into(),
            Self::BackTab => "Shift-Tab".into(),
            Self::Backspace => "Backspace".into(),
            Self::Delete => "Del".into(),
            Self::Up => "↑".into(),
            Self::Down => "↓".into(),
            Self::Left => "←".into(),
            Self::Right => "→".into(),
            Self::PageUp => "PgUp".into(),
            Self::PageDown => "PgDn".into(),
            Self::Home => "Home".into(),
            Self::End => "End".into(),
        }
    }
}

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    Triage,
    Sheet(Tab),
    /// The list of keys over the diff.
    Keys,
    /// A whole config.
    Object,
    Overlay,
    /// The choice of what to export.
    Menu,
    /// The question whether commands may be run in containers.
    Consent,
    /// Typing a filter: what is not bound is text.
    Filter,
    /// Typing a command: what is not bound is text.
    Palette,
    /// The remedy, to agree to or under way.
    Remedy,
    /// Typing the words that agree to it.
    Confirm,
}

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    Quit,
    Suspend,
    Back,
    Help,
    NotChecked,
    /// Opens the selected incident's sheet.
    Open,
    /// Shows the whole text of cause, impact and what to do.
    Whole,
    Move(Move),
    Tab(Tab),
    NextTab,
    PreviousTab,
    Copy,
    Logs(LogsCommand),
    /// Copies what shows the thing rather than the thing.
    CopyCommand,
    Diff(DiffAct),
    /// Shows the config whole, and who uses it.
    Object,
    InObject(ObjectAct),
    /// Opens the remedy of the incident.
    Remedy,
    InRemedy(RemedyAct),
    /// Goes on with a remedy that an earlier run left open, or undoes it.
    LeftOpen {
        undo: bool,
    },
    ToggleZone,
    ReadAgain,
    Filter,
    NextMatch,
    PreviousMatch,
    Palette,
    /// The next order of the list of incidents.
    Sort,
    Mouse,
    /// Opens the choice of what to export.
    ExportMenu,
    Export(Export),
    LogIn,
    /// Shows what would be run in containers, and asks whether it may be.
    AskToProbe,
    /// The other of two answers.
    Choose,
    Agree(bool),
    /// Takes what was typed, or the choice.
    Accept,
    /// Completes what was typed.
    Complete,
    Edit(Edit),
}

/// A change of the line that is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edit {
    DeleteBefore,
    DeleteAt,
    DeleteWord,
    DeleteToStart,
    Left,
    Right,
    Start,
    End,
}

/// A step in a list or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

/// Where a binding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    /// But where text is typed.
    Everywhere,
    /// That, and also where text is typed.
    Always,
    Triage,
    /// On every tab of a sheet.
    Sheet,
    Tabs(&'static [Tab]),
    /// Every list that the filter knows: of incidents, of these tabs, and the longer texts.
    Lists(&'static [Tab]),
    Keys,
    Object,
    Overlay,
    Menu,
    Consent,
    /// Filter, palette, and the words that agree.
    Typing,
    Palette,
    Remedy,
}

impl On {
    fn holds(self, context: Context) -> bool {
        match (self, context) {
            (Self::Always, _)
            | (Self::Triage | Self::Lists(_), Context::Triage)
            | (Self::Sheet, Context::Sheet(_))
            | (Self::Keys, Context::Keys)
            | (Self::Object, Context::Object)
            | (Self::Overlay | Self::Lists(_), Context::Overlay)
            | (Self::Menu, Context::Menu)
            | (Self::Consent, Context::Consent)
            | (Self::Remedy, Context::Remedy)
            | (Self::Typing, Context::Filter | Context::Palette | Context::Confirm)
            | (Self::Palette, Context::Palette) => true,
            (Self::Everywhere, context) => !context.types(),
            (Self::Tabs(tabs) | Self::Lists(tabs), Context::Sheet(tab)) => tabs.contains(&tab),
            _ => false,
        }
    }
}

impl Context {
    /// Whether keys are text here.
    pub fn types(self) -> bool {
        matches!(self, Self::Filter | Self::Palette | Self::Confirm)
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Binding {
    on: On,
    keys: &'static [Key],
    pub command: Command,
    /// What the help says.
    pub help: &'static str,
    /// One word for the footer; empty: not there.
    pub footer: &'static str,
}

impl Binding {
    /// All its keys: `j ↓`.
    pub fn keys(&self) -> String {
        let labels: Vec<String> = self.keys.iter().map(|key| key.label()).collect();
        labels.join(" ")
    }

    /// The first of its keys, for the footer.
    pub fn key(&self) -> String {
        self.keys
            .first()
            .map_or_else(String::new, |key| key.label())
    }
}

const fn bind(
    on: On,
    keys: &'static [Key],
    command: Command,
    help: &'static str,
    footer: &'static str,
) -> Binding {
    Binding {
        on,
        keys,
        command,
        help,
        footer,
    }
}

const LISTS: On = On::Lists(&[Tab::Timeline, Tab::Replicas, Tab::Evidence, Tab::Plan]);
const COPYING: On = LISTS;
const LOGS: On = On::Tabs(&[Tab::Logs]);
const DIFF: On = On::Tabs(&[Tab::Diff]);

/// The table. Where two rows hold, the first one counts.
#[rustfmt::skip] // one row a line, or nobody can compare them
static BINDINGS: &[Binding] = &[
    bind(On::Triage, &[Key::Enter, Key::Char('l'), Key::Right], Command::Open, "open the incident", "open"),
    bind(On::Triage, &[Key::Char('s')], Command::Sort, "another order: worst, name, newest edit, most failing", "sort"),
    bind(On::Sheet, &[Key::Tab, Key::Char('l'), Key::Right], Command::NextTab, "next tab", ""),
    bind(On::Sheet, &[Key::BackTab, Key::Char('h'), Key::Left], Command::PreviousTab, "previous tab", ""),
    bind(On::Sheet, &[Key::Char('1')], Command::Tab(Tab::Timeline), "Timeline: what happened when, a lane each", ""),
    bind(On::Sheet, &[Key::Char('2')], Command::Tab(Tab::Replicas), "Replicas: which one runs what, and how that is known", ""),
    bind(On::Sheet, &[Key::Char('3')], Command::Tab(Tab::Diff), "Diff: what the edit changed", ""),
    bind(On::Sheet, &[Key::Char('4')], Command::Tab(Tab::Logs), "Logs: of all replicas, in order of time", ""),
    bind(On::Sheet, &[Key::Char('5')], Command::Tab(Tab::Evidence), "Evidence: each item with the command that shows it", ""),
    bind(On::Sheet, &[Key::Char('6')], Command::Tab(Tab::Plan), "Remedy: what to do, in which order", ""),
    bind(LOGS, &[Key::Char('/')], Command::Logs(LogsCommand::Search), "search: a regular expression, small letters for any case; Esc ends it", "search"),
    bind(LOGS, &[Key::Char('n')], Command::Logs(LogsCommand::Next), "next match", ""),
    bind(LOGS, &[Key::Char('N')], Command::Logs(LogsCommand::Before), "match before", ""),
    bind(LOGS, &[Key::Char('&'), Key::Char('f')], Command::Logs(LogsCommand::Keep), "keep only lines that match, after ! those that do not; Esc ends it", "keep"),
    bind(LOGS, &[Key::Char(']'), Key::Char('.')], Command::Logs(LogsCommand::NextMark), "next line that tells the replicas apart", "next mark"),
    bind(LOGS, &[Key::Char('['), Key::Char(',')], Command::Logs(LogsCommand::MarkBefore), "the one before", ""),
    bind(LOGS, &[Key::Char('s')], Command::Logs(LogsCommand::Only), "this line's replica alone, or all", "only this"),
    bind(LOGS, &[Key::Char('S')], Command::Logs(LogsCommand::NextOnly), "the next replica alone, after the last one all", ""),
    bind(LOGS, &[Key::Char('P')], Command::Logs(LogsCommand::Previous), "with the logs of the runs before, or without", ""),
    bind(LOGS, &[Key::Char('J')], Command::Logs(LogsCommand::Readable), "JSON and logfmt readable, or as they are", ""),
    bind(LOGS, &[Key::Char('W')], Command::Logs(LogsCommand::Wrap), "long lines wrapped, or cut", ""),
    bind(LOGS, &[Key::Char('>')], Command::Logs(LogsCommand::Right), "further right in the lines", ""),
    bind(LOGS, &[Key::Char('<')], Command::Logs(LogsCommand::Left), "back to the left", ""),
    bind(LOGS, &[Key::Char('F')], Command::Logs(LogsCommand::Full), "logs on the whole screen, or below the summary", "full"),
    bind(LOGS, &[Key::Char('y')], Command::Copy, "copy the line (OSC 52)", ""),
    bind(LOGS, &[Key::Char('Y')], Command::Logs(LogsCommand::CopyCommand), "copy the command that shows this log", ""),
    bind(DIFF, &[Key::Char('n')], Command::Diff(DiffAct::NextChange), "next change, then the next changed key", "next change"),
    bind(DIFF, &[Key::Char('p'), Key::Char('N')], Command::Diff(DiffAct::PreviousChange), "previous change", ""),
    bind(DIFF, &[Key::Char('K')], Command::Diff(DiffAct::Keys), "every key, to choose one", "all keys"),
    bind(DIFF, &[Key::Char('S')], Command::Diff(DiffAct::NextReplica), "what the next replica loaded", "replica"),
    bind(DIFF, &[Key::Char('[')], Command::Diff(DiffAct::OlderLeft), "an older revision on the left", ""),
    bind(DIFF, &[Key::Char(']')], Command::Diff(DiffAct::NewerLeft), "a newer revision on the left", ""),
    bind(DIFF, &[Key::Char('{')], Command::Diff(DiffAct::OlderRight), "an older revision on the right", ""),
    bind(DIFF, &[Key::Char('}')], Command::Diff(DiffAct::NewerRight), "a newer revision on the right", ""),
    bind(DIFF, &[Key::Char('x')], Command::Diff(DiffAct::Swap), "swap the sides", "swap"),
    bind(DIFF, &[Key::Char('c')], Command::Diff(DiffAct::Whole), "the unchanged lines too, or not", ""),
    bind(DIFF, &[Key::Char('<')], Command::Diff(DiffAct::TextLeft), "to the left in long lines", ""),
    bind(DIFF, &[Key::Char('>')], Command::Diff(DiffAct::TextRight), "to the right in long lines", ""),
    bind(DIFF, &[Key::Char('y')], Command::Copy, "copy the diff of this key (OSC 52)", "copy diff"),
    bind(DIFF, &[Key::Char('Y')], Command::CopyCommand, "copy the commands that show both sides", ""),
    bind(On::Keys, &[Key::Enter, Key::Char('l'), Key::Right], Command::Diff(DiffAct::Pick), "open the key", "open"),
    bind(On::Keys, &[Key::Esc, Key::Char('K'), Key::Char('h'), Key::Left], Command::Back, "close the list", "close"),
    bind(On::Sheet, &[Key::Char('o')], Command::Object, "the whole config, and who uses it", ""),
    bind(On::Triage, &[Key::Char('o')], Command::Object, "the whole config, and who uses it", ""),
    bind(On::Object, &[Key::Char('n')], Command::InObject(ObjectAct::NextPart), "to the next key or part", "next key"),
    bind(On::Object, &[Key::Char('p'), Key::Char('N')], Command::InObject(ObjectAct::PreviousPart), "to the key or part before", ""),
    bind(On::Object, &[Key::Char(']'), Key::Tab], Command::InObject(ObjectAct::NextConfig), "the next config of the workload", "next config"),
    bind(On::Object, &[Key::Char('['), Key::BackTab], Command::InObject(ObjectAct::PreviousConfig), "the config before", ""),
    bind(On::Object, &[Key::Char('<'), Key::Left], Command::InObject(ObjectAct::TextLeft), "to the left in long lines", ""),
    bind(On::Object, &[Key::Char('>'), Key::Right], Command::InObject(ObjectAct::TextRight), "to the right in long lines", "right"),
    bind(On::Object, &[Key::Char('y')], Command::Copy, "copy the command that shows it (OSC 52)", "copy command"),
    bind(On::Object, &[Key::Esc, Key::Char('o')], Command::Back, "back", "back"),
    bind(On::Sheet, &[Key::Char('r')], Command::Remedy, "the remedy: what would be done, and doing it", "remedy"),
    bind(On::Sheet, &[Key::Char('C')], Command::LeftOpen { undo: false }, "go on with a remedy that was left open", ""),
    bind(On::Sheet, &[Key::Char('U')], Command::LeftOpen { undo: true }, "undo a remedy that was left open", ""),
    bind(On::Triage, &[Key::Char('r')], Command::Remedy, "the remedy of the incident under the cursor", ""),
    bind(On::Remedy, &[Key::Enter], Command::InRemedy(RemedyAct::GoOn), "go on: type the words that agree, replace the others, or try again", "go on"),
    bind(On::Remedy, &[Key::Char('c')], Command::InRemedy(RemedyAct::NextChoice), "another earlier content to put back", "content"),
    bind(On::Remedy, &[Key::Char('K')], Command::InRemedy(RemedyAct::NextKey), "put one key back alone, the next one, or all", "key"),
    bind(On::Remedy, &[Key::Char('v')], Command::InRemedy(RemedyAct::Edit), "correct the text in $EDITOR before it is written (--allow-edit)", "edit"),
    bind(On::Remedy, &[Key::Char('f')], Command::InRemedy(RemedyAct::OtherMethod), "replace those that need it, or restart the whole workload", "method"),
    bind(On::Remedy, &[Key::Char('s')], Command::InRemedy(RemedyAct::Stop), "stop here; what was done stays done", "stop"),
    bind(On::Remedy, &[Key::Char('z')], Command::InRemedy(RemedyAct::Undo), "undo: look at what would come back", "undo"),
    bind(On::Remedy, &[Key::Char('E')], Command::InRemedy(RemedyAct::Export), "the closing report as Markdown, in a file", "report"),
    bind(On::Remedy, &[Key::Char('y')], Command::Copy, "copy this text (OSC 52)", "copy"),
    bind(On::Remedy, &[Key::Esc, Key::Char('r')], Command::Back, "back; what is under way goes on", "back"),
    bind(On::Sheet, &[Key::Enter], Command::Whole, "the whole text of cause, impact and what to do", "all text"),
    bind(On::Menu, &[Key::Enter, Key::Char('l'), Key::Right], Command::Accept, "do what is chosen", "do it"),
    bind(On::Menu, &[Key::Char('1')], Command::Export(Export::Summary), "a summary of five lines for a chat, copied and shown", ""),
    bind(On::Menu, &[Key::Char('2')], Command::Export(Export::Markdown), "the report as Markdown, in a file", ""),
    bind(On::Menu, &[Key::Char('3')], Command::Export(Export::Json), "the report as JSON, in a file", ""),
    bind(On::Menu, &[Key::Char('4')], Command::Export(Export::Capture), "a capture: everything that was read, in a file", ""),
    bind(On::Consent, &[Key::Char('y')], Command::Agree(true), "yes: run them where it matters, in this session", "yes"),
    bind(On::Consent, &[Key::Char('n')], Command::Agree(false), "no: run nothing in containers", "no"),
    bind(On::Consent, &[Key::Tab, Key::BackTab, Key::Left, Key::Right, Key::Char('h'), Key::Char('l')], Command::Choose, "the other answer", "other"),
    bind(On::Consent, &[Key::Enter], Command::Accept, "take the answer that is chosen", "take it"),
    bind(On::Consent, &[Key::Esc], Command::Back, "close: as it was, at first no", "close"),
    bind(LISTS, &[Key::Char('/')], Command::Filter, "filter: only rows with this text or regular expression", "filter"),
    bind(LISTS, &[Key::Char('n')], Command::NextMatch, "next row that the filter found", ""),
    bind(LISTS, &[Key::Char('N')], Command::PreviousMatch, "previous row that the filter found", ""),
    bind(COPYING, &[Key::Char('y')], Command::Copy, "copy what is selected (OSC 52): command, row or text", "copy"),
    bind(On::Everywhere, &[Key::Char('j'), Key::Down], Command::Move(Move::Down), "down", ""),
    bind(On::Everywhere, &[Key::Char('k'), Key::Up], Command::Move(Move::Up), "up", ""),
    bind(On::Everywhere, &[Key::PageDown, Key::Ctrl('f'), Key::Char(' ')], Command::Move(Move::PageDown), "a page down", ""),
    bind(On::Everywhere, &[Key::PageUp, Key::Ctrl('b')], Command::Move(Move::PageUp), "a page up", ""),
    bind(On::Everywhere, &[Key::Char('g'), Key::Home], Command::Move(Move::First), "to the first", ""),
    bind(On::Everywhere, &[Key::Char('G'), Key::End], Command::Move(Move::Last), "to the last", ""),
    bind(On::Overlay, &[Key::Esc, Key::Enter], Command::Back, "close; a filter first", "close"),
    bind(On::Overlay, &[Key::Char('C')], Command::LeftOpen { undo: false }, "go on with a remedy that was left open", ""),
    bind(On::Overlay, &[Key::Char('U')], Command::LeftOpen { undo: true }, "undo a remedy that was left open", ""),
    bind(On::Menu, &[Key::Esc], Command::Back, "close the choice", "close"),
    bind(On::Sheet, &[Key::Esc], Command::Back, "to the list of incidents; a filter first", "list"),
    bind(On::Triage, &[Key::Esc], Command::Back, "take the filter away; this is the first screen", ""),
    bind(On::Everywhere, &[Key::Char('w')], Command::NotChecked, "what was not checked, and what misleads", "not checked"),
    bind(On::Everywhere, &[Key::Char('u')], Command::ToggleZone, "times in UTC or in local time", "UTC/local"),
    bind(On::Everywhere, &[Key::Char('e')], Command::ExportMenu, "export: a summary for a chat, a report, a capture", "export"),
    bind(On::Everywhere, &[Key::Char('R')], Command::ReadAgain, "read everything again", "read again"),
    bind(On::Everywhere, &[Key::Char(':')], Command::Palette, "a command by its name; :ns NAME, :all, :theme NAME, ...", "command"),
    bind(On::Everywhere, &[Key::Char('m')], Command::Mouse, "mouse on or off; while off the terminal selects text", ""),
    bind(On::Everywhere, &[Key::Char('i')], Command::AskToProbe, "read inside containers: what would be run, and whether it may be", ""),
    bind(On::Everywhere, &[Key::Char('!')], Command::LogIn, "to a shell or the login command, and back", ""),
    bind(On::Everywhere, &[Key::Char('?')], Command::Help, "the keys of this screen", "keys"),
    bind(On::Everywhere, &[Key::Char('q')], Command::Quit, "quit", "quit"),
    bind(On::Typing, &[Key::Enter], Command::Accept, "keep the filter, run the command, or agree by the very words", "keep"),
    bind(On::Typing, &[Key::Esc], Command::Back, "take it away", "clear"),
    bind(On::Palette, &[Key::Tab], Command::Complete, "complete the command", "complete"),
    bind(On::Typing, &[Key::Up, Key::Ctrl('p')], Command::Move(Move::Up), "the row above", ""),
    bind(On::Typing, &[Key::Down, Key::Ctrl('n')], Command::Move(Move::Down), "the row below", ""),
    bind(On::Typing, &[Key::Left], Command::Edit(Edit::Left), "left", ""),
    bind(On::Typing, &[Key::Right], Command::Edit(Edit::Right), "right", ""),
    bind(On::Typing, &[Key::Home, Key::Ctrl('a')], Command::Edit(Edit::Start), "to the start", ""),
    bind(On::Typing, &[Key::End, Key::Ctrl('e')], Command::Edit(Edit::End), "to the end", ""),
    bind(On::Typing, &[Key::Backspace, Key::Ctrl('h')], Command::Edit(Edit::DeleteBefore), "delete the character before", ""),
    bind(On::Typing, &[Key::Delete, Key::Ctrl('d')], Command::Edit(Edit::DeleteAt), "delete the character under the cursor", ""),
    bind(On::Typing, &[Key::Ctrl('w')], Command::Edit(Edit::DeleteWord), "delete the word before", ""),
    bind(On::Typing, &[Key::Ctrl('u')], Command::Edit(Edit::DeleteToStart), "delete all before", ""),
    bind(On::Always, &[Key::Ctrl('c')], Command::Quit, "quit", ""),
    bind(On::Always, &[Key::Ctrl('z')], Command::Suspend, "to the shell; `fg` comes back", ""),
];

/// The rows that hold in a context, in the order of the table.
pub fn bindings(context: Context) -> impl Iterator<Item = &'static Binding> {
    BINDINGS
        .iter()
        .filter(move |binding| binding.on.holds(context))
}

/// What a key means in a context.
pub fn lookup(context: Context, key: Key) -> Option<Command> {
    bindings(context)
        .find(|binding| binding.keys.contains(&key))
        .map(|binding| binding.command)
}

#[cfg(test)]
mod tests;
