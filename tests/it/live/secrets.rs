//! Secrets: read by metadata, in full only when asked, and no value of one anywhere in what was read.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use confsplit::analysis;
use confsplit::capture;
use confsplit::model::{ConfigKind, ConfigRef, Content, GapReason, PodRef, Snapshot, Want};
use confsplit::report::{self, Charset, Format};
use confsplit::runtime::collect::collect;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::fake::{Answer, Fake, answer, list, list_path, lists, read, scope};
use super::objects::{at, event, line, pod_of_secret};
use crate::build::NS;

const NEW: &str = "hun\"ter2-of-now";
const OLD: &str = "hunter1-of-then";
const ONE: &str = "/api/v1/namespaces/shop/secrets/db";
const LOG: &str = "/api/v1/namespaces/shop/pods/frontend-76d98597b9-s3cr7/log";

/// Every form in which a value may show itself.
fn planted() -> Vec<String> {
    let escaped = |value: &str| serde_json::to_string(value).unwrap();
    [NEW, OLD]
        .iter()
        .flat_map(|value| {
            let quoted = escaped(value);
            [
                (*value).to_owned(),
                STANDARD.encode(value),
                STANDARD.encode(value).trim_end_matches('=').to_owned(),
                quoted.trim_matches('"').to_owned(),
            ]
        })
        .collect()
}

fn secret(version: u64, value: &str) -> Value {
    let data = json!({"PASSWORD": STANDARD.encode(value)});
    let applied = json!({"kind": "Secret", "data": data, "stringData": {"PASSWORD": value}});
    json!({
        "kind": "Secret", "apiVersion": "v1", "type": "Opaque",
        "metadata": {
            "name": "db", "namespace": NS, "uid": "uid-db", "resourceVersion": version.to_string(),
            "creationTimestamp": at(0),
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied.to_string()},
            "managedFields": [{"manager": "kubectl-patch", "operation": "Update", "time": at(60),
                "fieldsV1": {"f:data": {"f:PASSWORD": {}}}}]
        },
        "data": data
    })
}

/// A server that sends whole Secrets even where metadata alone is asked for, and whose pods tell values to everybody.
fn server() -> Fake {
    let fake = Fake::default();
    let told = format!("cannot log in with {NEW}, was {OLD}");
    fake.on(&list_path("secrets"), |asked| {
        match asked.get("resourceVersion") {
            None => list(900, &[secret(900, NEW)]),
            Some("899") => list(899, &[secret(800, OLD)]),
            Some(_) => list(799, &[]),
        }
    })
    .answers(ONE, Answer::Json(secret(900, NEW)))
    .holds("pods", &[pod_of_secret(&told)])
    .holds("events", &[event("db", "Failed", &told, 40)])
    .answers(LOG, Answer::text(&line(21, &planted().join(" and "))));
    fake
}

fn config() -> ConfigRef {
    ConfigRef::new(ConfigKind::Secret, NS, "db")
}

fn content() -> Want {
    Want::SecretContent { config: config() }
}

fn history() -> Want {
    Want::Earlier {
        config: config(),
        resource_version: "900".to_owned(),
    }
}

fn log() -> Want {
    Want::Log {
        pod: PodRef {
            namespace: NS.to_owned(),
            name: "frontend-76d98597b9-s3cr7".to_owned(),
            uid: "uid-frontend-76d98597b9-s3cr7".to_owned(),
        },
        container: "nginx".to_owned(),
        previous: false,
    }
}

fn unpacked(snapshot: &Snapshot) -> String {
    let mut packed = Vec::new();
    capture::write(snapshot, &mut packed).unwrap();
    let mut text = String::new();
    GzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// Fails where a value is anywhere in what was read or would be written down.
fn assert_nothing_leaks(snapshot: &Snapshot) {
    let mut pages = vec![format!("{snapshot:?}"), unpacked(snapshot)];
    let diagnosis = analysis::diagnose(snapshot);
    for format in [Format::Text, Format::Json, Format::Markdown] {
        let mut page = Vec::new();
        report::write(format, Charset::Unicode, &diagnosis, &mut page).unwrap();
        pages.push(String::from_utf8(page).unwrap());
    }
    for (page, text) in pages.iter().enumerate() {
        for value in planted() {
            assert!(!text.contains(&value), "page {page} holds {value}");
            // Debug and JSON escape once more.
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            assert!(!text.contains(&escaped), "page {page} holds {escaped}");
        }
    }
}

#[tokio::test]
async fn the_lists_keep_metadata_alone_even_if_more_is_sent() {
    let fake = server();
    fake.holds("pods", &[]).holds("events", &[]);
    let snapshot = lists(&fake.live()).await.unwrap();
    assert_eq!(snapshot.configs.len(), 1);
    let known = &snapshot.configs[0];
    assert_eq!(known.reference, config());
    assert_eq!((&known.content, &known.last_applied), (&None, &None));
    assert_nothing_leaks(&snapshot);
}

#[tokio::test]
async fn no_other_read_touches_secrets() {
    let fake = server();
    let wants = vec![
        log(),
        Want::Earlier {
            config: ConfigRef::new(ConfigKind::ConfigMap, NS, "a"),
            resource_version: "9".to_owned(),
        },
        Want::PodsAt {
            namespace: NS.to_owned(),
            resource_version: "9".to_owned(),
        },
    ];
    read(&fake.live(), wants).await;
    let touching: Vec<String> = fake
        .urls()
        .into_iter()
        .filter(|url| url.contains("secrets"))
        .collect();
    assert_eq!(touching, [list_path("secrets")], "the list of metadata");
}

#[tokio::test]
async fn contents_are_hashed_and_compare() {
    let fake = server();
    let snapshot = read(&fake.live(), vec![content(), history(), log()]).await;
    let Some(Content::Hashed(now)) = &snapshot.configs[0].content else {
        panic!("{:?}", snapshot.configs[0].content);
    };
    let then = &snapshot.earlier[0].versions[0];
    assert_eq!(then.resource_version, "800");
    let Some(Content::Hashed(then)) = &then.content else {
        panic!("{:?}", then.content);
    };
    assert_ne!(now["PASSWORD"], then["PASSWORD"]);
    assert!(fake.urls().contains(&ONE.to_owned()));
    assert_nothing_leaks(&snapshot);
    let text = &snapshot.logs[0].text;
    let replaced = text.to_string().matches("[Secret db/PASSWORD]").count();
    assert_eq!(replaced, planted().len(), "{text}");
}

#[tokio::test]
async fn what_was_read_before_the_secret_is_cleaned_afterwards() {
    let live = server().live();
    let mut snapshot = read(&live, vec![log()]).await;
    // What it may hold is not known yet, so it is not read; the events of the lists were.
    assert!(snapshot.logs.is_empty());
    assert!(
        matches!(&snapshot.gaps[0].reason, GapReason::Bounded(why) if why.contains("withheld"))
    );
    assert!(
        snapshot.events[0].message.contains(NEW),
        "it is not known yet"
    );
    answer(&live, &mut snapshot, vec![content(), history(), log()]).await;
    assert_eq!(snapshot.logs.len(), 1);
    assert_nothing_leaks(&snapshot);
    assert!(snapshot.events[0].message.contains("[Secret db/PASSWORD]"));
}

#[tokio::test]
async fn what_is_known_is_taken_out_of_the_next_lists_too() {
    let live = server().live();
    read(&live, vec![content(), history()]).await;
    let again = lists(&live).await.unwrap();
    assert_nothing_leaks(&again);
}

#[tokio::test]
async fn a_secret_that_was_written_meanwhile_has_no_content() {
    let fake = server();
    fake.answers(ONE, Answer::Json(secret(901, NEW)));
    let snapshot = read(&fake.live(), vec![content()]).await;
    assert_eq!(snapshot.configs[0].content, None);
    assert_eq!(snapshot.gaps.len(), 1);
    assert!(matches!(snapshot.gaps[0].reason, GapReason::Unordered(_)));
    // The values were seen all the same.
    let text = format!("{:?}", snapshot.events);
    assert!(!text.contains("ter2-of-now"), "{text}");
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_is_a_gap_without_its_value() {
    let mut odd = secret(900, NEW);
    odd["data"] = json!([NEW]);
    let cases = [
        (Answer::failure(403, "no"), GapReason::Forbidden),
        (
            Answer::Json(odd),
            GapReason::Unreadable("it is no Secret".to_owned()),
        ),
    ];
    for (answered, reason) in cases {
        let fake = server();
        fake.answers(ONE, answered);
        let snapshot = read(&fake.live(), vec![content()]).await;
        assert_eq!(snapshot.gaps.len(), 1);
        let gap = &snapshot.gaps[0];
        assert_eq!(
            (gap.verb.as_str(), gap.resource.as_str()),
            ("get", "secrets")
        );
        assert_eq!((gap.name.as_deref(), &gap.reason), (Some("db"), &reason));
    }
}

#[tokio::test]
async fn a_whole_reading_of_an_edited_secret_leaks_nothing() {
    let fake = server();
    let (snapshot, _) = collect(&fake.live(), &scope(), &|_| {}).await.unwrap();
    assert!(snapshot.asked.contains(&content()), "{:?}", snapshot.asked);
    assert_nothing_leaks(&snapshot);
}
