//! Which Helm releases to read: those that applied a config, as far as Helm keeps them.

use crate::analysis::case::Case;
use crate::model::{Config, ConfigKind, ConfigRef, Snapshot, Want};

/// What Helm writes on all that it applies.
const RELEASE: &str = "meta.helm.sh/release-name";
const NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// Releases, newest first, that are read for one config.
const RELEASES: usize = 3;

/// The newest releases of a ConfigMap that may have been edited. Of a Secret nothing is taken, whoever keeps it.
pub(super) fn wants(case: &Case<'_>) -> Vec<Want> {
    let edited = case.history.last_possible_edit().is_some() || case.perhaps_replaced;
    if !edited {
        return Vec::new();
    }
    releases(case.snapshot, case.config)
}

fn releases(snapshot: &Snapshot, config: &Config) -> Vec<Want> {
    let Some(release) = config.owner_marks.get(RELEASE) else {
        return Vec::new();
    };
    if config.reference.kind != ConfigKind::ConfigMap {
        return Vec::new();
    }
    let own = &config.reference.namespace;
    let namespace = config.owner_marks.get(NAMESPACE).unwrap_or(own);
    let holders = snapshot.configs.iter().map(|held| &held.reference);
    let holders = holders.filter(|held| held.namespace == *namespace);
    let mut holders: Vec<(u32, &ConfigRef)> = holders
        .filter_map(|held| Some((revision(&held.name, release)?, held)))
        .collect();
    // Who changed Helm's driver has some in Secrets and some in ConfigMaps.
    holders.sort_by(|a, b| b.cmp(a));
    let newest = holders.into_iter().take(RELEASES);
    newest
        .map(|(_, holder)| Want::HelmRelease {
            config: config.reference.clone(),
            holder: holder.clone(),
        })
        .collect()
}

/// The revision in the name under which Helm keeps a release: `sh.helm.release.v1.NAME.v12`.
fn revision(held: &str, release: &str) -> Option<u32> {
    let rest = held.strip_prefix("sh.helm.release.v1.")?;
    let number = rest.strip_prefix(release)?.strip_prefix(".v")?;
    number.parse().ok()
}

#[cfg(test)]
mod tests;
