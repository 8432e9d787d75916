//! What clients see: another workload's log that is read where it is named, counted since the edit, and said of no replica.

use confsplit::analysis::{Analyst, diagnose, wanted};
use confsplit::model::{Log, Pod, Snapshot, Target, Want};

use crate::build::*;

const FAILED: &str = "GET /api/items -> 504";
const SERVED: &str = "GET /api/items -> 200";

/// A pod of a load generator that takes no config.
fn loadgen(suffix: &str) -> Pod {
    let mut pod = pod("loadgen", suffix, 20, &Take::EnvFrom("none"));
    pod.containers[0].env_from.clear();
    pod.containers[0].image = "registry.local/loadgen:1".to_owned();
    pod
}

/// The load generator's log of the incident: 3 requests at its start, then 40 that were served and 35 that were not.
fn lines() -> Vec<(i64, &'static str)> {
    let mut all = vec![
        (22, "GET /api/items -> timeout"),
        (27, "GET /api/items -> 502"),
        (29, "GET /api/items -> 502"),
    ];
    for at in 0..40 {
        all.push((34 + 2 * at, SERVED));
        if at < 35 {
            all.push((48 + 2 * at, FAILED));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all
}

fn client(kind: &str, name: &str) -> Option<Target> {
    Some(Target::Workload {
        kind: kind.to_owned(),
        name: name.to_owned(),
    })
}

/// The partial restart beside a load generator, whose log is the first; the replicas' own count no answers.
fn incident(named: Option<Target>) -> Snapshot {
    let mut s = partial_restart();
    for log in &mut s.logs {
        let first = log.text.lines().next().unwrap().to_owned();
        log.text = (first + "\n").into();
    }
    let pod = loadgen("9vwtl");
    s.logs.insert(0, log(&pod, &lines()));
    s.pods.push(pod.into());
    s.workloads.push(deployment("loadgen", 1).into());
    s.scope.client = named;
    s
}

fn impact(snapshot: &Snapshot) -> Option<String> {
    let report = diagnose(snapshot);
    assert_eq!(report.incidents.len(), 1, "{}", report.verdict);
    report.incidents[0]
        .impact
        .as_ref()
        .map(|i| i.sentence.clone())
}

#[test]
fn a_named_clients_log_is_the_impact_since_the_edit() {
    let s = incident(client("Deployment", "loadgen"));
    assert_eq!(
        impact(&s).unwrap(),
        "By the log of Deployment/loadgen since the edit at 20:35:33 UTC: GET /api/items 35 of 75 FAIL (35 × 504). \
         Its first failure 20:35:48 UTC."
    );
    let report = diagnose(&s);
    let incident = &report.incidents[0];
    let found = incident.impact.as_ref().unwrap();
    assert_eq!((found.first_failure, found.spreads), (Some(t(48)), false));
    assert_eq!(found.window, (t(33), t(150)));
    let cited = &report.evidence[found.evidence[0] - 1];
    assert_eq!(cited.excerpt, "GET /api/items: 40 × 200, 35 × 504");
    assert!(cited.command.contains("logs loadgen-76d98597b9-9vwtl"));
    assert!(
        incident.replicas.iter().all(|r| r.traffic.is_empty()),
        "a client does not know who answered"
    );
    assert_eq!(incident.failing, None);
}

#[test]
fn it_stands_behind_what_the_replicas_own_logs_say() {
    let mut s = incident(client("Deployment", "loadgen"));
    s.logs.truncate(1);
    s.logs.extend(partial_restart().logs);
    let sentence = impact(&s).unwrap();
    assert!(
        sentence.starts_with("GET /api/items since the edit at 20:35:33 UTC: g5zrg 35 of 35 FAIL, kt2jr 0 of 40 failed."),
        "{sentence}"
    );
    assert!(
        sentence.contains("SPREADS to any new pod. By the log of Deployment/loadgen since the edit at 20:35:33 UTC: GET /api/items 35 of 75 FAIL"),
        "{sentence}"
    );
}

#[test]
fn each_of_several_is_counted_and_no_answer_is_a_failure() {
    let mut s = incident(client("Deployment", "loadgen"));
    let second = loadgen("zz2zz");
    s.logs.push(log(
        &second,
        &[
            (40, SERVED),
            (60, "GET http://frontend/api/items -> timeout"),
            (61, "GET http://frontend/api/items timeout"),
        ],
    ));
    s.pods.push(second.into());
    let sentence = impact(&s).unwrap();
    assert!(
        sentence.contains("GET /api/items 37 of 78 FAIL (2 × no answer, 35 × 504). Of its replicas: 9vwtl 35 of 75 FAIL (35 × 504), zz2zz 2 of 3 FAIL (2 × no answer)."),
        "{sentence}"
    );
}

#[test]
fn a_gateways_access_log_counts_as_well_and_the_route_that_was_asked_for_alone() {
    let mut s = incident(client("Pod", "loadgen-76d98597b9-9vwtl"));
    let other =
        r#"10.0.0.1 - - [02/Oct/2026:20:36:00 +0000] "GET /other HTTP/1.1" 500 1 "-" "x" "-""#;
    let lines: Vec<(i64, String)> = (0..20)
        .flat_map(|i| {
            [
                (40 + i, access(if i < 5 { 503 } else { 200 })),
                (40 + i, other.to_owned()),
            ]
        })
        .collect();
    let lines: Vec<(i64, &str)> = lines
        .iter()
        .map(|(at, line)| (*at, line.as_str()))
        .collect();
    s.logs[0] = log(&s.pods[2], &lines);
    s.scope.route = Some("/api/items".to_owned());
    assert!(
        impact(&s)
            .unwrap()
            .contains("GET /api/items 5 of 20 FAIL (5 × 503)"),
        "{:?}",
        impact(&s)
    );
    s.scope.route = None;
    assert!(impact(&s).unwrap().contains("GET /other 20 of 20 FAIL"));
}

#[test]
fn a_log_that_begins_after_the_edit_says_from_when_it_counts() {
    let mut s = incident(client("Deployment", "loadgen"));
    let late: Vec<(i64, &str)> = lines().into_iter().filter(|(at, _)| *at >= 100).collect();
    let mut cut: Log = log(&s.pods[2], &late);
    cut.complete = false;
    s.logs[0] = cut;
    let sentence = impact(&s).unwrap();
    assert!(
        sentence.starts_with(
            "By the log of Deployment/loadgen since 20:36:40 UTC, where what is left of it begins: "
        ),
        "{sentence}"
    );
}

#[test]
fn what_is_not_there_or_says_nothing_is_not_checked() {
    let open = |s: &Snapshot| {
        let report = diagnose(s);
        let items = report.not_checked.into_iter();
        let mut items = items.filter(|item| item.what.starts_with("What "));
        items
            .find(|item| item.what.contains(" sees of "))
            .map(|item| (item.what, item.why))
    };
    let s = incident(client("StatefulSet", "loadgen"));
    assert_eq!(
        open(&s),
        Some((
            "What StatefulSet/loadgen sees of Deployment/frontend".to_owned(),
            "there is no pod of it in what was read".to_owned()
        ))
    );
    let mut s = incident(client("Deployment", "loadgen"));
    s.logs[0] = log(&s.pods[2], &[(40, "hello"), (41, "a -> b")]);
    let (_, why) = open(&s).unwrap();
    assert_eq!(
        why,
        "no log of it that was read holds requests with their answers in this time"
    );
    assert_eq!(open(&incident(client("Deployment", "loadgen"))), None);
}

#[test]
fn its_logs_are_wanted_only_where_it_is_named_and_something_is_suspected() {
    let logs = |s: &Snapshot| -> Vec<String> {
        let wants = wanted(s).into_iter();
        wants
            .filter_map(|want| match want {
                Want::Log { pod, .. } if pod.name.starts_with("loadgen") => Some(pod.name),
                _ => None,
            })
            .collect()
    };
    assert_eq!(logs(&incident(None)), [] as [&str; 0]);
    assert_eq!(
        logs(&incident(client("Deployment", "loadgen"))),
        ["loadgen-76d98597b9-9vwtl"]
    );
    let mut quiet = incident(client("Deployment", "loadgen"));
    quiet.configs.clear();
    assert_eq!(logs(&quiet), [] as [&str; 0]);
}

#[test]
fn a_likely_client_is_proposed_and_its_log_left_alone() {
    let proposals = |s: &Snapshot| -> Vec<String> {
        let items = diagnose(s).not_checked.into_iter();
        let items = items.filter(|item| item.what == "What clients of Service/frontend see");
        items.map(|item| item.why).collect()
    };
    let s = incident(None);
    assert_eq!(impact(&s), None, "nobody asked for its log");
    assert_eq!(
        proposals(&s),
        ["nobody's log was named: `--client deploy/loadgen` would count the answers in it"]
    );
    assert_eq!(
        proposals(&incident(client("Deployment", "loadgen"))),
        [] as [&str; 0]
    );
    // By what its configuration names, whatever it is called.
    let mut s = partial_restart();
    let shop = config(
        "edge",
        0,
        300,
        &[("conf", "backend http://frontend:80/api")],
    );
    let far = config("far", 0, 301, &[("conf", "server api:8080; # frontends")]);
    s.configs.extend(shared(vec![shop, far]));
    s.pods
        .push(pod("edge", "aaaaa", 10, &Take::EnvFrom("edge")).into());
    s.pods
        .push(pod("far", "bbbbb", 10, &Take::EnvFrom("far")).into());
    assert_eq!(
        proposals(&s),
        ["nobody's log was named: `--client deploy/edge` would count the answers in it"]
    );
    assert_eq!(proposals(&partial_restart()), [] as [&str; 0]);
}

#[test]
fn a_second_look_counts_what_came_since() {
    let mut s = incident(client("Deployment", "loadgen"));
    let mut analyst = Analyst::default();
    analyst.look(&s);
    s.logs[0]
        .text
        .push(&format!("{} GET /api/items -> 504\n", t(140).to_rfc3339()));
    let report = analyst.look(&s).diagnosis;
    assert!(
        report.incidents[0]
            .impact
            .as_ref()
            .unwrap()
            .sentence
            .contains("36 of 76 FAIL"),
        "{:?}",
        report.incidents[0].impact
    );
    assert_eq!(report, diagnose(&s));
}
