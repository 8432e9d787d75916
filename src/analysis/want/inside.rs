//! What to read inside the containers of a pair, where the user agrees to that, and where to ask for a version.

use std::collections::BTreeSet;

use crate::analysis::case::{Case, Subject, User};
use crate::analysis::incident::Use;
use crate::analysis::uses::ConfigUse;
use crate::analysis::uses::places::{certain_keys, files, variables};
use crate::model::{ConfigKind, ConfigRef, ContainerState, EnvSource, Pod, ProbeReads, Want};

/// Of each replica: what it holds of the config, and what it tells.
pub(super) fn wants(case: &Case<'_>, subject: &Subject<'_>) -> Vec<Want> {
    let mut found = Vec::new();
    for user in subject.users.iter().take(super::REPLICAS) {
        let status = user.container.status.as_ref();
        let running = status.filter(|s| matches!(s.state, ContainerState::Running { .. }));
        let Some(run) = running.and_then(|s| s.container_id.clone()) else {
            continue;
        };
        let resource_version = case.config.resource_version.clone();
        if let Some(asked) = &case.snapshot.scope.version_at {
            found.push(Want::ToldVersion {
                pod: user.pod.reference.clone(),
                asked: asked.clone(),
                resource_version: resource_version.clone(),
            });
        }
        found.push(Want::Probe {
            pod: user.pod.reference.clone(),
            container: user.container.name.clone(),
            run,
            config: case.config.reference.clone(),
            resource_version,
            reads: Box::new(reads(case, user)),
        });
    }
    found.sort();
    found.dedup();
    found
}

fn reads(case: &Case<'_>, user: &User<'_>) -> ProbeReads {
    let mut reads = ProbeReads {
        sockets: true,
        ..ProbeReads::default()
    };
    for usage in &user.uses {
        let keys = keys(case, usage);
        let variables = variables(usage, &keys).into_iter().map(|place| place.name);
        let files = files(usage, user.pod, user.container, &keys);
        let files = files.into_iter().map(|place| place.name);
        if may_be_secret(usage, user.pod) {
            reads.secret_env.extend(variables);
            reads.secret_files.extend(files);
        } else {
            reads.env.extend(variables);
            reads.files.extend(files);
        }
        if let Use::Volume { path } | Use::Projected { path } = &usage.via {
            reads.folders.insert(path.clone());
            reads.processes = true;
        }
    }
    // One name cannot be kept in clear by one use and hashed by another.
    let hashed = |all: &BTreeSet<String>, hashed: &BTreeSet<String>| all - hashed;
    reads.env = hashed(&reads.env, &reads.secret_env);
    reads.files = hashed(&reads.files, &reads.secret_files);
    reads
}

fn keys(case: &Case<'_>, usage: &ConfigUse) -> BTreeSet<String> {
    let mut keys = certain_keys(usage, case.history.contents());
    if case.config.content.is_none() {
        // Of a Secret that was not read, the managed fields tell the keys.
        let owned = case
            .config
            .managed
            .iter()
            .flat_map(|entry| &entry.data_keys);
        keys.extend(owned.cloned());
    }
    keys
}

/// Whether what is read may be a Secret's: it is one, or an init container may have written it from one.
fn may_be_secret(usage: &ConfigUse, pod: &Pod) -> bool {
    let is_secret = |config: &ConfigRef| config.kind == ConfigKind::Secret;
    let Use::InitCopy { init, .. } = &usage.via else {
        return is_secret(&usage.config);
    };
    pod.container(init).is_none_or(|init| {
        let env = init
            .env
            .iter()
            .any(|v| matches!(&v.source, EnvSource::Key { config, .. } if is_secret(config)));
        let from = init.env_from.iter().any(|f| is_secret(&f.config));
        let mounted = init.mounts.iter().any(|m| {
            let volumes = pod.volumes.iter().filter(|v| v.name == m.volume);
            volumes
                .flat_map(|v| &v.sources)
                .any(|s| is_secret(&s.config))
        });
        env || from || mounted
    })
}
