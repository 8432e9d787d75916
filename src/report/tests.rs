//! Escaping, wrapping and times.

use super::markdown::escape::{cell, code, fenced, inline};
use super::text::layout::{Page, table, wrap};
use super::text::next;
use super::words::interval;
use crate::analysis::{Incident, Revision};
use crate::model::{ConfigKind, ConfigRef, Interval, WorkloadRef};
use crate::remedy::{Plan, PlanKind, Step};

#[test]
fn markdown_stays_text() {
    assert_eq!(
        inline("# a *b* _c_ <d> [e](f)"),
        "\\# a \\*b\\* \\_c\\_ &lt;d&gt; \\[e\\](f)"
    );
    assert_eq!(inline("1. x 2) y - z"), "1\\. x 2) y - z");
    assert_eq!(
        inline("ask @all at (http://e.x), #12"),
        "ask `@all` at (`http://e.x`), \\#12"
    );
}

#[test]
fn bars_do_not_end_a_cell() {
    assert_eq!(cell("a|b"), "a\\|b");
    assert_eq!(cell("http://a|b"), "`http://a\\|b`");
    // Two backslashes before the bar: a third keeps it within the cell.
    assert_eq!(cell("http://a\\\\|b"), "`http://a\\\\\\|b`");
}

#[test]
fn fences_are_longer_than_what_they_hold() {
    assert_eq!(code("a``b"), "```a``b```");
    assert_eq!(code("`"), "`` ` ``");
    let block = fenced("sh", "echo\n`````\nrm".lines());
    assert_eq!(block, "``````sh\necho\n`````\nrm\n``````");
}

#[test]
fn words_wrap_at_spaces_and_only_long_ones_break() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("abcdefghij x", 4), ["abcd", "efgh", "ij x"]);
    assert_eq!(wrap("", 4), [""]);
    // Each of these takes two columns.
    assert_eq!(wrap("日本語", 4), ["日本", "語"]);
}

#[test]
fn columns_stand_in_line_with_wide_text() {
    let rows = [
        ["日本".to_owned(), "x".to_owned()],
        ["a".to_owned(), "y".to_owned()],
    ];
    let lines = table(&["n", "v"], &rows.map(Vec::from));
    assert_eq!(lines, ["  n     v", "  日本  x", "  a     y"]);
}

#[test]
fn intervals_read_as_what_is_known() {
    let at = |text: &str| {
        chrono::DateTime::parse_from_rfc3339(text)
            .unwrap()
            .with_timezone(&chrono::Utc)
    };
    let now = at("2026-10-02T20:38:40Z");
    let (a, b) = (at("2026-10-02T20:35:26Z"), at("2026-10-02T20:35:33Z"));
    let read = |earliest, latest| interval(&Interval::between(earliest, latest), now);
    assert_eq!(read(Some(a), Some(b)), "20:35:26–20:35:33");
    assert_eq!(read(Some(a), None), "after 20:35:26");
    assert_eq!(read(None, Some(b)), "before 20:35:33");
    assert_eq!(read(None, None), "at an unknown time");
    assert_eq!(interval(&Interval::second(a), now), "20:35:26");
    let yesterday = at("2026-10-01T23:00:00Z");
    assert_eq!(
        interval(&Interval::at(yesterday), now),
        "2026-10-01 23:00:00"
    );
}

/// An incident whose live content fails.
fn failing() -> Incident {
    let config = ConfigRef::new(ConfigKind::ConfigMap, "shop", "nginx");
    Incident {
        config: config.clone(),
        workload: WorkloadRef::new("Deployment", "shop", "frontend"),
        controller: None,
        shared_with: Vec::new(),
        findings: Vec::new(),
        cannot_tell: Vec::new(),
        revisions: vec![Revision {
            also: Vec::new(),
            person: None,
            unknown_keys: Default::default(),
            name: "B".to_owned(),
            config,
            content: None,
            hash: None,
            live: true,
            from: Interval::UNKNOWN,
            until: Interval::UNKNOWN,
            writer: None,
            source: None,
            resource_version: None,
            evidence: Vec::new(),
        }],
        changes: Vec::new(),
        replicas: Vec::new(),
        timeline: Vec::new(),
        impact: None,
        failing: Some("B".to_owned()),
        absent: false,
        route: None,
        put_back: None,
        only_copy: Vec::new(),
        misleading: Vec::new(),
        separating: Vec::new(),
    }
}

fn plan(kind: PlanKind, why: &str, what: &str) -> Plan {
    Plan {
        kind,
        recommended: false,
        headline: what.to_owned(),
        why: why.to_owned(),
        steps: vec![Step {
            what: what.to_owned(),
            command: format!("kubectl apply -f - <<EOF\n{}\nEOF", "x".repeat(110)),
            role: crate::remedy::Role::Look,
        }],
    }
}

fn next_on_a_page(recommended: Option<&Plan>, others: &[Plan]) -> String {
    let mut page = Page::default();
    next(&mut page, &failing(), recommended, others);
    page.finish()
}

#[test]
fn the_recommended_plan_is_whole_and_its_commands_are_not_wrapped() {
    let revert = plan(PlanKind::RevertThenRestart, "B fails.", "Put A back.");
    let forward = plan(PlanKind::RollForward, "If B was meant.", "Restart.");
    let text = next_on_a_page(Some(&revert), &[forward]);
    let expected = format!(
        "NEXT    revert-then-restart: B fails.\n  1. Put A back.\n      $ kubectl apply -f - <<EOF\n        {}\n        EOF\n  \
         ! Do not restart or delete anything before the content is right: each new pod loads revision B,\n    which fails.\n  \
         - Or roll-forward: If B was meant.\n",
        "x".repeat(110)
    );
    assert_eq!(text, expected);
}

#[test]
fn a_plan_that_warns_by_itself_is_not_repeated() {
    let revert = plan(
        PlanKind::RevertThenRestart,
        "Do not restart first.",
        "Put A back.",
    );
    assert_eq!(
        next_on_a_page(Some(&revert), &[])
            .matches("estart ")
            .count(),
        1
    );
}

#[test]
fn without_a_recommendation_each_plan_shows_its_steps() {
    let forward = plan(PlanKind::RollForward, "If B was meant.", "Restart all.");
    let text = next_on_a_page(None, &[forward]);
    assert!(text.contains("it depends on what was meant"), "{text}");
    assert!(
        text.contains("Restart all.") && text.contains("$ kubectl apply"),
        "{text}"
    );
}
