//! Diagnoses built by hand: the partial restart, one where nothing is wrong, and one full of hostile text.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use confsplit::analysis::{
    Code, ContentSource, Diagnosis, Entry, EntryKind, Evidence, Finding, Grade, Impact, Incident,
    Lane, NotChecked, PutBack, Replica, Revision, Signal, SignalKind, Traffic, Use, UseLoad,
    ValueChange,
};
use confsplit::model::{
    Cluster, ConfigKind, ConfigRef, Content, Interval, PodRef, Scope, WorkloadRef,
};

/// A time of the day of the incident.
pub(crate) fn at(clock: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(&format!("2026-10-02T{clock}Z"))
        .unwrap()
        .with_timezone(&Utc)
}

fn nginx(server: &str) -> String {
    format!(
        "upstream api {{\n    server {server};\n}}\nserver {{\n    listen 80;\n    location /api/ {{\n        \
         proxy_pass http://api/;\n    }}\n}}\n"
    )
}

pub(crate) fn nothing_wrong() -> Diagnosis {
    Diagnosis {
        cluster: Cluster {
            flags: None,
            context: Some("kind-a".to_owned()),
            server: "https://127.0.0.1:6443".to_owned(),
            version: Some("v1.37.0".to_owned()),
        },
        scope: Scope { namespace: Some("shop".to_owned()), ..Scope::default() },
        taken_at: at("20:38:40"),
        verdict: "No config split in namespace shop: 3 replicas shown, 1 inferred, 0 unknown; look elsewhere."
            .to_owned(),
        incidents: Vec::new(),
        suspects: Vec::new(),
        evidence: Vec::new(),
        not_checked: Vec::new(),
        counts: BTreeMap::from([(Grade::Shown, 3), (Grade::Inferred, 1)]),
        weakened: false,
    }
}

/// What the edit changed, and what a revert turns round.
fn changes() -> Vec<ValueChange> {
    vec![ValueChange {
        key: "default.conf".to_owned(),
        setting: "server".to_owned(),
        before: Some("api:8080".to_owned()),
        after: Some("api:8000".to_owned()),
    }]
}

pub(crate) fn partial_restart() -> Diagnosis {
    Diagnosis {
        verdict: "1 incident in namespace shop: 1 of 2 replicas of Deployment/frontend runs an edited ConfigMap/frontend-nginx."
            .to_owned(),
        incidents: vec![incident()],
        suspects: Vec::new(),
        evidence: evidence(),
        not_checked: vec![NotChecked {
            what: "events before 20:34:10".to_owned(),
            why: "the API server keeps events for an hour".to_owned(),
        }],
        counts: BTreeMap::from([(Grade::Shown, 2)]),
        ..nothing_wrong()
    }
}

fn evidence() -> Vec<Evidence> {
    let read = at("20:38:39");
    let item = |number, source: &str, command: &str, excerpt: &str| Evidence {
        number,
        source: source.to_owned(),
        command: command.to_owned(),
        taken_at: read,
        excerpt: excerpt.to_owned(),
    };
    vec![
        item(
            1,
            "ConfigMap/frontend-nginx, live",
            "kubectl --context kind-a -n shop get configmap frontend-nginx -o yaml --show-managed-fields",
            "resourceVersion: \"14598\"\nmanager: kubectl-client-side-apply\nserver api:8000;",
        ),
        item(
            2,
            "log of frontend-76d98597b9-kt2jr, container nginx",
            "kubectl --context kind-a -n shop logs frontend-76d98597b9-kt2jr -c nginx --timestamps",
            "2026/10/02 20:35:28 [error] 27#27: *2 connect() failed (111: Connection refused) while connecting to upstream, \
             client: 10.244.1.43, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.10.144:8080/items\"",
        ),
        item(
            3,
            "log of frontend-76d98597b9-g5zrg, container nginx",
            "kubectl --context kind-a -n shop logs frontend-76d98597b9-g5zrg -c nginx --timestamps",
            "2026/10/02 20:35:48 [error] 29#29: *8 upstream timed out (110: Operation timed out) while connecting to upstream, \
             client: 10.244.1.43, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.10.144:8000/items\"",
        ),
    ]
}

fn incident() -> Incident {
    Incident {
        config: ConfigRef::new(ConfigKind::ConfigMap, "shop", "frontend-nginx"),
        workload: WorkloadRef::new("Deployment", "shop", "frontend"),
        controller: None,
        shared_with: Vec::new(),
        findings: findings(),
        cannot_tell: vec![(
            Code::NoEndpoints,
            "EndpointSlices in shop may not be listed".to_owned(),
        )],
        revisions: revisions(),
        changes: changes(),
        replicas: vec![
            replica("kt2jr", "20:35:25", "A", 8080, 0),
            replica("g5zrg", "20:35:34", "B", 8000, 35),
        ],
        timeline: timeline(),
        impact: Some(Impact {
            sentence: "GET /api/items, last 2 min: g5zrg 35 of 35 FAIL, kt2jr 0 of 40. First failure 20:35:48. \
                       Any new pod would fail too."
                .to_owned(),
            window: (at("20:36:40"), at("20:38:40")),
            first_failure: Some(at("20:35:48")),
            spreads: true,
            ready_share: Some((1, 2, "frontend".to_owned())),
            evidence: vec![2, 3],
        }),
        failing: Some("B".to_owned()),
        absent: false,
        route: Some("GET /api/items".to_owned()),
        put_back: Some(PutBack {
            revision: "A".to_owned(),
            changes: changes(),
        }),
        only_copy: Vec::new(),
        misleading: vec![
            "The api is not down: kt2jr reaches it on 8080.".to_owned(),
            "`kubectl get configmap` shows what is live, not what kt2jr runs.".to_owned(),
        ],
        separating: Vec::new(),
    }
}

fn findings() -> Vec<Finding> {
    vec![
        Finding {
            code: Code::SplitReplicas,
            sentence: "1 of 2 frontend replicas runs an edited config. frontend-nginx was edited 20:35:26–20:35:33 by \
                       kubectl-client-side-apply (person not recorded): api:8080 → api:8000. g5zrg started after it; \
                       kt2jr before, and runs revision A, which is no longer in the API."
                .to_owned(),
            evidence: vec![1, 2, 3],
        },
        Finding {
            code: Code::PortMismatch,
            sentence: "default.conf names api:8000, but Service/api publishes 8080 alone.".to_owned(),
            evidence: vec![1],
        },
    ]
}

fn revisions() -> Vec<Revision> {
    let edit = Interval::between(Some(at("20:35:26")), Some(at("20:35:33")));
    let config = ConfigRef::new(ConfigKind::ConfigMap, "shop", "frontend-nginx");
    let content = |server| Some(Content::text([("default.conf", nginx(server).as_str())]));
    vec![
        Revision {
            also: Vec::new(),
            person: None,
            unknown_keys: Default::default(),
            name: "A".to_owned(),
            config: config.clone(),
            content: content("api:8080"),
            hash: Some("0123456789ab".to_owned()),
            live: false,
            from: Interval::second(at("20:35:25")),
            until: edit,
            writer: Some("kubectl-client-side-apply".to_owned()),
            source: Some(ContentSource::Exact {
                resource_version: "14597".to_owned(),
            }),
            resource_version: Some("14417".to_owned()),
            evidence: vec![1],
        },
        Revision {
            also: Vec::new(),
            person: None,
            unknown_keys: Default::default(),
            name: "B".to_owned(),
            config,
            content: content("api:8000"),
            hash: Some("ba9876543210".to_owned()),
            live: true,
            from: edit,
            until: Interval::UNKNOWN,
            writer: Some("kubectl-client-side-apply".to_owned()),
            source: Some(ContentSource::Live),
            resource_version: Some("14598".to_owned()),
            evidence: vec![1],
        },
    ]
}

fn replica(pod: &str, started: &str, loaded: &str, port: u16, failed: usize) -> Replica {
    let live = Some(loaded == "B");
    let number = if loaded == "A" { 2 } else { 3 };
    Replica {
        pod: PodRef {
            namespace: "shop".to_owned(),
            name: format!("frontend-76d98597b9-{pod}"),
            uid: format!("uid-{pod}"),
        },
        container: "nginx".to_owned(),
        node: Some("worker".to_owned()),
        started_at: Some(at(started)),
        ready: true,
        state: "Running".to_owned(),
        restarts: 0,
        loaded: Some(loaded.to_owned()),
        live,
        grade: Grade::Shown,
        why: format!("Its log names the upstream port {port}, which only revision {loaded} holds."),
        evidence: vec![number],
        signals: vec![Signal {
            kind: SignalKind::Upstream,
            text: format!("10.96.10.144:{port}"),
            count: failed.max(1),
            first: Some(at("20:35:28")),
            last: Some(at("20:38:30.25")),
            revision: Some(loaded.to_owned()),
            evidence: vec![number],
        }],
        uses: vec![UseLoad {
            strays: Vec::new(),
            via: Use::Volume {
                path: "/etc/nginx/conf.d".to_owned(),
            },
            key: None,
            loaded: Some(loaded.to_owned()),
            live,
            grade: Grade::Shown,
            why: "see above".to_owned(),
            evidence: vec![number],
        }],
        traffic: vec![Traffic {
            route: "GET /api/items".to_owned(),
            total: if failed > 0 { failed } else { 40 },
            failed,
            statuses: BTreeMap::from([(200, 40)]),
            samples: vec![(at("20:35:48"), failed > 0)],
        }],
    }
}

fn timeline() -> Vec<Entry> {
    let entry = |at, lane, kind, what: &str, evidence| Entry {
        at,
        lane,
        kind,
        what: what.to_owned(),
        evidence,
    };
    let pod = |name: &str| Lane::Pod(format!("frontend-76d98597b9-{name}"));
    let config = || Lane::Config("frontend-nginx".to_owned());
    let (created, edited) = (Interval::second(at("20:35:25")), revisions()[1].from);
    vec![
        entry(created, config(), EntryKind::Created, "created", vec![1]),
        entry(
            created,
            pod("kt2jr"),
            EntryKind::Started,
            "started",
            vec![2],
        ),
        entry(
            edited,
            config(),
            EntryKind::Edited,
            "edited by kubectl-client-side-apply",
            vec![1],
        ),
        entry(
            Interval::at(at("20:35:34")),
            pod("g5zrg"),
            EntryKind::Started,
            "started",
            vec![3],
        ),
        entry(
            Interval::at(at("20:35:48")),
            pod("g5zrg"),
            EntryKind::FirstFailure,
            "first failure: GET /api/items 504",
            vec![3],
        ),
    ]
}

/// What somebody who may write an object or a log line could try: escapes, direction marks, broken fences, tables and links.
pub(crate) const HOSTILE: &str =
    "\u{1b}]0;x\u{7}\u{202e}```\n# a | b <img src=x> [l](http://e.x) @all \u{9b}2J *b*";

pub(crate) fn hostile() -> Diagnosis {
    let mut diagnosis = partial_restart();
    let text = || HOSTILE.to_owned();
    diagnosis.verdict = text();
    // A command of one line may be longer than a page; a context cannot hold a line's end.
    diagnosis.cluster.context = Some(text().replace('\n', " "));
    diagnosis.cluster.server = text();
    diagnosis.not_checked[0] = NotChecked {
        what: text(),
        why: text(),
    };
    for evidence in &mut diagnosis.evidence {
        evidence.source = text();
        evidence.command = text();
        evidence.excerpt = text();
    }
    let incident = &mut diagnosis.incidents[0];
    incident.config.name = text();
    incident.workload.name = text();
    incident.findings[0].sentence = text();
    incident.cannot_tell[0].1 = text();
    incident.misleading[0] = text();
    incident.timeline[0].what = text();
    incident.timeline[0].lane = Lane::Config(text());
    incident.changes[0].after = Some(text());
    incident.put_back.as_mut().unwrap().changes[0].after = Some(text());
    incident.revisions[1].writer = Some(text());
    incident.revisions[1].content = Some(Content::text([
        (HOSTILE, HOSTILE),
        ("default.conf", HOSTILE),
    ]));
    if let Some(impact) = &mut incident.impact {
        impact.sentence = text();
    }
    let replica = &mut incident.replicas[0];
    replica.pod.name = text();
    replica.container = text();
    replica.state = text();
    replica.ready = false;
    replica.why = text();
    replica.signals[0].text = text();
    replica.traffic[0].route = text();
    diagnosis
}
