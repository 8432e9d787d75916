//! Plans on paper: in their order, and texts of a cluster stay comments and words, whatever is in them.

use confsplit::analysis::{Diagnosis, diagnose};
use confsplit::capture;
use confsplit::report::{PlanFormat, write_plans};

fn shipped() -> Diagnosis {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/partial-restart.capture");
    let opened = capture::open(&path).expect("the shipped capture");
    diagnose(&opened.snapshot)
}

fn page(format: PlanFormat, diagnosis: &Diagnosis) -> String {
    let mut out = Vec::new();
    write_plans(format, diagnosis, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// What a shell would run: neither comment nor blank.
fn run(page: &str) -> Vec<&str> {
    page.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter(|line| !line.contains("CONFSPLIT"))
        .collect()
}

#[test]
fn the_recommended_plan_runs_in_its_order_and_the_others_are_comments() {
    let page = page(PlanFormat::Commands, &shipped());
    let lines = run(&page);
    assert_eq!(lines[..3], ["set -eu", "(", "set -eu"], "{page}");
    assert_eq!(lines.last(), Some(&")"), "{page}");
    let at = |word: &str| {
        lines
            .iter()
            .position(|line| line.contains(word))
            .unwrap_or(usize::MAX)
    };
    assert!(at("resourceVersion") < at(" patch configmap "), "{page}");
    assert!(at(" patch configmap ") < at("rollout restart"), "{page}");
    assert!(at("rollout restart") < at("rollout status"), "{page}");
    assert!(page.contains("# PLAN mitigate-first"), "{page}");
    assert!(
        !lines.iter().any(|line| line.contains("delete pod")),
        "{page}"
    );
}

#[test]
fn a_sentence_with_a_line_break_stays_a_comment() {
    let mut diagnosis = shipped();
    let incident = diagnosis.incidents.first_mut().expect("an incident");
    incident.findings[0].sentence = "fine\n) ; touch /tmp/owned #\r\nrm -rf ~".to_owned();
    let page = page(PlanFormat::Commands, &diagnosis);
    for line in run(&page) {
        assert!(
            !line.contains("owned") && !line.contains("rm -rf"),
            "{line}"
        );
    }
}

#[test]
fn json_names_what_it_is_valid_for() {
    let diagnosis = shipped();
    let page: serde_json::Value =
        serde_json::from_str(&page(PlanFormat::Json, &diagnosis)).expect("JSON");
    assert_eq!(page["schema"], "confsplit.plan/v1");
    let incident = &page["incidents"][0];
    assert!(incident["valid_for"]["hash"].is_string(), "{page:#}");
    let plan = &incident["plans"][0];
    assert_eq!(
        (&plan["kind"], &plan["recommended"]),
        (&"revert-then-restart".into(), &true.into())
    );
    let steps = plan["steps"].as_array().expect("steps");
    assert!(
        steps.iter().any(|step| step["undo"]
            .as_str()
            .is_some_and(|undo| undo.contains("8000"))),
        "{page:#}"
    );
    assert!(steps.iter().all(|step| step["needs"].is_array()));
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../assets/plan.schema.json")).expect("the schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let wrong: Vec<String> = validator
        .iter_errors(&page)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_ticket_says_what_prevents_it() {
    let page = page(PlanFormat::Markdown, &shipped());
    for part in [
        "**Cause**",
        "**Impact**",
        "**Valid for**",
        "## Plan: revert-then-restart (recommended)",
        "Undo:",
        "## So that it does not happen again",
        "checksum/frontend-nginx",
        "\"immutable\": true",
        "PrometheusRule",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}
