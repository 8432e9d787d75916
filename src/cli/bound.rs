//! `--keep`: how much of the history is kept, as a size or as a time.

use chrono::TimeDelta;

const EXPECTED: &str = "expected a size (16MiB to 100GiB) or a time (1h, 30d, 12w)";
/// Less than that is no history: a ConfigMap has a megabyte at most.
const LEAST: u64 = 1 << 20;
const MOST: u64 = 100 << 30;

/// One bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Bytes(u64),
    Age(TimeDelta),
}

pub(super) fn parse(text: &str) -> Result<Bound, String> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| EXPECTED.to_owned())?;
    let bytes = |unit: u64| {
        let bytes = number
            .checked_mul(unit)
            .filter(|bytes| (LEAST..=MOST).contains(bytes));
        bytes.map(Bound::Bytes).ok_or_else(|| EXPECTED.to_owned())
    };
    let age = |hours: u64| {
        let hours = number
            .checked_mul(hours)
            .filter(|hours| (1..=10 * 366 * 24).contains(hours));
        let hours = hours.and_then(|hours| i64::try_from(hours).ok());
        let age = hours.map(|hours| Bound::Age(TimeDelta::hours(hours)));
        age.ok_or_else(|| EXPECTED.to_owned())
    };
    match unit.to_ascii_lowercase().as_str() {
        "mi" | "mib" => bytes(1 << 20),
        "mb" => bytes(1_000_000),
        "gi" | "gib" => bytes(1 << 30),
        "gb" => bytes(1_000_000_000),
        "h" => age(1),
        "d" => age(24),
        "w" => age(7 * 24),
        _ => Err(EXPECTED.to_owned()),
    }
}

#[cfg(test)]
mod tests;
