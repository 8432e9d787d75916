//! What is searched for in logs: a regular expression with smart case, or the text itself where it is none.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::plain::plain;
use super::readable;

/// Lines longer than this are searched as they are, not as they are shown.
const LONG: usize = 16 << 10;

#[derive(Debug, Clone)]
pub struct Pattern {
    /// As it was typed.
    pub text: String,
    regex: Regex,
    /// It is no regular expression, so it is looked for as it stands.
    pub literal: bool,
    /// It may be in a line as it is read though not as it was written. Mere words are in both or in neither.
    forms: bool,
}

impl Pattern {
    /// Nothing for no text.
    pub fn new(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .case_insensitive(!has_upper(text))
                .build()
        };
        let (regex, literal) = match build(text) {
            Ok(regex) => (regex, false),
            Err(_) => (build(&regex::escape(text)).ok()?, true),
        };
        Some(Self {
            text: text.to_owned(),
            regex,
            literal,
            forms: text.contains(|c: char| !c.is_alphanumeric() && !"-_/:".contains(c)),
        })
    }

    /// Whether a line has it: as it is, without colours, or in the form in which it is read.
    pub fn is_in(&self, line: &str) -> bool {
        let plain = plain(line);
        self.regex.is_match(&plain)
            || (self.forms
                && plain.len() <= LONG
                && readable::readable(&plain)
                    .is_some_and(|readable| self.regex.is_match(&readable.text)))
    }

    /// Where it is in a text.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.regex
            .find_iter(text)
            .map(|found| found.range())
            .filter(|range| !range.is_empty())
            .collect()
    }
}

/// Whether a pattern has a capital letter, but for those of classes such as `\S`.
fn has_upper(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let counts = !escaped && c.is_uppercase();
        escaped = !escaped && c == '\\';
        counts
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(pattern: &str, line: &str) -> bool {
        Pattern::new(pattern).expect("a pattern").is_in(line)
    }

    #[test]
    fn case_counts_where_a_capital_is_typed() {
        assert!(is_in("error", "An ERROR"));
        assert!(!is_in("Error", "an error"));
        assert!(is_in(r"\Serror", "anERROR"));
    }

    #[test]
    fn it_begins_where_the_programs_line_begins() {
        assert!(is_in("^upstream", "upstream timed out"));
        assert!(is_in("^upstream", "\u{1b}[31mupstream timed out"));
        assert!(!is_in("^upstream", " upstream"));
    }

    #[test]
    fn what_is_no_expression_is_looked_for_as_it_stands() {
        let pattern = Pattern::new("[::]:80 (").expect("a pattern");
        assert!(pattern.literal);
        assert!(pattern.is_in("listening on [::]:80 (tcp)"));
        assert!(!pattern.is_in("listening on :80"));
    }

    #[test]
    fn a_line_is_found_in_either_of_its_forms() {
        let line = r#"{"level":"error","msg":"no answer","status":504}"#;
        assert!(is_in("status=504", line));
        assert!(is_in(r#""status":504"#, line));
    }
}
