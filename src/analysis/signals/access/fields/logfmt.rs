//! `key=value key="quoted \" value"`, with words between them that belong to none.

use std::borrow::Cow;

use super::{Told, field, lower};

pub(super) const NAME: &str = "logfmt";

/// The fields of a line with at least two pairs. A quoted value is one value, so that nothing in it counts as a field.
pub(super) fn read(text: &[u8]) -> Option<Told<'_>> {
    if memchr::memchr_iter(b'=', text).take(2).count() < 2 {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let mut told = Told {
        format: NAME,
        ..Told::default()
    };
    let (mut left, mut pairs) = (text, 0);
    loop {
        left = left.trim_start();
        if left.is_empty() {
            break;
        }
        let word = left.find([' ', '=', '"']).unwrap_or(left.len());
        let key = left.get(..word)?;
        let behind = left.get(word..)?;
        let Some(value) = behind.strip_prefix('=') else {
            // A word, or a quoted text without a name.
            left = match behind.strip_prefix('"') {
                Some(quoted) => quoted
                    .get(quoted_end(quoted)..)?
                    .strip_prefix('"')
                    .unwrap_or_default(),
                None => behind,
            };
            continue;
        };
        if !is_key(key) {
            left = skip(value);
            continue;
        }
        let (value, next) = match value.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted_end(quoted);
                let rest = quoted.get(end..)?.strip_prefix('"').unwrap_or_default();
                (unescaped(quoted.get(..end)?), rest)
            }
            None => {
                let end = value.find(' ').unwrap_or(value.len());
                (Cow::Borrowed(value.get(..end)?), value.get(end..)?)
            }
        };
        pairs += 1;
        if let Some(field) = field(&lower(key)) {
            told.take(field, value);
        }
        left = next;
    }
    (pairs >= 2).then_some(told)
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-@".contains(&b))
}

fn skip(value: &str) -> &str {
    if let Some(quoted) = value.strip_prefix('"') {
        let behind = quoted.get(quoted_end(quoted)..).unwrap_or_default();
        return behind.strip_prefix('"').unwrap_or_default();
    }
    let end = value.find(' ').unwrap_or(value.len());
    value.get(end..).unwrap_or_default()
}

/// Where a quoted text ends, at a quote that nothing escapes.
fn quoted_end(quoted: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in quoted.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    quoted.len()
}

fn unescaped(quoted: &str) -> Cow<'_, str> {
    if !quoted.contains('\\') {
        return Cow::Borrowed(quoted);
    }
    let mut out = String::with_capacity(quoted.len());
    let mut escaped = false;
    for c in quoted.chars() {
        match c {
            'n' | 't' | 'r' if escaped => {
                out.push(' ');
                escaped = false;
            }
            '\\' if !escaped => escaped = true,
            c => {
                out.push(c);
                escaped = false;
            }
        }
    }
    Cow::Owned(out)
}
