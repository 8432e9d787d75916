//! Events of core/v1, old recorder and new.

use serde::Deserialize;

use super::meta::{Meta, time};
use crate::model::Event;

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventObject {
    metadata: Meta,
    #[serde(default)]
    involved_object: Involved,
    reason: Option<String>,
    message: Option<String>,
    r#type: Option<String>,
    count: Option<i64>,
    first_timestamp: Option<String>,
    last_timestamp: Option<String>,
    event_time: Option<String>,
    series: Option<Series>,
    #[serde(default)]
    source: Reporter,
    reporting_component: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Involved {
    kind: Option<String>,
    name: Option<String>,
    uid: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Series {
    count: Option<i64>,
    last_observed_time: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Reporter {
    component: Option<String>,
}

/// The old recorder fills first and last timestamps and the count; the new one `eventTime` and a series.
pub(crate) fn event(object: EventObject) -> Event {
    let created = time(object.metadata.creation_timestamp.as_deref());
    let event_time = time(object.event_time.as_deref());
    let first = time(object.first_timestamp.as_deref())
        .or(event_time)
        .or(created);
    let series = object.series.as_ref();
    let last = series
        .and_then(|s| time(s.last_observed_time.as_deref()))
        .or_else(|| time(object.last_timestamp.as_deref()))
        .or(event_time)
        .or(first);
    let count = series.and_then(|s| s.count).or(object.count).unwrap_or(1);
    let component = object.source.component.filter(|c| !c.is_empty());
    Event {
        namespace: object.metadata.namespace,
        object: Some(object.metadata.name).filter(|name| !name.is_empty()),
        resource_version: object.metadata.resource_version,
        kind: object.involved_object.kind.unwrap_or_default(),
        name: object.involved_object.name.unwrap_or_default(),
        uid: object.involved_object.uid,
        reason: object.reason.unwrap_or_default(),
        message: object.message.unwrap_or_default(),
        warning: object.r#type.as_deref() == Some("Warning"),
        first,
        last,
        count: u32::try_from(count.max(1)).unwrap_or(u32::MAX),
        reporter: component.or(object.reporting_component).unwrap_or_default(),
    }
}
