//! What a line of a watch holds, as far as watching needs it.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'a str,
    #[serde(borrow)]
    pub(super) object: &'a RawValue,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Status {
    pub(super) code: u16,
    pub(super) message: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Named {
    pub(super) metadata: NamedMeta,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NamedMeta {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) resource_version: String,
}
