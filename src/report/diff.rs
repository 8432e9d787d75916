//! The last edit of a config, key by key, as unified lines. Of a Secret it tells which keys differ and nothing more.

use similar::TextDiff;

use crate::analysis::{Incident, Revision, digest, unseen};
use crate::model::Content;
use crate::text::{grouped, harmless};

/// Lines of one report's diff; the rest is counted.
const MAX_LINES: usize = 120;
/// Characters of a line; the rest is counted.
const MAX_WIDTH: usize = 200;
/// Above this many lines a comparison may take longer than anybody waits.
const MAX_COMPARED: usize = 20_000;

/// The last edit, ready to print.
pub(super) struct Diff {
    /// From which revision to which.
    pub(super) from: String,
    pub(super) to: String,
    /// Harmless lines in the manner of `diff -u`.
    pub(super) lines: Vec<String>,
}

/// `None` where there is one revision only.
pub(super) fn last_edit(incident: &Incident) -> Option<Diff> {
    let [.., before, after] = incident.revisions.as_slice() else {
        return None;
    };
    let mut lines = match (&before.content, &after.content) {
        (Some(old), Some(new)) => compare(before, after, old, new),
        (None, _) => vec![unknown(before)],
        (_, None) => vec![unknown(after)],
    };
    let more = lines.len().saturating_sub(MAX_LINES);
    if more > 0 {
        lines.truncate(MAX_LINES);
        lines.push(format!("… {more} more lines"));
    }
    Some(Diff {
        from: before.name.clone(),
        to: after.name.clone(),
        lines,
    })
}

fn unknown(revision: &Revision) -> String {
    format!(
        "The content of revision {} is not known: nothing that could be read has kept it.",
        revision.name
    )
}

fn compare(before: &Revision, after: &Revision, old: &Content, new: &Content) -> Vec<String> {
    let mut lines = Vec::new();
    for key in old.differing(new) {
        if lines.len() > MAX_LINES {
            break;
        }
        let shown = harmless(key);
        match (value(old, key), value(new, key)) {
            (Value::Hidden, _) | (_, Value::Hidden) => {
                lines.push(format!("{shown}: the value differs (not shown)"));
            }
            (Value::Binary(a), Value::Binary(b)) => {
                lines.push(format!("{shown}: binary, {} → {}", binary(a), binary(b)))
            }
            (a, b) => {
                lines.push(format!("--- {} {shown}{}", before.name, a.absent()));
                lines.push(format!("+++ {} {shown}{}", after.name, b.absent()));
                if let (Value::Text(old), Value::Text(new)) = (a, b) {
                    let names = (before.name.as_str(), after.name.as_str());
                    lines.extend(unseen(old, new, names));
                }
                text(a.text(), b.text(), &mut lines);
            }
        }
    }
    lines
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Absent,
    Text(&'a str),
    Binary(&'a [u8]),
    /// A Secret's.
    Hidden,
}

impl<'a> Value<'a> {
    fn absent(&self) -> &'static str {
        if matches!(self, Self::Absent) {
            " (absent)"
        } else {
            ""
        }
    }

    /// A key that turned from binary to text is shown as text that came from nothing.
    fn text(&self) -> &'a str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }
}

fn value<'a>(content: &'a Content, key: &str) -> Value<'a> {
    match content {
        Content::Hashed(_) => Value::Hidden,
        Content::Plain { data, binary } => match (data.get(key), binary.get(key)) {
            (Some(text), _) => Value::Text(text),
            (None, Some(bytes)) => Value::Binary(bytes),
            (None, None) => Value::Absent,
        },
    }
}

fn binary(bytes: &[u8]) -> String {
    format!("{} bytes sha256:{}", grouped(bytes.len()), digest(bytes))
}

fn text(old: &str, new: &str, lines: &mut Vec<String>) {
    let (old_lines, new_lines) = (old.lines().count(), new.lines().count());
    if old_lines + new_lines > MAX_COMPARED {
        lines.push(format!(
            "{old_lines} lines became {new_lines}: too many to compare here"
        ));
        return;
    }
    let diff = TextDiff::from_lines(old, new);
    let unified = diff.unified_diff().context_radius(3).to_string();
    for line in unified.split_terminator('\n') {
        if lines.len() > MAX_LINES + 1 {
            // Only their number matters from here on.
            lines.push(String::new());
        } else {
            lines.push(short(line));
        }
    }
}

fn short(line: &str) -> String {
    match line.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => {
            let rest = line[end..].chars().count();
            format!("{}… ({rest} more characters)", harmless(&line[..end]))
        }
        None => harmless(line).into_owned(),
    }
}
