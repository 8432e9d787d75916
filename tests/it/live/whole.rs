//! From an API server to a report: an incident served object by object, and the same again from its capture.

use confsplit::analysis::{self, Code, Diagnosis, Grade};
use confsplit::capture;
use confsplit::model::Snapshot;
use confsplit::report::{self, Charset, Format};
use confsplit::runtime::collect::collect;
use confsplit::source::replay::Replay;

use super::fake::{Answer, Fake, list, list_path, scope};
use super::objects::{
    config_map, deployment, endpoint_slice, event, line, pod, replica_set, service,
};
use crate::build::{STARTED, access, nginx_conf, timed_out};

/// A ConfigMap edited from 8080 to 8000 by get, sed, apply, after which one of two nginx pods was replaced.
pub(super) fn shop() -> Fake {
    let fake = Fake::default();
    fake.on(&list_path("configmaps"), |asked| {
        let old = nginx_conf(8080);
        let new = nginx_conf(8000);
        let at = asked.get("resourceVersion").map(|v| v.parse().unwrap());
        let (written, fetched, content) = match at {
            None | Some(14_598..) => (33, Some(14_417), &new),
            Some(14_417..) => (25, None, &old),
            Some(at) => return list(at, &[]),
        };
        let version = if fetched.is_some() { 14_598 } else { 14_417 };
        let data = [("default.conf", content.as_str())];
        let object = config_map("frontend-nginx", version, &data, written, fetched);
        list(20_000, &[object])
    });
    fake.on(&list_path("pods"), |asked| {
        match asked.get("resourceVersion") {
            Some(at) => list(at.parse().unwrap(), &[pod("kt2jr", 25), pod("2vqr4", 25)]),
            None => list(20_000, &[pod("kt2jr", 25), pod("g5zrg", 34)]),
        }
    });
    let lines = |status: u16, from: i64, count: i64| -> String {
        (0..count)
            .map(|i| {
                let at = from + 2 * i;
                let error = (status == 504).then(|| line(at, &timed_out(8000)));
                error.unwrap_or_default() + &line(at, &access(status))
            })
            .collect()
    };
    let good = line(26, STARTED) + &lines(200, 36, 40);
    let bad = line(35, STARTED) + &lines(504, 48, 35);
    for (suffix, text) in [("kt2jr", good), ("g5zrg", bad)] {
        let path = format!("{}/frontend-76d98597b9-{suffix}/log", list_path("pods"));
        fake.answers(&path, Answer::text(&text));
    }
    let gone = "frontend-76d98597b9-2vqr4";
    fake.holds("deployments", &[deployment()])
        .holds("replicasets", &[replica_set()])
        .holds(
            "services",
            &[
                service("api", "10.96.10.144", 8080),
                service("frontend", "10.96.1.1", 80),
            ],
        )
        .holds(
            "endpointslices",
            &[
                endpoint_slice("api", &["10.244.1.52"]),
                endpoint_slice("frontend", &["10.244.2.53", "10.244.1.44"]),
            ],
        )
        .holds(
            "events",
            &[event(gone, "Killing", "Stopping container nginx", 34)],
        );
    fake
}

pub(super) async fn collected() -> Snapshot {
    let fake = shop();
    let snapshot = collect(&fake.live(), &scope(), &|_| {}).await;
    snapshot.unwrap().0
}

fn json(diagnosis: &Diagnosis) -> String {
    let mut out = Vec::new();
    report::write(Format::Json, Charset::Unicode, diagnosis, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn the_incident_is_found_replica_by_replica() {
    let snapshot = collected().await;
    assert_eq!(snapshot.gaps, []);
    let diagnosis = analysis::diagnose(&snapshot);
    assert_eq!(diagnosis.incidents.len(), 1, "{}", diagnosis.verdict);
    let incident = &diagnosis.incidents[0];
    let cause = &incident.findings[0];
    assert_eq!(cause.code, Code::SplitReplicas, "{}", cause.sentence);
    assert_eq!(incident.workload.to_string(), "Deployment/frontend");
    let mut loaded: Vec<(&str, Option<&str>, Option<bool>, Grade)> = incident
        .replicas
        .iter()
        .map(|r| (r.pod.name.as_str(), r.loaded.as_deref(), r.live, r.grade))
        .collect();
    loaded.sort_by_key(|replica| replica.0);
    assert_eq!(
        loaded,
        [
            (
                "frontend-76d98597b9-g5zrg",
                Some("B"),
                Some(true),
                Grade::Ordered
            ),
            (
                "frontend-76d98597b9-kt2jr",
                Some("A"),
                Some(false),
                Grade::Inferred
            ),
        ]
    );
    let changed = |code| incident.findings.iter().any(|f| f.code == code);
    assert!(changed(Code::PortMismatch) && changed(Code::InPlaceEdit));
}

#[tokio::test]
async fn its_capture_gives_the_same_report_byte_for_byte() {
    let snapshot = collected().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.capture");
    capture::save(&snapshot, &path, false).unwrap();
    let replay = Replay::open(&path).unwrap();
    let (again, _) = collect(&replay, replay.scope(), &|_| {}).await.unwrap();
    assert!(again == snapshot, "the facts differ");
    let first = json(&analysis::diagnose(&snapshot));
    assert_eq!(first, json(&analysis::diagnose(&again)));
    assert!(first.contains("\"split-replicas\""));
}

#[tokio::test]
async fn two_readings_of_the_same_cluster_are_the_same() {
    let (first, second) = (collected().await, collected().await);
    assert!(first == second, "the order of answers shows");
}
