//! What a config and the pods were at an earlier resourceVersion, as far back as the API server keeps it.

use super::Live;
use crate::model::{
    ChainEnd, Config, ConfigKind, ConfigRef, EarlierConfig, Gap, GapReason, Kind, Pod, PodsAt,
};
use crate::source::convert::{
    ConfigMapObject, Objects, PodObject, SecretObject, config_map, list, pod,
};

/// Steps back through one config at the most.
const STEPS: usize = 20;

/// The resourceVersion before one, where it is a number (it always has been, and since 1.35 the API promises it).
fn before(version: &str) -> Option<String> {
    version
        .parse::<u64>()
        .ok()?
        .checked_sub(1)
        .filter(|v| *v > 0)
        .map(|v| v.to_string())
}

/// The versions before `version`, oldest first.
pub(super) async fn earlier(
    live: &Live,
    config: &ConfigRef,
    version: &str,
    uid: &str,
) -> EarlierConfig {
    let mut versions: Vec<Config> = Vec::new();
    let mut at = version.to_owned();
    let end = loop {
        if uid.is_empty() {
            break ChainEnd::Failed(gap(config, GapReason::NotFound));
        }
        if versions.len() >= STEPS {
            break ChainEnd::Bounded;
        }
        let Some(asked) = before(&at) else {
            break ChainEnd::Failed(gap(
                config,
                GapReason::Unordered(format!("resourceVersion {at} is no number")),
            ));
        };
        match exact(live, config, &asked).await {
            Ok(None) => break ChainEnd::Created,
            // Another object of the same name: this one's history ends where it was created.
            Ok(Some(found)) if found.uid != uid => break ChainEnd::Created,
            // An answer that is no older would step for ever.
            Ok(Some(found))
                if found.resource_version.parse::<u64>().ok() >= at.parse::<u64>().ok() =>
            {
                break ChainEnd::Failed(gap(
                    config,
                    GapReason::Unreadable(format!(
                        "asked for resourceVersion {asked}, it answered {}",
                        found.resource_version
                    )),
                ));
            }
            Ok(Some(found)) => {
                at.clone_from(&found.resource_version);
                versions.push(found);
            }
            Err(GapReason::Gone) => break ChainEnd::Compacted,
            Err(reason) => break ChainEnd::Failed(gap(config, reason)),
        }
    };
    versions.reverse();
    EarlierConfig {
        reference: config.clone(),
        versions,
        end,
        read_at: live.clock.now(),
    }
}

/// How far back the object of before is looked for: twice as far with each read, until what the API server keeps.
const BACK: u32 = 24;

/// The versions of the object that bore this name before, as far as it is found: when it was deleted is not known, so the
/// time before the creation is looked at in steps that double, and then in halves.
pub(super) async fn former(live: &Live, config: &ConfigRef, created: &str) -> EarlierConfig {
    match last_of_former(live, config, created).await {
        Ok(found) => {
            let version = found.resource_version.clone();
            let mut all = earlier(live, config, &version, &found.uid).await;
            all.versions.push(found);
            all
        }
        Err(end) => EarlierConfig {
            reference: config.clone(),
            versions: Vec::new(),
            end,
            read_at: live.clock.now(),
        },
    }
}

async fn last_of_former(
    live: &Live,
    config: &ConfigRef,
    created: &str,
) -> Result<Config, ChainEnd> {
    let look = async |version: u64| match exact(live, config, &version.to_string()).await {
        Err(GapReason::Gone) => Err(ChainEnd::Compacted),
        Err(reason) => Err(ChainEnd::Failed(gap(config, reason))),
        Ok(found) => Ok(found),
    };
    let mut absent = created
        .parse::<u64>()
        .map_err(|_| ChainEnd::Bounded)?
        .saturating_sub(1);
    for step in (0..BACK).map(|power| 1_u64 << power) {
        let Some(asked) = absent.checked_sub(step).filter(|v| *v > 0) else {
            return Err(ChainEnd::Created);
        };
        let Some(mut found) = look(asked).await? else {
            absent = asked;
            continue;
        };
        let mut present = asked;
        while present + 1 < absent {
            let middle = present + (absent - present) / 2;
            match look(middle).await? {
                Some(later) => (found, present) = (later, middle),
                None => absent = middle,
            }
        }
        return Ok(found);
    }
    Err(ChainEnd::Bounded)
}

fn gap(config: &ConfigRef, reason: GapReason) -> Gap {
    Gap {
        verb: "list".to_owned(),
        resource: config.kind.resource().to_owned(),
        namespace: Some(config.namespace.clone()),
        name: Some(config.name.clone()),
        reason,
    }
}

async fn exact(
    live: &Live,
    config: &ConfigRef,
    version: &str,
) -> Result<Option<Config>, GapReason> {
    let path = format!(
        "/api/v1/namespaces/{}/{}?fieldSelector=metadata.name%3D{}&resourceVersion={version}&resourceVersionMatch=Exact&limit=1",
        config.namespace,
        config.kind.resource(),
        config.name
    );
    let body = zeroize::Zeroizing::new(live.api.get(&path).await?);
    match config.kind {
        ConfigKind::ConfigMap => {
            let found: Objects<ConfigMapObject> =
                list(Kind::ConfigMaps, &body).map_err(GapReason::Unreadable)?;
            first(found).map(|object| object.map(config_map))
        }
        ConfigKind::Secret => {
            let found: Objects<SecretObject> =
                list(Kind::Secrets, &body).map_err(GapReason::Unreadable)?;
            first(found).map(|object| object.map(|secret| hashed(live, &secret)))
        }
    }
}

fn first<T>(found: Objects<T>) -> Result<Option<T>, GapReason> {
    match (found.items.into_iter().next(), found.bad.into_iter().next()) {
        (Some(object), _) => Ok(Some(object)),
        (None, Some((_, why))) => Err(GapReason::Unreadable(why)),
        (None, None) => Ok(None),
    }
}

/// A Secret with its values hashed.
fn hashed(live: &Live, secret: &SecretObject) -> Config {
    let mut config = secret.shell();
    config.content = Some(live.vault.take(&secret.metadata.name, secret.data.as_ref()));
    config
}

/// The Secret as it is now, with its values hashed.
pub(super) async fn secret(live: &Live, config: &ConfigRef) -> Result<Config, GapReason> {
    let path = format!(
        "/api/v1/namespaces/{}/secrets/{}",
        config.namespace, config.name
    );
    let body = zeroize::Zeroizing::new(live.api.get(&path).await?);
    let found: SecretObject = serde_json::from_slice(&body)
        .map_err(|_| GapReason::Unreadable("it is no Secret".to_owned()))?;
    Ok(hashed(live, &found))
}

/// The pods of a namespace at a resourceVersion of a ConfigMap: an order of the two without clocks, where one counter serves both.
pub(super) async fn pods_at(
    live: &Live,
    namespace: &str,
    version: &str,
) -> Result<PodsAt, GapReason> {
    if !one_counter(live, namespace).await? {
        return Err(GapReason::Unordered(
            "the resourceVersions of ConfigMaps and pods do not come from one counter".to_owned(),
        ));
    }
    let path = format!(
        "/api/v1/namespaces/{namespace}/pods?resourceVersion={version}&resourceVersionMatch=Exact"
    );
    let body = live.api.get(&path).await?;
    let found: Objects<PodObject> = list(Kind::Pods, &body).map_err(GapReason::Unreadable)?;
    // A pod that is missing from the list would read as one that did not exist.
    if found.partial {
        let why = "not all pods of that time were given";
        return Err(GapReason::Unreadable(why.to_owned()));
    }
    if !found.bad.is_empty() {
        let bad = format!("{} pods of that time", found.bad.len());
        return Err(GapReason::Unreadable(bad));
    }
    let pods: Vec<Pod> = found.items.into_iter().map(pod).collect();
    Ok(PodsAt {
        namespace: namespace.to_owned(),
        resource_version: version.to_owned(),
        pods,
        read_at: live.clock.now(),
    })
}

/// Whether the resourceVersions of ConfigMaps and pods come from one counter; asked until there is an answer.
pub(super) async fn one_counter(live: &Live, namespace: &str) -> Result<bool, GapReason> {
    let asked = live.counter.get_or_try_init(|| count(live, namespace));
    asked.await.copied()
}

/// Lists ConfigMaps, pods, ConfigMaps: where the versions of the three lists never decrease, one etcd serves both kinds.
async fn count(live: &Live, namespace: &str) -> Result<bool, GapReason> {
    let mut last = 0;
    for kind in [Kind::ConfigMaps, Kind::Pods, Kind::ConfigMaps] {
        let path = super::lists::path("/api/v1", Some(namespace), kind.resource());
        let body = live.api.get(&format!("{path}?limit=1")).await?;
        let found: Objects<serde::de::IgnoredAny> =
            list(kind, &body).map_err(GapReason::Unreadable)?;
        let version = found.resource_version.and_then(|v| v.parse::<u64>().ok());
        match version {
            Some(version) if version >= last => last = version,
            _ => return Ok(false),
        }
    }
    Ok(true)
}
