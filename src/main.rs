//! The `confsplit` program: a thin shell around the library.

use std::io;
use std::process::ExitCode;

use confsplit::cli;
use confsplit::runtime::commands::{self, FAILED};

fn main() -> ExitCode {
    let cli = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. There is nowhere left to say that this could not be written.
            drop(error.print());
            return ExitCode::from(if error.use_stderr() { FAILED } else { 0 });
        }
    };
    match commands::run(cli) {
        Ok(outcome) => ExitCode::from(outcome.code()),
        Err(error) => {
            drop(error.print(&mut io::stderr().lock()));
            ExitCode::from(FAILED)
        }
    }
}
