//! Each rule through the whole report: yes, no, cannot tell.

use confsplit::analysis::{
    Code, ContentSource, Diagnosis, EntryKind, Grade, Incident, diagnose, wanted,
};
use confsplit::model::{ChainEnd, ContainerState, Gap, GapReason, Snapshot, Termination, Want};
use confsplit::remedy::{PlanKind, plans};

use crate::build::*;

mod causes;
mod recovery;
mod supporting;

fn codes(report: &Diagnosis) -> Vec<Code> {
    report
        .incidents
        .iter()
        .flat_map(|i| i.findings.iter().map(|f| f.code))
        .collect()
}

fn only(report: &Diagnosis) -> &Incident {
    assert_eq!(report.incidents.len(), 1, "{}", report.verdict);
    &report.incidents[0]
}

/// (name's end, loaded, live, grade) of every replica.
fn loads(incident: &Incident) -> Vec<(String, Option<String>, Option<bool>, Grade)> {
    incident
        .replicas
        .iter()
        .map(|r| {
            let short = r.pod.name.rsplit('-').next().unwrap().to_owned();
            (short, r.loaded.clone(), r.live, r.grade)
        })
        .collect()
}

fn load(
    name: &str,
    loaded: &str,
    live: bool,
    grade: Grade,
) -> (String, Option<String>, Option<bool>, Grade) {
    (name.to_owned(), Some(loaded.to_owned()), Some(live), grade)
}

/// Three pods that take a ConfigMap by envFrom; edited at 60, version 500, from on to off.
fn features(pods_created: &[(&str, i64)]) -> Snapshot {
    let before = config(
        "features",
        0,
        400,
        &[("FEATURE_RECS", "on"), ("TIMEOUT_MS", "800")],
    );
    let live = patched(&before, 60, 500, "FEATURE_RECS", "off");
    let mut s = snapshot();
    s.pods = pods_created
        .iter()
        .map(|(name, at)| pod("catalog", name, *at, &Take::EnvFrom("features")).into())
        .collect();
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.configs = shared(vec![live]);
    s
}

#[test]
fn split_replicas_names_the_edit_and_who_runs_what() {
    let report = diagnose(&partial_restart());
    let incident = only(&report);
    assert_eq!(
        codes(&report),
        [Code::SplitReplicas, Code::PortMismatch, Code::InPlaceEdit]
    );
    assert_eq!(
        loads(incident),
        [
            load("kt2jr", "A", false, Grade::Inferred),
            load("g5zrg", "B", true, Grade::Ordered)
        ]
    );
    let cause = &incident.findings[0].sentence;
    for part in [
        "1 of 2 frontend replicas runs the edited config",
        "20:35:33–20:35:34 UTC by kubectl-client-side-apply",
        "server api:8080 → api:8000",
        "g5zrg started after it",
        "kt2jr started before it and still runs revision A",
        "recovered from the API server's history",
    ] {
        assert!(cause.contains(part), "{part:?} is not in {cause:?}");
    }
    assert_eq!(
        incident.revisions[0].source,
        Some(ContentSource::Exact {
            resource_version: "14417".to_owned()
        })
    );
    assert!(
        incident.replicas[0]
            .why
            .contains("nginx reads its configuration once")
    );
}

#[test]
fn impact_counts_each_replica_and_says_that_it_spreads() {
    let report = diagnose(&partial_restart());
    let impact = only(&report).impact.clone().unwrap();
    assert_eq!(
        impact.sentence,
        "GET /api/items since the edit at 20:35:33 UTC: g5zrg 35 of 35 FAIL, kt2jr 0 of 40 failed. First failure 20:35:48 UTC. \
         1 of 2 ready endpoints of Service frontend runs B. SPREADS to any new pod."
    );
    assert_eq!(impact.first_failure, Some(t(48)));
    assert_eq!(only(&report).failing.as_deref(), Some("B"));
}

#[test]
fn a_revert_comes_before_any_restart() {
    let report = diagnose(&partial_restart());
    let plans = plans(only(&report), &report.cluster);
    assert_eq!(plans[0].kind, PlanKind::RevertThenRestart);
    assert!(plans[0].recommended);
    assert_eq!(plans.iter().filter(|p| p.recommended).count(), 1);
    for plan in plans.iter().filter(|p| p.kind != PlanKind::RollForward) {
        let commands: Vec<&str> = plan.steps.iter().map(|s| s.command.as_str()).collect();
        let first = |word: &str| commands.iter().position(|c| c.contains(word));
        assert!(
            first(" patch configmap ") < first(" rollout restart "),
            "{commands:?}"
        );
        assert!(
            first(" patch configmap ") < first(" delete pod ").or(Some(99)),
            "{commands:?}"
        );
    }
}

#[test]
fn a_restart_is_done_the_way_that_the_workload_allows() {
    let mut s = partial_restart();
    s.workloads[0].paused = true;
    let report = diagnose(&s);
    let commands = |report: &Diagnosis| -> Vec<String> {
        let plans = plans(only(report), &report.cluster);
        plans[0].steps.iter().map(|s| s.command.clone()).collect()
    };
    let paused = commands(&report);
    let at = |word: &str| paused.iter().position(|c| c.contains(word));
    assert!(at("rollout resume") < at("rollout restart"), "{paused:?}");

    // A StatefulSet with OnDelete: its pods are named by it directly.
    for pod in &mut s.pods {
        pod.owner = Some(confsplit::model::WorkloadRef::new(
            "StatefulSet",
            NS,
            "frontend",
        ));
    }
    s.workloads[0].reference.kind = "StatefulSet".to_owned();
    // It is no older than the config: one that is may have had another of that name.
    s.workloads[0].created = s.configs[0].created;
    s.workloads[0].paused = false;
    s.workloads[0].strategy = Some("OnDelete".to_owned());
    let by_hand = commands(&diagnose(&s));
    assert!(
        !by_hand.iter().any(|c| c.contains("rollout restart")),
        "{by_hand:?}"
    );
    assert!(
        by_hand
            .iter()
            .any(|c| c.contains("delete pod frontend-76d98597b9-g5zrg")),
        "{by_hand:?}"
    );
}

#[test]
fn without_the_pods_at_the_edit_times_decide() {
    let mut s = partial_restart();
    s.pods_at.clear();
    let report = diagnose(&s);
    // The young pod's log still shows what only the live revision explains.
    assert_eq!(
        loads(only(&report)),
        [
            load("kt2jr", "A", false, Grade::Inferred),
            load("g5zrg", "B", true, Grade::Shown)
        ]
    );
}

#[test]
fn a_program_that_is_not_known_to_read_once_is_not_called_stale_by_times() {
    let mut s = partial_restart();
    for pod in &mut s.pods {
        pod.containers[0].image = "example/own-proxy:3".to_owned();
    }
    s.logs.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    assert!(report.weakened);
    let open: Vec<&str> = report.not_checked.iter().map(|n| n.why.as_str()).collect();
    assert!(
        open.iter()
            .any(|why| why.contains("whether it read the files again is not known")),
        "{open:?}"
    );
}

#[test]
fn an_incomplete_log_does_not_prove_that_nothing_was_read_again() {
    let mut s = partial_restart();
    // Nor does it show answers, which would speak for themselves.
    s.logs[0].text = format!("{} {STARTED}\n", t(26).to_rfc3339()).into();
    s.logs[0].complete = false;
    s.logs[0].missing = Some("no lines before 20:35:36".to_owned());
    let report = diagnose(&s);
    assert!(report.incidents.is_empty());
    assert!(report.weakened);
}

#[test]
fn a_reload_after_the_files_were_swapped_is_seen() {
    let mut s = partial_restart();
    s.taken_at = t(600);
    s.logs[0].text.push(&format!(
        "{} 2026/10/02 20:40:00 [notice] 1#1: signal 1 (SIGHUP) received from 30, reconfiguring\n",
        t(300).to_rfc3339()
    ));
    for second in 301..350 {
        let at = t(second).to_rfc3339();
        let lines = format!("{at} {}\n{at} {}\n", timed_out(8000), access(504));
        s.logs[0].text.push(&lines);
    }
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(loads(incident)[0], load("kt2jr", "B", true, Grade::Shown));
    assert_eq!(incident.findings[0].code, Code::LoadedEverywhere);
}

#[test]
fn restarted_in_place_splits_pods_that_are_both_older_than_the_edit() {
    let mut s = features(&[("c2zv5", 1), ("pr6fs", 1)]);
    *s.pods[0] = restarted((*s.pods[0]).clone(), 70, 1);
    let before: Vec<_> = features(&[("c2zv5", 1), ("pr6fs", 1)]).pods;
    s.pods_at = vec![pods_at(500, &[&before[0], &before[1]])];
    s.logs = vec![
        log(&s.pods[0], &[(71, "level=info msg=recs feature_recs=off")]),
        log(&s.pods[1], &[(2, "level=info msg=recs feature_recs=on")]),
    ];
    let report = diagnose(&s);
    assert_eq!(
        loads(only(&report)),
        [
            load("c2zv5", "B", true, Grade::Shown),
            load("pr6fs", "A", false, Grade::Ordered)
        ]
    );
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
}

#[test]
fn a_sub_path_is_fixed_at_the_start() {
    let before = config(
        "app-settings",
        0,
        400,
        &[("settings.yaml", "mode: blue\nrps: 1\n"), ("other", "x")],
    );
    let live = patched(&before, 60, 500, "settings.yaml", "mode: green\nrps: 1\n");
    let mut s = snapshot();
    let take = Take::SubPath("app-settings", "settings.yaml");
    s.pods = shared(vec![
        pod("worker", "a", 1, &take),
        pod("worker", "b", 1, &take),
        pod("worker", "c", 62, &take),
    ]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.configs = shared(vec![live.clone()]);
    let report = diagnose(&s);
    assert_eq!(
        loads(only(&report)),
        [
            load("a", "A", false, Grade::Inferred),
            load("b", "A", false, Grade::Inferred),
            load("c", "B", true, Grade::Inferred)
        ]
    );
    // The same edit to a key that is not mounted splits nothing.
    let other = patched(&before, 60, 500, "other", "y");
    s.configs = shared(vec![other]);
    assert!(diagnose(&s).incidents.is_empty());
}

#[test]
fn stale_everywhere_says_that_only_a_restart_delivers() {
    let s = features(&[("a", 1), ("b", 1), ("c", 2)]);
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report)[0], Code::StaleEverywhere);
    assert!(
        incident.findings[0]
            .sentence
            .contains("None of the 3 catalog replicas has loaded it")
    );
    assert!(
        incident.findings[0]
            .sentence
            .contains("FEATURE_RECS on → off")
    );
    let plans = plans(incident, &report.cluster);
    assert_eq!(plans[0].kind, PlanKind::RollForward);
    assert!(plans.iter().all(|p| !p.recommended));
}

#[test]
fn last_applied_gives_the_content_before_a_patch() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.earlier = vec![earlier(&[&s.configs[0].clone()], ChainEnd::Compacted)];
    s.earlier[0].versions.clear();
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(
        incident.revisions[0].source,
        Some(ContentSource::LastApplied)
    );
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
}

#[test]
fn nothing_is_stale_where_all_started_after_the_edit() {
    let report = diagnose(&features(&[("a", 100), ("b", 120)]));
    assert!(report.incidents.is_empty());
    assert!(!report.weakened);
    assert_eq!(
        report.verdict,
        "No config split in namespace shop: of 2 replicas that take a config, 2 inferred, 0 unknown; look elsewhere."
    );
}

#[test]
fn a_start_within_the_clocks_difference_is_ambiguous_and_never_guessed() {
    // Restarted in place one second after the edit, on the node's clock.
    let mut s = features(&[("a", 1), ("b", 1)]);
    *s.pods[0] = restarted((*s.pods[0]).clone(), 61, 1);
    let report = diagnose(&s);
    let all = report.incidents.iter().flat_map(loads).collect::<Vec<_>>();
    assert!(
        all.contains(&("a".to_owned(), None, None, Grade::Unknown)),
        "{all:?}"
    );
    assert!(report.weakened);
}

#[test]
fn a_label_only_write_and_an_edit_back_are_no_edits() {
    let before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs = shared(vec![labelled(&before, 60, 500)]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    assert!(diagnose(&s).incidents.is_empty());

    let off = patched(&before, 60, 500, "FEATURE_RECS", "off");
    let back = patched(&off, 90, 600, "FEATURE_RECS", "on");
    s.configs = shared(vec![back]);
    s.earlier = vec![earlier(&[&before, &off], ChainEnd::Created)];
    assert!(
        diagnose(&s).incidents.is_empty(),
        "both run what is live again"
    );
}

#[test]
fn a_possible_write_of_unknown_content_makes_no_finding_but_is_said() {
    // After compaction, an apply over an apply leaves no earlier content anywhere.
    let before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs = shared(vec![reapplied(&before, 60, 500, "FEATURE_RECS", "off")]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Compacted)];
    s.earlier[0].versions.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty());
    assert!(report.weakened);
    assert!(
        report
            .not_checked
            .iter()
            .any(|n| n.why.contains("what the config held then is not known")),
        "{:?}",
        report.not_checked
    );
}

#[test]
fn an_unknown_content_may_have_been_the_same_so_it_is_no_finding() {
    // Nothing kept what was there before the patch; it may have been patched to and fro.
    let before = config(
        "features",
        0,
        400,
        &[("FEATURE_RECS", "on"), ("OTHER", "x")],
    );
    let mut live = patched(&before, 60, 500, "FEATURE_RECS", "off");
    live.last_applied = None;
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs = shared(vec![live]);
    s.earlier.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    assert!(report.weakened);
    assert_eq!(report.counts.get(&Grade::Unknown), Some(&1));
    let open = &report.not_checked;
    assert!(
        open.iter()
            .any(|n| n.why.contains("what the config held then is not known")),
        "{open:?}"
    );

    // A write that owns none of the keys that reach the process changed nothing for it.
    let take = Take::SubPath("features", "OTHER");
    s.pods = shared(vec![
        pod("catalog", "a", 1, &take),
        pod("catalog", "b", 100, &take),
    ]);
    let report = diagnose(&s);
    assert!(
        report.incidents.is_empty() && !report.weakened,
        "{:?}",
        report.not_checked
    );
}

#[test]
fn an_optional_config_may_have_come_after_the_container() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs = shared(vec![config("features", 2, 400, &[("FEATURE_RECS", "on")])]);
    s.earlier.clear();
    for pod in &mut s.pods {
        pod.containers[0].env_from[0].optional = true;
    }
    let report = diagnose(&s);
    assert!(report.weakened);
    // The older pod may have started without it. And had there been another one before, an immutable one, the kubelet might have
    // given that to the younger one too.
    assert_eq!(report.counts.get(&Grade::Unknown), Some(&2));
}

#[test]
fn a_reload_says_nothing_of_files_that_are_not_the_programs_own() {
    let mut s = partial_restart();
    s.taken_at = t(600);
    for pod in &mut s.pods {
        pod.containers[0].mounts[0].path = "/tpl".to_owned();
    }
    s.logs[0].text.push(&format!(
        "{} 2026/10/02 20:40:00 [notice] 1#1: signal 1 (SIGHUP) received from 30, reconfiguring\n",
        t(300).to_rfc3339()
    ));
    let report = diagnose(&s);
    assert!(report.weakened);
    assert!(
        report.counts.contains_key(&Grade::Unknown),
        "{:?}",
        report.counts
    );
}

#[test]
fn a_log_cannot_make_a_new_pod_run_what_was_before_it() {
    let before = config("app", 0, 400, &[("MODE", "green")]);
    let mut s = snapshot();
    s.configs = shared(vec![patched(&before, 60, 500, "MODE", "blue")]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.pods = shared(vec![pod("app", "a", 100, &Take::Volume("app", "/etc/app"))]);
    s.logs = vec![log(
        &s.pods[0],
        &[(101, "mode=blue"), (200, "fallback mode=green")],
    )];
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    assert!(report.weakened);
}

#[test]
fn an_innocent_edit_is_not_blamed_for_a_dead_backend() {
    // Both revisions name the same dead upstream, and only the new pod got requests.
    let mut s = partial_restart();
    let before = config(
        "frontend-nginx",
        25,
        14417,
        &[("default.conf", &nginx_conf(8000))],
    );
    let with_comment = format!("# by night\n{}", nginx_conf(8000));
    s.configs = shared(vec![reapplied(
        &before,
        33,
        14598,
        "default.conf",
        &with_comment,
    )]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.logs[0].text = format!("{} {STARTED}\n", t(26).to_rfc3339()).into();
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(incident.failing, None);
    assert!(!incident.impact.as_ref().unwrap().spreads);
    assert!(
        plans(incident, &report.cluster)
            .iter()
            .all(|p| !p.recommended)
    );
}

/// One of two replicas crashes on a configuration that does not parse.
fn crashed_on_new() -> Snapshot {
    let before = config(
        "web-conf",
        0,
        400,
        &[("default.conf", "server { location / { return 200; } }\n")],
    );
    let live = reapplied(
        &before,
        60,
        500,
        "default.conf",
        "server { locatoin / { return 200; } }\n",
    );
    let take = Take::Volume("web-conf", "/etc/nginx/conf.d");
    let mut s = snapshot();
    s.pods = shared(vec![
        pod("web", "old", 1, &take),
        crashing(pod("web", "new", 62, &take), 500),
    ]);
    let emerg = r#"2026/10/02 20:36:40 [emerg] 1#1: unknown directive "locatoin" in /etc/nginx/conf.d/default.conf:1"#;
    s.logs = vec![
        log(&s.pods[0], &[(2, STARTED)]),
        log(&s.pods[1], &[(500, emerg)]),
    ];
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.configs = shared(vec![live]);
    s
}

#[test]
fn a_crash_loop_is_one_also_in_the_moment_between_two_crashes() {
    // For the moment between two crashes it runs, and without a probe it is ready: that is no recovery.
    let mut tried = crashed_on_new();
    tried.taken_at = t(600);
    tried.pods[1].ready = true;
    let status = tried.pods[1].containers[0].status.as_mut().unwrap();
    status.ready = true;
    let running = |at| ContainerState::Running {
        started_at: Some(t(at)),
    };
    status.state = running(598);
    tried.logs[1].previous = true;
    assert_eq!(codes(&diagnose(&tried))[0], Code::CrashOnNew);
    let status = tried.pods[1].containers[0].status.as_mut().unwrap();
    status.state = running(500);
    assert_ne!(codes(&diagnose(&tried))[0], Code::CrashOnNew);
}

/// A program of its own says why in words that no other uses; between two crashes its last run tells that it failed.
#[test]
fn a_crash_in_words_of_its_own_is_one_also_between_two_crashes() {
    let mut tried = crashed_on_new();
    tried.taken_at = t(600);
    let pod = tried.pods[1].clone();
    let words = "cannot go on with server { locatoin / { return 200; } }";
    tried.logs[1] = log(&pod, &[(500, words)]);
    tried.logs[1].previous = true;
    tried.pods[1].ready = true;
    let status = tried.pods[1].containers[0].status.as_mut().unwrap();
    status.ready = true;
    status.restarts = 3;
    status.state = ContainerState::Running {
        started_at: Some(t(598)),
    };
    status.last = Some(Termination {
        container_id: None,
        exit_code: 1,
        reason: "Error".to_owned(),
        started_at: Some(t(560)),
        finished_at: Some(t(561)),
    });
    let report = diagnose(&tried);
    assert_eq!(only(&report).failing.as_deref(), Some("B"), "{report:#?}");
    let plans = plans(only(&report), &report.cluster);
    assert_eq!(plans[0].kind, PlanKind::RevertThenRestart);
    // Whatever it says, it is not to be given to more of them.
    tried.logs[1] = log(&pod, &[(500, "Killed")]);
    tried.logs[1].previous = true;
    let report = diagnose(&tried);
    assert_eq!(only(&report).failing.as_deref(), Some("B"));
    // It has run for long since.
    let status = tried.pods[1].containers[0].status.as_mut().unwrap();
    status.state = ContainerState::Running {
        started_at: Some(t(500)),
    };
    assert_eq!(only(&diagnose(&tried)).failing, None);
}

#[test]
fn crash_on_new_quotes_the_error_and_spares_the_survivor() {
    let mut s = crashed_on_new();
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report)[..2], [Code::CrashOnNew, Code::SplitReplicas]);
    let cause = &incident.findings[0].sentence;
    assert!(cause.contains("unknown directive \"locatoin\""), "{cause}");
    assert!(
        cause.contains("old still runs the revision before: do not restart it"),
        "{cause}"
    );
    let plans = plans(incident, &report.cluster);
    assert_eq!(
        (plans[0].kind, plans[0].recommended),
        (PlanKind::RevertThenRestart, true)
    );

    // Without its log the reason is not told.
    s.logs.remove(1);
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
    assert!(
        incident
            .cannot_tell
            .iter()
            .any(|(code, _)| *code == Code::CrashOnNew)
    );

    // A crash that says nothing of the configuration is none of this rule's.
    s.logs
        .push(log(&s.pods[1], &[(500, "Killed: out of memory")]));
    assert_eq!(codes(&diagnose(&s))[0], Code::SplitReplicas);
}

/// Everything loaded long ago; the backend's endpoints are gone.
fn dead_backend() -> Snapshot {
    let mut s = snapshot();
    let take = Take::Volume("frontend-nginx", "/etc/nginx/conf.d");
    s.configs = shared(vec![config(
        "frontend-nginx",
        0,
        400,
        &[("default.conf", &nginx_conf(8080))],
    )]);
    s.pods = shared(vec![
        pod("frontend", "a", 10, &take),
        pod("frontend", "b", 10, &take),
    ]);
    s.services = shared(vec![service("api", "10.96.10.144", 8080)]);
    s.endpoints = shared(vec![endpoint("api", "10.244.1.52", false, None)]);
    let bad = timed_out(8080);
    s.logs = vec![
        log(&s.pods[0], &[(11, STARTED), (500, &bad)]),
        log(&s.pods[1], &[(11, STARTED), (510, &bad), (520, &bad)]),
    ];
    s
}

#[test]
fn no_endpoints_clears_the_config() {
    let s = dead_backend();
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report), [Code::NoEndpoints]);
    assert!(
        incident.findings[0]
            .sentence
            .contains("Service api has no ready endpoint (0 of 1)")
    );
    assert!(plans(incident, &report.cluster).is_empty());

    let mut healthy = s.clone();
    healthy.endpoints[0].ready = true;
    assert!(diagnose(&healthy).incidents.is_empty());

    let mut blind = s.clone();
    blind.gaps.push(Gap {
        verb: "list".to_owned(),
        resource: "endpointslices".to_owned(),
        namespace: Some(NS.to_owned()),
        name: None,
        reason: GapReason::Forbidden,
    });
    let report = diagnose(&blind);
    assert!(report.incidents.is_empty());
    let open: Vec<&str> = report.not_checked.iter().map(|n| n.why.as_str()).collect();
    assert!(
        open.contains(&"no permission: list endpointslices in shop"),
        "{open:?}"
    );
}

#[test]
fn a_service_that_an_edit_brought_in_is_not_no_endpoints() {
    let mut s = dead_backend();
    let before = config(
        "frontend-nginx",
        0,
        400,
        &[("default.conf", "upstream api {\n  server old:80;\n}\n")],
    );
    s.configs = shared(vec![reapplied(
        &before,
        5,
        450,
        "default.conf",
        &nginx_conf(8080),
    )]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    let report = diagnose(&s);
    assert_eq!(codes(&report), [Code::LoadedEverywhere, Code::InPlaceEdit]);
}

#[test]
fn loaded_everywhere_finds_no_split() {
    let mut s = partial_restart();
    let take = Take::Volume("frontend-nginx", "/etc/nginx/conf.d");
    *s.pods[0] = pod("frontend", "other", 50, &take);
    s.logs[0].pod = s.pods[0].reference.clone();
    s.logs[0].text = s.logs[1].text.clone();
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report)[0], Code::LoadedEverywhere);
    assert!(
        incident.findings[0]
            .sentence
            .contains("all 2 replicas of frontend run the live revision")
    );
    assert!(plans(incident, &report.cluster)[0].recommended);

    // The same with healthy logs is nothing.
    for log in &mut s.logs {
        log.text = format!("{} {STARTED}\n", t(51).to_rfc3339()).into();
    }
    assert!(diagnose(&s).incidents.is_empty());
    // And without logs it cannot be told.
    s.logs.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty());
    assert!(
        report
            .not_checked
            .iter()
            .any(|n| n.what.contains("loaded-everywhere"))
    );
}

#[test]
fn port_mismatch_and_in_place_edit_only_support() {
    let mut s = partial_restart();
    s.services[0].ports[0].port = 8000;
    let report = diagnose(&s);
    assert_eq!(codes(&report), [Code::SplitReplicas, Code::InPlaceEdit]);
    s.services.clear();
    s.gaps.push(Gap {
        verb: "list".to_owned(),
        resource: "services".to_owned(),
        namespace: Some(NS.to_owned()),
        name: None,
        reason: GapReason::Forbidden,
    });
    let report = diagnose(&s);
    assert!(
        only(&report)
            .cannot_tell
            .iter()
            .any(|(code, _)| *code == Code::PortMismatch)
    );
    // Alone they make no incident.
    let mut s = dead_backend();
    s.endpoints[0].ready = true;
    s.services[0].ports[0].port = 9999;
    assert!(diagnose(&s).incidents.is_empty());
}

#[test]
fn what_is_wanted_next_follows_from_what_is_known() {
    let mut s = partial_restart();
    let (logs, pods_at, history) = (s.logs.clone(), s.pods_at.clone(), s.earlier.clone());
    s.logs.clear();
    s.pods_at.clear();
    s.earlier.clear();
    let first = wanted(&s);
    assert!(first.contains(&Want::Earlier {
        config: config_ref("frontend-nginx"),
        resource_version: "14598".to_owned()
    }));
    assert_eq!(
        first
            .iter()
            .filter(|w| matches!(w, Want::Log { .. }))
            .count(),
        2
    );
    s.asked.extend(first);
    s.earlier = history;
    s.logs = logs;
    let second = wanted(&s);
    assert_eq!(
        second,
        [Want::PodsAt {
            namespace: NS.to_owned(),
            resource_version: "14598".to_owned()
        }]
    );
    s.asked.extend(second);
    s.pods_at = pods_at;
    assert!(wanted(&s).is_empty());
}

#[test]
fn a_healthy_namespace_asks_for_nothing_more() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs = shared(vec![config("features", 0, 400, &[("FEATURE_RECS", "on")])]);
    s.earlier.clear();
    // But whether its namesake elsewhere was edited instead.
    let asked = Want::Namesakes {
        config: config_ref("features"),
    };
    assert_eq!(wanted(&s), std::slice::from_ref(&asked));
    s.asked.insert(asked);
    assert!(wanted(&s).is_empty());
    let report = diagnose(&s);
    assert!(
        report.incidents.is_empty() && !report.weakened,
        "{:?}",
        report.not_checked
    );
}

#[test]
fn a_few_refused_connections_at_the_start_are_no_failure() {
    let mut s = partial_restart();
    let take = Take::Volume("frontend-nginx", "/etc/nginx/conf.d");
    *s.pods[0] = pod("frontend", "other", 50, &take);
    let refused = timed_out(8000);
    let fine = access(200);
    for at in [0, 1] {
        let mut lines = vec![
            (51, STARTED),
            (52, refused.as_str()),
            (53, refused.as_str()),
            (54, refused.as_str()),
        ];
        lines.extend((60..100).map(|second| (second, fine.as_str())));
        s.logs[at] = log(&s.pods[at], &lines);
    }
    assert!(
        diagnose(&s).incidents.is_empty(),
        "{:?}",
        codes(&diagnose(&s))
    );
}

#[test]
fn a_setting_that_is_named_as_parts_of_every_line_tells_nothing() {
    let before = config("app", 0, 400, &[("app.yaml", "level: info\nx: 1\n")]);
    let mut s = snapshot();
    s.configs = shared(vec![patched(
        &before,
        60,
        500,
        "app.yaml",
        "level: debug\nx: 1\n",
    )]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.pods = shared(vec![
        pod("app", "a", 1, &Take::Volume("app", "/etc/app")),
        pod("app", "b", 100, &Take::Volume("app", "/etc/app")),
    ]);
    s.logs = vec![
        log(
            &s.pods[0],
            &[(2, "level=info msg=x"), (200, "level=info msg=x")],
        ),
        log(
            &s.pods[1],
            &[(101, "level=debug msg=x"), (200, "level=info msg=x")],
        ),
    ];
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
}

#[test]
fn values_that_are_logged_by_turns_tell_nothing() {
    let mut s = features(&[("a", 1), ("b", 1)]);
    *s.pods[0] = restarted((*s.pods[0]).clone(), 61, 1);
    let (on, off) = ("feature_recs=on", "feature_recs=off");
    s.logs = vec![log(&s.pods[0], &[(62, on), (63, off), (64, on), (65, off)])];
    let report = diagnose(&s);
    let all = report.incidents.iter().flat_map(loads).collect::<Vec<_>>();
    assert!(
        all.contains(&("a".to_owned(), None, None, Grade::Unknown)),
        "{all:?}"
    );
}

#[test]
fn an_immutable_config_that_was_made_again_leaves_every_load_unknown() {
    let mut s = features(&[("old", 1), ("new", 100)]);
    let mut live = config("features", 50, 500, &[("FEATURE_RECS", "off")]);
    live.immutable = true;
    s.configs = shared(vec![live]);
    s.earlier.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty());
    assert!(report.weakened);
    assert_eq!(report.counts.get(&Grade::Unknown), Some(&2));
}

#[test]
fn failures_are_told_even_where_no_cause_can_be() {
    // Long after the edit nothing keeps the earlier content, and the port that it names is published: the backend fails.
    let mut s = partial_restart();
    s.services[0] = service("api", "10.96.10.144", 8000).into();
    s.earlier[0].versions.clear();
    s.earlier[0].end = ChainEnd::Compacted;
    s.pods_at.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty() && report.weakened);
    let told = report
        .not_checked
        .iter()
        .find(|n| n.what.starts_with("Why requests fail"));
    assert!(
        told.is_some_and(|n| n.why.contains("g5zrg 35 of 35 FAIL, kt2jr 0 of 40 failed")),
        "{:?}",
        report.not_checked
    );
}

#[test]
fn the_route_that_the_page_named_is_the_one_that_is_counted() {
    let mut s = partial_restart();
    // More failures of another route would else be what counts.
    let at = t(60).to_rfc3339();
    let other = access(504).replace("/api/items", "/api/other/17");
    let lines = format!("{at} {other}\n").repeat(90);
    s.logs[0].text.push(&lines);
    let sentence = |s: &Snapshot| {
        let report = diagnose(s);
        only(&report).impact.as_ref().map(|i| i.sentence.clone())
    };
    let worst = sentence(&s).unwrap_or_default();
    assert!(worst.starts_with("GET /api/other/*"), "{worst}");
    for route in ["/api/items", "GET /api/items", "/api/items?page=2"] {
        s.scope.route = Some(route.to_owned());
        let asked = sentence(&s).unwrap_or_default();
        assert!(asked.starts_with("GET /api/items "), "{route}: {asked}");
    }
    s.scope.route = Some("/api/other/99".to_owned());
    assert_eq!(sentence(&s).unwrap_or_default(), worst);
    s.scope.route = Some("/nowhere".to_owned());
    assert_eq!(sentence(&s), None);
    let report = diagnose(&s);
    let open = report.not_checked.iter();
    assert!(
        open.clone()
            .any(|n| n.what == "Failures of /nowhere in Deployment/frontend")
    );
}

/// The incident of `partial_restart`, after its content was put back and before anything was restarted.
fn put_back() -> Snapshot {
    let mut s = partial_restart();
    let (first, bad) = (s.earlier[0].versions[0].clone(), (*s.configs[0]).clone());
    let good = first
        .content
        .as_ref()
        .and_then(|c| c.get_text("default.conf"));
    let good = good.expect("text").to_owned();
    s.configs = shared(vec![reapplied(&bad, 90, 15_000, "default.conf", &good)]);
    s.earlier = vec![earlier(&[&first, &bad], ChainEnd::Created)];
    for second in 91..100 {
        let at = t(second).to_rfc3339();
        s.logs[0].text.push(&format!("{at} {}\n", access(200)));
        s.logs[1].text.push(&format!("{at} {}\n", access(504)));
    }
    s
}

#[test]
fn the_cure_is_not_blamed_and_the_failing_text_is_not_offered_again() {
    let s = put_back();
    let report = diagnose(&s);
    let incident = only(&report);
    let impact = incident.impact.as_ref().expect("an impact");
    assert!(impact.first_failure < Some(t(90)), "{}", impact.sentence);
    let plans = confsplit::remedy::plans(incident, &s.cluster);
    let kinds: Vec<_> = plans
        .iter()
        .map(|p| (p.kind.as_str(), p.recommended))
        .collect();
    assert_eq!(kinds, [("roll-forward", false)]);
    assert!(
        plans[0].why.contains("looks like the cure"),
        "{}",
        plans[0].why
    );
    for step in plans.iter().flat_map(|p| &p.steps) {
        assert!(!step.command.contains("8000"), "{}", step.command);
    }
    // The replica that kept the first content did not load what was written later, though it is the same.
    let started: Vec<_> = incident
        .timeline
        .iter()
        .filter(|e| e.kind == EntryKind::Started)
        .map(|e| e.what.as_str())
        .collect();
    assert!(
        !started.iter().any(|what| what.ends_with("revision C")),
        "{started:?}"
    );
}
