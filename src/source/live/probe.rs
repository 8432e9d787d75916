//! The probe: what one container holds, read inside it by commands of the fixed list alone, and within a few seconds.

pub(super) mod commands;
mod environment;
mod exec;
mod inside;
mod mounts;
mod processes;
mod reader;
mod sockets;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;

use self::reader::Reader;
use super::Live;
use super::request::timed_out;
use super::secrets::Vault;
use crate::model::{ConfigRef, GapReason, Held, PodRef, Probe, ProbeReads, Snapshot, Want};

/// A whole container is read in so long, or not whole.
const LIMIT: Duration = Duration::from_secs(5);

/// One container's run, and what to read in it.
pub(super) struct Asked<'a> {
    pub(super) pod: &'a PodRef,
    pub(super) container: &'a str,
    pub(super) config: &'a ConfigRef,
    pub(super) run: &'a str,
    pub(super) reads: &'a ProbeReads,
    /// All this as it was asked.
    pub(super) want: &'a Want,
}

pub(super) async fn probe(
    live: &Live,
    snapshot: &Snapshot,
    asked: &Asked<'_>,
) -> Result<Probe, GapReason> {
    let (pod, container) = (asked.pod, asked.container);
    let listed = snapshot.pods.iter().find(|p| p.reference == *pod);
    if listed.is_some_and(|pod| pod.os.as_deref() == Some("windows")) {
        let why = "it runs on Windows, where none of what is read inside is there".to_owned();
        return Err(GapReason::Bounded(why));
    }
    let limit = live.api.within(LIMIT);
    is_current(live, asked, limit).await?;
    let reader = Reader::new(&live.api, pod, container, limit);
    let mut probe = inside::read(live, &reader, asked).await;
    let reasons = reader.outcome()?;
    is_current(live, asked, limit).await?;
    probe.gaps = reasons.into_iter().map(|r| asked.want.gap(r)).collect();
    Ok(probe)
}

/// A value as it may be kept: one that may be a Secret's is hashed at once, and taken out of logs from then on.
fn held(value: &[u8], secret: bool, name: &str, vault: &Vault) -> Held {
    if secret {
        return Held::Hashed(vault.hold(value, name));
    }
    match std::str::from_utf8(value) {
        Ok(text) => Held::Text(text.to_owned()),
        Err(_) => Held::Bytes(value.to_owned()),
    }
}

#[derive(Deserialize)]
struct Pods {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Meta,
    #[serde(default)]
    status: Statuses,
}

#[derive(Deserialize)]
struct Meta {
    uid: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Statuses {
    container_statuses: Vec<Status>,
    init_container_statuses: Vec<Status>,
    ephemeral_container_statuses: Vec<Status>,
}

#[derive(Deserialize)]
struct Status {
    name: String,
    #[serde(rename = "containerID")]
    container_id: Option<String>,
    #[serde(default)]
    state: BTreeMap<String, serde::de::IgnoredAny>,
}

/// Fails where the container does not run, or runs anew since it was asked about. Listed, since that right is there.
async fn is_current(live: &Live, asked: &Asked<'_>, limit: Duration) -> Result<(), GapReason> {
    let PodRef {
        namespace,
        name,
        uid,
    } = asked.pod;
    let path = format!("/api/v1/namespaces/{namespace}/pods?fieldSelector=metadata.name%3D{name}");
    let body = tokio::time::timeout(limit, live.api.get(&path)).await;
    let body = body.map_err(|_| timed_out(limit))??;
    let pods: Pods =
        serde_json::from_slice(&body).map_err(|error| GapReason::Unreadable(error.to_string()))?;
    let pod = pods.items.into_iter().find(|pod| pod.metadata.uid == *uid);
    let statuses = pod.ok_or(GapReason::NotFound)?.status;
    let mut all = statuses
        .container_statuses
        .into_iter()
        .chain(statuses.init_container_statuses)
        .chain(statuses.ephemeral_container_statuses);
    let container = asked.container;
    let status = all.find(|status| status.name == container);
    let why = match status {
        None => format!("container {container} has no status"),
        Some(status) if !status.state.contains_key("running") => {
            format!("container {container} does not run")
        }
        Some(status) if status.container_id.as_deref() != Some(asked.run) => {
            format!("container {container} was started anew since")
        }
        Some(_) => return Ok(()),
    };
    Err(GapReason::Bounded(why))
}

/// `its environment, /etc/app/a and its processes`.
fn listed(parts: &BTreeSet<String>) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
