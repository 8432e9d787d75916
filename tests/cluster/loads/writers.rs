//! Edits by every usual writer: who wrote and when is told rightly, and so is what each replica runs.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::claim::incident;
use super::truth::Ask;
use super::{KNOWN, Live, ORDERED, Pair, SPLIT, judged, row};
use crate::manifests::{config_map, deployment, env_from, pod, silent};
use crate::place::{Place, some_seconds_pass};

const FLAGS: &str = "ConfigMap/flags";
const APP: &str = "Deployment/app";
const MODE: Ask = Ask::Env("MODE");

fn flags(mode: &str) -> Value {
    config_map("flags", &json!({"MODE": mode, "PORT": "80"}))
}

/// Two pods, an edit by `write` some seconds later, and one of the pods replaced.
fn edited(name: &str, write: impl Fn(&Place)) -> (Place, DateTime<Utc>, DateTime<Utc>) {
    let place = Place::new(name);
    place.apply(&[
        flags("blue"),
        deployment("app", 2, pod(json!([silent(env_from("flags"))]))),
    ]);
    place.ready(&[("app", 2)]);
    some_seconds_pass();
    let before = Utc::now();
    write(&place);
    let after = Utc::now();
    place.replace_one("app", 2);
    (place, before, after)
}

/// Holds the edit that the report tells of against when it was made, and by what.
fn told(report: &Value, before: DateTime<Utc>, after: DateTime<Utc>, manager: Option<&str>) {
    let found = incident(report, FLAGS, APP).expect("the incident");
    let revisions = found["revisions"].as_array().expect("revisions");
    let live = revisions.last().expect("the live one");
    let at = |bound: &str| {
        let text = live["from"][bound].as_str()?;
        Some(DateTime::parse_from_rfc3339(text).expect("a time").to_utc())
    };
    // Counted in whole seconds.
    let second = TimeDelta::seconds(1);
    let not_later = at("earliest").is_none_or(|earliest| earliest <= after);
    let not_earlier = at("latest").is_none_or(|latest| latest + second >= before);
    assert!(
        not_later && not_earlier,
        "it was made {before}–{after}: {live:#}"
    );
    let writer = live["writer"].as_str();
    assert!(
        writer.is_none() || writer == manager,
        "it was made by {manager:?}: {live:#}"
    );
}

fn split(after: &'static str) -> Pair {
    let rows = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row(after, 1, &["B", "C"], Live::Yes, ORDERED),
    ];
    Pair::incident(FLAGS, APP, MODE, SPLIT, &rows)
}

fn judged_and_told(name: &str, manager: &str, after: &'static str, write: impl Fn(&Place)) {
    let (place, begin, end) = edited(name, write);
    for report in judged(&place, &[split(after)]) {
        told(&report, begin, end, Some(manager));
    }
}

#[test]
fn an_edit_by_apply() {
    judged_and_told(
        "loads-by-apply",
        "kubectl-client-side-apply",
        "green",
        |place| place.apply(&[flags("green")]),
    );
}

#[test]
fn an_edit_by_replace() {
    judged_and_told("loads-by-replace", "kubectl-replace", "green", |place| {
        place.send(&["replace", "-f", "-"], &flags("green"));
    });
}

#[test]
fn an_edit_by_server_side_apply() {
    judged_and_told("loads-by-server", "kubectl", "green", |place| {
        let command = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
        place.send(&command, &flags("green"));
    });
}

#[test]
fn an_edit_that_removes_a_key_leaves_no_entry_of_its_writer() {
    judged_and_told("loads-by-removal", "kubectl-patch", "", |place| {
        place.patch("flags", &json!({"MODE": null}));
    });
}

#[test]
fn two_edits_in_one_second_by_one_writer() {
    judged_and_told("loads-by-two", "kubectl-patch", "green", |place| {
        place.patch("flags", &json!({"MODE": "red"}));
        place.patch("flags", &json!({"MODE": "green"}));
    });
}

#[test]
fn an_edit_of_one_key_beside_labels_of_the_same_writer() {
    let (place, begin, end) = edited("loads-by-labels", |place| {
        place.patch("flags", &json!({"MODE": "green"}));
    });
    // The writer's entry moves with its labels, and the edit does not.
    let labels = json!({"metadata": {"labels": {"tier": "front"}}});
    place.patch_object("flags", &labels);
    let rows = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("green", 1, &["B"], Live::Yes, KNOWN),
    ];
    let pair = Pair::incident(FLAGS, APP, MODE, SPLIT, &rows);
    for report in judged(&place, &[pair]) {
        told(&report, begin, end, Some("kubectl-patch"));
    }
}
