//! What was read inside containers, and what programs tell of themselves, through the whole judgement.

use std::collections::BTreeMap;

use confsplit::analysis::{Grade, Replica, SignalKind, Use, diagnose, judged, wanted};
use confsplit::model::{
    Ahead, ChainEnd, Clocks, ConfigKind, ConfigRef, Container, ContainerKind, ContainerState,
    ContainerStatus, Content, EnvFrom, Fingerprint, Held, Mount, Pod, Probe, ProbedFile, Process,
    Snapshot, Socket, SocketState, Termination, ToldVersion, Volume, Want,
};

use crate::build::*;

const FEATURE: &str = "FEATURE_RECS";

/// An edit at 60 from on to off, of which the history is gone; pods by their creation.
fn compacted(pods: &[(&str, i64)], take: &Take<'_>) -> Snapshot {
    let before = config("features", 0, 400, &[(FEATURE, "on")]);
    let mut live = patched(&before, 60, 500, FEATURE, "off");
    live.last_applied = None;
    let mut s = snapshot();
    s.configs = shared(vec![live]);
    let pods = pods
        .iter()
        .map(|(name, at)| pod("catalog", name, *at, take));
    s.pods = pods.map(Into::into).collect();
    s
}

/// What a probe of a pod read.
fn probe(pod: &Pod) -> Probe {
    let status = pod.containers[0].status.as_ref().unwrap();
    Probe {
        pod: pod.reference.clone(),
        container: "app".to_owned(),
        config: config_ref("features"),
        run: status.container_id.clone().unwrap(),
        read_at: t(600),
        env: None,
        files: Vec::new(),
        missing: Vec::new(),
        swapped: BTreeMap::new(),
        processes: None,
        sockets: None,
        gaps: Vec::new(),
    }
}

fn with_env(pod: &Pod, held: Option<Held>) -> Probe {
    Probe {
        env: Some([(FEATURE.to_owned(), held)].into()),
        ..probe(pod)
    }
}

fn text(value: &str) -> Held {
    Held::Text(value.to_owned())
}

fn replicas(s: &Snapshot) -> Vec<Replica> {
    let pairs = judged(s);
    let pair = pairs.iter().find(|pair| pair.config.name == "features");
    pair.expect("the pair").replicas.clone()
}

fn load(replica: &Replica) -> (Option<&str>, Option<bool>, Grade) {
    (replica.loaded.as_deref(), replica.live, replica.grade)
}

#[test]
fn an_environment_proves_what_times_cannot_tell() {
    let mut s = compacted(&[("old", 1), ("new", 100)], &Take::EnvFrom("features"));
    // What it held before the edit is known by nothing that was read.
    assert_eq!(load(&replicas(&s)[0]).1, None);
    s.probes = vec![
        with_env(&s.pods[0], Some(text("on"))),
        with_env(&s.pods[1], Some(text("off"))),
    ];
    let all = replicas(&s);
    assert_eq!(load(&all[0]), (Some("A"), Some(false), Grade::Proved));
    assert_eq!(load(&all[1]), (Some("B"), Some(true), Grade::Proved));
    let report = diagnose(&s);
    let incident = &report.incidents[0];
    assert!(
        incident.findings[0]
            .sentence
            .starts_with("1 of 2 catalog replicas")
    );
    let command = |e: &&confsplit::analysis::Evidence| e.command.contains("exec catalog-");
    let seen = report.evidence.iter().find(command).expect("how to see it");
    assert!(
        seen.command.ends_with("-c app -- printenv FEATURE_RECS"),
        "{}",
        seen.command
    );
    assert!(seen.excerpt.contains("FEATURE_RECS=o"), "{}", seen.excerpt);
}

#[test]
fn a_variable_that_is_not_set_is_a_content_without_the_key() {
    let mut s = compacted(&[("old", 1)], &Take::EnvFrom("features"));
    s.probes = vec![with_env(&s.pods[0], None)];
    assert_eq!(
        load(&replicas(&s)[0]),
        (Some("A"), Some(false), Grade::Proved)
    );
}

#[test]
fn a_probe_of_another_run_says_nothing() {
    let mut s = compacted(&[("old", 1)], &Take::EnvFrom("features"));
    let mut other = with_env(&s.pods[0], Some(text("on")));
    other.run = "containerd://former".to_owned();
    s.probes = vec![other];
    assert_ne!(replicas(&s)[0].grade, Grade::Proved);
}

#[test]
fn what_is_read_is_stronger_than_what_contradicts_it_and_says_so() {
    let before = config("features", 0, 400, &[(FEATURE, "on")]);
    let mut s = compacted(&[("new", 100)], &Take::EnvFrom("features"));
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    assert_eq!(
        load(&replicas(&s)[0]),
        (Some("B"), Some(true), Grade::Inferred)
    );
    s.probes = vec![with_env(&s.pods[0], Some(text("on")))];
    let all = replicas(&s);
    assert_eq!(load(&all[0]), (Some("A"), Some(false), Grade::Proved));
    assert!(all[0].why.contains("contradicts"), "{}", all[0].why);
    // With a whole history a value of none of its revisions is another source's.
    s.probes = vec![with_env(&s.pods[0], Some(text("purple")))];
    let all = replicas(&s);
    assert_eq!(load(&all[0]), (None, None, Grade::Unknown));
    assert!(all[0].why.contains("another source"), "{}", all[0].why);
}

#[test]
fn secrets_are_compared_by_their_hashes() {
    let secret = ConfigRef::new(ConfigKind::Secret, NS, "features");
    let mut s = compacted(&[("old", 1), ("new", 100)], &Take::EnvFrom("features"));
    s.configs[0].reference = secret.clone();
    let hash = |text: &str| Fingerprint(text.to_owned());
    s.configs[0].content = Some(Content::Hashed([(FEATURE.to_owned(), hash("ab"))].into()));
    for pod in &mut s.pods {
        pod.containers[0].env_from = vec![EnvFrom {
            config: secret.clone(),
            prefix: String::new(),
            optional: false,
        }];
    }
    let asked = wanted(&s).into_iter().find_map(|want| match want {
        Want::Probe { reads, .. } => Some(reads),
        _ => None,
    });
    let asked = asked.expect("a probe is wanted");
    assert!(
        asked.env.is_empty() && asked.secret_env.contains(FEATURE),
        "{asked:?}"
    );
    let probes = [(0, "cd"), (1, "ab")].map(|(at, found)| {
        let held = Held::Hashed(hash(found));
        Probe {
            config: secret.clone(),
            ..with_env(&s.pods[at], Some(held))
        }
    });
    s.probes = probes.into();
    let all = replicas(&s);
    assert_eq!(load(&all[0]), (Some("A"), Some(false), Grade::Proved));
    assert_eq!(load(&all[1]), (Some("B"), Some(true), Grade::Proved));
}

/// A pod whose init container `render` takes the config and shares a folder with the app.
fn with_copy(mut pod: Pod, ended: i64) -> Pod {
    let scratch = |read_only| Mount {
        volume: "out".to_owned(),
        path: "/out".to_owned(),
        sub_path: None,
        read_only,
    };
    let app = &mut pod.containers[0];
    let taken = std::mem::take(&mut app.env_from);
    app.mounts = vec![scratch(true)];
    pod.volumes = vec![Volume {
        name: "out".to_owned(),
        projected: false,
        scratch: true,
        sources: Vec::new(),
    }];
    let end = Termination {
        container_id: Some("containerd://render".to_owned()),
        exit_code: 0,
        reason: "Completed".to_owned(),
        started_at: Some(t(ended - 1)),
        finished_at: Some(t(ended)),
    };
    pod.containers.insert(
        0,
        Container {
            name: "render".to_owned(),
            kind: ContainerKind::Init,
            image: "busybox:1.36".to_owned(),
            env: Vec::new(),
            env_from: taken,
            mounts: vec![scratch(false)],
            expands: Vec::new(),
            names: Vec::new(),
            status: Some(ContainerStatus {
                container_id: end.container_id.clone(),
                image_id: None,
                ready: true,
                restarts: 0,
                state: ContainerState::Terminated(end),
                last: None,
            }),
        },
    );
    pod
}

#[test]
fn an_init_containers_copy_is_as_old_as_that_container() {
    let before = config("features", 0, 400, &[(FEATURE, "on")]);
    let mut s = compacted(&[], &Take::EnvFrom("features"));
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    let take = Take::EnvFrom("features");
    let old = with_copy(pod("catalog", "old", 1, &take), 3);
    // The app started again after the edit; the copy is the old one.
    let mut again = old.clone();
    again.containers[1] = restarted(pod("catalog", "old", 1, &take), 200, 1).containers[0].clone();
    again.containers[1].env_from.clear();
    again.containers[1].mounts = old.containers[1].mounts.clone();
    let new = with_copy(pod("catalog", "new", 100, &take), 102);
    s.pods = shared(vec![again, new]);
    let all = replicas(&s);
    assert_eq!(all[0].uses.len(), 1);
    assert!(
        matches!(&all[0].uses[0].via, Use::InitCopy { path, init } if path == "/out" && init == "render")
    );
    assert_eq!(load(&all[0]), (Some("A"), Some(false), Grade::Inferred));
    assert_eq!(load(&all[1]), (Some("B"), Some(true), Grade::Inferred));
    // A copy that was written to since the init container ended proves nothing; one that was not does.
    let copied = |modified: i64| {
        let mut probe = probe(&pod("catalog", "new", 100, &take));
        probe.files = vec![ProbedFile {
            path: format!("/out/{FEATURE}"),
            held: text("off"),
            modified: Some(t(modified)),
        }];
        probe
    };
    s.probes = vec![copied(300)];
    assert_eq!(replicas(&s)[1].grade, Grade::Inferred);
    s.probes = vec![copied(102)];
    assert_eq!(
        load(&replicas(&s)[1]),
        (Some("B"), Some(true), Grade::Proved)
    );
}

#[test]
fn a_swap_before_every_process_tells_what_a_restart_in_place_read() {
    let take = Take::Volume("features", "/etc/app");
    let mut s = compacted(&[], &take);
    let before = config("features", 0, 400, &[(FEATURE, "on")]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    let soon = restarted(pod("catalog", "soon", 1, &take), 90, 1);
    s.pods = shared(vec![soon.clone()]);
    assert_eq!(replicas(&s)[0].grade, Grade::Unknown);
    let mut probe = probe(&soon);
    probe.files = vec![ProbedFile {
        path: format!("/etc/app/{FEATURE}"),
        held: text("off"),
        modified: None,
    }];
    probe.processes = Some(vec![Process {
        pid: 1,
        name: "app".to_owned(),
        started_at: t(90),
        watches: Some(false),
    }]);
    probe.swapped = [("/etc/app".to_owned(), t(80))].into();
    s.probes = vec![probe.clone()];
    assert_eq!(
        load(&replicas(&s)[0]),
        (Some("B"), Some(true), Grade::Inferred)
    );
    // Swapped after its start, the file says nothing of the process.
    probe.swapped = [("/etc/app".to_owned(), t(95))].into();
    s.probes = vec![probe];
    assert_eq!(replicas(&s)[0].grade, Grade::Unknown);
}

#[test]
fn a_connection_that_only_one_revision_explains_shows_it() {
    let before = config("features", 0, 400, &[("app.conf", "upstream api:8080;\n")]);
    let live = patched(&before, 60, 500, "app.conf", "upstream api:8000;\n");
    let take = Take::SubPath("features", "app.conf");
    let mut s = snapshot();
    s.configs = shared(vec![live]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.services = vec![service("api", "10.96.0.9", 8080).into()];
    // Its start is too near to the edit.
    let near = pod("catalog", "near", 59, &take);
    s.pods = shared(vec![near.clone()]);
    assert_eq!(replicas(&s)[0].grade, Grade::Unknown);
    let mut probe = probe(&near);
    probe.sockets = Some(vec![Socket {
        address: "10.96.0.9".to_owned(),
        port: 8000,
        state: SocketState::SynSent,
    }]);
    s.probes = vec![probe];
    let all = replicas(&s);
    assert_eq!(load(&all[0]), (Some("B"), Some(true), Grade::Shown));
    assert!(all[0].why.contains("socket table"), "{}", all[0].why);
    assert!(all[0].signals.iter().any(|s| s.kind == SignalKind::Socket));
}

#[test]
fn a_version_that_replicas_tell_is_that_of_those_who_are_known() {
    let mut s = compacted(
        &[("old", 1), ("near", 59), ("new", 100)],
        &Take::EnvFrom("features"),
    );
    let before = config("features", 0, 400, &[(FEATURE, "on")]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    assert_eq!(replicas(&s)[1].grade, Grade::Unknown);
    let told = |pod: &Pod, version: &str| ToldVersion {
        pod: pod.reference.clone(),
        asked: ":8080/info#version".to_owned(),
        version: version.to_owned(),
        read_at: t(600),
    };
    s.told = vec![
        told(&s.pods[0], "v1"),
        told(&s.pods[1], "v1"),
        told(&s.pods[2], "v2"),
    ];
    assert_eq!(
        load(&replicas(&s)[1]),
        (Some("A"), Some(false), Grade::Shown)
    );
    // Told by replicas of both revisions, it tells them apart no more.
    s.told[2] = told(&s.pods[2], "v1");
    assert_eq!(replicas(&s)[1].grade, Grade::Unknown);
}

#[test]
fn a_node_whose_clock_is_off_makes_near_starts_ambiguous() {
    let mut s = compacted(&[("restarted", 1)], &Take::EnvFrom("features"));
    let before = config("features", 0, 400, &[(FEATURE, "on")]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.pods = shared(vec![restarted((*s.pods[0]).clone(), 90, 1)]);
    assert_eq!(
        load(&replicas(&s)[0]),
        (Some("B"), Some(true), Grade::Inferred)
    );
    let ahead = |seconds| Ahead {
        least: chrono::TimeDelta::seconds(seconds),
        most: chrono::TimeDelta::seconds(seconds + 1),
    };
    s.clocks = Clocks {
        local: None,
        nodes: [("node-1".to_owned(), ahead(40))].into(),
    };
    let all = replicas(&s);
    assert_eq!(all[0].grade, Grade::Unknown);
    assert!(all[0].why.contains("differ by 41 s"), "{}", all[0].why);
    let clock = |n: &confsplit::analysis::NotChecked| n.what.contains("clock of node node-1");
    let report = diagnose(&s);
    let told = report
        .not_checked
        .iter()
        .find(|n| clock(n))
        .expect("it is told");
    assert!(told.why.contains("40 s ahead"), "{}", told.why);
    // That a clock is behind makes a late start no earlier.
    s.clocks.nodes = [("node-1".to_owned(), ahead(-40))].into();
    assert_eq!(replicas(&s)[0].grade, Grade::Inferred);

    // A Lease that covers both an exact clock and one that is nine seconds behind says neither.
    s.pods = shared(vec![restarted((*s.pods[0]).clone(), 52, 1)]);
    s.clocks.nodes.clear();
    assert_eq!(
        load(&replicas(&s)[0]),
        (Some("A"), Some(false), Grade::Inferred)
    );
    let either = Ahead {
        least: chrono::TimeDelta::seconds(-9),
        most: chrono::TimeDelta::seconds(2),
    };
    s.clocks.nodes = [("node-1".to_owned(), either)].into();
    let all = replicas(&s);
    assert_eq!(all[0].grade, Grade::Unknown);
    assert!(all[0].why.contains("ambiguous"), "{}", all[0].why);
}

#[test]
fn a_program_that_reads_the_api_is_unknown_after_an_edit() {
    let mut s = compacted(&[("old", 1)], &Take::EnvFrom("other"));
    s.pods[0].containers[0].names = vec![config_ref("features")];
    let all = replicas(&s);
    assert_eq!(all[0].uses[0].via, Use::Api);
    assert_eq!(load(&all[0]), (None, None, Grade::Unknown));
    assert!(all[0].why.contains("through the API"), "{}", all[0].why);
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{}", report.verdict);
}
