//! The command of the user's: which templates are sound, what is put in them, and how it ends.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::{Asked, LogsCommand, MOST, run};
use crate::model::PodRef;

const LIMIT: Duration = Duration::from_secs(20);

fn parsed(text: &str) -> Result<LogsCommand, String> {
    text.parse()
}

fn pod(name: &str) -> PodRef {
    PodRef {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        uid: "u".to_owned(),
    }
}

fn expanded(template: &str, name: &str) -> Result<Vec<String>, String> {
    let since: DateTime<Utc> = "2026-10-02T20:35:26.7Z".parse().unwrap();
    let pod = pod(name);
    let asked = Asked {
        pod: &pod,
        container: "nginx",
        since,
    };
    parsed(template).unwrap().expand(&asked)
}

fn words(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

#[test]
fn a_template_that_cannot_work_says_what_is_wrong_and_what_is_known() {
    for (template, said) in [
        ("", "it names no program"),
        ("'' {pod}", "it names no program"),
        ("mylogs {namespace}", "it does not say which {pod}"),
        ("mylogs {pod} {node}", "{node} is not known"),
        ("mylogs '{pod}", "a quote in it is not closed"),
        ("{pod} {pod}", "which program is run may not depend"),
    ] {
        let why = parsed(template).unwrap_err();
        assert!(why.starts_with(said), "{template}: {why}");
        assert!(why.contains("{container} and {since}"), "{why}");
    }
}

#[test]
fn names_are_put_within_words_and_other_braces_stay() {
    assert_eq!(
        expanded(
            "mylogs {namespace} {pod}/{container} --from={since}",
            "web-1"
        )
        .unwrap(),
        [
            "mylogs",
            "shop",
            "web-1/nginx",
            "--from=2026-10-02T20:35:26Z"
        ]
    );
    // The query language of a log store has braces and quotes of its own.
    assert_eq!(
        expanded(
            r#"logcli query '{namespace="{namespace}", pod="{pod}"} |= "it'"'"'s"' --from {since}"#,
            "web-1"
        )
        .unwrap(),
        [
            "logcli",
            "query",
            r#"{namespace="shop", pod="web-1"} |= "it's""#,
            "--from",
            "2026-10-02T20:35:26Z"
        ]
    );
}

#[test]
fn a_name_that_is_none_of_kubernetes_reaches_no_program() {
    for name in ["-rf", "a b", "$(id)", "a;b", "", "../x", "A", "{since}"] {
        let why = expanded("mylogs {pod}", name).unwrap_err();
        assert!(why.contains("is no name that can be handed to it"), "{why}");
    }
}

#[tokio::test]
async fn what_it_prints_is_taken_and_its_standard_input_is_empty() {
    let printed = run(&words("cat; printf 'a\\nb\\n'"), LIMIT).await.unwrap();
    assert_eq!(
        (printed.bytes.as_slice(), printed.cut),
        (&b"a\nb\n"[..], false)
    );
}

#[tokio::test]
async fn a_failure_says_its_status_and_its_last_complaint() {
    let script = "echo first >&2; echo 'no such index' >&2; echo >&2; exit 3";
    let why = run(&words(script), LIMIT).await.unwrap_err();
    assert_eq!(why, "sh failed (exit status: 3): no such index");
    let long = "printf '%5000s\\n' end >&2; exit 1";
    let why = run(&words(long), LIMIT).await.unwrap_err();
    assert!(why.len() < 300, "{why}");
    let gone = ["no-such-program-here", "web-1"].map(str::to_owned);
    let why = run(&gone, LIMIT).await.unwrap_err();
    assert_eq!(why, "\"no-such-program-here\" is not there");
}

#[tokio::test]
async fn what_takes_too_long_ends_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("still-there");
    let script = format!(
        "(trap '' TERM; sleep 2; echo alive > {}) & echo begun; wait",
        mark.display()
    );
    let began = Instant::now();
    let why = run(&words(&script), Duration::from_millis(500)).await;
    assert_eq!(why.unwrap_err(), "sh was not done in 1 s");
    assert!(began.elapsed() < Duration::from_secs(2));
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(!mark.exists(), "its child went on");
}

#[tokio::test]
async fn output_without_end_is_taken_as_far_as_the_bound() {
    let printed = run(&words("yes 2026-10-02T20:35:26Z line; echo never"), LIMIT).await;
    let printed = printed.unwrap();
    assert_eq!((printed.bytes.len(), printed.cut), (MOST, true));
}

#[tokio::test]
async fn complaints_without_end_do_not_fill_the_memory_nor_stop_it() {
    let script = "yes complaint | head -c 3000000 >&2; echo done";
    let printed = run(&words(script), LIMIT).await.unwrap();
    assert_eq!(printed.bytes, b"done\n");
}
