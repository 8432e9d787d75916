//! The kubelet's timestamps, a million of them in a blink.

use chrono::{DateTime, Utc};

use crate::model::LogLine;

/// Nanoseconds since 1970 and where the text begins; a line without a time keeps all its text.
pub(super) fn split(line: &str) -> (Option<i64>, usize) {
    if let Some(found) = usual(line.as_bytes()) {
        return (Some(found.0), found.1);
    }
    let parsed = LogLine::parse(line);
    let at = parsed.at.and_then(|at| at.timestamp_nanos_opt());
    match at {
        Some(at) => (Some(at), line.len() - parsed.text.len()),
        None => (None, 0),
    }
}

/// The moment of so many nanoseconds.
pub(super) fn moment(nanos: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(nanos)
}

/// `2026-10-02T20:35:48.123456789Z ` with any number of decimals up to nine, as every kubelet in UTC writes it.
fn usual(line: &[u8]) -> Option<(i64, usize)> {
    let number = |from: usize, length: usize| {
        line.get(from..from + length)?
            .iter()
            .try_fold(0_i64, |n, b| {
                b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0'))
            })
    };
    let is = |at: usize, byte: u8| (line.get(at) == Some(&byte)).then_some(());
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')]
        .into_iter()
        .try_for_each(|(at, byte)| is(at, byte))?;
    let real = (1970..2262).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !real {
        return None;
    }
    let mut end = 19;
    let mut nanos = 0;
    if is(19, b'.').is_some() {
        let digits = line
            .get(20..)?
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if digits == 0 || digits > 9 {
            return None;
        }
        nanos = number(20, digits)? * 10_i64.pow(9 - u32::try_from(digits).ok()?);
        end = 20 + digits;
    }
    is(end, b'Z')?;
    let text = match line.get(end + 1) {
        Some(b' ') => end + 2,
        Some(_) => return None,
        None => end + 1,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some((seconds * 1_000_000_000 + nanos, text))
}

/// Days since 1970 in the Gregorian calendar (Howard Hinnant's `days_from_civil`, for years after 0).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_the_model_reads() {
        for line in [
            "2026-10-02T20:35:48.123456789Z text",
            "2026-10-02T20:35:48Z text",
            "2026-10-02T20:35:48.1Z",
            "2024-02-29T23:59:59.999999999Z leap",
            "2000-03-01T00:00:00Z x",
            "1970-01-01T00:00:00Z x",
            "2026-10-02T20:35:48+05:45 Kathmandu",
            "2026-13-02T20:35:48Z no month",
            "2026-10-02T20:35:48Ztext",
            "2026-10-02 20:35:48Z text",
            "2026-10-02T20:35:48.Z text",
            "2026-10-02T20:35:48.1234567891Z more digits",
            "no time",
            "",
            "日本語 text",
        ] {
            let parsed = LogLine::parse(line);
            let (at, start) = split(line);
            assert_eq!(at.map(moment), parsed.at, "{line}");
            assert_eq!(&line[start..], parsed.text, "{line}");
        }
    }
}
