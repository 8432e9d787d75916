//! Reports: one diagnosis as text for a person, as JSON for a program, or as Markdown for a ticket.

mod closing;
mod diff;
mod json;
mod markdown;
pub mod plan;
pub mod signals;
mod summary;
mod text;
mod words;

use std::io::{self, Write};

use crate::analysis::{Diagnosis, Incident};
pub use closing::closing;
pub use plan::{PlanFormat, write_plans};

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person at a terminal: at most 100 columns, except for commands, which stay whole to be copied.
    Text,
    /// For a program; the schema is in assets/report.schema.json.
    Json,
    /// For a ticket or a chat.
    Markdown,
}

/// Which characters the reader can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Charset {
    #[default]
    Unicode,
    /// JSON is not changed by it: its readers know UTF-8.
    Ascii,
}

/// Writes a report. The same diagnosis always gives the same bytes.
pub fn write(
    format: Format,
    charset: Charset,
    diagnosis: &Diagnosis,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = match format {
        Format::Json => return json::write(diagnosis, out),
        Format::Text => text::page(diagnosis),
        Format::Markdown => markdown::page(diagnosis),
    };
    match charset {
        Charset::Unicode => out.write_all(page.as_bytes()),
        Charset::Ascii => out.write_all(words::ascii(&page).as_bytes()),
    }
}

/// Five lines about one incident, for a chat; without one the verdict.
pub fn summary(diagnosis: &Diagnosis, incident: Option<&Incident>) -> String {
    summary::page(diagnosis, incident)
}

#[cfg(test)]
mod tests;
