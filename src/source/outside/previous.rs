//! `--previous FILE`: a manifest, or another capture, whose contents were live once.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::manifest::{self, LARGEST, Wrong};
use super::{About, Loaded, gap, unreadable};
use crate::capture;
use crate::model::{
    ChainEnd, Config, ConfigKind, Found, GapReason, Kept, Origin, Outside, Snapshot, Want,
};
use crate::source::SourceError;

pub(super) fn read(path: &Path, about: &About) -> Result<Loaded, SourceError> {
    let failed = |error| unreadable(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let mut some = (&mut file).take(LARGEST + 1);
    some.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return of_capture(path, about);
    }
    let too_long = bytes.len() as u64 > LARGEST;
    let found = if too_long {
        Err(Wrong {
            what: "it is larger than 16 MiB, so no manifest of ConfigMaps".to_owned(),
            hint: "Give a manifest or a capture.".to_owned(),
        })
    } else {
        manifest::in_scope(&bytes, about)
    };
    let found = found.map_err(|wrong| error(path, &wrong))?;
    let origin = Origin::File {
        path: path.display().to_string(),
    };
    let found = found.into_iter().map(|(config, content)| Found {
        config,
        content,
        origin: origin.clone(),
        at: None,
    });
    Ok(Loaded {
        outside: Outside {
            found: found.collect(),
            ..Outside::default()
        },
        gaps: Vec::new(),
    })
}

fn error(path: &Path, wrong: &Wrong) -> SourceError {
    SourceError {
        message: format!("{} cannot be used: {}.", path.display(), wrong.what),
        hint: Some(wrong.hint.clone()),
    }
}

/// The ConfigMaps of a capture: as they were when it was taken, and the earlier versions that it holds.
fn of_capture(path: &Path, about: &About) -> Result<Loaded, SourceError> {
    let opened = capture::open(path).map_err(|error| SourceError {
        message: format!("{}: {error}", path.display()),
        hint: Some(error.hint().to_owned()),
    })?;
    let snapshot = opened.snapshot;
    let file = path.display().to_string();
    let mut gaps: Vec<_> = snapshot
        .gaps
        .iter()
        .filter_map(|known| match &known.reason {
            GapReason::Capture(why) => Some(gap("capture", path, about, why.clone())),
            _ => None,
        })
        .collect();
    let same_cluster = snapshot.cluster.server == about.server;
    let mut kept = versions(&snapshot, &file);
    let before = kept.len() + snapshot.outside.found.len() + snapshot.outside.kept.len();
    let in_scope = |namespace: &str| about.namespace.as_deref().is_none_or(|n| n == namespace);
    kept.retain(|kept| in_scope(&kept.config.reference.namespace));
    let mut outside = snapshot.outside;
    outside
        .found
        .retain(|found| in_scope(&found.config.namespace));
    outside
        .audited
        .retain(|write| in_scope(&write.config.namespace));
    outside
        .kept
        .retain(|kept| in_scope(&kept.config.reference.namespace));
    outside.kept.append(&mut kept);
    if before > 0 && outside.kept.is_empty() && outside.found.is_empty() {
        gaps.push(gap(
            "capture",
            path,
            about,
            "it holds no ConfigMap of this namespace".to_owned(),
        ));
    }
    if !same_cluster {
        outside = of_another_cluster(outside, &file);
    }
    Ok(Loaded { outside, gaps })
}

/// What the API server told the capture's maker of each ConfigMap.
fn versions(snapshot: &Snapshot, file: &str) -> Vec<Kept> {
    let plain = |config: &&Config| {
        config.reference.kind == ConfigKind::ConfigMap && config.content.is_some()
    };
    let mut all = Vec::new();
    for chain in &snapshot.earlier {
        let mut follows = None;
        for config in chain.versions.iter().filter(plain) {
            all.push(Kept {
                config: config.clone(),
                follows: follows.take(),
                seen_at: chain.read_at,
                file: file.to_owned(),
            });
            follows = Some(config.resource_version.clone());
        }
    }
    for config in snapshot
        .configs
        .iter()
        .map(|config| &**config)
        .filter(plain)
    {
        all.push(Kept {
            config: config.clone(),
            follows: before_live(snapshot, config),
            seen_at: snapshot.taken_at,
            file: file.to_owned(),
        });
    }
    all
}

/// The version before the live one, where the steps back began at that very one.
fn before_live(snapshot: &Snapshot, config: &Config) -> Option<String> {
    let asked = snapshot.asked.contains(&Want::Earlier {
        config: config.reference.clone(),
        resource_version: config.resource_version.clone(),
    });
    let mut chains = snapshot.earlier.iter();
    let chain = chains.find(|chain| chain.reference == config.reference)?;
    let last = chain.versions.last()?;
    let stepped = asked && !matches!(chain.end, ChainEnd::Failed(_)) && last.uid == config.uid;
    stepped.then(|| last.resource_version.clone())
}

/// Contents alone: versions, times and writers of another cluster say nothing of this one's order.
fn of_another_cluster(outside: Outside, file: &str) -> Outside {
    let mut found = outside.found;
    for kept in outside.kept {
        let Some(content) = kept.config.content else {
            continue;
        };
        found.push(Found {
            config: kept.config.reference,
            content,
            origin: Origin::File {
                path: file.to_owned(),
            },
            at: None,
        });
    }
    let mut other = Outside::default();
    other.add(Outside {
        found,
        ..Outside::default()
    });
    other
}

#[cfg(test)]
mod tests;
