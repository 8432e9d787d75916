//! The words that separate, from a snapshot to every report: by revisions, by failures, in which window, and as a hint alone.

use confsplit::analysis::{Grade, Group, Incident, MarkKind, Marks, SignalKind, diagnose};
use confsplit::model::{Pod, Snapshot};
use confsplit::report::{self, Charset, Format};

use crate::build::*;

/// Three pods that take a ConfigMap by envFrom, edited at 60: `old-1` and `old-2` started before, `new-1` after. Each logs
/// what is given, each second up to 300.
fn split(lines: &dyn Fn(&str, i64) -> Vec<String>) -> Snapshot {
    let before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    let live = patched(&before, 60, 500, "FEATURE_RECS", "off");
    let mut s = snapshot();
    s.taken_at = t(300);
    let take = Take::EnvFrom("features");
    let pods = [("old11", 5), ("old22", 6), ("new33", 90)];
    let pods: Vec<Pod> = pods
        .iter()
        .map(|(name, at)| pod("catalog", name, *at, &take))
        .collect();
    for pod in &pods {
        let started = pod.containers[0].started_at().unwrap();
        let from = (started - t(0)).num_seconds();
        let all: Vec<(i64, String)> = (from..300)
            .flat_map(|second| {
                let lines = lines(&pod.reference.name, second - from);
                lines.into_iter().map(move |line| (second, line))
            })
            .collect();
        let all: Vec<(i64, &str)> = all.iter().map(|(at, line)| (*at, line.as_str())).collect();
        s.logs.push(log(pod, &all));
    }
    s.earlier = vec![earlier(&[&before], confsplit::model::ChainEnd::Created)];
    s.configs = shared(vec![live]);
    s.pods = shared(pods);
    s
}

fn usual(name: &str, second: i64) -> Vec<String> {
    let mut lines = vec![format!(
        "{name} served {second} pages in {}ms",
        second * 7 % 90
    )];
    if second < 20 {
        // What every start says, and the older pods said it long ago.
        lines.push(format!("warming the cache, step {second}"));
    }
    lines
}

fn with_words(name: &str, second: i64) -> Vec<String> {
    let mut lines = usual(name, second);
    if name.contains("new") {
        lines.push(format!(
            "no recommender, using the top sellers for visit {second}"
        ));
    }
    lines
}

fn only(snapshot: &Snapshot) -> Incident {
    let report = diagnose(snapshot);
    assert_eq!(report.incidents.len(), 1, "{}", report.verdict);
    report.incidents[0].clone()
}

#[test]
fn what_only_one_revisions_replicas_log_is_told_with_its_counts_window_and_line() {
    let report = diagnose(&split(&with_words));
    let incident = &report.incidents[0];
    let [words] = incident.separating.as_slice() else {
        panic!("{:?}", incident.separating);
    };
    assert_eq!(words.text, "no recommender");
    assert_eq!(words.group, Group::Revision("B".to_owned()));
    assert_eq!(
        (words.replicas_with, words.replicas_of, words.others),
        (1, 1, 2)
    );
    // The youngest started at 91, and its start is over 30 s later.
    assert_eq!(words.window, (t(121), t(300)));
    assert_eq!((words.lines, words.other_lines), (179, 358));
    let cited = &report.evidence[words.evidence[0] - 1];
    assert_eq!(
        cited.excerpt,
        "no recommender, using the top sellers for visit 208"
    );
    assert!(cited.command.contains("logs catalog-76d98597b9-new33"));
    let signal = incident.replicas[2].signals.last().unwrap();
    assert_eq!((signal.kind, signal.count), (SignalKind::Word, 179));
    assert_eq!(signal.revision, None, "a hint explains nothing");
}

#[test]
fn it_changes_no_grade() {
    let grades = |snapshot: &Snapshot| -> Vec<(Option<String>, Grade, String)> {
        let replicas = only(snapshot).replicas.into_iter();
        replicas.map(|r| (r.loaded, r.grade, r.why)).collect()
    };
    assert_eq!(grades(&split(&with_words)), grades(&split(&usual)));
}

#[test]
fn what_every_start_says_separates_nothing() {
    let incident = only(&split(&usual));
    assert_eq!(incident.separating, []);
}

#[test]
fn a_log_that_begins_late_narrows_the_window() {
    let mut s = split(&with_words);
    let late: Vec<(i64, String)> = (200..300)
        .map(|second| {
            (
                second,
                format!("catalog-76d98597b9-old11 served {second} pages"),
            )
        })
        .collect();
    let late: Vec<(i64, &str)> = late.iter().map(|(at, line)| (*at, line.as_str())).collect();
    let mut cut = log(&s.pods[0], &late);
    cut.complete = false;
    cut.missing = Some("no lines before 20:38:20; whether there were any is not known".to_owned());
    s.logs[0] = cut;
    let incident = only(&s);
    assert_eq!(incident.separating[0].window.0, t(200));
    assert_eq!(incident.separating[0].lines, 100);
}

#[test]
fn replicas_that_have_hardly_run_together_are_not_compared_and_that_is_said() {
    let mut s = split(&with_words);
    s.taken_at = t(125);
    let report = diagnose(&s);
    assert_eq!(report.incidents[0].separating, []);
    let open = report
        .not_checked
        .iter()
        .find(|item| item.what == "What only some replicas of Deployment/catalog log");
    assert_eq!(
        open.unwrap().why,
        "they have run side by side only since 20:37:01 UTC"
    );
}

#[test]
fn replicas_that_log_nothing_are_named() {
    let report = diagnose(&split(&|name, second| {
        if name.contains("new") {
            with_words(name, second)
        } else {
            (second == 0).then(|| "up".to_owned()).into_iter().collect()
        }
    }));
    assert_eq!(report.incidents[0].separating, []);
    let why = |part: &str| {
        report
            .not_checked
            .iter()
            .any(|item| item.why.contains(part))
    };
    assert!(
        why("catalog-76d98597b9-old11 and catalog-76d98597b9-old22 logged nothing meanwhile"),
        "{:?}",
        report.not_checked
    );
}

#[test]
fn where_loads_do_not_part_the_replicas_their_answers_do_and_it_is_said() {
    // All started after the edit; one fails, and says something of its own.
    let mut s = split(&|name, second| {
        let failing = name.contains("old11");
        let mut lines = vec![access(if failing { 503 } else { 200 })];
        if failing {
            lines.push(format!("cannot reach shard seven, try {second}"));
        }
        lines
    });
    let Some(confsplit::model::Content::Plain { data, .. }) = &mut s.earlier[0].versions[0].content
    else {
        panic!("plain content");
    };
    data.insert("FEATURE_RECS".to_owned(), "maybe".to_owned());
    s.earlier[0].versions[0].managed[0].time = Some(t(-600));
    s.earlier[0].versions[0].created = Some(t(-600));
    s.configs[0] = {
        let mut live = confsplit::model::Config::clone(&s.configs[0]);
        live.created = Some(t(-600));
        live.managed[0].time = Some(t(-600));
        live.managed[1].time = Some(t(290));
        live.into()
    };
    let report = diagnose(&s);
    let incident = &report.incidents[0];
    let loads: Vec<_> = incident
        .replicas
        .iter()
        .map(|r| r.loaded.as_deref())
        .collect();
    assert_eq!(loads, [Some("A"); 3], "one group by loads");
    let [words] = incident.separating.as_slice() else {
        panic!("{:?}", incident.separating);
    };
    assert_eq!(
        (words.group.clone(), words.text.as_str()),
        (Group::Failing, "cannot reach shard seven")
    );
    let sentence = words.sentence(s.taken_at);
    assert!(
        sentence.contains(
            "logged by the one replica that fails (by their answers, not by what they loaded), in "
        ),
        "{sentence}"
    );
}

#[test]
fn the_reports_show_it_as_a_hint_and_the_contract_is_as_it_was() {
    let report = diagnose(&split(&with_words));
    let written = |format| {
        let mut out = Vec::new();
        report::write(format, Charset::Unicode, &report, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let text = written(Format::Text);
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "ONLY SOME LOG (a hint: it may come of their traffic as well)",
        "“no recommender”: logged by the one replica that loaded B, in 179 lines, and by none of the 2 others, in 358 lines; all between 20:37:01 and 20:40:00 UTC.",
    ] {
        assert!(plain.contains(part), "{part}\n{text}");
    }
    assert!(written(Format::Markdown).contains("### Only some log"));
    let json: serde_json::Value = serde_json::from_str(&written(Format::Json)).unwrap();
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../assets/report.schema.json")).unwrap();
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&json)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [] as [String; 0]);
    assert!(!json.to_string().contains("\"word\""));
}

#[test]
fn the_logs_tab_marks_their_lines() {
    let marks = Marks::of(&only(&split(&with_words)));
    let place = marks
        .of_line("no recommender, using the top sellers for visit 7")
        .unwrap();
    let mark = &marks.list()[place];
    assert_eq!(mark.kind, MarkKind::Signal(SignalKind::Word));
    assert_eq!(marks.of_line("catalog served 4 pages in 3ms"), None);
    assert_eq!(marks.words("x no recommender, y").first(), Some(&(2..16)));
}

#[test]
fn a_second_look_at_a_log_that_grew_comes_to_the_same() {
    let whole = split(&with_words);
    let mut analyst = confsplit::analysis::Analyst::default();
    let mut first = whole.clone();
    for log in &mut first.logs {
        let text = log.text.to_string();
        let half = text[..text.len() / 2].rfind('\n').unwrap() + 1;
        log.text = text[..half].to_owned().into();
    }
    analyst.look(&first);
    for (log, known) in first.logs.iter_mut().zip(&whole.logs) {
        let text = known.text.to_string();
        log.text.push(&text[log.text.len()..]);
    }
    assert_eq!(analyst.look(&first).diagnosis, diagnose(&whole));
}
