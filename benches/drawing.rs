//! A frame at 200×60 where lists are long: 10,000 incidents, an incident with 10,000 replicas, a timeline with 10,000 entries.
//! Goal: 99 of 100 frames within 5 ms.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench fails by panicking, and prints what criterion does not measure"
)]

mod dashboard;
mod made;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use confsplit::analysis::{Diagnosis, Entry, EntryKind, Lane, diagnose};
use confsplit::app::keymap::Key;
use confsplit::app::{App, Msg};
use confsplit::model::{Facts, Interval, Snapshot};
use confsplit::ui;
use criterion::{Criterion, criterion_group, criterion_main};
use dashboard::SIZE;
use made::{Size, t};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const MANY: usize = 10_000;
const FRAMES: i64 = 1_000;
const GOAL: Duration = Duration::from_millis(5);

/// One Deployment, all of whose replicas run what was before the edit.
fn one(replicas: usize) -> Snapshot {
    made::snapshot(Size {
        namespaces: 1,
        deployments: 1,
        replicas,
        events: 0,
    })
}

fn many_incidents(snapshot: &Snapshot) -> Diagnosis {
    let mut diagnosis = diagnose(snapshot);
    let first = diagnosis.incidents[0].clone();
    diagnosis.incidents = (0..MANY)
        .map(|at| {
            let mut incident = first.clone();
            incident.config.namespace = format!("team-{:03}", at / 20);
            incident.config.name = format!("app-{at:05}");
            incident.workload.namespace = incident.config.namespace.clone();
            incident.workload.name = incident.config.name.clone();
            incident
        })
        .collect();
    diagnosis
}

/// An entry every quarter of a second, on the lanes of as many pods, of which most are gone.
fn long_timeline(snapshot: &Snapshot) -> Diagnosis {
    let mut diagnosis = diagnose(snapshot);
    let entries = (0..MANY).map(|at| {
        let moment = t(0) + TimeDelta::milliseconds(250 * at as i64);
        Entry {
            at: Interval::at(moment),
            lane: Lane::Pod(format!("app-00-5d4c8b7f6-{:05}", at / 2)),
            kind: match at % 2 {
                0 => EntryKind::Started,
                _ => EntryKind::Event,
            },
            what: format!("container app started for the {at}th time"),
            evidence: vec![1, 2, 3],
        }
    });
    diagnosis.incidents[0].timeline.extend(entries);
    diagnosis.taken_at = t(3_000);
    diagnosis
}

fn app(diagnosis: &Arc<Diagnosis>, snapshot: &Snapshot) -> App {
    let mut app = dashboard::open(snapshot, t(660));
    tell(&mut app, diagnosis, snapshot);
    app
}

fn tell(app: &mut App, diagnosis: &Arc<Diagnosis>, snapshot: &Snapshot) {
    dashboard::tell(app, diagnosis.clone(), Facts::of(snapshot.clone()));
}

fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        app.update(Msg::Key(match key {
            '\n' => Key::Enter,
            key => Key::Char(key),
        }));
    }
}

/// What a key and its frame took, the frame of each second, and that of news.
struct Took {
    name: &'static str,
    keys: Vec<Duration>,
    seconds: Vec<Duration>,
    news: Vec<Duration>,
}

/// A name, what to show, and the keys that lead there.
type Case<'a> = (
    &'static str,
    (&'a Arc<Diagnosis>, &'a Snapshot),
    &'static str,
);

fn measure(
    c: &mut Criterion,
    terminal: &mut Terminal<TestBackend>,
    (name, (diagnosis, snapshot), keys): Case<'_>,
) -> Took {
    let mut draw = |app: &App| {
        terminal
            .draw(|frame| drop(ui::draw(black_box(app), frame)))
            .unwrap();
    };
    let mut app = app(diagnosis, snapshot);
    press(&mut app, keys);
    for _ in 0..30 {
        press(&mut app, "j");
    }
    c.bench_function(name, |b| b.iter(|| draw(&app)));
    let mut times = |count: i64, change: &mut dyn FnMut(&mut App, i64)| {
        let mut times: Vec<Duration> = (0..count)
            .map(|n| {
                let start = Instant::now();
                change(&mut app, n);
                draw(&app);
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        times
    };
    Took {
        name,
        keys: times(FRAMES, &mut |app, n| {
            press(app, if n % 2 == 0 { "k" } else { "j" });
        }),
        // Ages change.
        seconds: times(50, &mut |app, n| drop(app.update(Msg::Tick(t(700 + n))))),
        news: times(20, &mut |app, _| tell(app, diagnosis, snapshot)),
    }
}

fn frames(c: &mut Criterion) {
    let (small, large) = (one(10), one(MANY));
    let incidents = Arc::new(many_incidents(&small));
    let replicas = Arc::new(diagnose(&large));
    let entries = Arc::new(long_timeline(&small));
    let incidents = (&incidents, &small);
    let replicas = (&replicas, &large);
    let entries = (&entries, &small);
    let cases: [Case<'_>; 11] = [
        ("10,000 incidents", incidents, ""),
        ("10,000 incidents, by name", incidents, "s"),
        ("10,000 incidents, filtered", incidents, "/app-0.*stale\n"),
        ("10,000 replicas: timeline", replicas, "1"),
        ("10,000 replicas: list", replicas, "2"),
        ("10,000 replicas: list, filtered", replicas, "2/0.*no\n"),
        ("10,000 replicas: diff", replicas, "3"),
        ("10,000 replicas: evidence", replicas, "5"),
        ("10,000 replicas: plan", replicas, "6"),
        ("10,000 entries", entries, "1"),
        ("10,000 entries, filtered", entries, "1/7.*th\n"),
    ];
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
    let took = cases.map(|case| measure(c, &mut terminal, case));
    println!("\nat 200×60, goal: p99 of a key and its frame ≤ {GOAL:?}");
    println!(
        "{:34} {:>10} {:>10}  {:7} {:>12} {:>12}",
        "", "key p50", "p99", "", "a second p50", "news p50"
    );
    for took in took {
        let p99 = took.keys[took.keys.len() * 99 / 100];
        println!(
            "{:34} {:>10.2?} {p99:>10.2?}  {:7} {:>12.2?} {:>12.2?}",
            took.name,
            took.keys[took.keys.len() / 2],
            if p99 <= GOAL { "met" } else { "NOT met" },
            took.seconds[took.seconds.len() / 2],
            took.news[took.news.len() / 2],
        );
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = frames
}
criterion_main!(benches);
