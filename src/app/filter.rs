//! What a list is narrowed to: text, or a regular expression where it is one, in any case.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

/// A compiled expression of a few hundred characters stays far below this; what does not was made to be large.
const LARGEST: usize = 1 << 20;

/// A filter as it was typed. An empty one lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    text: String,
    regex: Option<Regex>,
    note: Option<String>,
}

impl Filter {
    pub fn new(text: &str) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        let (regex, note) = match compile(text) {
            Ok(regex) => (Some(regex), None),
            Err(why) => (
                compile(&regex::escape(text)).ok(),
                Some(format!("as plain text: {why}")),
            ),
        };
        Self {
            text: text.to_owned(),
            regex,
            note,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why it is not taken as a regular expression.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn matches(&self, row: &str) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(row))
    }

    /// Where in a row it was found.
    pub fn found(&self, row: &str) -> Vec<Range<usize>> {
        let Some(regex) = &self.regex else {
            return Vec::new();
        };
        regex
            .find_iter(row)
            .map(|found| found.range())
            .filter(|range| !range.is_empty())
            .collect()
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(LARGEST)
        .build()
        .map_err(|error| match error {
            // The last line of several says what is wrong; the others draw an arrow below the pattern.
            regex::Error::Syntax(message) => {
                let last = message.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            }
            _ => "it is too large for a regular expression".to_owned(),
        })
}

#[cfg(test)]
mod tests;
