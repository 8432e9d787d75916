//! The error that ends the program: what was wrong, what lay behind it, and what to do.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Write};

use crate::capture::{OpenError, SaveError};
use crate::source::SourceError;
use crate::text::harmless;

/// What a command fails with.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<anyhow::Error>,
    hint: Option<String>,
}

impl Error {
    /// A sentence that says what was wrong and where.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
            hint: None,
        }
    }

    /// What lay behind it.
    #[must_use]
    pub fn because(mut self, source: impl Into<anyhow::Error>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// A sentence that says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As it is shown to the user: `error:`, then a `cause:` each, then `hint:`. Names and messages in it may come from a cluster.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "error: {}", harmless(&self.message))?;
        for cause in self.source.iter().flat_map(anyhow::Error::chain) {
            writeln!(out, "cause: {}", harmless(&cause.to_string()))?;
        }
        match &self.hint {
            Some(hint) => writeln!(out, "hint: {}", harmless(hint)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|error| &**error as _)
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        Self {
            message: error.message,
            source: None,
            hint: error.hint,
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        Self::new(error.to_string()).hint(error.hint())
    }
}

impl From<SaveError> for Error {
    fn from(error: SaveError) -> Self {
        Self::new(error.to_string()).hint(error.hint())
    }
}

#[cfg(test)]
mod tests;
