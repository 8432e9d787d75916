//! The demo against the incident that it plays: it says what is said of the real one, sentence for sentence.

use regex::Regex;
use serde_json::Value;

#[path = "../it/this_side/served.rs"]
mod served;

use served::Served;

use crate::program::{Report, run, run_with};

/// A text without what differs between any two runs of an incident: the names of pods, addresses, times, numbers of requests.
fn without_names_and_times(text: &str, replicas: &[String]) -> String {
    let mut text = text.to_owned();
    for (place, pod) in replicas.iter().enumerate() {
        let short = pod.rsplit('-').next().expect("a name");
        text = text.replace(pod, &format!("POD{place}"));
        text = text.replace(short, &format!("POD{place}"));
    }
    for (pattern, by) in [
        (r"\b\d{1,3}(\.\d{1,3}){3}\b", "ADDRESS"),
        (r"\d{2}:\d{2}:\d{2}(–\d{2}:\d{2}:\d{2})?", "TIME"),
        // Where a pod started within the second of the edit, its time says nothing.
        (r" started after it and runs", " runs"),
        (r"resourceVersion \d+", "resourceVersion N"),
        (r"live object is at \d+", "live object is at N"),
        (r"\b\d+ of \d+ (FAIL|failed|GET|answered)", "N of N $1"),
        (r"\b(\d+ of \d+)\)", "N of N)"),
        (r"×\d+|\d+ ×", "× N"),
        (r"in the last \d+ min", "since TIME"),
        (r"since the edit at TIME UTC", "since TIME"),
    ] {
        text = Regex::new(pattern)
            .expect("a pattern")
            .replace_all(&text, by)
            .into_owned();
    }
    text
}

/// All that is said of the incident: its findings, its impact, its plans, and how each replica is known.
fn said(report: &Report) -> Vec<String> {
    let incident = report.incident();
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut replicas = items(&incident["replicas"]);
    replicas.sort_by_key(|replica| text(&replica["started_at"]));
    let pods: Vec<String> = replicas
        .iter()
        .map(|replica| text(&replica["pod"]))
        .collect();
    let mut said = Vec::new();
    for finding in items(&incident["findings"]) {
        said.push(format!(
            "{}: {}",
            text(&finding["code"]),
            text(&finding["sentence"])
        ));
    }
    said.push(text(&incident["impact"]));
    for plan in items(&incident["plans"]) {
        said.push(format!("{}: {}", text(&plan["kind"]), text(&plan["why"])));
        said.extend(items(&plan["steps"]).iter().map(|step| text(&step["what"])));
    }
    for replica in &replicas {
        said.push(format!(
            "{} {} {}: {}",
            text(&replica["loaded"]),
            replica["live"],
            text(&replica["grade"]),
            text(&replica["why"])
        ));
    }
    let said = said.iter().map(|line| without_names_and_times(line, &pods));
    said.collect()
}

#[test]
fn the_demo_says_what_is_said_of_the_real_incident() {
    let real = run(&["-n", "shop", "diagnose", "-o", "json"]).report(1);
    let served = Served::start();
    let arguments = ["diagnose", "-o", "json"];
    let demo = run_with(&served.kubeconfig, &arguments).report(1);
    let (real, demo) = (said(&real), said(&demo));
    assert!(real.len() > 10, "{real:#?}");
    assert_eq!(demo, real);
}
