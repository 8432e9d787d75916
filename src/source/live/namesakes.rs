//! ConfigMaps of the same name in other namespaces, and whether any pod there takes them: an edit that reached nobody may have gone
//! to the wrong namespace.

use serde::Deserialize;

use super::Live;
use super::lists::path;
use crate::model::{Config, ConfigRef, GapReason, Kind, Namesake, SETTLED};
use crate::source::convert::{ConfigMapObject, Objects, PodObject, config_map, list, pod};

/// Of so many, those that were written last, it is asked who takes them: each is a list of a namespace's pods.
const ASKED: usize = 3;

pub(super) async fn namesakes(live: &Live, config: &ConfigRef) -> Result<Vec<Namesake>, GapReason> {
    let all = path("/api/v1", None, config.kind.resource());
    let url = format!("{all}?fieldSelector=metadata.name%3D{}", config.name);
    let body = live.api.get(&url).await?;
    let found: Objects<ConfigMapObject> =
        list(Kind::ConfigMaps, &body).map_err(GapReason::Unreadable)?;
    let found = found.items.into_iter().map(config_map);
    let mut others: Vec<Config> = found
        .filter(|other| other.reference.namespace != config.namespace)
        .collect();
    others.sort_by_key(|other| {
        std::cmp::Reverse(other.managed.iter().filter_map(|entry| entry.time).max())
    });
    let mut namesakes = Vec::new();
    for (place, config) in others.into_iter().enumerate() {
        let made = config.created;
        let settled = made.is_none_or(|made| live.clock.now() - made >= SETTLED);
        let takers = match place < ASKED && settled {
            // That they cannot be listed is told by the number that is missing.
            true => takers(live, &config.reference).await.ok(),
            false => None,
        };
        // Of a namespace that is being deleted the pods go first.
        if takers == Some(0) && is_going(live, &config.reference.namespace).await {
            continue;
        }
        namesakes.push(Namesake { config, takers });
    }
    Ok(namesakes)
}

#[derive(Deserialize)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    deletion_timestamp: Option<String>,
}

/// Whether a namespace is being deleted, as far as it may be read.
async fn is_going(live: &Live, namespace: &str) -> bool {
    let url = format!("/api/v1/namespaces/{namespace}");
    let Ok(body) = live.api.get(&url).await else {
        return false;
    };
    let found = serde_json::from_slice::<Namespace>(&body);
    found.is_ok_and(|found| found.metadata.deletion_timestamp.is_some())
}

/// How many pods of its namespace take a config.
async fn takers(live: &Live, config: &ConfigRef) -> Result<u32, GapReason> {
    let pods = path("/api/v1", Some(&config.namespace), "pods");
    let body = live.api.get(&format!("{pods}?resourceVersion=0")).await?;
    let found: Objects<PodObject> = list(Kind::Pods, &body).map_err(GapReason::Unreadable)?;
    if found.partial {
        return Err(GapReason::Unreadable("not all pods were given".to_owned()));
    }
    if !found.bad.is_empty() {
        return Err(GapReason::Unreadable(format!(
            "{} pods could not be understood",
            found.bad.len()
        )));
    }
    let takes = |pod: &crate::model::Pod| pod.configs().any(|named| named == config);
    let taking = found.items.into_iter().map(pod).filter(takes).count();
    Ok(u32::try_from(taking).unwrap_or(u32::MAX))
}
