//! Lines by which programs say that they cannot start with what they read.

use std::sync::LazyLock;

use regex::Regex;

use super::own::own;

pub(super) const PATTERN: &str = r"(?i)\[emerg\]|\[ALERT\]|AH00526|syntax error|parse error|parsing (?:error|failed)|error parsing|failed to (?:parse|load|read)|cannot (?:parse|unmarshal)|could not (?:parse|load)|unknown directive|invalid (?:configuration|config|value|port|url|yaml|json)|yaml: |JSONDecodeError|unmarshal";

static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());

/// Whether a line reports an error of start-up or of parsing a configuration. A client can write such words too.
pub(super) fn is_one(line: &str) -> bool {
    let found = ERROR.as_ref().and_then(|error| error.find(line));
    found.is_some_and(|found| found.start() < own(line.as_bytes()))
}

#[cfg(test)]
mod tests;
