//! How a value of the model becomes a value on disk and comes back the same.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::model::{Fingerprint, Labels, LogText, Shared};

/// Something of the model that can be stored. `load(store(x)) == x` for every x.
pub(super) trait Stored {
    /// Its form in version 1 of the format.
    type V1: Serialize + DeserializeOwned;

    fn store(&self) -> Self::V1;
    fn load(stored: Self::V1) -> Self;
}

macro_rules! stored_as_itself {
    ($($ty:ty),*) => {$(
        impl Stored for $ty {
            type V1 = Self;
            fn store(&self) -> Self {
                self.clone()
            }
            fn load(stored: Self) -> Self {
                stored
            }
        }
    )*};
}

// No u8: bytes are base64 below, and a list of numbers would be a second form of the same thing.
stored_as_itself!(String, bool, u16, u32, u64, i32, i64);

impl<T: Stored> Stored for Shared<T> {
    type V1 = T::V1;
    fn store(&self) -> T::V1 {
        T::store(self)
    }
    fn load(stored: T::V1) -> Self {
        T::load(stored).into()
    }
}

impl<T: Stored> Stored for Box<T> {
    type V1 = Box<T::V1>;
    fn store(&self) -> Self::V1 {
        Box::new(T::store(self))
    }
    fn load(stored: Self::V1) -> Self {
        Box::new(T::load(*stored))
    }
}

impl Stored for Labels {
    type V1 = BTreeMap<String, String>;
    fn store(&self) -> Self::V1 {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        self.iter().map(owned).collect()
    }
    fn load(stored: Self::V1) -> Self {
        stored.into_iter().collect()
    }
}

/// A log is one text on disk, however it came.
impl Stored for LogText {
    type V1 = String;
    fn store(&self) -> String {
        self.to_string()
    }
    fn load(stored: String) -> Self {
        stored.into()
    }
}

impl<T: Stored> Stored for Option<T> {
    type V1 = Option<T::V1>;
    fn store(&self) -> Self::V1 {
        self.as_ref().map(T::store)
    }
    fn load(stored: Self::V1) -> Self {
        stored.map(T::load)
    }
}

impl<T: Stored> Stored for Vec<T> {
    type V1 = Vec<T::V1>;
    fn store(&self) -> Self::V1 {
        self.iter().map(T::store).collect()
    }
    fn load(stored: Self::V1) -> Self {
        stored.into_iter().map(T::load).collect()
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    type V1 = (A::V1, B::V1);
    fn store(&self) -> Self::V1 {
        (self.0.store(), self.1.store())
    }
    fn load(stored: Self::V1) -> Self {
        (A::load(stored.0), B::load(stored.1))
    }
}

impl<T: Stored> Stored for BTreeMap<String, T> {
    type V1 = BTreeMap<String, T::V1>;
    fn store(&self) -> Self::V1 {
        self.iter().map(|(k, v)| (k.clone(), v.store())).collect()
    }
    fn load(stored: Self::V1) -> Self {
        stored.into_iter().map(|(k, v)| (k, T::load(v))).collect()
    }
}

impl Stored for BTreeSet<String> {
    type V1 = Self;
    fn store(&self) -> Self {
        self.clone()
    }
    fn load(stored: Self) -> Self {
        stored
    }
}

impl Stored for Fingerprint {
    type V1 = String;
    fn store(&self) -> String {
        self.0.clone()
    }
    fn load(stored: String) -> Self {
        Self(stored)
    }
}

impl Stored for DateTime<Utc> {
    type V1 = Moment;
    fn store(&self) -> Moment {
        Moment(*self)
    }
    fn load(stored: Moment) -> Self {
        stored.0
    }
}

/// In milliseconds.
impl Stored for TimeDelta {
    type V1 = i64;
    fn store(&self) -> i64 {
        self.num_milliseconds()
    }
    fn load(stored: i64) -> Self {
        // What is beyond its bounds is no difference of clocks.
        Self::try_milliseconds(stored).unwrap_or_default()
    }
}

/// A time as RFC 3339 text, with as many digits after the point as it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment(DateTime<Utc>);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let moment = DateTime::parse_from_rfc3339(&text).map_err(D::Error::custom)?;
        Ok(Self(moment.with_timezone(&Utc)))
    }
}

impl Stored for Vec<u8> {
    type V1 = Bytes;
    fn store(&self) -> Bytes {
        Bytes(self.clone())
    }
    fn load(stored: Bytes) -> Self {
        stored.0
    }
}

/// Bytes as base64 text.
#[derive(Debug, Clone)]
pub(super) struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}
