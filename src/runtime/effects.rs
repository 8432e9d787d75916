//! What the dashboard asked for and only the terminal can do.

use std::io::{self, Write};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

/// Terminals drop longer clipboard sequences silently.
const LONGEST: usize = 74_000;

/// Sends text to the terminal's clipboard (OSC 52), which works over SSH too.
pub(super) fn copy(out: &mut impl Write, text: &str) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err("it is too long for a terminal's clipboard".into());
    }
    execute!(out, CopyToClipboard::to_clipboard_from(text)).map_err(|error| error.to_string())
}

/// Stops this process as Ctrl-Z would have, had the terminal not been in raw mode. Returns when the shell continues it.
pub(super) fn stop() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_goes_out_as_osc_52() {
        let mut out = Vec::new();
        copy(&mut out, "kubectl get pods").expect("a vector takes everything");
        assert_eq!(out, b"\x1b]52;c;a3ViZWN0bCBnZXQgcG9kcw==\x1b\\");
    }

    #[test]
    fn what_no_terminal_takes_is_refused() {
        assert!(copy(&mut Vec::new(), &"x".repeat(LONGEST + 1)).is_err());
    }
}
