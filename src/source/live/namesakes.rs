//! ConfigMaps of the same name in other namespaces, and whether any pod there takes them: an edit that reached nobody may have gone
//! to the wrong namespace.

use super::Live;
use super::lists::path;
use crate::model::{Config, ConfigRef, GapReason, Namesake};
use crate::source::convert::{ConfigMapObject, Objects, PodObject, config_map, list, pod};

/// Of so many, those that were written last, it is asked who takes them: each is a list of a namespace's pods.
const ASKED: usize = 3;

pub(super) async fn namesakes(live: &Live, config: &ConfigRef) -> Result<Vec<Namesake>, GapReason> {
    let all = path("/api/v1", None, config.kind.resource());
    let url = format!("{all}?fieldSelector=metadata.name%3D{}", config.name);
    let body = live.api.get(&url).await?;
    let found: Objects<ConfigMapObject> = list(&body).map_err(GapReason::Unreadable)?;
    let found = found.items.into_iter().map(config_map);
    let mut others: Vec<Config> = found
        .filter(|other| other.reference.namespace != config.namespace)
        .collect();
    others.sort_by_key(|other| {
        std::cmp::Reverse(other.managed.iter().filter_map(|entry| entry.time).max())
    });
    let mut namesakes = Vec::new();
    for (place, config) in others.into_iter().enumerate() {
        let takers = match place < ASKED {
            // That they cannot be listed is told by the number that is missing.
            true => takers(live, &config.reference).await.ok(),
            false => None,
        };
        namesakes.push(Namesake { config, takers });
    }
    Ok(namesakes)
}

/// How many pods of its namespace take a config.
async fn takers(live: &Live, config: &ConfigRef) -> Result<u32, GapReason> {
    let pods = path("/api/v1", Some(&config.namespace), "pods");
    let body = live.api.get(&format!("{pods}?resourceVersion=0")).await?;
    let found: Objects<PodObject> = list(&body).map_err(GapReason::Unreadable)?;
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
