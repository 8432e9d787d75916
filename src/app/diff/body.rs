//! What one key holds on both sides: a diff of texts, or a sentence where there is none to show.

use super::text::Text;
use crate::analysis::{digest, unseen};
use crate::model::Content;
use crate::text::grouped;

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

#[cfg(test)]
mod tests;
