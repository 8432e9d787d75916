//! The logs tab with a million lines: taking them in, more of them, searching, and a frame at 200×60.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench fails by panicking, and prints what criterion does not measure"
)]

mod dashboard;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use confsplit::analysis::{Diagnosis, diagnose};
use confsplit::app::keymap::Key;
use confsplit::app::{App, Msg};
use confsplit::capture;
use confsplit::model::{Facts, LogText, Snapshot};
use confsplit::ui;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use dashboard::{SIZE, tell};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const LINES: usize = 1_000_000;
const A_PIECE: usize = 2_000;

fn shipped() -> Snapshot {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/partial-restart.capture"
    );
    capture::open(std::path::Path::new(path))
        .expect("the shipped capture")
        .snapshot
}

/// Lines of all kinds from one moment on, a millisecond apart.
fn text(from: DateTime<Utc>, pod: usize, lines: usize) -> String {
    (0..lines)
        .map(|n| {
            let at = from + TimeDelta::milliseconds(2 * n as i64 + pod as i64);
            let at = at.to_rfc3339_opts(chrono::SecondsFormat::Nanos, true);
            match n % 10 {
                0 if pod == 1 => format!("{at} 2026/11/30 07:34:49 [error] 8#8: *80 upstream timed out (110: Connection timed out) while connecting to upstream, client: 10.244.1.57, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.73.13:8000/items\", host: \"frontend\"\n"),
                1 => format!("{at} {{\"level\":\"info\",\"msg\":\"request served\",\"path\":\"/api/items/{n}\",\"took\":0.{n}}}\n"),
                _ => format!("{at} 10.244.1.57 - - [30/Nov/2026:07:34:49 +0000] \"GET /api/items HTTP/1.1\" {} 167 \"-\" \"Go-http-client/1.1\" \"-\"\n", if pod == 1 && n % 10 == 2 { 504 } else { 200 }),
            }
        })
        .collect()
}

/// The shipped incident with a million lines in pieces, as a follower leaves them.
fn million() -> Snapshot {
    let mut snapshot = shipped();
    let from = snapshot.taken_at;
    snapshot.logs.truncate(2);
    let each = LINES / 2;
    for (pod, log) in snapshot.logs.iter_mut().enumerate() {
        log.text = (0..each / A_PIECE)
            .map(|n| {
                let at = from + TimeDelta::milliseconds((2 * n * A_PIECE) as i64);
                text(at, pod, A_PIECE)
            })
            .collect::<LogText>();
    }
    snapshot
}

fn app(diagnosis: &Arc<Diagnosis>, snapshot: &Snapshot) -> App {
    let mut app = dashboard::open(snapshot, snapshot.taken_at);
    tell(&mut app, diagnosis.clone(), Facts::of(snapshot.clone()));
    app
}

fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        let key = if key == '\n' {
            Key::Enter
        } else {
            Key::Char(key)
        };
        app.update(Msg::Key(key));
    }
}

fn frames(c: &mut Criterion, diagnosis: &Arc<Diagnosis>, snapshot: &Snapshot) {
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).expect("a terminal");
    for (name, keys) in [
        ("frame at the end", "4F"),
        ("frame in the middle, searching", "4F/api|items|504\nkkkk"),
        ("frame, wrapped", "4FW"),
        ("frame below the summary", "4"),
    ] {
        let mut app = app(diagnosis, snapshot);
        press(&mut app, keys);
        c.bench_function(name, |b| {
            b.iter(|| {
                terminal
                    .draw(|frame| drop(ui::draw(black_box(&app), frame)))
                    .map(|_| ())
            });
        });
        let mut took: Vec<Duration> = (0..1_000)
            .map(|n| {
                press(&mut app, if n % 2 == 0 { "k" } else { "j" });
                let start = Instant::now();
                terminal
                    .draw(|frame| drop(ui::draw(&app, frame)))
                    .expect("a frame");
                start.elapsed()
            })
            .collect();
        took.sort_unstable();
        println!("{name}: p50 {:?}, p99 {:?}", took[500], took[990]);
    }
}

fn logs(c: &mut Criterion) {
    let snapshot = million();
    let diagnosis = Arc::new(diagnose(&shipped()));
    frames(c, &diagnosis, &snapshot);
    let mut group = c.benchmark_group("a million lines");
    group.sample_size(10);
    group.bench_function("opening the tab", |b| {
        b.iter_batched(
            || app(&diagnosis, &snapshot),
            |mut app| {
                press(&mut app, "4");
                app
            },
            BatchSize::PerIteration,
        );
    });
    let mut open = app(&diagnosis, &snapshot);
    press(&mut open, "4");
    for (name, keys) in [
        ("search for a word", "refused\n"),
        ("search for an expression", "\" 50[0-9] .*Go\n"),
    ] {
        group.bench_function(name, |b| {
            b.iter_batched(
                || (),
                |()| {
                    press(&mut open, "/");
                    open.update(Msg::Key(Key::Ctrl('u')));
                    press(&mut open, keys);
                },
                BatchSize::PerIteration,
            );
        });
    }
    let mut open = app(&diagnosis, &snapshot);
    press(&mut open, "4");
    let mut grown = snapshot.clone();
    let mut at = snapshot.taken_at + TimeDelta::milliseconds(LINES as i64);
    group.bench_function("2 × 500 lines more", |b| {
        b.iter_batched(
            || {
                for (pod, log) in grown.logs.iter_mut().enumerate() {
                    log.text.push(&text(at, pod, 500));
                    log.text.keep_last(200 << 20);
                }
                at += TimeDelta::seconds(1);
                Facts::of(grown.clone())
            },
            |facts| tell(&mut open, diagnosis.clone(), facts),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, logs);
criterion_main!(benches);
