//! Where the content of an earlier revision comes from, and what is made of it where nothing has it.

use confsplit::analysis::{Code, ContentSource, Grade, diagnose};
use confsplit::model::{AuditedWrite, ChainEnd, Content, Found, Kept, Origin, Snapshot};
use confsplit::remedy::plans;

use super::{codes, features, load, loads, only};
use crate::build::*;

/// The partial restart, opened when the API server keeps nothing of it any more.
fn eleven_minutes_later() -> Snapshot {
    let mut s = partial_restart();
    s.earlier[0].versions.clear();
    s.earlier[0].end = ChainEnd::Compacted;
    s.pods_at.clear();
    s
}

/// The ConfigMap of `features`, applied again at 60 by fetching it first: nothing of what it held is left in it.
fn forgotten() -> Snapshot {
    let mut s = features(&[("a", 1), ("b", 100)]);
    let before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    s.configs = shared(vec![reapplied(&before, 60, 500, "FEATURE_RECS", "off")]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Compacted)];
    s.earlier[0].versions.clear();
    s
}

#[test]
fn with_no_source_left_a_reconstruction_is_proposed_and_called_so() {
    let report = diagnose(&eleven_minutes_later());
    let incident = only(&report);
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
    assert_eq!(
        loads(incident)[0],
        load("kt2jr", "A", false, Grade::Inferred),
        "it answers where what is live cannot"
    );
    let before = &incident.revisions[0];
    let text = before
        .content
        .as_ref()
        .and_then(|c| c.get_text("default.conf"));
    assert_eq!(text, Some(nginx_conf(8080).as_str()));
    let Some(ContentSource::Reconstruction { reasons }) = &before.source else {
        panic!("{:?}", before.source);
    };
    assert_eq!(
        reasons.join("; "),
        "the live content names api:8000, and Service api does not publish that port; 8080 is the one TCP port that Service api publishes"
    );
    let cause = &incident.findings[0].sentence;
    assert!(
        cause.contains("a reconstruction of it is proposed: api:8000 → api:8080"),
        "{cause}"
    );
    assert_eq!(incident.failing.as_deref(), Some("B"));
    let plans = plans(incident, &report.cluster);
    let restore = &plans[0]
        .steps
        .iter()
        .find(|s| s.command.contains(" patch configmap "));
    let restore = restore.expect("a step that writes it");
    assert!(
        restore.what.contains("it is a reconstruction"),
        "{}",
        restore.what
    );
    assert!(
        restore.command.contains("server api:8080;"),
        "{}",
        restore.command
    );
}

#[test]
fn one_that_was_made_in_the_very_second_of_the_edit_is_told_by_what_it_does() {
    let mut s = eleven_minutes_later();
    s.pods[1].created = Some(t(33));
    let status = s.pods[1].containers[0].status.as_mut().unwrap();
    status.state = confsplit::model::ContainerState::Running {
        started_at: Some(t(34)),
    };
    let report = diagnose(&s);
    assert_eq!(
        loads(only(&report)),
        [
            load("kt2jr", "A", false, Grade::Inferred),
            load("g5zrg", "B", true, Grade::Shown)
        ]
    );
    assert_eq!(only(&report).failing.as_deref(), Some("B"));

    // With both in that second nothing tells which of the two contents is which.
    s.pods[0].created = Some(t(33));
    let status = s.pods[0].containers[0].status.as_mut().unwrap();
    status.state = confsplit::model::ContainerState::Running {
        started_at: Some(t(34)),
    };
    assert!(diagnose(&s).incidents.is_empty());
}

#[test]
fn nothing_is_reconstructed_where_nothing_tells_what_would_work() {
    // Two ports are published, and no replica shows which of them it is.
    let mut s = eleven_minutes_later();
    let mut api = service("api", "10.96.10.144", 8080);
    let mut other = api.ports[0].clone();
    other.port = 9090;
    api.ports.push(other);
    s.services[0] = api.into();
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(incident.revisions[0].content, None);
    assert_eq!(incident.revisions[0].source, None);
    assert!(
        incident.findings[0]
            .sentence
            .contains("whose content is no longer in the API."),
        "{}",
        incident.findings[0].sentence
    );
}

#[test]
fn one_that_answers_well_only_before_it_read_again_is_not_judged_by_that() {
    let mut s = eleven_minutes_later();
    s.logs[0].text.push(&format!(
        "{} 2026/10/02 20:36:59 [notice] 1#1: signal 1 (SIGHUP) received from 30, reconfiguring\n",
        t(119).to_rfc3339()
    ));
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
}

#[test]
fn versions_that_were_kept_go_on_where_the_api_server_has_forgotten() {
    let before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    let mut s = forgotten();
    let live = (*s.configs[0]).clone();
    let kept = |config, follows: Option<&str>| Kept {
        config,
        follows: follows.map(str::to_owned),
        seen_at: t(61),
        file: "/var/lib/history.ndjson".to_owned(),
    };
    s.outside.kept = vec![kept(before.clone(), None), kept(live.clone(), Some("400"))];
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
    let source = incident.revisions[0].source.as_ref().unwrap();
    assert!(matches!(source, ContentSource::Kept { .. }), "{source:?}");
    assert_eq!(
        incident.revisions[0]
            .content
            .as_ref()
            .unwrap()
            .get_text("FEATURE_RECS"),
        Some("on")
    );
    assert_eq!(loads(incident)[0].2, Some(false));

    // What was kept before a hole is a former content, but since when it was no more is not known.
    s.outside.kept = vec![kept(before, None), kept(live, None)];
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    assert!(report.weakened, "what `a` runs is not known");
}

fn audited(at: i64, user: &str, content: Option<&str>, version: Option<&str>) -> AuditedWrite {
    AuditedWrite {
        config: config_ref("features"),
        file: "audit.jsonl".to_owned(),
        verb: "patch".to_owned(),
        at: Some(t(at)),
        user: user.to_owned(),
        impersonated: None,
        source_ips: vec!["192.0.2.7".to_owned()],
        user_agent: Some("kubectl/v1.37.2 (linux/amd64) kubernetes/1234567".to_owned()),
        field_manager: Some("kubectl-client-side-apply".to_owned()),
        content: content.map(|value| Content::text([("FEATURE_RECS", value)])),
        resource_version: version.map(str::to_owned),
    }
}

#[test]
fn the_audit_log_tells_who_and_what_was_there_before() {
    let mut s = forgotten();
    s.outside.audited = vec![
        audited(0, "ci@example.org", Some("on"), Some("400")),
        audited(60, "jane@example.org", Some("off"), Some("500")),
    ];
    let report = diagnose(&s);
    let incident = only(&report);
    let cause = &incident.findings[0].sentence;
    assert!(
        cause.contains("by jane@example.org with kubectl/v1.37.2 from 192.0.2.7 (audit log)"),
        "{cause}"
    );
    assert!(cause.contains("FEATURE_RECS on → off"), "{cause}");
    assert!(
        !report
            .not_checked
            .iter()
            .any(|n| n.what.starts_with("Which person")),
        "{:?}",
        report.not_checked
    );
    assert!(matches!(
        incident.revisions[0].source,
        Some(ContentSource::Audit { .. })
    ));

    // Two writes of the same time: which of them it was is not told.
    let mut s = forgotten();
    s.outside.audited = vec![
        audited(60, "jane@example.org", None, None),
        audited(61, "joe@example.org", None, None),
    ];
    let report = diagnose(&s);
    assert!(
        report
            .incidents
            .iter()
            .flat_map(|i| &i.findings)
            .all(|f| !f.sentence.contains("example.org"))
    );
}

fn found(origin: Origin, value: &str, at: Option<i64>) -> Found {
    Found {
        config: config_ref("features"),
        content: Content::text([("FEATURE_RECS", value)]),
        origin,
        at: at.map(t),
    }
}

fn helm(revision: u32) -> Origin {
    Origin::Helm {
        release: "shop".to_owned(),
        revision,
    }
}

#[test]
fn a_helm_release_holds_what_was_there_before_a_hand_edited_it() {
    let mut before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    before.last_applied = None;
    before.managed[0].manager = "helm".to_owned();
    before.managed[0].owns_other = true;
    let live = patched(&before, 60, 500, "FEATURE_RECS", "off");
    let mut s = forgotten();
    s.configs = shared(vec![live]);
    s.outside.found = vec![found(helm(3), "on", Some(0))];
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(
        incident.revisions[0].source,
        Some(ContentSource::Helm {
            release: "shop".to_owned(),
            revision: 3
        })
    );
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
}

#[test]
fn sources_that_differ_are_both_shown() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    let file = |path: &str| Origin::File {
        path: path.to_owned(),
    };
    s.outside.found = vec![
        found(file("same.yaml"), "on", None),
        found(file("other.yaml"), "beta", None),
    ];
    // The first is the content that the API server's history holds.
    s.outside.found[0].content = Content::text([("FEATURE_RECS", "on"), ("TIMEOUT_MS", "800")]);
    let report = diagnose(&s);
    let before = &only(&report).revisions[0];
    assert!(matches!(before.source, Some(ContentSource::Exact { .. })));
    let told: Vec<(String, bool)> = before
        .also
        .iter()
        .map(|also| (also.source.to_string(), also.same))
        .collect();
    assert_eq!(
        told,
        [
            ("file same.yaml, as you named it".to_owned(), true),
            ("file other.yaml, as you named it".to_owned(), false)
        ]
    );
}

#[test]
fn what_the_user_names_is_taken_for_the_content_before_the_last_write() {
    let mut s = forgotten();
    let origin = Origin::Git {
        repository: "/srv/deploy".to_owned(),
        path: "features.yaml".to_owned(),
        revision: "HEAD~1".to_owned(),
        commit: "5d41402abc4b2a76b9719d911017c592ae1f9d33".to_owned(),
    };
    s.outside.found = vec![found(origin, "on", None)];
    let report = diagnose(&s);
    let cause = &only(&report).findings[0].sentence;
    assert!(
        cause.contains("taken to be what you named: git, features.yaml at HEAD~1 (5d41402abc4b)"),
        "{cause}"
    );
    // Where it was never written since it was created, it held nothing else.
    s.configs = shared(vec![config("features", 0, 400, &[("FEATURE_RECS", "off")])]);
    assert!(diagnose(&s).incidents.is_empty());
}

#[test]
fn a_replica_that_still_holds_it_is_a_source_and_is_saved_first() {
    let mut s = forgotten();
    let pod = (*s.pods[0]).clone();
    s.probes = vec![environment(&pod, "FEATURE_RECS", "on")];
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(loads(incident)[0], load("a", "A", false, Grade::Proved));
    let before = &incident.revisions[0];
    assert!(
        matches!(before.source, Some(ContentSource::Replica { .. })),
        "{before:?}"
    );
    assert_eq!(
        before.content.as_ref().unwrap().get_text("FEATURE_RECS"),
        Some("on")
    );
    let plans = plans(incident, &report.cluster);
    let commands: Vec<&str> = plans
        .iter()
        .flat_map(|p| &p.steps)
        .map(|s| s.command.as_str())
        .collect();
    let place = |word: &str| commands.iter().position(|c| c.contains(word));
    assert!(
        place("printenv > catalog-76d98597b9-a.env") < place(" patch configmap "),
        "{commands:?}"
    );
}

#[test]
fn what_an_audit_log_holds_besides_does_not_hide_what_is_known_without_it() {
    let write = |at: i64, port: u16| AuditedWrite {
        config: config_ref("frontend-nginx"),
        content: Some(Content::text([("default.conf", nginx_conf(port).as_str())])),
        ..audited(at, "ci@example.org", None, None)
    };
    let created = write(25, 8080);
    let between = write(29, 7000);
    let edited = write(33, 8000);
    for audited in [
        vec![created.clone()],
        vec![created.clone(), between.clone(), edited.clone()],
        vec![created, between.clone(), between, edited.clone(), edited],
    ] {
        let mut s = eleven_minutes_later();
        s.outside.audited = audited;
        let report = diagnose(&s);
        assert_eq!(codes(&report)[0], Code::SplitReplicas, "{:?}", s.outside);
        assert_eq!(loads(only(&report))[0].2, Some(false));
    }
}
