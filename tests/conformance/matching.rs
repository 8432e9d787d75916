//! Whether an answer is the expected one. Of an object the fields named must be there and equal, of a list every item must be; an
//! object of fields with `$` says something else of its place: see `Rule`.

use regex::Regex;
use serde_json::{Map, Value};

/// What a field with `$` says of the value in its place.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// `$present: true`: whatever it is; `$present: false`: it is not there.
    Present,
    /// `$matches: REGEX`: a text, in which the expression is found.
    Matches,
    /// `$length: 3`: of a list, an object or a text in bytes. It may be a rule on the number: `$length: {$above: 2}`.
    Length,
    /// `$above: 7`: a number, also one in a text, that is greater.
    Above,
    /// `$later: TIME`: a time in the API's form that is later.
    Later,
    /// `$exactly: VALUE`: nothing that is not named here, at any depth.
    Exactly,
    /// `$contains: [ITEM]`: a list in which each of these is found, wherever and among whatever; or a text with this in it.
    Contains,
    /// `$not: VALUE`.
    Not,
}

fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "$present" => Rule::Present,
        "$matches" => Rule::Matches,
        "$length" => Rule::Length,
        "$above" => Rule::Above,
        "$later" => Rule::Later,
        "$exactly" => Rule::Exactly,
        "$contains" => Rule::Contains,
        "$not" => Rule::Not,
        _ => return None,
    })
}

/// The rules of an object, where it is one of rules.
fn rules(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object
        .keys()
        .any(|key| key.starts_with('$'))
        .then_some(object)
}

/// Whether an expectation can be understood at all.
pub(crate) fn check(expected: &Value) -> Result<(), String> {
    match expected {
        Value::Object(object) => {
            if rules(object).is_some() {
                let unknown = object.keys().find(|key| rule(key).is_none());
                if let Some(key) = unknown {
                    return Err(format!("{key} is no rule, or beside rules"));
                }
            }
            object.values().try_for_each(check)
        }
        Value::Array(items) => items.iter().try_for_each(check),
        _ => Ok(()),
    }
}

/// Where and how something differs from what is expected: one line each, none where it is as expected.
pub(crate) fn differences(expected: &Value, got: Option<&Value>) -> Vec<String> {
    let mut walk = Walk {
        at: String::new(),
        exact: false,
        found: Vec::new(),
    };
    walk.compare(expected, got);
    walk.found
}

struct Walk {
    /// The JSON pointer of where it is.
    at: String,
    exact: bool,
    found: Vec<String>,
}

impl Walk {
    fn differs(&mut self, expected: &str, got: Option<&Value>) {
        let at = if self.at.is_empty() { "/" } else { &self.at };
        let got = got.map_or_else(|| "nothing".to_owned(), Value::to_string);
        self.found
            .push(format!("{at}: expected {expected}, got {}", brief(&got)));
    }

    fn within(&mut self, step: &str, look: impl FnOnce(&mut Self)) {
        let length = self.at.len();
        self.at.push('/');
        self.at
            .push_str(&step.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.at.truncate(length);
    }

    fn compare(&mut self, expected: &Value, got: Option<&Value>) {
        match (expected, got) {
            (Value::Object(object), _) if rules(object).is_some() => {
                for (name, value) in object {
                    self.follow(name, value, got);
                }
            }
            (Value::Object(fields), Some(Value::Object(has))) => self.fields(fields, has),
            (Value::Array(items), Some(Value::Array(has))) => self.items(items, has),
            _ if got == Some(expected) => {}
            _ => self.differs(&expected.to_string(), got),
        }
    }

    fn fields(&mut self, fields: &Map<String, Value>, has: &Map<String, Value>) {
        for (key, value) in fields {
            self.within(key, |walk| walk.compare(value, has.get(key)));
        }
        if self.exact {
            for (key, value) in has.iter().filter(|(key, _)| !fields.contains_key(*key)) {
                self.within(key, |walk| walk.differs("nothing", Some(value)));
            }
        }
    }

    fn items(&mut self, items: &[Value], has: &[Value]) {
        if items.len() != has.len() {
            let all = Value::from(has.to_vec());
            self.differs(&format!("{} items", items.len()), Some(&all));
        }
        for (number, (item, got)) in items.iter().zip(has).enumerate() {
            self.within(&number.to_string(), |walk| walk.compare(item, Some(got)));
        }
    }

    fn follow(&mut self, name: &str, value: &Value, got: Option<&Value>) {
        let said = format!("{name} {value}");
        let holds = match (rule(name), value) {
            (Some(Rule::Present), Value::Bool(there)) => got.is_some() == *there,
            (Some(Rule::Matches), Value::String(pattern)) => match Regex::new(pattern) {
                Ok(regex) => got
                    .and_then(Value::as_str)
                    .is_some_and(|text| regex.is_match(text)),
                Err(_) => false,
            },
            (Some(Rule::Length), _) => {
                let length = got.and_then(length).map(Value::from);
                length.is_some() && differences(value, length.as_ref()).is_empty()
            }
            (Some(Rule::Above), _) => matches!(
                (number(value), got.and_then(number)),
                (Some(limit), Some(number)) if number > limit
            ),
            (Some(Rule::Later), _) => matches!(
                (time(value), got.and_then(time)),
                (Some(limit), Some(time)) if time > limit
            ),
            (Some(Rule::Exactly), _) => {
                let before = std::mem::replace(&mut self.exact, true);
                self.compare(value, got);
                self.exact = before;
                true
            }
            (Some(Rule::Contains), Value::String(part)) => got
                .and_then(Value::as_str)
                .is_some_and(|text| text.contains(part)),
            (Some(Rule::Contains), Value::Array(items)) => return self.contains(items, got),
            (Some(Rule::Not), _) => !differences(value, got).is_empty(),
            _ => false,
        };
        if !holds {
            self.differs(&said, got);
        }
    }

    fn contains(&mut self, items: &[Value], got: Option<&Value>) {
        let has = got.and_then(Value::as_array);
        for item in items {
            let fits = |one: &Value| differences(item, Some(one)).is_empty();
            if !has.is_some_and(|has| has.iter().any(fits)) {
                self.differs(&format!("an item like {item}"), got);
            }
        }
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Object(fields) => Some(fields.len()),
        Value::String(text) => Some(text.len()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn time(value: &Value) -> Option<chrono::DateTime<chrono::FixedOffset>> {
    chrono::DateTime::parse_from_rfc3339(value.as_str()?).ok()
}

/// The beginning of what may be long.
pub(crate) fn brief(text: &str) -> String {
    const LONGEST: usize = 2000;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
