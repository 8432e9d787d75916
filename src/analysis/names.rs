//! Names and times as sentences write them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::model::{Cluster, Interval};

/// Names cut where they are all alike, at a dash: `frontend-55897d66f4-965p6` becomes `965p6` beside its sibling.
/// One name alone stays whole, since nothing says which part of it tells; and so much is left that it reads as a name:
/// `web-0` and `web-1` stay, since a sentence about `0` and `1` says nothing.
pub fn short_names<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
    let names: Vec<&str> = names.into_iter().collect();
    let cut = shared_prefix(&names);
    names
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                name.get(cut..).unwrap_or(name).to_owned(),
            )
        })
        .collect()
}

/// What is left of a name at least.
const LEFT: usize = 4;

fn shared_prefix(names: &[&str]) -> usize {
    let mut distinct = names.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let (Some(first), Some(last)) = (distinct.first(), distinct.last()) else {
        return 0;
    };
    if distinct.len() < 2 {
        return 0;
    }
    // Sorted, what the first and the last share all share.
    let alike = first
        .bytes()
        .zip(last.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    // Two names may part within a character; a dash never lies in one.
    let whole = (0..=alike)
        .rev()
        .find(|at| first.is_char_boundary(*at))
        .unwrap_or(0);
    first
        .get(..whole)
        .unwrap_or_default()
        .match_indices('-')
        .map(|(at, _)| at + 1)
        .rfind(|at| distinct.iter().all(|name| name.len() - at >= LEFT))
        .unwrap_or(0)
}

/// `20:35:26`, with the date where it is not that of the report.
pub(crate) fn clock_time(at: DateTime<Utc>, report: DateTime<Utc>) -> String {
    if at.date_naive() == report.date_naive() {
        at.format("%H:%M:%S").to_string()
    } else {
        at.format("%Y-%m-%d %H:%M:%S").to_string()
    }
}

/// `at 20:35:26` for what is known within a second, else `between … and …`, `before …`, `after …`.
pub(crate) fn when(at: &Interval, report: DateTime<Utc>) -> String {
    match (at.earliest, at.latest) {
        (Some(a), Some(b)) if (b - a).num_milliseconds() == 0 => {
            format!("at {}", clock_time(a, report))
        }
        // A date is said once.
        (Some(a), Some(b)) if a.date_naive() == b.date_naive() => {
            format!("{}–{}", clock_time(a, report), b.format("%H:%M:%S"))
        }
        (Some(a), Some(b)) => format!("{}–{}", clock_time(a, report), clock_time(b, report)),
        (Some(a), None) => format!("after {}", clock_time(a, report)),
        (None, Some(b)) => format!("before {}", clock_time(b, report)),
        (None, None) => "at an unknown time".to_owned(),
    }
}

/// `1 replica`, `2 replicas`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else if noun.ends_with('s') {
        format!("{number} {noun}es")
    } else {
        format!("{number} {noun}s")
    }
}

/// `a`, `a and b`, `a, b and c`; after five, how many more.
pub(crate) fn list(items: &[String]) -> String {
    const SHOWN: usize = 5;
    match items {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [head @ .., last] if items.len() <= SHOWN => format!("{} and {last}", head.join(", ")),
        _ => format!(
            "{} and {} more",
            items.get(..SHOWN - 1).unwrap_or_default().join(", "),
            items.len() - (SHOWN - 1)
        ),
    }
}

/// `kubectl --context C`, as every command begins: the context of the report, not whatever is current where it is pasted, and
/// the flags with which the cluster was read.
pub fn kubectl(cluster: &Cluster) -> String {
    let context = cluster
        .context
        .iter()
        .flat_map(|c| ["--context", c.as_str()]);
    let flags = cluster.flags.iter().flatten().map(String::as_str);
    std::iter::once("kubectl".to_owned())
        .chain(flags.chain(context).map(quote))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word for a POSIX shell. Names of Kubernetes objects need no quotes; contexts and values may.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
