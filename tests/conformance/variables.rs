//! Variables of a case: `${name}`, and `${name-1}` or `${name+1}` of one that is a number.

use std::collections::BTreeMap;

use serde_json::Value;

use super::format::{Answer, Step};

#[derive(Debug, Clone, Default)]
pub(crate) struct Variables(BTreeMap<String, Value>);

impl Variables {
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// A request without variables. `meanwhile` and the answer keep theirs: what is saved meanwhile is known in the answer.
    pub(crate) fn fill(&self, step: &Step) -> Result<Step, String> {
        let mut filled = step.clone();
        filled.request = self.text(&step.request)?;
        for value in filled.query.values_mut().chain(&mut filled.body) {
            *value = self.value(value)?;
        }
        for text in filled.headers.values_mut() {
            *text = self.text(text)?;
        }
        Ok(filled)
    }

    pub(crate) fn answer(&self, answer: &Answer) -> Result<Answer, String> {
        let mut filled = answer.clone();
        let Answer {
            headers,
            body,
            text,
            lines,
            events,
            stdout,
            stderr,
            end,
            ..
        } = &mut filled;
        let lists = [lines, events].into_iter().flatten().flatten();
        let single = [body, text, stdout, stderr, end].into_iter().flatten();
        for value in lists.chain(single).chain(headers.values_mut()) {
            *value = self.value(value)?;
        }
        Ok(filled)
    }

    fn value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => match whole(text) {
                Some(name) => self.get(name)?,
                None => Value::String(self.text(text)?),
            },
            Value::Array(items) => {
                let items = items.iter().map(|item| self.value(item));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(key, value)| Ok((self.text(key)?, self.value(value)?)));
                Value::Object(fields.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    fn text(&self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| format!("${{ without }} in {text:?}"))?;
            out.push_str(before);
            match self.get(name)? {
                Value::String(value) => out.push_str(&value),
                other => out.push_str(&other.to_string()),
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn get(&self, expression: &str) -> Result<Value, String> {
        let unknown = || format!("nothing was saved as {expression:?}");
        if let Some(value) = self.0.get(expression) {
            return Ok(value.clone());
        }
        let sign = expression.find(['+', '-']).ok_or_else(unknown)?;
        let (name, change) = expression.split_at(sign);
        let value = self.0.get(name).ok_or_else(unknown)?;
        let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
        let change: Option<i64> = change.parse().ok();
        let sum = number.zip(change).map(|(number, change)| number + change);
        let sum = sum.ok_or_else(|| format!("{expression:?} of {value} is no number"))?;
        Ok(Value::String(sum.to_string()))
    }
}

/// The name, where a text is one variable and nothing else: it keeps its type.
fn whole(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    (!name.contains('}')).then_some(name)
}
