//! What is read of a cluster: the lists, and by chance what the API server still has of the past, and logs.

use confsplit::model::{
    ChainEnd, Cluster, EarlierConfig, Labels, Log, LogText, PodRef, PodsAt, Scope, Snapshot, Want,
    Workload, WorkloadRef,
};

use super::CONFIGS;
use crate::model::pod::{Pod, Run, listed};
use crate::model::program::log;
use crate::model::world::World;
use crate::model::{NS, moment, stamp};

pub fn observe(world: &mut World) -> Snapshot {
    let mut snapshot = lists(world);
    // Each further read takes its time, and what happens meanwhile is in one and not in the other.
    if world.chance.percent(20) {
        world.tell(|| "the lists are read".to_owned());
        let pause = world.chance.between(100, 4000);
        world.wait(pause);
    }
    // What is older is compacted away; nothing is, or everything.
    let counter = i64::try_from(world.api.counter).unwrap();
    let compacted = match world.chance.below(10) {
        0..=4 => 0,
        5..=7 => world.chance.between(1, counter),
        _ => counter,
    };
    let compacted = u64::try_from(compacted).unwrap();
    if world.chance.percent(70) {
        earlier(world, &mut snapshot, compacted);
    }
    if world.chance.percent(60) {
        pods_at(world, &mut snapshot, compacted);
    }
    if world.chance.percent(70) {
        logs(world, &mut snapshot);
    }
    world.tell(|| format!("it is looked at; versions before {compacted} are compacted"));
    snapshot
}

fn lists(world: &World) -> Snapshot {
    let cluster = Cluster {
        context: Some("model".to_owned()),
        flags: None,
        server: "https://127.0.0.1:6443".to_owned(),
        version: Some("v1.37.0".to_owned()),
    };
    let scope = Scope {
        namespace: Some(NS.to_owned()),
        ..Scope::default()
    };
    let mut snapshot = Snapshot::empty(cluster, scope, moment(world.now));
    let configs = CONFIGS.iter().filter_map(|name| world.api.live(name));
    snapshot.configs = configs.map(|config| config.read().into()).collect();
    snapshot.one_counter = Some(true);
    for pod in &world.pods {
        if let Some((version, Some(told))) = pod.told.last() {
            let pod = listed(&world.template, pod, told, *version);
            snapshot.pods.push(pod.into());
        }
    }
    let kind = if world.template.stateful {
        "StatefulSet"
    } else {
        "Deployment"
    };
    let replicas = u32::try_from(snapshot.pods.len()).unwrap();
    let workload = Workload {
        reference: WorkloadRef::new(kind, NS, "web"),
        uid: "uid-web".to_owned(),
        created: Some(moment(0)),
        owner: None,
        desired: Some(replicas),
        ready: Some(replicas),
        paused: false,
        strategy: Some("RollingUpdate".to_owned()),
        generation: Some(1),
        configs: Vec::new(),
        needs: Vec::new(),
        updated: None,
        partition: None,
        conditions: Vec::new(),
        marks: Labels::default(),
        template_marks: Labels::default(),
        observed_generation: Some(1),
        revision: Some("1".to_owned()),
    };
    if !world.template.stateful {
        // Its template never changes, and the first pods are made at once with it.
        let set = Workload {
            reference: WorkloadRef::new("ReplicaSet", NS, "web-76d98597b9"),
            uid: "uid-web-rs".to_owned(),
            created: world.pods.first().map(|pod| stamp(pod.created)),
            owner: Some(workload.reference.clone()),
            strategy: None,
            ..workload.clone()
        };
        snapshot.workloads.push(set.into());
    }
    snapshot.workloads.push(workload.into());
    snapshot
}

fn earlier(world: &mut World, snapshot: &mut Snapshot, compacted: u64) {
    for name in CONFIGS {
        let Some(listed) = snapshot.configs.iter().find(|c| c.reference.name == name) else {
            continue;
        };
        let version = listed.resource_version.parse().unwrap();
        let live = world.api.at_version(name, version).unwrap();
        let mut found = world.api.earlier(live, compacted, world.now);
        let first = found
            .versions
            .first()
            .map_or(version, |v| v.resource_version.parse().unwrap());
        if found.end == ChainEnd::Created
            && let Some(former) = world.api.before(first, name, compacted, world.now)
        {
            found.end = former.end;
            found.versions.splice(0..0, former.versions);
        }
        snapshot.asked.insert(Want::Earlier {
            config: found.reference.clone(),
            resource_version: live.resource_version.to_string(),
        });
        snapshot.earlier.push(found);
    }
}

/// The pods at every write of a config that is known by its history.
fn pods_at(world: &mut World, snapshot: &mut Snapshot, compacted: u64) {
    let live = snapshot.configs.iter().map(|c| c.resource_version.clone());
    let known = |earlier: &EarlierConfig| {
        let versions = earlier.versions.iter();
        versions
            .map(|v| v.resource_version.clone())
            .collect::<Vec<_>>()
    };
    let versions: Vec<String> = live
        .chain(snapshot.earlier.iter().flat_map(known))
        .collect();
    for resource_version in versions {
        let version: u64 = resource_version.parse().unwrap();
        if version < compacted || world.chance.percent(15) {
            continue;
        }
        let there = world.pods.iter().filter_map(|pod| {
            let told = pod.told_at(version)?;
            Some(listed(&world.template, pod, told, version))
        });
        snapshot.asked.insert(Want::PodsAt {
            namespace: NS.to_owned(),
            resource_version: resource_version.clone(),
        });
        snapshot.pods_at.push(PodsAt {
            namespace: NS.to_owned(),
            pods: there.collect(),
            resource_version,
            read_at: moment(world.now),
        });
    }
}

fn logs(world: &mut World, snapshot: &mut Snapshot) {
    let mut found = Vec::new();
    for (pod, listed) in pods_listed(world, snapshot) {
        for container in world.template.running() {
            let runs = &world.pods[pod].containers[container].runs;
            for (previous, run) in [(false, runs.last()), (true, runs.iter().rev().nth(1))] {
                let skipped = world.chance.percent(20);
                let cut = world.chance.percent(25);
                if let Some(run) = run
                    && !skipped
                {
                    found.push(read(world, pod, &listed, container, run, (previous, cut)));
                }
            }
        }
    }
    for log in found {
        snapshot.asked.insert(Want::Log {
            pod: log.pod.clone(),
            container: log.container.clone(),
            previous: log.previous,
        });
        snapshot.logs.push(log);
    }
}

fn pods_listed(world: &World, snapshot: &Snapshot) -> Vec<(usize, PodRef)> {
    let place = |uid: &str| world.pods.iter().position(|p: &Pod| p.uid == uid);
    let listed = snapshot.pods.iter().map(|p| p.reference.clone());
    listed
        .map(|reference| (place(&reference.uid).unwrap(), reference))
        .collect()
}

/// The log of a run, as src/source/live/logs.rs reads it: whether it is whole is told by its first line.
fn read(
    world: &World,
    pod: usize,
    reference: &PodRef,
    container: usize,
    run: &Run,
    (previous, cut): (bool, bool),
) -> Log {
    let offset = world.nodes[world.pods[pod].node].offset;
    let mut lines = log(&world.template, container, run, world.now, offset);
    if cut {
        lines.drain(..lines.len().div_ceil(2));
    }
    let text = LogText::from(lines.concat());
    let told = world.pods[pod]
        .told
        .last()
        .and_then(|(_, told)| told.as_ref());
    let status = told.and_then(|told| told.statuses[container].as_ref());
    let started = status.and_then(|status| match (&status.state, previous) {
        (confsplit::model::ContainerState::Running { started_at }, false) => *started_at,
        (confsplit::model::ContainerState::Terminated(end), false) => end.started_at,
        _ => status.last.as_ref().and_then(|last| last.started_at),
    });
    let missing = text.missing_before(started);
    Log {
        pod: reference.clone(),
        container: world.template.containers[container].name.clone(),
        previous,
        text,
        complete: missing.is_none(),
        missing,
        read_at: moment(world.now),
        from: None,
    }
}
