//! The runner of the conformance pairs itself: that it takes right answers for right, and says of each wrong one what is wrong.

#[path = "../conformance/runner.rs"]
mod runner;
mod simulator;

use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use runner::{Book, Outcome, differences};

/// The differences, each without what follows its place.
fn places(expected: Value, got: Value) -> Vec<String> {
    let found = differences(&expected, Some(&got));
    let place = |line: &String| line.split(": ").next().unwrap_or_default().to_owned();
    found.iter().map(place).collect()
}

fn fits(expected: Value, got: Value) {
    let found = differences(&expected, Some(&got));
    assert!(found.is_empty(), "{expected} on {got}: {found:?}");
}

#[test]
fn what_is_named_must_be_there_and_the_rest_may_be() {
    fits(
        json!({"a": {"b": 1}}),
        json!({"a": {"b": 1, "c": 2}, "d": 3}),
    );
    assert_eq!(
        places(json!({"a": {"b": 1}}), json!({"a": {"b": 2}})),
        ["/a/b"]
    );
    assert_eq!(places(json!({"a": {"b": 1}}), json!({"a": {}})), ["/a/b"]);
    assert_eq!(places(json!({"a": null}), json!({})), ["/a"]);
    assert_eq!(places(json!({"a": "1"}), json!({"a": 1})), ["/a"]);
    assert_eq!(places(json!({"a": {}}), json!({"a": []})), ["/a"]);
    assert_eq!(places(json!({"f:a": {"x/y~z": 1}}), json!({})), ["/f:a"]);
    assert_eq!(places(json!({"x/y~z": 1}), json!({})), ["/x~1y~0z"]);
}

#[test]
fn every_item_of_a_list_must_be_there_in_its_place() {
    fits(json!([{"a": 1}, 2]), json!([{"a": 1, "b": 1}, 2]));
    assert_eq!(places(json!([1, 2]), json!([2, 1])), ["/0", "/1"]);
    assert_eq!(places(json!([1]), json!([1, 2])), ["/"]);
    assert_eq!(places(json!({"a": [1, 2]}), json!({"a": [1]})), ["/a"]);
    assert_eq!(
        places(json!({"a": [{"b": 1}]}), json!({"a": [{"b": 2}]})),
        ["/a/0/b"]
    );
}

#[test]
fn rules_hold_and_fail() {
    let object = json!({"text": "abc-12", "number": 7, "digits": "12", "list": [1, {"a": 1, "b": 2}], "time": "2026-11-30T20:00:00Z"});
    let right = [
        json!({"text": {"$present": true}, "none": {"$present": false}}),
        json!({"text": {"$matches": "^[a-c]+-\\d+$"}}),
        json!({"text": {"$contains": "c-1"}}),
        json!({"list": {"$length": 2}, "text": {"$length": 6}}),
        json!({"list": {"$length": {"$above": 1}}}),
        json!({"number": {"$above": 6}, "digits": {"$above": "11"}}),
        json!({"time": {"$later": "2026-11-30T19:59:59Z"}}),
        json!({"list": {"$contains": [{"a": 1}]}}),
        json!({"list": {"$contains": [1], "$length": 2}}),
        json!({"list": {"$exactly": [1, {"a": 1, "b": {"$present": true}}]}}),
        json!({"number": {"$not": 8}, "none": {"$not": 1}}),
    ];
    for expected in right {
        fits(expected, object.clone());
    }
    let wrong = [
        json!({"text": {"$present": false}}),
        json!({"none": {"$present": true}}),
        json!({"text": {"$matches": "^[a-b]+$"}}),
        json!({"number": {"$matches": "7"}}),
        json!({"text": {"$matches": "("}}),
        json!({"text": {"$contains": "x"}}),
        json!({"list": {"$length": 3}}),
        json!({"none": {"$length": 0}}),
        json!({"number": {"$above": 7}}),
        json!({"text": {"$above": 0}}),
        json!({"digits": {"$above": "12"}}),
        json!({"time": {"$later": "2026-11-30T20:00:00Z"}}),
        json!({"text": {"$later": "2026-11-30T20:00:00Z"}}),
        json!({"list": {"$contains": [{"a": 2}]}}),
        json!({"list": {"$contains": [1], "$length": 1}}),
        json!({"list": {"$exactly": [1, {"a": 1}]}}),
        json!({"number": {"$not": 7}}),
        json!({"none": {"$contains": [1]}}),
    ];
    for expected in wrong {
        let found = differences(&expected, Some(&object));
        assert_eq!(found.len(), 1, "{expected}: {found:?}");
    }
}

#[test]
fn exactly_is_so_at_any_depth_and_names_what_is_too_much() {
    let expected = json!({"$exactly": {"a": {"b": [{"c": 1}]}}});
    fits(expected.clone(), json!({"a": {"b": [{"c": 1}]}}));
    let found = differences(
        &expected,
        Some(&json!({"a": {"b": [{"c": 1, "d": 2}]}, "e": 3})),
    );
    assert_eq!(
        found,
        [
            "/a/b/0/d: expected nothing, got 2",
            "/e: expected nothing, got 3"
        ]
    );
}

fn book(text: &str) -> Result<Book, String> {
    Book::parse("book", text)
}

#[test]
fn a_file_that_is_not_understood_is_an_error() {
    let step = "cases: [{name: a, steps: [{request: GET /x, ";
    let wrong = [
        ("cases: []\nnonsense: 1", "nonsense"),
        ("cases: [{name: a, steps: [], nonsense: 1}]", "nonsense"),
        (
            &format!("{step}nonsense: 1, answer: {{status: 200}}}}]}}]"),
            "nonsense",
        ),
        (
            &format!("{step}answer: {{status: 200, nonsense: 1}}}}]}}]"),
            "nonsense",
        ),
        (
            &format!("{step}answer: {{status: 200, body: {{a: {{$nonsense: 1}}}}}}}}]}}]"),
            "$nonsense is no rule",
        ),
        (
            &format!("{step}answer: {{status: 200, body: {{a: {{$not: 1, b: 2}}}}}}}}]}}]"),
            "b is no rule",
        ),
        (
            &format!("{step}answer: {{status: 200, body: {{}}, text: a}}}}]}}]"),
            "an answer is one of",
        ),
        (
            &format!("{step}answer: {{status: 200, ends: true}}}}]}}]"),
            "for lines and events",
        ),
        (
            &format!("{step}answer: {{status: 200, stdout: a}}}}]}}]"),
            "for a socket",
        ),
        (
            &format!("{step}answer: {{status: 200, text: a}}, save: {{a: /b}}}}]}}]"),
            "of a JSON body",
        ),
        (
            "cases: [{name: a, steps: [{request: GET, answer: {status: 200}}]}]",
            "METHOD /path",
        ),
        (
            "cases: [{name: a, steps: []}, {name: a, steps: []}]",
            "two cases are called",
        ),
    ];
    for (text, why) in wrong {
        let said = book(text).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn every_file_of_pairs_is_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let books = Book::all(&folder).expect("files of pairs");
    assert!(books.len() > 3, "{books:?}");
}

/// A client of an API that has one object, a list in pages, a watch, a log, and what comes true at the third look.
fn client() -> Client {
    static LOOKS: AtomicUsize = AtomicUsize::new(0);
    async fn answer(request: Request<Body>) -> Result<Response<Body>, Infallible> {
        let (parts, body) = request.into_parts();
        let sent = body.collect_bytes().await.unwrap_or_default();
        let line = format!("{} {}", parts.method, parts.uri);
        let (status, text) = match line.as_str() {
            "POST /api/v1/namespaces" => (201, "{}".to_owned()),
            "GET /object" => (200, json!({"metadata": {"name": "a", "version": "7"}}).to_string()),
            "GET /page?limit=2&token=7" => (200, json!({"items": [1, 2]}).to_string()),
            "GET /watch?watch=true" => (
                200,
                "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n{\"type\":\"DELETED\",\"object\":{\"a\":2}}\n".to_owned(),
            ),
            "GET /log" => (200, "one\ntwo".to_owned()),
            "GET /later" if LOOKS.fetch_add(1, Ordering::SeqCst) < 2 => (404, String::new()),
            "GET /later" => (200, "{}".to_owned()),
            "POST /echo" => (200, String::from_utf8_lossy(&sent).into_owned()),
            "POST /type" => {
                let kind = parts.headers.get("content-type");
                (200, kind.map_or("none", |k| k.to_str().unwrap_or_default()).to_owned())
            }
            _ if line.starts_with("DELETE /api/v1/namespaces/conformance-book-") => (200, String::new()),
            _ => (404, line),
        };
        let mut response = Response::new(Body::from(text.into_bytes()));
        *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
        Ok(response)
    }
    Client::new(tower::service_fn(answer), "default")
}

async fn ran(cases: &str) -> Outcome {
    let book = book(&format!("cases:\n{cases}")).expect("a file of pairs");
    runner::run(&client(), &book, "test").await
}

#[tokio::test]
async fn right_answers_pass() {
    let outcome = ran(r#"
- name: what is saved is known later
  steps:
  - {request: GET /object, answer: {status: 200, body: {metadata: {name: a}}}, save: {v: /metadata/version}}
  - {request: GET /page, query: {limit: 2, token: "${v}"}, answer: {status: 200, body: {items: {$length: 2}}}}
  - {request: POST /echo, body: {of: "${v-1}", all: ["${v}", "a ${v} b"]}, answer: {status: 200, body: {$exactly: {of: "6", all: ["7", a 7 b]}}}}
  - {request: POST /echo, body: plain, answer: {status: 200, text: plain}}
  - {request: POST /type, body: {}, answer: {status: 200, text: application/json}}
  - {request: POST /type, body: x, headers: {content-type: text/plain}, answer: {status: 200, text: text/plain}}
- name: streams
  steps:
  - request: GET /watch
    query: {watch: true}
    meanwhile: [{request: GET /object, answer: {status: 200}, save: {v: /metadata/version}}]
    answer: {status: 200, events: [{type: ADDED, object: {a: {$not: "${v}"}}}, {type: DELETED}], ends: true}
  - {request: GET /watch, query: {watch: true}, answer: {status: 200, events: [{type: DELETED}], among-others: true}}
  - {request: GET /log, answer: {status: 200, lines: [one]}}
  - {request: GET /log, answer: {status: 200, text: "one\ntwo"}}
- name: later
  steps: [{request: GET /later, until-s: 60, answer: {status: 200}}]
"#)
    .await;
    outcome.check();
    assert_eq!(outcome.passed, 3);
}

/// A step that is not as it should be, and what is said of it.
const WRONG: &[(&str, &str)] = &[
    (
        "{request: GET /object, answer: {status: 201}}",
        "status: expected 201, got 200 OK",
    ),
    (
        "{request: GET /object, answer: {status: 200, body: {metadata: {name: b}}}}",
        "/metadata/name: expected \"b\", got \"a\"",
    ),
    (
        "{request: GET /object, answer: {status: 200, text: b}}",
        "/: expected \"b\"",
    ),
    (
        "{request: GET /object, answer: {status: 200, headers: {date: {$present: true}}}}",
        "header date",
    ),
    (
        "{request: GET /object, answer: {status: 200}, save: {a: /nothing}}",
        "there is no /nothing to save",
    ),
    (
        "{request: GET /log, answer: {status: 200, body: {}}}",
        "no JSON",
    ),
    (
        "{request: GET /log, answer: {status: 200, lines: [two]}}",
        "expected \"two\", got \"one\"",
    ),
    (
        "{request: GET /log, answer: {status: 200, lines: [one], ends: true}}",
        "came after all that was expected",
    ),
    (
        "{request: GET /log, answer: {status: 200, lines: [three], among-others: true}}",
        "it ended",
    ),
    (
        "{request: GET /watch, query: {watch: true}, answer: {status: 200, events: [{type: MODIFIED}]}}",
        "/type: expected \"MODIFIED\", got \"ADDED\"",
    ),
    (
        "{request: 'GET /${unknown}', answer: {status: 200}}",
        "nothing was saved as \"unknown\"",
    ),
    (
        "{request: GET /nowhere, until-s: 0, answer: {status: 200}}",
        "got 404 Not Found",
    ),
    (
        "{request: GET /object/exec, answer: {status: 101, stdout: a}}",
        "GET /object/exec",
    ),
];

#[tokio::test]
async fn each_wrong_answer_is_told_with_its_case_its_step_and_what_differs() {
    for (step, why) in WRONG {
        let fine = "{request: GET /object, answer: {status: 200}}";
        let outcome = ran(&format!(
            "- {{name: a case, steps: [{fine}, {step}]}}\n- {{name: next, steps: [{fine}]}}"
        ))
        .await;
        assert_eq!((outcome.passed, outcome.failed.len()), (1, 1), "{step}");
        let said = &outcome.failed[0];
        for part in ["book.yaml, \"a case\", step 2:", *why] {
            assert!(said.contains(part), "{part:?} is not in: {said}");
        }
    }
}

#[tokio::test]
#[should_panic(expected = "1 of 2 cases failed")]
async fn a_failed_case_fails_the_run() {
    let outcome = ran("- {name: right, steps: []}\n- {name: wrong, steps: [{request: GET /object, answer: {status: 500}}]}").await;
    outcome.check();
}

#[tokio::test]
async fn a_folder_is_run_file_by_file_and_one_that_is_not_understood_fails_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let right = "cases: [{name: a, steps: [{request: GET /object, answer: {status: 200}}]}]";
    std::fs::write(folder.path().join("book-a.yaml"), right).expect("a file");
    std::fs::write(folder.path().join("book-b.yaml"), right).expect("a file");
    let outcome = runner::run_all(&client(), folder.path(), "test").await;
    outcome.check();
    assert_eq!(outcome.passed, 2);
    std::fs::write(folder.path().join("book-c.yaml"), "cases: [{}]").expect("a file");
    let outcome = runner::run_all(&client(), folder.path(), "test").await;
    assert_eq!((outcome.passed, outcome.failed.len()), (0, 1));
}
