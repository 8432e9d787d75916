//! Values that nobody may see, planted wherever a cluster can hold them: none of them is in anything that is shown, kept or copied.

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use confsplit::capture;
use confsplit::report::{self, Charset, Format, summary};
use confsplit::sim::scenario::Scenario;
use serde_json::json;

use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;

/// In a Secret, before and after it was rotated; with characters that JSON escapes.
const BEFORE: &str = "planted\"before\\z41q9z";
const AFTER: &str = "planted\"after\\z77q2z";
/// In the environment of a pod, by a name that says what it is.
const LITERAL: &str = "planted-literal-z5qe0z";
/// What of each is in no other text.
const MARKS: [&str; 3] = ["z41q9z", "z77q2z", "z5qe0z"];

fn scenario() -> Scenario {
    let secret = |value: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}, "type": "Opaque",
            "data": {"password": STANDARD.encode(value), "user": STANDARD.encode("app")},
        })
    };
    let escaped = serde_json::to_string(BEFORE).unwrap();
    let script = format!(
        "echo 'level=info password={BEFORE}'; echo '{{\"password\":{escaped}}}'; echo \"token: $DB_PASSWORD\"; sleep 3600"
    );
    let container = json!({
        "name": "app", "image": "docker.io/library/busybox:1", "command": ["sh", "-c", script],
        "env": [
            {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
            {"name": "API_TOKEN", "value": LITERAL},
        ],
    });
    let labels = json!({"app": "worker"});
    let objects = json!([
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}},
        secret(BEFORE),
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "worker", "labels": labels},
         "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [container]}}}},
    ]);
    let text = json!({
        "title": "values that nobody may see", "namespace": "shop", "looked_at": "5m",
        "happens": [
            {"at": "0s", "do": {"apply": objects}},
            {"at": "2m", "do": {"apply": [secret(AFTER)]}},
            {"at": "2m 10s", "do": {"delete_pod": {"app": "worker", "which": "youngest"}}},
        ],
    });
    Scenario::read(&text.to_string()).unwrap()
}

/// As it is, in base64 wherever it stands in longer data, and escaped: the marks are at the end of each value.
fn clean(what: &str, text: &str) {
    for mark in MARKS {
        let at = text.find(mark);
        let near = at.map(|at| text.get(at.saturating_sub(200)..at + 40));
        assert_eq!(near, None, "{mark} in {what}");
    }
    for value in [BEFORE, AFTER, LITERAL] {
        for skipped in 0..3 {
            let encoded = STANDARD.encode(&value[skipped..]);
            let middle = &encoded[4..encoded.len() - 4];
            assert!(
                !text.contains(middle),
                "{middle} of {value} in {what}\n{text}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn planted_values_are_in_no_report_and_in_no_capture() {
    let played = Played::of(scenario());
    played.pass(5).await;
    // They are there, where a cluster has them.
    let secret = played
        .get("/api/v1/namespaces/shop/secrets/db")
        .await
        .to_string();
    assert!(secret.contains(&STANDARD.encode(AFTER)));
    assert!(secret.contains("last-applied-configuration"), "{secret}");
    for probed in [false, true] {
        let (snapshot, diagnosis) = match probed {
            false => played.diagnose().await,
            true => played.probe().await,
        };
        assert_eq!(diagnosis.incidents.len(), 1, "{}", diagnosis.verdict);
        for format in [Format::Text, Format::Json, Format::Markdown] {
            let mut page = Vec::new();
            report::write(format, Charset::Unicode, &diagnosis, &mut page).unwrap();
            clean("a report", &String::from_utf8(page).unwrap());
        }
        clean(
            "a summary",
            &summary(&diagnosis, diagnosis.incidents.first()),
        );
        clean("what is known", &format!("{snapshot:?}{diagnosis:?}"));
        let mut packed = Vec::new();
        capture::write(&snapshot, &mut packed).unwrap();
        let mut text = String::new();
        let mut reader = flate2::read::MultiGzDecoder::new(&packed[..]);
        reader.read_to_string(&mut text).unwrap();
        clean("a capture", &text);
        assert!(
            text.contains("withheld"),
            "a capture says that something is\n{text}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn planted_values_are_on_no_screen_and_in_nothing_that_is_copied() {
    let mut desk = Desk::over(Played::of(scenario()));
    desk.pass(10).await;
    assert_eq!(desk.app.incidents().len(), 1, "{}", desk.screen());
    for agreed in [false, true] {
        if agreed {
            desk.press("i");
            desk.press("y");
            desk.pass(20).await;
        }
        for tab in ["1", "2", "3", "4", "5", "6", "?", "w", "o"] {
            desk.press(tab);
            for key in ["", "j", "G", "n"] {
                desk.press(key);
                desk.pass(1).await;
                clean(tab, &desk.screen());
            }
            desk.press("yY");
            desk.press("\u{1b}");
        }
    }
    for copied in &desk.copied {
        clean("what was copied", copied);
    }
    clean("what is known", &format!("{:?}", desk.known()));
}
