//! What changed between two contents: by key, and within a key by setting.

use std::time::Duration;

use similar::{DiffOp, TextDiff};

use super::content::{Keys, differing};
use super::incident::ValueChange;
use crate::model::Content;

/// A value longer than this says too little in a sentence; the diff shows it.
const SHORT: usize = 120;
/// A diff of two large texts that are nothing alike stops refining here.
const DEADLINE: Duration = Duration::from_millis(200);

/// The settings that differ between two contents, among the keys that reach a process.
pub(crate) fn value_changes(before: &Content, after: &Content, keys: &Keys) -> Vec<ValueChange> {
    let mut changes = Vec::new();
    for key in differing(before, after, keys) {
        match (before.get_text(&key), after.get_text(&key)) {
            (Some(a), Some(b)) if is_short(a) && is_short(b) => {
                let mut change = words(&key, a, b);
                if change.setting.is_empty() {
                    change.setting.clone_from(&key);
                }
                changes.push(change);
            }
            (Some(a), Some(b)) => changes.extend(line_changes(&key, a, b)),
            (a, b) => changes.push(ValueChange {
                key: key.clone(),
                setting: key.clone(),
                before: a.map(brief),
                after: b.map(brief),
            }),
        }
    }
    changes
}

fn is_short(value: &str) -> bool {
    value.len() <= SHORT && !value.trim_end().contains('\n')
}

fn brief(value: &str) -> String {
    if is_short(value) {
        value.trim_end().to_owned()
    } else {
        format!("{} lines", value.lines().count())
    }
}

/// Lines that were replaced, paired in their order; what has no partner was added or removed.
fn line_changes(key: &str, before: &str, after: &str) -> Vec<ValueChange> {
    let diff = TextDiff::configure()
        .timeout(DEADLINE)
        .diff_lines(before, after);
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let mut changes = Vec::new();
    for op in diff.ops() {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let gone = old.get(op.old_range()).unwrap_or_default();
        let come = new.get(op.new_range()).unwrap_or_default();
        for index in 0..gone.len().max(come.len()) {
            changes.push(match (gone.get(index), come.get(index)) {
                (Some(a), Some(b)) => words(key, a, b),
                (a, b) => ValueChange {
                    key: key.to_owned(),
                    setting: String::new(),
                    before: a.map(|line| shorten(line.trim())),
                    after: b.map(|line| shorten(line.trim())),
                },
            });
        }
    }
    changes
}

/// The words that differ between two lines, and the word before them, which names the setting where it looks like a name.
fn words(key: &str, before: &str, after: &str) -> ValueChange {
    let split = |line: &str| -> Vec<String> {
        // `name=value` is a setting and its value; a `=` elsewhere is part of a value.
        let spaced = match line.split_once('=') {
            Some((name, value))
                if !value.is_empty()
                    && !value.starts_with('=')
                    && setting_name(name.trim()).is_some() =>
            {
                format!("{name}= {value}")
            }
            _ => line.to_owned(),
        };
        spaced.split_whitespace().map(str::to_owned).collect()
    };
    let (old, new) = (split(before), split(after));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let middle = |words: &[String]| {
        let text = words
            .get(head..words.len() - tail)
            .unwrap_or_default()
            .join(" ");
        let bare = text.trim_end_matches([';', ',']).trim_matches(['"', '\'']);
        (!bare.is_empty()).then(|| shorten(bare))
    };
    ValueChange {
        key: key.to_owned(),
        setting: head
            .checked_sub(1)
            .and_then(|at| old.get(at))
            .and_then(|word| setting_name(word))
            .unwrap_or_default(),
        before: middle(&old),
        after: middle(&new),
    }
}

fn setting_name(word: &str) -> Option<String> {
    let bare = word
        .trim_end_matches([':', '='])
        .trim_matches(['"', '\'', '-']);
    let begins = bare
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let named = bare
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    (begins && named).then(|| bare.to_owned())
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= SHORT {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHORT - 1).collect();
    format!("{head}…")
}

/// `server api:8080 → api:8000`.
pub(crate) fn describe(change: &ValueChange) -> String {
    let name = if change.setting.is_empty() {
        String::new()
    } else {
        format!("{} ", change.setting)
    };
    match (&change.before, &change.after) {
        (Some(a), Some(b)) => format!("{name}{a} → {b}"),
        (Some(a), None) => format!("removed {name}{a}"),
        (None, Some(b)) => format!("added {name}{b}"),
        (None, None) => format!("{} changed (value not shown)", change.key),
    }
}

/// The first changes in a row, and how many there are besides.
pub(crate) fn describe_all(changes: &[ValueChange]) -> String {
    const SHOWN: usize = 2;
    let shown: Vec<String> = changes.iter().take(SHOWN).map(describe).collect();
    match changes.len().saturating_sub(SHOWN) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

#[cfg(test)]
mod tests;
