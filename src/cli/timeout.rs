//! `--request-timeout` in kubectl's notation.

use std::time::Duration;

/// How long to wait for one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(Option<Duration>);

impl Default for Timeout {
    fn default() -> Self {
        Self(Some(Duration::from_secs(10)))
    }
}

impl Timeout {
    /// `None` is without end.
    pub fn limit(self) -> Option<Duration> {
        self.0
    }
}

/// Reads `10s`, `1m30s`, `500ms`, `2h`, and a bare number as seconds. Zero is without end.
pub(super) fn parse(text: &str) -> Result<Timeout, String> {
    let total = milliseconds(text)
        .ok_or("expected a time such as 10s, 1m30s or 500ms, or a number of seconds")?;
    Ok(Timeout((total > 0).then(|| Duration::from_millis(total))))
}

fn milliseconds(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.parse::<u64>() {
        return seconds.checked_mul(1000);
    }
    let mut rest = text;
    let mut total = 0u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let factor = match &rest[..unit] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(factor)?)?;
        rest = &rest[unit..];
    }
    (!text.is_empty()).then_some(total)
}
