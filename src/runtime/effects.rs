//! What the dashboard asked for and only the terminal can do.

use std::io::{self, Write};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

/// Terminals drop longer clipboard sequences silently.
const LONGEST: usize = 74_000;

/// Sends text to the terminal's clipboard (OSC 52), which works over SSH too. `terminal` is what TERM says.
pub(super) fn copy(out: &mut impl Write, text: &str, terminal: Option<&str>) -> Result<(), String> {
    // These show an escape sequence that they do not know, or have nothing to copy to.
    if let Some(name @ ("dumb" | "linux" | "")) = terminal {
        return Err(format!("this terminal (TERM={name}) has no clipboard"));
    }
    if text.len() > LONGEST {
        return Err(format!(
            "{} bytes are too many for a terminal's clipboard; e writes a file",
            text.len()
        ));
    }
    execute!(out, CopyToClipboard::to_clipboard_from(text)).map_err(|error| error.to_string())
}

/// Stops this process as Ctrl-Z would have, had the terminal not been in raw mode. Returns when the shell continues it.
#[cfg(unix)]
pub(super) fn stop() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

/// Windows stops no programs; the screen is drawn afresh, and that is all.
#[cfg(not(unix))]
pub(super) fn stop() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_goes_out_as_osc_52() {
        let mut out = Vec::new();
        copy(&mut out, "kubectl get pods", Some("xterm")).expect("a vector takes everything");
        assert_eq!(out, b"\x1b]52;c;a3ViZWN0bCBnZXQgcG9kcw==\x1b\\");
    }

    #[test]
    fn what_no_terminal_takes_is_refused() {
        let mut out = Vec::new();
        let long = copy(&mut out, &"x".repeat(LONGEST + 1), None).expect_err("too long");
        assert!(long.contains("74001 bytes"), "{long}");
        let dumb = copy(&mut out, "x", Some("dumb")).expect_err("no clipboard");
        assert!(dumb.contains("TERM=dumb"), "{dumb}");
        assert_eq!(out, b"", "nothing may be sent");
    }
}
