//! JSON and logfmt lines in a form that people read: `level message key=value …`. A line that is neither, or has no message, is
//! left as it is: nothing may be hidden by a guess.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A line rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    pub text: String,
    /// How many bytes at the beginning are the level, and whether it is one of failure.
    pub level: (usize, bool),
}

/// How deep objects are flattened.
const DEPTH: usize = 4;
const LEVELS: [&str; 6] = [
    "level",
    "lvl",
    "severity",
    "levelname",
    "log.level",
    "loglevel",
];
const MESSAGES: [&str; 4] = ["msg", "message", "event", "log.message"];
const TIMES: [&str; 6] = [
    "time",
    "ts",
    "timestamp",
    "@timestamp",
    "asctime",
    "datetime",
];

/// The line in readable form, where it has a message.
pub fn readable(line: &str) -> Option<Readable> {
    let line = line.trim();
    if line.starts_with('{') {
        line.ends_with('}').then(|| json(line))?
    } else {
        logfmt(line)
    }
}

fn json(line: &str) -> Option<Readable> {
    let Fields(fields) = serde_json::from_str(line).ok()?;
    let mut all = Vec::new();
    flatten("", &fields, DEPTH, &mut all);
    arrange(all)
}

/// One field: its name, its value as it is written, and the value without quotes where it is a string.
struct Field {
    name: String,
    written: String,
    plain: Option<String>,
}

fn flatten(prefix: &str, fields: &[(String, &RawValue)], depth: usize, out: &mut Vec<Field>) {
    for (name, value) in fields {
        let name = format!("{prefix}{name}");
        let written = value.get();
        if written.starts_with('{')
            && depth > 1
            && let Ok(Fields(inner)) = serde_json::from_str::<Fields<'_>>(written)
            && !inner.is_empty()
        {
            flatten(&format!("{name}."), &inner, depth - 1, out);
            continue;
        }
        let plain = written
            .starts_with('"')
            .then(|| serde_json::from_str::<String>(written).ok())
            .flatten();
        out.push(Field {
            name,
            written: written.to_owned(),
            plain,
        });
    }
}

/// The names and values of an object in their order; the same name may come twice.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// `key=value key="two words"` and nothing else.
fn logfmt(line: &str) -> Option<Readable> {
    let proper = |c: char| c.is_ascii_alphanumeric() || "_.-/@".contains(c);
    // Most lines are no logfmt, and end here.
    if !line.trim_start_matches(proper).starts_with('=') {
        return None;
    }
    let mut fields = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        if name.is_empty() || !name.chars().all(proper) {
            return None;
        }
        let length = if after.starts_with('"') {
            quoted(after)?
        } else {
            after.find(' ').unwrap_or(after.len())
        };
        let written = &after[..length];
        rest = &after[length..];
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        rest = rest.trim_start_matches(' ');
        let plain = match written.strip_prefix('"') {
            Some(_) => serde_json::from_str(written).ok(),
            None => Some(written.to_owned()),
        };
        fields.push(Field {
            name: name.to_owned(),
            written: written.to_owned(),
            plain,
        });
    }
    arrange(fields)
}

/// How long the quoted word at the beginning is.
fn quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes()
        .enumerate()
        .skip(1)
        .find(|(_, byte)| {
            let ends = !escaped && *byte == b'"';
            escaped = !escaped && *byte == b'\\';
            ends
        })
        .map(|(at, _)| at + 1)
}

/// Level, message, and the rest in its order.
fn arrange(mut fields: Vec<Field>) -> Option<Readable> {
    let mut take = |names: &[&str], fits: fn(&Field) -> bool| {
        let place = fields.iter().position(|field| {
            names
                .iter()
                .any(|name| field.name.eq_ignore_ascii_case(name))
                && fits(field)
        });
        place.map(|at| fields.remove(at))
    };
    let message = take(&MESSAGES, |field| field.plain.is_some())?.plain?;
    let level = take(&LEVELS, |field| level(field).is_some());
    take(&TIMES, is_time);
    let mut text = String::new();
    let mut marked = (0, false);
    if let Some(word) = level.as_ref().and_then(self::level) {
        marked = (word.len(), is_failure(&word));
        text.push_str(&word);
        text.push(' ');
    }
    text.push_str(&message);
    for field in &fields {
        let value = match &field.plain {
            Some(plain) if is_word(plain) => plain,
            _ => &field.written,
        };
        text.push_str(&format!(" {}={value}", field.name));
    }
    Some(Readable {
        text,
        level: marked,
    })
}

/// The level in a word; the numbers are those of pino and bunyan.
fn level(field: &Field) -> Option<String> {
    let word = match field.written.as_str() {
        "10" => "trace",
        "20" => "debug",
        "30" => "info",
        "40" => "warn",
        "50" => "error",
        "60" => "fatal",
        _ => return field.plain.clone().filter(|word| is_word(word)),
    };
    Some(word.to_owned())
}

fn is_failure(level: &str) -> bool {
    let level = level.to_ascii_lowercase();
    ["err", "fatal", "crit", "panic", "alert", "emerg"]
        .iter()
        .any(|word| level.starts_with(word))
}

/// A word that needs no quotes to be told from what follows.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "\"=\\".contains(c))
}

/// A moment, which the kubelet's time stands for; `time=35` may be a duration.
fn is_time(field: &Field) -> bool {
    match &field.plain {
        Some(text) => {
            let mut parts = text.splitn(2, ['-', '/']);
            parts
                .next()
                .is_some_and(|year| year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()))
                && parts.next().is_some()
        }
        None => field
            .written
            .parse()
            .is_ok_and(|seconds: f64| seconds >= 1e9),
    }
}

#[cfg(test)]
mod tests;
