//! When a line was written, as far as it says so without doubt.

use std::ops::Range;
use std::sync::LazyLock;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use regex::bytes::Regex;

use super::eight::first;

/// A moment as a log tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// In UTC where the zone is known, else as it was written.
    pub at: NaiveDateTime,
    /// Whether the line says which zone it is in.
    pub zoned: bool,
}

/// A time as it was written, so that it is only read where it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    bytes: [u8; 36],
    length: u8,
}

/// Splits the kubelet's timestamp off a line: RFC 3339 and a space.
#[inline(always)]
pub(super) fn kubelet(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let [
        _,
        _,
        _,
        _,
        b'-',
        _,
        _,
        b'-',
        _,
        _,
        b'T',
        _,
        _,
        b':',
        _,
        _,
        b':',
        ..,
    ] = line
    else {
        return None;
    };
    let near = line.get(..37.min(line.len()))?;
    let end = first(near, [b' ']).unwrap_or(near.len());
    let (stamp, rest) = line.split_at(end);
    let zoned = stamp.ends_with(b"Z") || matches!(stamp, [.., b'+' | b'-', _, _, b':', _, _]);
    (zoned && end <= 36).then(|| (stamp, rest.get(1..).unwrap_or_default()))
}

/// `2026-11-30T02:49:22.123456789Z`, or with an offset.
pub(super) fn rfc3339(text: &[u8]) -> Option<DateTime<Utc>> {
    let (local, zone) = local(text)?;
    Some((local - offset(zone)?).and_utc())
}

/// Date and time of day with what follows them.
fn local(text: &[u8]) -> Option<(NaiveDateTime, &[u8])> {
    let number = |from: usize, to: usize| number(text.get(from..to)?);
    let date = NaiveDate::from_ymd_opt(
        i32::try_from(number(0, 4)?).ok()?,
        number(5, 7)?,
        number(8, 10)?,
    )?;
    let second = number(17, 19)?;
    let mut rest = text.get(19..)?;
    let mut nanos = 0;
    if let Some((b'.' | b',', digits)) = rest.split_first() {
        let many = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        let used = many.min(9);
        nanos = number_of(digits.get(..used)?)? * 10_u32.pow(9 - u32::try_from(used).ok()?);
        rest = digits.get(many..)?;
    }
    let at = date.and_hms_nano_opt(number(11, 13)?, number(14, 16)?, second.min(59), nanos)?;
    Some((at, rest))
}

fn number(digits: &[u8]) -> Option<u32> {
    (!digits.is_empty()).then(|| number_of(digits))?
}

fn number_of(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |sum, b| {
        b.is_ascii_digit()
            .then(|| sum.wrapping_mul(10).wrapping_add(u32::from(b - b'0')))
    })
}

/// `Z`, `+02:00` or `+0200`.
fn offset(zone: &[u8]) -> Option<TimeDelta> {
    let (sign, hours, minutes) = match zone {
        b"Z" => return Some(TimeDelta::zero()),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] | [sign @ (b'+' | b'-'), a, b, c, d] => {
            (*sign, [*a, *b], [*c, *d])
        }
        _ => return None,
    };
    let east = number(&hours)? * 3600 + number(&minutes)? * 60;
    let east = i32::try_from(east).ok()?;
    FixedOffset::east_opt(east)?;
    Some(TimeDelta::seconds(i64::from(if sign == b'-' {
        -east
    } else {
        east
    })))
}

/// Where lines have their time, but for the kubelet's. A form without a year or with two meanings is none.
static FORMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)^\[?(?P<iso>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)",
        r"|^(?P<go>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)(?:\.\d+)? ",
        r"|^[^\[]{0,200}\[(?P<clf>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [+-]\d{4})?)\]",
        r#"|(?:^|[\s{,])"?(?:time|ts|timestamp|@timestamp|t)"?[=:] ?"(?P<field>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)""#,
        r"|(?:^|\s)(?:time|ts|timestamp|t)=(?P<bare>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)(?:\s|$)",
        r#"|[{,]"(?:time|ts|timestamp)": ?(?P<unix>1[0-9]{9}(?:\.\d{1,9}|\d{3})?)[,}]"#,
    ))
    .ok()
});

/// Where the last line had its time, with a few bytes around it: most lines of a log have it in the same place.
#[derive(Debug)]
pub(super) struct Form {
    from: usize,
    around: Vec<u8>,
    stamp: Range<usize>,
}

impl Form {
    /// Where the time is in a line that has no kubelet's before it.
    pub(super) fn read(known: &mut Option<Self>, text: &[u8]) -> Option<Range<usize>> {
        if let Some(form) = known.as_ref().filter(|form| form.is_alike(text)) {
            return Some(form.stamp.clone());
        }
        let near = text.get(..1_024.min(text.len()))?;
        let found = FORMS.as_ref()?.captures(near)?;
        let stamp = (1..found.len()).find_map(|group| found.get(group))?.range();
        let (from, to) = (stamp.start.saturating_sub(8), near.len().min(stamp.end + 1));
        *known = Some(Self {
            from,
            around: near.get(from..to)?.to_vec(),
            stamp: stamp.clone(),
        });
        Some(stamp)
    }

    /// Whether a line differs from the last one around there by its digits alone.
    fn is_alike(&self, text: &[u8]) -> bool {
        let around = text.get(self.from..self.from + self.around.len());
        around.is_some_and(|around| {
            around
                .iter()
                .zip(&self.around)
                .all(|(a, b)| a == b || (a.is_ascii_digit() && b.is_ascii_digit()))
        }) && self.stamp.end <= text.len()
    }
}

impl Stamp {
    pub(super) fn new(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; 36];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self {
            bytes,
            length: u8::try_from(text.len()).ok()?,
        })
    }

    /// `30/Nov/2026:02:49:22 +0000`, `2026/11/30 02:49:22`, RFC 3339 and its kin, or seconds and milliseconds since 1970.
    pub(super) fn moment(&self) -> Option<Moment> {
        let text = self.bytes.get(..usize::from(self.length))?;
        if text.get(2) == Some(&b'/') {
            return clf(text);
        }
        if text.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
            return unix(text);
        }
        let (at, zone) = local(text)?;
        let zone = zone.trim_ascii();
        let zone = if zone == b"UTC" { b"Z" } else { zone };
        Some(match offset(zone) {
            Some(offset) => Moment {
                at: at - offset,
                zoned: true,
            },
            None => Moment { at, zoned: false },
        })
    }
}

fn clf(text: &[u8]) -> Option<Moment> {
    const MONTHS: [&[u8]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    let month = MONTHS
        .iter()
        .position(|month| text.get(3..6) == Some(*month))?
        + 1;
    let number = |from: usize, to: usize| number(text.get(from..to)?);
    let date = NaiveDate::from_ymd_opt(
        i32::try_from(number(7, 11)?).ok()?,
        u32::try_from(month).ok()?,
        number(0, 2)?,
    )?;
    let at = date.and_hms_opt(number(12, 14)?, number(15, 17)?, number(18, 20)?.min(59))?;
    let zone = text.get(20..)?.trim_ascii();
    Some(match offset(zone) {
        Some(offset) => Moment {
            at: at - offset,
            zoned: true,
        },
        None => Moment { at, zoned: false },
    })
}

fn unix(text: &[u8]) -> Option<Moment> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let number: i64 = whole.parse().ok()?;
    let at = if whole.len() > 10 {
        DateTime::from_timestamp_millis(number)
    } else {
        DateTime::from_timestamp(number, 0)
    };
    Some(Moment {
        at: at?.naive_utc(),
        zoned: true,
    })
}

#[cfg(test)]
mod tests;
