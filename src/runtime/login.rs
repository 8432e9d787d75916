//! Lends the terminal to the login command of the settings, or to a shell.

use std::env;
use std::io::{self, BufRead, Write};
use std::process::{Command, ExitStatus};

use crate::text::harmless;

/// Runs it in the terminal that was given back. Fails with what went wrong, in a few words.
pub(super) fn run(login: Option<&str>) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let (mut command, told) = match login {
        Some(line) => (
            of_line(line),
            format!("confsplit runs `{}` and comes back.", harmless(line)),
        ),
        None => (
            shell(),
            "confsplit waits: log in, then `exit` to come back. A variable that you set here stays here."
                .to_owned(),
        ),
    };
    drop(writeln!(out, "\n{told}").and_then(|()| out.flush()));
    let ended = command.status();
    match (ended, login) {
        (Err(error), _) => Err(format!("The login could not be started: {error}.")),
        // A shell ends with what its last command ended with, which says nothing of the login.
        (Ok(_), None) => Ok(()),
        (Ok(status), Some(_)) if status.success() => Ok(()),
        (Ok(status), Some(line)) => {
            let what = format!("`{}` {}", harmless(line), ending(status));
            // What it said would be gone with the screen.
            drop(write!(out, "\n{what}. Enter goes back. ").and_then(|()| out.flush()));
            drop(io::stdin().lock().read_line(&mut String::new()));
            Err(format!("The login failed: {what}."))
        }
    }
}

pub(super) fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

#[cfg(unix)]
pub(super) fn of_line(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    // No shell is there to continue it: stopped by Ctrl-Z, it would be waited for without end.
    command.arg("-c").arg(format!("trap '' TSTP\n{line}"));
    command
}

#[cfg(unix)]
fn shell() -> Command {
    Command::new(env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into()))
}

#[cfg(windows)]
pub(super) fn of_line(line: &str) -> Command {
    let mut command = shell();
    command.arg("/C").arg(line);
    command
}

#[cfg(windows)]
fn shell() -> Command {
    Command::new(env::var_os("COMSPEC").unwrap_or_else(|| "cmd.exe".into()))
}
