//! The terminal, taken and given back: after a quit, an error, a panic on any thread, or a signal.

use std::io::{self, IsTerminal, Stdout, Write, stdout};
use std::panic;
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Position;

/// Whether the terminal is ours now. The panic hook needs it too, so it belongs to the process.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is, too: it is taken again when the terminal is.
static MOUSE: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Exit status of a Rust program that panicked.
const PANICKED: i32 = 101;

/// The terminal as ratatui draws on it.
pub type Screen = Terminal<CrosstermBackend<Stdout>>;

/// Holds the terminal; dropping it gives the terminal back.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// Takes the terminal: raw mode, the alternate screen, no cursor.
    pub fn take() -> io::Result<Self> {
        if !stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other(
                "The dashboard needs a terminal for its input and output; without one, `confsplit diagnose` writes a report.",
            ));
        }
        HOOK.call_once(install_hook);
        let guard = Self(());
        take()?;
        Ok(guard)
    }

    /// Gives the terminal back for a while, as for Ctrl-Z, and takes it again after `meanwhile`.
    pub fn lend(&self, meanwhile: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        restore();
        let outcome = meanwhile();
        take()?;
        outcome
    }

    /// Takes the mouse, or leaves it to the terminal, which then selects text with it.
    pub fn mouse(&self, on: bool) -> io::Result<()> {
        MOUSE.store(on, Ordering::SeqCst);
        match on {
            true => execute!(stdout(), EnableMouseCapture),
            false => execute!(stdout(), DisableMouseCapture),
        }
    }

    /// The screen to draw on.
    pub fn screen(&self) -> io::Result<Screen> {
        Terminal::new(CrosstermBackend::new(stdout()))
    }
}

/// Empties the screen, so that all of it is drawn next. `Terminal::clear` would ask the terminal where its cursor is, and
/// fail after two seconds where no answer comes; a resize to the same size asks nothing.
pub(super) fn blank(screen: &mut Screen) -> io::Result<()> {
    let size = screen.size()?;
    screen.resize((Position::ORIGIN, size).into())
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

fn take() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    enter(&mut stdout(), MOUSE.load(Ordering::SeqCst))
}

/// Gives the terminal back, once. What fails here cannot be told to anyone: the rest is tried all the same.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let left = leave(&mut stdout(), MOUSE.load(Ordering::SeqCst));
        let cooked = disable_raw_mode();
        drop((left, cooked));
    }
}

/// What is pasted comes in one piece from then on, so that no line of it is taken for commands.
fn enter(out: &mut impl Write, mouse: bool) -> io::Result<()> {
    queue!(out, EnterAlternateScreen, Hide, EnableBracketedPaste)?;
    if mouse {
        queue!(out, EnableMouseCapture)?;
    }
    out.flush()
}

fn leave(out: &mut impl Write, mouse: bool) -> io::Result<()> {
    if mouse {
        queue!(out, DisableMouseCapture)?;
    }
    queue!(out, DisableBracketedPaste, Show, LeaveAlternateScreen)?;
    out.flush()
}

/// A panic on any thread ends the program while the terminal is ours: a task's panic would else be caught by the
/// runtime, and the dashboard would go on drawing over the restored screen.
fn install_hook() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let ours = TAKEN.load(Ordering::SeqCst);
        restore();
        before(panic);
        if ours {
            process::exit(PANICKED);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back() {
        for mouse in [false, true] {
            let mut parser = vt100::Parser::default();
            let before = parser.screen().mouse_protocol_mode();
            let mut out = Vec::new();
            enter(&mut out, mouse).expect("a vector takes everything");
            parser.process(&out);
            assert!(parser.screen().alternate_screen());
            assert!(parser.screen().hide_cursor());
            assert!(parser.screen().bracketed_paste());
            assert_eq!(parser.screen().mouse_protocol_mode() != before, mouse);
            out.clear();
            leave(&mut out, mouse).expect("a vector takes everything");
            parser.process(&out);
            assert!(!parser.screen().alternate_screen());
            assert!(!parser.screen().hide_cursor());
            assert!(!parser.screen().bracketed_paste());
            assert_eq!(parser.screen().mouse_protocol_mode(), before);
        }
    }
}
