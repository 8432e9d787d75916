//! `confsplit signals`: what the log extractors find in any log.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(super) const HELP: &str = "\
It reads plain text and gzip, logs as `kubectl logs` prints them (with --timestamps too), and as nodes keep them (CRI, Docker).
What a client supplies (request line, Host, referrer, user agent) counts for nothing but its own request.

Exit codes:
  0  the log was read, whatever was found
  3  an error, or wrong usage

Examples:
  confsplit signals access.log
  kubectl logs deploy/frontend --timestamps | confsplit signals
  confsplit signals -o json old.log.gz | jq '.signals[] | select(.kind == \"upstream\")'
  confsplit signals --list                     each extractor with a line that it reads";

#[derive(Debug, Args)]
pub struct Signals {
    /// The log; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How to print what was found
    #[arg(short, long, value_enum, default_value_t = Output::Text, value_name = "FORMAT")]
    pub output: Output,

    /// Read nothing, and print the extractors and formats, each with a line of the program that it is for
    #[arg(long, conflicts_with = "file")]
    pub list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For a person at a terminal
    Text,
    /// For a program: schema confsplit.signals/v1
    Json,
}
