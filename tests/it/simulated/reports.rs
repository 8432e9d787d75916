//! What must be said of each scenario, by `diagnose`.

use confsplit::analysis::{Code, Diagnosis, Incident};
use confsplit::remedy::{Plan, plans};
use confsplit::report::{Charset, Format, write};
use confsplit::runtime::commands::Outcome;

use super::cluster::{Played, cluster, only};

pub fn page(format: Format, diagnosis: &Diagnosis) -> String {
    let mut out = Vec::new();
    write(format, Charset::Unicode, diagnosis, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The report, with its lines put together.
pub fn text(diagnosis: &Diagnosis) -> String {
    let page = page(Format::Text, diagnosis);
    let words: Vec<&str> = page.split_whitespace().collect();
    words.join(" ")
}

fn codes(incident: &Incident) -> Vec<Code> {
    incident.findings.iter().map(|f| f.code).collect()
}

/// Each replica in short: what it loaded, whether that is live, and how that is known.
pub fn loads(incident: &Incident) -> Vec<String> {
    let mut replicas: Vec<_> = incident.replicas.iter().collect();
    replicas.sort_by_key(|r| (r.live != Some(true), r.started_at, &r.pod.name));
    let said = replicas.iter().map(|r| {
        let loaded = r.loaded.as_deref().unwrap_or("-");
        let live = r.live.map_or("?", |live| if live { "live" } else { "not" });
        format!("{loaded} {live} {}", r.grade)
    });
    said.collect()
}

fn named(plans: &[Plan]) -> Vec<(&str, bool)> {
    let all = plans.iter().map(|p| (p.kind.as_str(), p.recommended));
    all.collect()
}

/// The last edit, in short.
fn change(incident: &Incident) -> Vec<(String, Option<&str>, Option<&str>)> {
    let changes = incident.changes.iter();
    let short = changes.map(|c| {
        let what = format!("{}: {}", c.key, c.setting);
        (what, c.before.as_deref(), c.after.as_deref())
    });
    short.collect()
}

fn one(
    what: &str,
    before: &'static str,
    after: &'static str,
) -> Vec<(String, Option<&'static str>, Option<&'static str>)> {
    vec![(what.to_owned(), Some(before), Some(after))]
}

/// Where the content of the revision before the live one comes from.
fn source(incident: &Incident) -> String {
    let revision = &incident.revisions[incident.revisions.len() - 2];
    let source = revision.source.as_ref();
    source.map_or_else(String::new, ToString::to_string)
}

const UNDECIDED: [(&str, bool); 2] = [("roll-forward", false), ("revert-then-restart", false)];
const REVERT: [(&str, bool); 3] = [
    ("revert-then-restart", true),
    ("mitigate-first", false),
    ("roll-forward", false),
];

#[tokio::test(start_paused = true)]
async fn partial_restart() {
    let played = Played::named("partial-restart");
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(
        codes(incident),
        [Code::SplitReplicas, Code::PortMismatch, Code::InPlaceEdit]
    );
    assert_eq!(loads(incident), ["B live ordered", "A not inferred"]);
    assert_eq!(
        change(incident),
        one("default.conf: server", "api:8080", "api:8000")
    );
    assert!(
        source(incident).starts_with("API server's history, resourceVersion "),
        "{}",
        source(incident)
    );
    assert_eq!(incident.failing.as_deref(), Some("B"));
    let plans = plans(incident, &cluster());
    assert_eq!(named(&plans), REVERT);
    let restore = &plans[0].steps[1].command;
    assert!(restore.contains("patch configmap frontend-nginx --type merge -p "));
    assert!(restore.contains(r"server api:8080;\n"), "{restore}");
    let impact = incident.impact.as_ref().unwrap();
    let sentence = &impact.sentence;
    assert!(
        sentence.contains("g5zrg 35 of 35 FAIL, kt2jr 0 of 38 failed"),
        "{sentence}"
    );
    assert!(impact.spreads);
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}

/// Five minutes later the API server has forgotten, and what the replica logs is put together.
#[tokio::test(start_paused = true)]
async fn partial_restart_five_minutes_later() {
    let played = Played::named("partial-restart");
    played.pass(300).await;
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(incident.findings[0].code, Code::SplitReplicas);
    assert_eq!(loads(incident), ["B live shown", "A not inferred"]);
    assert_eq!(
        change(incident),
        one("default.conf: server", "api:8080", "api:8000")
    );
    assert!(
        source(incident).starts_with("reconstruction"),
        "{}",
        source(incident)
    );
    let plans = plans(incident, &cluster());
    assert_eq!(named(&plans), REVERT);
    let restore = &plans[0].steps[1];
    assert!(restore.what.contains("Look at it before you write it"));
    assert!(restore.command.contains(r"server api:8080;\n"));
}

#[tokio::test(start_paused = true)]
async fn env_frozen() {
    let played = Played::named("env-frozen");
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(codes(incident), [Code::StaleEverywhere, Code::InPlaceEdit]);
    assert_eq!(loads(incident), ["A not inferred"; 3]);
    assert_eq!(
        change(incident),
        one("FEATURE_RECS: FEATURE_RECS", "on", "off")
    );
    assert!(
        source(incident).starts_with("API server's history, resourceVersion "),
        "{}",
        source(incident)
    );
    assert_eq!(named(&plans(incident, &cluster())), UNDECIDED);
    assert_eq!(incident.failing, None);
    let text = text(&diagnosis);
    assert!(text.contains("FEATURE_RECS on → off"), "{text}");
    assert!(
        text.contains("Nothing delivers it but a restart."),
        "{text}"
    );
    assert!(text.contains("rollout restart deployment/recs"), "{text}");
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}

#[tokio::test(start_paused = true)]
async fn subpath_frozen() {
    let played = Played::named("subpath-frozen");
    // So that the creation is no longer in the history.
    played.pass(2).await;
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(codes(incident), [Code::SplitReplicas, Code::InPlaceEdit]);
    assert_eq!(
        loads(incident),
        ["B live ordered", "A not shown", "A not shown"]
    );
    assert_eq!(
        change(incident),
        one("settings.yaml: mode", "blue", "green")
    );
    assert_eq!(named(&plans(incident, &cluster())), UNDECIDED);
    let via: Vec<&str> = incident
        .replicas
        .iter()
        .flat_map(|r| &r.uses)
        .map(|u| u.via.as_str())
        .collect();
    assert_eq!(via, ["subPath"; 3]);
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}

#[tokio::test(start_paused = true)]
async fn immutable_split() {
    let played = Played::named("immutable-split");
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(codes(incident), [Code::SplitReference]);
    assert_eq!(incident.replicas.len(), 5);
    let mut said = loads(incident);
    said.dedup();
    assert_eq!(said, ["B live inferred", "A not inferred"]);
    assert_eq!(
        incident
            .replicas
            .iter()
            .filter(|r| r.live == Some(true))
            .count(),
        2
    );
    let plans = plans(incident, &cluster());
    assert_eq!(named(&plans), [("repoint", true), ("roll-forward", false)]);
    let text = text(&diagnosis);
    for name in ["settings-v1", "settings-v2", "paused"] {
        assert!(text.contains(name), "{text}");
    }
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}

#[tokio::test(start_paused = true)]
async fn crash_new() {
    let played = Played::named("crash-new");
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(
        codes(incident),
        [Code::CrashOnNew, Code::SplitReplicas, Code::InPlaceEdit]
    );
    assert_eq!(loads(incident), ["B live ordered", "A not inferred"]);
    let (crashing, serving) = (&incident.replicas[0], &incident.replicas[1]);
    let (crashing, serving) = match crashing.live {
        Some(true) => (crashing, serving),
        _ => (serving, crashing),
    };
    assert!(!crashing.ready && crashing.restarts >= 4, "{crashing:?}");
    assert!(serving.ready && serving.restarts == 0, "{serving:?}");
    let cause = &incident.findings[0].sentence;
    assert!(cause.contains(r#"unknown directive "locatoin""#), "{cause}");
    assert!(cause.contains("do not restart it"), "{cause}");
    assert_eq!(incident.failing.as_deref(), Some("B"));
    assert_eq!(named(&plans(incident, &cluster())), REVERT);
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}

#[tokio::test(start_paused = true)]
async fn healthy() {
    let played = Played::named("healthy");
    let (_, diagnosis) = played.diagnose().await;
    assert_eq!(diagnosis.incidents, []);
    assert_eq!(diagnosis.suspects, []);
    let counts: Vec<_> = diagnosis.counts.iter().filter(|(_, n)| **n > 0).collect();
    assert_eq!(counts, [(&confsplit::analysis::Grade::Ordered, &3)]);
    assert_eq!(diagnosis.not_checked, []);
    let outcome = Outcome::of(&diagnosis);
    assert_eq!((outcome, outcome.code()), (Outcome::Clear, 0));
    let text = text(&diagnosis);
    assert!(text.contains("No config split in namespace shop"), "{text}");
    assert!(text.contains("0 unknown"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn argo_cd() {
    let played = Played::named("argo-cd");
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(codes(incident), [Code::SplitReplicas, Code::OwnerWillUndo]);
    assert_eq!(loads(incident), ["B live ordered", "A not inferred"]);
    assert_eq!(
        change(incident),
        one("ROUNDING: ROUNDING", "half-up", "bankers")
    );
    let owner = &incident.findings[1].sentence;
    assert!(owner.contains("Argo CD"), "{owner}");
    assert!(owner.contains("argocd app set"), "{owner}");
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}

#[tokio::test(start_paused = true)]
async fn half_year() {
    let played = Played::named("half-year");
    let (_, diagnosis) = played.diagnose().await;
    let incident = only(&diagnosis);
    assert_eq!(codes(incident), [Code::SplitReplicas, Code::InPlaceEdit]);
    assert_eq!(
        loads(incident),
        ["B live inferred", "A not inferred", "A not inferred"]
    );
    assert_eq!(change(incident), one("MAX_ITEMS: MAX_ITEMS", "500", "50"));
    // No history is left of it, but the annotation that the patch did not touch.
    assert_eq!(source(incident), "last-applied-configuration annotation");
    let cause = &incident.findings[0].sentence;
    assert!(cause.contains("was edited 2026-06-01 10:50:00"), "{cause}");
    let not_checked: Vec<&str> = diagnosis.not_checked.iter().map(|n| &*n.what).collect();
    for what in [
        "Contents of ConfigMap/limits before the oldest that is shown",
        "Kills and restarts around the edit of ConfigMap/limits",
    ] {
        assert!(not_checked.contains(&what), "{not_checked:?}");
    }
    assert_eq!(Outcome::of(&diagnosis), Outcome::Incident);
}
