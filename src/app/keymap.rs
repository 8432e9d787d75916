//! One table of keys: what a key does on which screen. Help and footer are made from the same table.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::diff::DiffAct;
use super::object::ObjectAct;
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
    /// `None` for releases, and for keys that nothing is bound to.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        match event.code {
            KeyCode::Char(c) if event.modifiers.contains(KeyModifiers::CONTROL) => {
                Some(Self::Ctrl(c.to_ascii_lowercase()))
            }
            KeyCode::Char(c) => Some(Self::Char(c)),
            KeyCode::Enter => Some(Self::Enter),
            KeyCode::Esc => Some(Self::Esc),
            KeyCode::Tab => Some(Self::Tab),
            KeyCode::BackTab => Some(Self::BackTab),
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
            Self::Char(c) => c.to_string(),
            Self::Ctrl(c) => format!("Ctrl-{}", c.to_ascii_uppercase()),
            Self::Enter => "Enter".into(),
            Self::Esc => "Esc".into(),
            Self::Tab => "Tab".into(),
            Self::BackTab => "Shift-Tab".into(),
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
    /// Copies what shows the thing rather than the thing.
    CopyCommand,
    Diff(DiffAct),
    /// Shows the config whole, and who uses it.
    Object,
    InObject(ObjectAct),
    ToggleZone,
    ReadAgain,
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
    Everywhere,
    Triage,
    /// On every tab of a sheet.
    Sheet,
    Tabs(&'static [Tab]),
    Keys,
    Object,
    Overlay,
}

impl On {
    fn holds(self, context: Context) -> bool {
        match (self, context) {
            (Self::Everywhere, _)
            | (Self::Triage, Context::Triage)
            | (Self::Sheet, Context::Sheet(_))
            | (Self::Keys, Context::Keys)
            | (Self::Object, Context::Object)
            | (Self::Overlay, Context::Overlay) => true,
            (Self::Tabs(tabs), Context::Sheet(tab)) => tabs.contains(&tab),
            _ => false,
        }
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

const COPYING: On = On::Tabs(&[Tab::Evidence, Tab::Plan]);
const DIFF: On = On::Tabs(&[Tab::Diff]);

/// The table. Where two rows hold, the first one counts.
#[rustfmt::skip] // one row a line, or nobody can compare them
static BINDINGS: &[Binding] = &[
    bind(On::Triage, &[Key::Enter, Key::Char('l'), Key::Right], Command::Open, "open the incident", "open"),
    bind(On::Sheet, &[Key::Tab, Key::Char('l'), Key::Right], Command::NextTab, "next tab", ""),
    bind(On::Sheet, &[Key::BackTab, Key::Char('h'), Key::Left], Command::PreviousTab, "previous tab", ""),
    bind(On::Sheet, &[Key::Char('1')], Command::Tab(Tab::Timeline), "Timeline: what happened when, a lane each", ""),
    bind(On::Sheet, &[Key::Char('2')], Command::Tab(Tab::Replicas), "Replicas: which one runs what, and how that is known", ""),
    bind(On::Sheet, &[Key::Char('3')], Command::Tab(Tab::Diff), "Diff: what the edit changed", ""),
    bind(On::Sheet, &[Key::Char('4')], Command::Tab(Tab::Evidence), "Evidence: each item with the command that shows it", ""),
    bind(On::Sheet, &[Key::Char('5')], Command::Tab(Tab::Plan), "Plan: what to do, in which order", ""),
    bind(COPYING, &[Key::Char('y')], Command::Copy, "copy the command (OSC 52)", "copy command"),
    bind(DIFF, &[Key::Char('n')], Command::Diff(DiffAct::NextChange), "next change, then the next changed key", "next change"),
    bind(DIFF, &[Key::Char('p'), Key::Char('N')], Command::Diff(DiffAct::PreviousChange), "previous change", ""),
    bind(DIFF, &[Key::Char('K')], Command::Diff(DiffAct::Keys), "every key, to choose one", "all keys"),
    bind(DIFF, &[Key::Char('r')], Command::Diff(DiffAct::NextReplica), "what the next replica loaded", "replica"),
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
    bind(On::Sheet, &[Key::Enter], Command::Whole, "the whole text of cause, impact and what to do", "all text"),
    bind(On::Everywhere, &[Key::Char('j'), Key::Down], Command::Move(Move::Down), "down", ""),
    bind(On::Everywhere, &[Key::Char('k'), Key::Up], Command::Move(Move::Up), "up", ""),
    bind(On::Everywhere, &[Key::PageDown, Key::Ctrl('f'), Key::Char(' ')], Command::Move(Move::PageDown), "a page down", ""),
    bind(On::Everywhere, &[Key::PageUp, Key::Ctrl('b')], Command::Move(Move::PageUp), "a page up", ""),
    bind(On::Everywhere, &[Key::Char('g'), Key::Home], Command::Move(Move::First), "to the first", ""),
    bind(On::Everywhere, &[Key::Char('G'), Key::End], Command::Move(Move::Last), "to the last", ""),
    bind(On::Overlay, &[Key::Esc, Key::Enter], Command::Back, "close", "close"),
    bind(On::Sheet, &[Key::Esc], Command::Back, "to the list of incidents", "list"),
    bind(On::Triage, &[Key::Esc], Command::Back, "nothing: this is the first screen", ""),
    bind(On::Everywhere, &[Key::Char('w')], Command::NotChecked, "what was not checked, and what misleads", "not checked"),
    bind(On::Everywhere, &[Key::Char('u')], Command::ToggleZone, "times in UTC or in local time", "UTC/local"),
    bind(On::Everywhere, &[Key::Char('R')], Command::ReadAgain, "read everything again", "read again"),
    bind(On::Everywhere, &[Key::Char('?')], Command::Help, "the keys of this screen", "keys"),
    bind(On::Everywhere, &[Key::Char('q'), Key::Ctrl('c')], Command::Quit, "quit", "quit"),
    bind(On::Everywhere, &[Key::Ctrl('z')], Command::Suspend, "to the shell; `fg` comes back", ""),
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
