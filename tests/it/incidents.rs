//! Built conclusions for the screens: incidents, a report, and an app that shows them.
#![expect(
    clippy::expect_used,
    reason = "a fixture that cannot be built fails its test"
)]

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use confsplit::analysis::{
    Code, ContentSource, Diagnosis, Entry, EntryKind, Evidence, Finding, Grade, Impact, Incident,
    Lane, NotChecked, PutBack, Replica, Revision, Signal, SignalKind, Traffic, Use, UseLoad,
    ValueChange,
};
use confsplit::app::{App, Mode, Msg, News, Options, Origin, Preferences};
use confsplit::model::{
    Cluster, ConfigKind, ConfigRef, Content, Interval, PodRef, Scope, WorkloadRef,
};

pub(crate) fn at(clock: &str) -> DateTime<Utc> {
    format!("2026-10-02T{clock}Z").parse().expect("a time")
}

fn second(clock: &str) -> Interval {
    Interval::second(at(clock))
}

pub(crate) fn options(origin: Origin) -> Options {
    Options {
        origin,
        mode: Mode::ReadOnly,
        edits: false,
        cluster: cluster(),
        scope: scope(),
        ascii: false,
        no_color: false,
        preferences: Preferences::default(),
        local: |_| FixedOffset::east_opt(20_700).expect("an offset"),
    }
}

fn cluster() -> Cluster {
    Cluster {
        flags: None,
        context: Some("kind-a".into()),
        server: "https://127.0.0.1:6443".into(),
        version: Some("v1.37.2".into()),
    }
}

fn scope() -> Scope {
    Scope {
        namespace: Some("shop".into()),
        ..Scope::default()
    }
}

pub(crate) fn app() -> App {
    App::new(options(Origin::Live), at("20:38:38"))
}

/// A dashboard that has read this.
pub(crate) fn reading(diagnosis: Diagnosis, width: u16, height: u16) -> App {
    let mut app = app();
    app.update(Msg::Resize { width, height });
    app.update(Msg::News(News::of(diagnosis)));
    app
}

pub(crate) fn diagnosis(incidents: Vec<Incident>) -> Diagnosis {
    Diagnosis {
        cluster: cluster(),
        scope: scope(),
        taken_at: at("20:38:34"),
        verdict:
            "No config split in shop: 9 replicas shown, 3 inferred, 0 unknown; look elsewhere."
                .into(),
        incidents,
        suspects: Vec::new(),
        evidence: evidence(),
        not_checked: vec![NotChecked {
            what: "events before 20:34:00".into(),
            why: "the cluster keeps them for an hour".into(),
        }],
        counts: BTreeMap::from([(Grade::Shown, 9), (Grade::Inferred, 3)]),
        weakened: false,
    }
}

fn evidence() -> Vec<Evidence> {
    let item = |number: usize, source: &str, command: &str, excerpt: &str| Evidence {
        number,
        source: source.into(),
        command: command.into(),
        taken_at: at("20:38:34"),
        excerpt: excerpt.into(),
    };
    vec![
        item(
            1,
            "ConfigMap/frontend-nginx, live",
            "kubectl -n shop get configmap frontend-nginx -o yaml --show-managed-fields",
            "resourceVersion: \"14598\"\nserver api:8000;",
        ),
        item(
            2,
            "ConfigMap/frontend-nginx, last applied",
            "kubectl -n shop get configmap frontend-nginx -o jsonpath='{.metadata.annotations}'",
            "resourceVersion: \"14417\"",
        ),
        item(
            3,
            "log of frontend-76d98597b9-g5zrg / nginx",
            "kubectl -n shop logs frontend-76d98597b9-g5zrg -c nginx --timestamps",
            "2026/10/02 20:35:48 [error] 29#29: *8 upstream timed out (110: Operation timed out) while connecting to upstream, client: 10.244.1.43, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.10.144:8000/items\", host: \"frontend\"",
        ),
        item(
            4,
            "Service/api",
            "kubectl -n shop get service api",
            "api  ClusterIP  10.96.10.144  <none>  8080/TCP",
        ),
        item(
            5,
            "log of frontend-76d98597b9-kt2jr / nginx",
            "kubectl -n shop logs frontend-76d98597b9-kt2jr -c nginx --timestamps",
            "upstream: \"http://10.96.10.144:8080/items\"",
        ),
    ]
}

fn nginx(port: u16) -> String {
    format!(
        "upstream api {{\n  server api:{port};\n}}\nserver {{\n  listen 80;\n  location /healthz {{ return 200 \"ok\\n\"; }}\n  location /api/ {{\n    proxy_pass http://api/;\n    proxy_connect_timeout 2s;\n  }}\n  location / {{ return 200 \"shop frontend\\n\"; }}\n}}\n"
    )
}

pub(crate) fn config() -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, "shop", "frontend-nginx")
}

pub(crate) fn revision(
    name: &str,
    content: Option<Content>,
    from: Interval,
    live: bool,
) -> Revision {
    Revision {
        also: Vec::new(),
        person: None,
        unknown_keys: Default::default(),
        name: name.into(),
        config: config(),
        content,
        hash: Some("3f1c9a0b77de".into()),
        live,
        from,
        until: Interval::UNKNOWN,
        writer: Some("kubectl-client-side-apply".into()),
        source: Some(ContentSource::Live),
        resource_version: Some("14598".into()),
        evidence: vec![1],
    }
}

fn samples(from: &str, failed: impl Fn(i64) -> bool, count: usize) -> Vec<(DateTime<Utc>, bool)> {
    (0..count as i64)
        .map(|n| (at(from) + TimeDelta::seconds(n * 3), failed(n)))
        .collect()
}

pub(crate) fn replica(pod: &str, started: &str, loaded: &str, live: bool) -> Replica {
    let port = if live { 8000 } else { 8080 };
    let (total, failed, status) = if live { (35, 35, 504) } else { (40, 0, 200) };
    Replica {
        pod: PodRef {
            namespace: "shop".into(),
            name: pod.into(),
            uid: format!("uid-of-{pod}"),
        },
        container: "nginx".into(),
        node: Some("lab-3-worker".into()),
        started_at: Some(at(started)),
        ready: true,
        state: "Running".into(),
        restarts: 0,
        loaded: Some(loaded.into()),
        live: Some(live),
        grade: Grade::Shown,
        why: format!("Its log names the upstream :{port}, which only revision {loaded} holds."),
        evidence: vec![if live { 3 } else { 5 }],
        signals: vec![Signal {
            kind: SignalKind::Upstream,
            text: format!("10.96.10.144:{port}"),
            count: total,
            first: Some(at("20:35:48")),
            last: Some(at("20:38:33")),
            revision: Some(loaded.into()),
            evidence: vec![if live { 3 } else { 5 }],
        }],
        uses: vec![UseLoad {
            strays: Vec::new(),
            via: Use::Volume {
                path: "/etc/nginx/conf.d".into(),
            },
            key: None,
            loaded: Some(loaded.into()),
            live: Some(live),
            grade: Grade::Shown,
            why: "The log shows it.".into(),
            evidence: vec![3],
        }],
        traffic: vec![Traffic {
            route: "GET /api/items".into(),
            total,
            failed,
            statuses: BTreeMap::from([(status, total)]),
            samples: samples("20:36:38", |_| live, total),
        }],
    }
}

fn entry(at: Interval, lane: Lane, kind: EntryKind, what: &str, evidence: usize) -> Entry {
    Entry {
        at,
        lane,
        kind,
        what: what.into(),
        evidence: vec![evidence],
    }
}

fn timeline() -> Vec<Entry> {
    let config = || Lane::Config("frontend-nginx".into());
    let pod = |name: &str| Lane::Pod(format!("frontend-76d98597b9-{name}"));
    let edited = Interval::between(Some(at("20:35:26")), Some(at("20:35:33")));
    vec![
        entry(
            second("20:35:25"),
            config(),
            EntryKind::Created,
            "created",
            1,
        ),
        entry(
            second("20:35:25"),
            pod("kt2jr"),
            EntryKind::Started,
            "started",
            5,
        ),
        entry(
            second("20:35:25"),
            pod("2vqr4"),
            EntryKind::Started,
            "started",
            5,
        ),
        entry(
            edited,
            config(),
            EntryKind::Edited,
            "edited by kubectl-client-side-apply: api:8080 → api:8000",
            1,
        ),
        entry(
            second("20:35:34"),
            pod("2vqr4"),
            EntryKind::Killed,
            "killed",
            5,
        ),
        entry(
            second("20:35:34"),
            pod("g5zrg"),
            EntryKind::Started,
            "started",
            3,
        ),
        entry(
            Interval::at(at("20:35:48")),
            pod("g5zrg"),
            EntryKind::FirstFailure,
            "first failure: GET /api/items 504",
            3,
        ),
    ]
}

/// What the edit changed, and what a revert turns round.
fn changes() -> Vec<ValueChange> {
    vec![ValueChange {
        key: "default.conf".into(),
        setting: "server".into(),
        before: Some("api:8080".into()),
        after: Some("api:8000".into()),
    }]
}

/// One of two frontend replicas runs an edited nginx configuration.
pub(crate) fn partial_restart() -> Incident {
    let edited = Interval::between(Some(at("20:35:26")), Some(at("20:35:33")));
    let plain = |port| Some(Content::text([("default.conf", nginx(port).as_str())]));
    Incident {
        config: config(),
        workload: WorkloadRef::new("Deployment", "shop", "frontend"),
        controller: None,
        shared_with: Vec::new(),
        findings: findings(),
        cannot_tell: vec![(Code::CrashOnNew, "events before 20:34 have expired".into())],
        revisions: vec![
            revision("A", plain(8080), second("20:35:25"), false),
            revision("B", plain(8000), edited, true),
        ],
        changes: changes(),
        replicas: vec![
            replica("frontend-76d98597b9-g5zrg", "20:35:34", "B", true),
            replica("frontend-76d98597b9-kt2jr", "20:35:25", "A", false),
        ],
        timeline: timeline(),
        impact: Some(Impact {
            sentence: "GET /api/items, last 2 min: g5zrg 35 of 35 FAIL, kt2jr 0 of 40. First failure 20:35:48.".into(),
            window: (at("20:36:34"), at("20:38:34")),
            first_failure: Some(at("20:35:48")),
            spreads: true,
            ready_share: Some((1, 2, "frontend".into())),
            evidence: vec![3, 5],
        }),
        failing: Some("B".into()),
        absent: false,
        route: Some("GET /api/items".into()),
        put_back: Some(PutBack {
            revision: "A".into(),
            changes: changes(),
        }),
        only_copy: Vec::new(),
        misleading: vec![
            "The backend is not down: Service api has 2 ready endpoints on 8080.".into(),
            "`cat` in the pod shows the new file in both pods; it says nothing about the process.".into(),
        ],
        separating: Vec::new(),
    }
}

fn findings() -> Vec<Finding> {
    let finding = |code, sentence: &str, evidence: &[usize]| Finding {
        code,
        sentence: sentence.into(),
        evidence: evidence.to_vec(),
    };
    vec![
        finding(
            Code::SplitReplicas,
            "1 of 2 frontend replicas runs an edited config. frontend-nginx was edited 20:35:26–20:35:33 by kubectl-client-side-apply (person not recorded): api:8080 → api:8000. g5zrg started after it; kt2jr before, and runs revision A, which is no longer in the API.",
            &[1, 3, 5],
        ),
        finding(
            Code::PortMismatch,
            "The live content names api:8000; Service api publishes 8080 only.",
            &[1, 4],
        ),
        finding(
            Code::InPlaceEdit,
            "It was fetched, changed and applied back: last-applied holds resourceVersion 14417.",
            &[2],
        ),
    ]
}

/// Forty replicas, half of them stale, started over three days.
pub(crate) fn many() -> Incident {
    let mut incident = partial_restart();
    incident.replicas = (0..40)
        .map(|n| {
            let live = n % 2 == 0;
            let name = format!("frontend-76d98597b9-x{n:04}");
            let mut replica = replica(&name, "20:35:34", if live { "B" } else { "A" }, live);
            let hours = i64::from(n) * if live { 0 } else { 2 };
            replica.started_at = Some(at("20:35:25") - TimeDelta::hours(hours));
            replica
        })
        .collect();
    incident
}

/// Names, texts and values that want to break the screen.
pub(crate) fn hostile() -> Incident {
    let nasty = "\u{1b}]0;owned\u{7}\u{202e}gnp.日本語\u{301}\t👩‍👩‍👧\r\n\u{0}".repeat(20);
    let mut incident = partial_restart();
    incident.workload.name = nasty.clone();
    incident.config.name = nasty.clone();
    for finding in &mut incident.findings {
        finding.sentence = nasty.clone();
    }
    for replica in &mut incident.replicas {
        replica.pod.name.push_str(&nasty);
        replica.why = nasty.clone();
        replica.state = nasty.clone();
        replica.ready = false;
        replica.restarts = u32::MAX;
        for signal in &mut replica.signals {
            signal.text = nasty.clone();
        }
    }
    for entry in &mut incident.timeline {
        entry.what = nasty.clone();
        entry.at = Interval::UNKNOWN;
    }
    let content = |end: &str| {
        let text = format!("{nasty}\n{end}");
        Some(Content::text([("a\u{1b}key", text.as_str())]))
    };
    incident.revisions = vec![
        revision("A", content("old  "), Interval::UNKNOWN, false),
        revision("B", content("new\r"), Interval::UNKNOWN, true),
    ];
    incident
}
