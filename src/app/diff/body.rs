//! What one key holds on both sides: a diff of texts, or a sentence where there is none to show.

use super::text::Text;
use crate::analysis::digest;
use crate::model::Content;
use crate::text::{grouped, is_hostile};

/// What is shown of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// All that can be said.
    Said(String),
    Text {
        text: Box<Text>,
        /// In which way the texts differ, where the lines alone do not tell.
        note: Option<String>,
    },
}

impl Default for Body {
    fn default() -> Self {
        Self::Said(String::new())
    }
}

/// How a key differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    Changed,
    Added,
    Removed,
    Same,
}

impl Change {
    pub(super) fn of(left: &Content, right: &Content, key: &str) -> Self {
        match (has(left, key), has(right, key)) {
            (true, false) => Self::Removed,
            (false, true) => Self::Added,
            _ if left.same_at(right, key) => Self::Same,
            _ => Self::Changed,
        }
    }
}

fn has(content: &Content, key: &str) -> bool {
    match content {
        Content::Plain { data, binary } => data.contains_key(key) || binary.contains_key(key),
        Content::Hashed(keys) => keys.contains_key(key),
    }
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Absent,
    Text(&'a str),
    Binary(&'a [u8]),
}

impl Value<'_> {
    fn of<'a>(content: &'a Content, key: &str) -> Value<'a> {
        match content {
            Content::Plain { data, binary } => match (data.get(key), binary.get(key)) {
                (Some(text), _) => Value::Text(text),
                (None, Some(bytes)) => Value::Binary(bytes),
                (None, None) => Value::Absent,
            },
            Content::Hashed(_) => Value::Absent,
        }
    }

    /// `980 bytes, sha256 cd3400112233…`.
    fn described(self) -> String {
        match self {
            Value::Absent => "absent".into(),
            Value::Text(text) => format!("text of {}", weighed(text.as_bytes())),
            Value::Binary(bytes) => weighed(bytes),
        }
    }
}

/// `980 bytes, sha256 cd3400112233…`: what can be said of bytes that are no text.
pub fn weighed(bytes: &[u8]) -> String {
    let noun = if bytes.len() == 1 { "byte" } else { "bytes" };
    format!("{} {noun}, sha256 {}…", grouped(bytes.len()), digest(bytes))
}

/// Compares what two contents hold under a key. `names` are those of the two revisions.
pub(super) fn body(
    (left, right): (&Content, &Content),
    names: (&str, &str),
    key: &str,
    all: bool,
) -> Body {
    if let (Content::Hashed(_), _) | (_, Content::Hashed(_)) = (left, right) {
        return Body::Said(secret(Change::of(left, right, key), names));
    }
    match (Value::of(left, key), Value::of(right, key)) {
        (Value::Absent, Value::Text("")) => only(names.1, names.0, "it is empty"),
        (Value::Text(""), Value::Absent) => only(names.0, names.1, "it was empty"),
        (Value::Text(""), Value::Text("")) => Body::Said("Empty on both sides.".into()),
        (Value::Absent, Value::Text(new)) => text("", new, names, all, true),
        (Value::Text(old), Value::Absent) => text(old, "", names, all, true),
        (Value::Text(old), Value::Text(new)) => text(old, new, names, all, false),
        (old, new) => Body::Said(binary(old, new)),
    }
}

fn only(here: &str, there: &str, more: &str) -> Body {
    Body::Said(format!(
        "The key is only in {here}, where {more}; in {there} it is absent."
    ))
}

fn text(old: &str, new: &str, names: (&str, &str), all: bool, one_sided: bool) -> Body {
    let equal = old == new;
    let note = if equal {
        Some("Equal on both sides.".into())
    } else if one_sided {
        None
    } else {
        unseen(old, new, names)
    };
    Body::Text {
        text: Box::new(Text::compare(old, new, all || equal)),
        note,
    }
}

fn secret(change: Change, (left, right): (&str, &str)) -> String {
    let how = match change {
        Change::Same => "The value is equal on both sides".to_owned(),
        Change::Changed => "The value differs".to_owned(),
        Change::Added => format!("The key is only in {right}"),
        Change::Removed => format!("The key is only in {left}"),
    };
    format!("{how}. Values of Secrets are not shown, nor how long they are.")
}

fn binary(old: Value<'_>, new: Value<'_>) -> String {
    let (left, right) = (old.described(), new.described());
    match (old, new) {
        (Value::Binary(a), Value::Binary(b)) if a == b => {
            format!("Binary, equal on both sides: {left}")
        }
        (Value::Binary(_), Value::Binary(_)) => format!("Binary differs: {left} ↔ {right}"),
        (Value::Text(a), Value::Binary(b)) | (Value::Binary(b), Value::Text(a))
            if a.as_bytes() == b =>
        {
            format!(
                "The same bytes, as text on one side and as binary on the other: {left} ↔ {right}."
            )
        }
        _ => format!("Binary on one side: {left} ↔ {right}"),
    }
}

/// How two different texts differ, where nothing in them that can be read does.
pub(crate) fn unseen(old: &str, new: &str, (left, right): (&str, &str)) -> Option<String> {
    if old.trim_end_matches('\n') == new.trim_end_matches('\n') {
        return Some(match (old.ends_with('\n'), new.ends_with('\n')) {
            (false, true) => format!("Differs only in the newline at the end, which {left} lacks."),
            (true, false) => {
                format!("Differs only in the newline at the end, which {right} lacks.")
            }
            _ => "Differs only in the empty lines at the end.".into(),
        });
    }
    if (old.contains('\r') || new.contains('\r')) && without_returns(old) == without_returns(new) {
        let returns = |text: &str| grouped(text.matches("\r\n").count());
        let lines = |text: &str| grouped(text.lines().count());
        return Some(format!(
            "Differs only in line ends: CRLF on {} of {} lines in {left}, on {} of {} in {right}.",
            returns(old),
            lines(old),
            returns(new),
            lines(new)
        ));
    }
    let seen = |c: &char| !c.is_whitespace();
    if old.chars().filter(seen).eq(new.chars().filter(seen)) {
        let lines = |text: &str| text.lines().count();
        let ends = if lines(old) == lines(new) {
            ""
        } else {
            " and line breaks"
        };
        return Some(format!("Differs only in white space{ends}."));
    }
    let seen = |c: &char| !c.is_whitespace() && !is_hostile(*c);
    if old.chars().filter(seen).eq(new.chars().filter(seen)) {
        return Some("Differs only in characters that are not seen (shown as <U+…>).".into());
    }
    None
}

/// The text with all that ends lines made one line feed, those at its end left out.
fn without_returns(text: &str) -> String {
    let mut plain = text.replace('\r', "");
    plain.truncate(plain.trim_end_matches('\n').len());
    plain
}

#[cfg(test)]
mod tests;
