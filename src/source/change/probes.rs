//! What becomes of a probe's answer among those that are known.

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

/// The newest reading of a container about a config counts, with its gaps; those of another run say nothing of this one.
pub(super) fn keep(snapshot: &mut Snapshot, mut probe: Probe) {
    let same = |p: &Probe| p.pod == probe.pod && p.container == probe.container;
    let outdates = |old: &Probe, new: &Probe| old.run != new.run || old.config == new.config;
    let mut others = snapshot.probes.iter().filter(|p| same(p));
    if others.any(|p| p.read_at > probe.read_at && outdates(&probe, p)) {
        return;
    }
    let outdated = |p: &mut Probe| same(p) && outdates(p, &probe);
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
    // The environment cannot change within a run: what was read of it once is still so.
    if probe.env.is_none() {
        let before = gone.into_iter().filter(|p| p.run == probe.run);
        probe.env = before.filter_map(|p| p.env).next();
    }
    snapshot.gaps.extend(probe.gaps.iter().cloned());
    snapshot.probes.push(probe);
}
