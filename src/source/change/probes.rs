//! What becomes of a probe's answer among those that are known.

use std::collections::BTreeSet;

use crate::model::{GapReason, Probe, Snapshot, Want};

/// What was asked for an older version of the same config need not be remembered: nobody asks for it again.
pub(super) fn forget_older(want: &Want, snapshot: &mut Snapshot) {
    let number = |version: &str| version.parse::<u64>().ok();
    match want {
        Want::Probe {
            pod,
            container,
            config,
            resource_version,
            ..
        } => {
            let now = number(resource_version);
            snapshot.asked.retain(|asked| {
                !matches!(asked, Want::Probe { pod: p, container: c, config: of, resource_version: then, .. }
                    if p == pod && c == container && of == config && number(then) < now)
            });
        }
        Want::ToldVersion {
            pod,
            asked: place,
            resource_version,
        } => {
            let now = number(resource_version);
            snapshot.asked.retain(|asked| {
                !matches!(asked, Want::ToldVersion { pod: p, asked: at, resource_version: then }
                    if p == pod && at == place && number(then) < now)
            });
        }
        _ => {}
    }
}

/// The newest reading of a container counts, with its gaps. An older one stays for what the newer one does not tell: another
/// config may have asked for other files.
pub(super) fn keep(snapshot: &mut Snapshot, probe: Probe) {
    let same = |p: &Probe| p.pod == probe.pod && p.container == probe.container;
    let newer = |p: &&Probe| same(p) && p.read_at > probe.read_at;
    if snapshot
        .probes
        .iter()
        .filter(newer)
        .any(|p| p.run != probe.run || is_told_by(&probe, p))
    {
        return;
    }
    let outdated = |p: &mut Probe| same(p) && (p.run != probe.run || is_told_by(p, &probe));
    let gone: Vec<Probe> = snapshot.probes.extract_if(.., outdated).collect();
    let left = &snapshot.probes;
    snapshot.gaps.retain(|gap| {
        let of_gone = gone.iter().any(|p| p.gaps.contains(gap));
        // Commands can be run there after all.
        let refused = gap.resource == "pods/exec"
            && gap.name.as_ref() == Some(&probe.pod.name)
            && gap.namespace.as_ref() == Some(&probe.pod.namespace)
            && matches!(gap.reason, GapReason::Forbidden | GapReason::Unauthorized);
        !refused && (!of_gone || left.iter().any(|p| p.gaps.contains(gap)))
    });
    snapshot.gaps.extend(probe.gaps.iter().cloned());
    snapshot.probes.push(probe);
}

/// Whether a reading tells all that another one does.
fn is_told_by(older: &Probe, newer: &Probe) -> bool {
    let names = |p: &Probe| -> BTreeSet<String> {
        p.env.iter().flat_map(|env| env.keys().cloned()).collect()
    };
    let paths = |p: &Probe| -> BTreeSet<String> {
        let files = p.files.iter().map(|file| &file.path);
        files.chain(&p.missing).cloned().collect()
    };
    names(older).is_subset(&names(newer))
        && paths(older).is_subset(&paths(newer))
        && older
            .swapped
            .keys()
            .all(|folder| newer.swapped.contains_key(folder))
        && (older.processes.is_none() || newer.processes.is_some())
        && (older.sockets.is_none() || newer.sockets.is_some())
}
