//! Where a replica tells its configuration's version, `:8080/info#config.version`, and what is found there.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::text::harmless;

/// A version that is longer is none that anybody reads.
const LONGEST: usize = 200;
/// So many names of what is there instead are told.
const NAMES: usize = 8;
const EXPECTED: &str = "expected :PORT/PATH or :PORT/PATH#NAME, as :8080/info#config.version";

/// A place at which every replica is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionAt {
    /// As it was given.
    pub text: String,
    pub port: u16,
    /// From its first slash on.
    pub path: String,
    /// What of the answer is the version: a path into JSON, or a metric and its label. Without it, the first line.
    name: Option<String>,
}

impl fmt::Display for VersionAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for VersionAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, name) = match text.split_once('#') {
            Some((place, name)) => (place, Some(name)),
            None => (text, None),
        };
        let after = place
            .strip_prefix(':')
            .ok_or_else(|| format!("it does not begin with a port; {EXPECTED}"))?;
        let (port, path) = match after.find('/') {
            Some(at) => after.split_at(at),
            None => (after, "/"),
        };
        let digits = port.bytes().all(|b| b.is_ascii_digit());
        let number = port.parse().ok().filter(|port| *port > 0 && digits);
        let port = number.ok_or_else(|| format!("`{port}` is no port (1 to 65535); {EXPECTED}"))?;
        // It goes into a path of the API server's, which is compared with this one.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
        if let Some(other) = path.chars().find(|c| !plain(*c)) {
            return Err(format!(
                "`{}` cannot be in its path; letters, digits and / - . _ ~ can; {EXPECTED}",
                harmless(other.encode_utf8(&mut [0; 4]))
            ));
        }
        if path.split('/').any(|part| part == "." || part == "..") {
            return Err(format!("its path may not step back; {EXPECTED}"));
        }
        if name.is_some_and(|name| name.is_empty() || name.chars().any(char::is_control)) {
            return Err(format!("there is no name after the #; {EXPECTED}"));
        }
        Ok(Self {
            text: text.to_owned(),
            port,
            path: path.to_owned(),
            name: name.map(str::to_owned),
        })
    }
}

impl VersionAt {
    /// The version in an answer, made harmless; else what is there instead.
    pub fn version(&self, body: &[u8]) -> Result<String, String> {
        let text = String::from_utf8_lossy(body);
        let found = match (&self.name, serde_json::from_str::<Value>(&text)) {
            (None, _) => text.trim().lines().next().unwrap_or_default().to_owned(),
            (Some(name), Ok(json @ (Value::Object(_) | Value::Array(_)))) => in_json(&json, name)?,
            (Some(name), _) => in_metrics(&text, name)?,
        };
        let found = found.trim();
        if found.is_empty() {
            return Err("the answer is empty there".to_owned());
        }
        Ok(harmless(found).chars().take(LONGEST).collect())
    }
}

/// The value at a path of names (or numbers, in lists) with dots between.
fn in_json(json: &Value, path: &str) -> Result<String, String> {
    let mut at = json;
    let mut before = String::new();
    for name in path.split('.') {
        let below = match at {
            Value::Object(map) => map.get(name),
            Value::Array(list) => name.parse().ok().and_then(|n: usize| list.get(n)),
            _ => None,
        };
        let place = if before.is_empty() {
            "the answer".to_owned()
        } else {
            format!("`{before}`")
        };
        at = below.ok_or_else(|| format!("no `{name}`: {place} is {}", in_words(at)))?;
        if !before.is_empty() {
            before.push('.');
        }
        before.push_str(name);
    }
    match at {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        other => Err(format!("`{path}` is {}", in_words(other))),
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => format!("an object with {}", some(map.keys().map(String::as_str))),
    }
}

/// The label of a metric's first sample, or its value where the whole name is the metric's.
fn in_metrics(text: &str, name: &str) -> Result<String, String> {
    let samples: Vec<Sample<'_>> = text.lines().filter_map(sample).collect();
    if samples.is_empty() {
        let line = text.trim().lines().next().unwrap_or_default();
        let line: String = harmless(line).chars().take(60).collect();
        return Err(match line.is_empty() {
            true => "the answer is empty".to_owned(),
            false => format!("it is neither JSON nor metrics; it begins with `{line}`"),
        });
    }
    let of = |metric: &str| samples.iter().find(|sample| sample.metric == metric);
    if let Some(sample) = of(name) {
        return Ok(sample.value.to_owned());
    }
    let metric = name.rsplit_once('.');
    if let Some((sample, label)) = metric.and_then(|(m, label)| Some((of(m)?, label))) {
        let mut labels = sample.labels.iter();
        return labels
            .find(|(known, _)| *known == label)
            .map(|(_, value)| value.clone())
            .ok_or_else(|| {
                let labels = sample.labels.iter().map(|(name, _)| *name);
                let labels = some(labels);
                format!("the metric has no label `{label}`, but {labels}")
            });
    }
    let count = samples.iter().map(|sample| sample.metric);
    let count = count.collect::<BTreeSet<_>>().len();
    Err(format!("none of its {count} metrics is called so"))
}

/// Some names, the rest counted.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names
        .map(|name| harmless(name).chars().take(40).collect())
        .collect();
    match names.get(..NAMES) {
        None if names.is_empty() => "none".to_owned(),
        None => names.join(", "),
        Some(first) => format!("{}, … ({} in all)", first.join(", "), names.len()),
    }
}

/// One line of Prometheus' text format: `name{label="value"} 1`.
struct Sample<'a> {
    metric: &'a str,
    labels: Vec<(&'a str, String)>,
    value: &'a str,
}

fn sample(line: &str) -> Option<Sample<'_>> {
    let line = line.trim();
    let named = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let end = line.find(|c| !named(c))?;
    let (metric, rest) = line.split_at(end);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Vec::new(), rest),
    };
    let value = rest.split_whitespace().next()?;
    let is_metric = metric.starts_with(|c: char| !c.is_ascii_digit());
    (is_metric && is_number(value)).then_some(Sample {
        metric,
        labels,
        value,
    })
}

/// `+Inf` and `NaN` are numbers there too.
fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok()
}

/// The labels up to the closing brace, and what follows it.
fn labels(mut rest: &str) -> Option<(Vec<(&str, String)>, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some((found, after));
        }
        let (name, quoted) = rest.split_once('=')?;
        let quoted = quoted.trim_start().strip_prefix('"')?;
        let (value, after) = unquoted(quoted)?;
        found.push((name.trim(), value));
        rest = after;
    }
}

/// The text up to its closing quote, with `\\`, `\"` and `\n` taken for what they stand for.
fn unquoted(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, quoted.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests;
