//! JSON objects, read once and without keeping what is not needed.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Field, Told, field, lower};

/// Objects whose fields are looked at.
const PARENTS: [&str; 17] = [
    "req",
    "request",
    "res",
    "response",
    "http",
    "httprequest",
    "err",
    "error",
    "exception",
    "url",
    "headers",
    "user_agent",
    "fields",
    "thrown",
    "context",
    "http.request",
    "http.response",
];
const DEEPEST: usize = 3;

/// The fields of one line that is an object. What is no JSON is none, so that its text is read as any other.
pub(super) fn read(text: &[u8]) -> Option<Told<'_>> {
    let mut told = Told {
        format: "json",
        ..Told::default()
    };
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Value {
        told: &mut told,
        name: "",
        field: None,
        depth: 0,
    };
    value.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(told)
}

/// A value below a name.
struct Value<'t, 'a, 'n> {
    told: &'t mut Told<'a>,
    name: &'n str,
    field: Option<Field>,
    depth: usize,
}

impl<'a> Value<'_, 'a, '_> {
    fn take(self, value: impl FnOnce() -> Cow<'a, str>) {
        if let Some(field) = self.field {
            self.told.take(field, value());
        }
    }
}

impl<'a> DeserializeSeed<'a> for Value<'_, 'a, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

/// A key, borrowed where it has no escapes.
struct Key;

impl<'a> DeserializeSeed<'a> for Key {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

impl<'a> Visitor<'a> for Value<'_, 'a, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<(), E> {
        self.take(|| Cow::Borrowed(text));
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.take(|| Cow::Owned(text.to_owned()));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.take(|| Cow::Owned(number.to_string()));
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        // Some loggers know one kind of number.
        if number.fract() == 0.0 && (0.0..1_000.0).contains(&number) {
            self.take(|| Cow::Owned(format!("{number:.0}")));
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut items: S) -> Result<(), S::Error> {
        // Of a list the first, as headers have it.
        if self.depth > 0 && self.depth <= DEEPEST {
            let first = Value {
                told: &mut *self.told,
                name: self.name,
                field: self.field,
                depth: DEEPEST + 1,
            };
            if items.next_element_seed(first)?.is_none() {
                return Ok(());
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<M: MapAccess<'a>>(self, mut fields: M) -> Result<(), M::Error> {
        let looked_at = self.depth == 0
            || (self.depth < DEEPEST && PARENTS.iter().any(|parent| self.name.ends_with(parent)));
        while let Some(key) = fields.next_key_seed(Key)? {
            if !looked_at {
                fields.next_value::<IgnoredAny>()?;
                continue;
            }
            let key = lower(&key);
            let name: Cow<'_, str> = match self.name {
                "" => key,
                parent => Cow::Owned(format!("{parent}.{key}")),
            };
            fields.next_value_seed(Value {
                told: &mut *self.told,
                name: &name,
                field: field(&name),
                depth: self.depth + 1,
            })?;
        }
        Ok(())
    }
}
