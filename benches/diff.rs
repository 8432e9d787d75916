//! What opening a diff and each frame of it cost: small and large contents, many keys, and lines in another order.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot be set up has nothing to measure"
)]

mod dashboard;

use std::fmt::Write as _;
use std::hint::black_box;

use confsplit::analysis::diagnose;
use confsplit::app::keymap::Key;
use confsplit::app::{App, Msg};
use confsplit::model::{Content, Facts};
use confsplit::ui;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use dashboard::SIZE;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn line(n: usize, value: usize) -> String {
    format!("key_{n:05}: \"http://svc-{n}.shop.svc.cluster.local:8080/path/{value}\"\n")
}

fn nginx() -> (Content, Content) {
    let conf = "upstream api {\n  server api:8080;\n}\nserver {\n  listen 80;\n  location / { proxy_pass http://api/; }\n}\n";
    let new = conf.replace("8080", "8000");
    (
        Content::text([("default.conf", conf)]),
        Content::text([("default.conf", &*new)]),
    )
}

/// 1 MiB under one key, one line of a hundred changed.
fn mebibyte() -> (Content, Content) {
    let text = |edited: bool| {
        let mut text = String::new();
        for n in 0.. {
            text.push_str(&line(n, if edited && n % 100 == 0 { n + 1 } else { n }));
            if text.len() >= 1 << 20 {
                return text;
            }
        }
        text
    };
    (
        Content::text([("big", &*text(false))]),
        Content::text([("big", &*text(true))]),
    )
}

/// 1 MiB in one line, changed near its end.
fn one_line() -> (Content, Content) {
    let old = "x=1, ".repeat((1 << 20) / 5);
    let mut new = old.clone();
    new.replace_range(1_000_000..1_000_001, "y");
    (
        Content::text([("line", &*old)]),
        Content::text([("line", &*new)]),
    )
}

fn many_keys() -> (Content, Content) {
    let content = |edited: bool| {
        let keys: Vec<(String, String)> = (0..5_500)
            .map(|n| {
                (
                    format!("key-{n:05}"),
                    line(n, if edited && n % 2_000 == 7 { n + 1 } else { n }),
                )
            })
            .collect();
        Content::text(keys.iter().map(|(k, v)| (k.as_str(), v.as_str())))
    };
    (content(false), content(true))
}

fn shuffled() -> (Content, Content) {
    let (mut old, mut new) = (String::new(), String::new());
    for n in 0..5_000 {
        let _ = write!(old, "{}", line(n, n));
        // 3 and 5,000 have no divisor in common, so every line comes once.
        let at = n * 2_999 % 5_000;
        let _ = write!(new, "{}", line(at, at));
    }
    (
        Content::text([("lines", &*old)]),
        Content::text([("lines", &*new)]),
    )
}

/// The capture that comes with the project, its config holding these contents.
fn app((old, new): (Content, Content)) -> App {
    let bytes = std::fs::read("assets/partial-restart.capture").unwrap();
    let mut snapshot = confsplit::capture::read(&bytes[..]).unwrap().snapshot;
    let mut diagnosis = diagnose(&snapshot);
    let incident = &mut diagnosis.incidents[0];
    let config = snapshot
        .configs
        .iter_mut()
        .find(|c| c.reference == incident.config);
    config.unwrap().content = Some(new.clone());
    let revisions = &mut incident.revisions;
    let last = revisions.len() - 1;
    revisions[0].content = Some(old);
    revisions[0].hash = Some("0a".into());
    revisions[last].content = Some(new);
    let mut app = dashboard::open(&snapshot, snapshot.taken_at);
    dashboard::tell(&mut app, diagnosis.into(), Facts::of(snapshot));
    app
}

fn press(app: &mut App, key: char) {
    app.update(Msg::Key(Key::Char(key)));
}

fn diffs(criterion: &mut Criterion) {
    type Case = (&'static str, fn() -> (Content, Content));
    let cases: [Case; 5] = [
        ("nginx", nginx),
        ("1 MiB, 1 % changed", mebibyte),
        ("1 MiB in one line", one_line),
        ("5,500 keys, 3 changed", many_keys),
        ("5,000 lines shuffled", shuffled),
    ];
    let mut group = criterion.benchmark_group("diff");
    group.sample_size(20);
    for (name, contents) in cases {
        let mut app = app(contents());
        group.bench_function(format!("open: {name}"), |bencher| {
            bencher.iter_batched(
                || (),
                |()| {
                    press(&mut app, '1');
                    press(&mut app, '3');
                },
                BatchSize::PerIteration,
            );
        });
        let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
        press(&mut app, '3');
        // Down and up again: at the end of a text there would be nothing to draw.
        let mut down = false;
        group.bench_function(format!("key and frame: {name}"), |bencher| {
            bencher.iter(|| {
                down = !down;
                press(&mut app, if down { 'j' } else { 'k' });
                terminal
                    .draw(|frame| drop(ui::draw(black_box(&app), frame)))
                    .unwrap();
            });
        });
        press(&mut app, 'o');
        group.bench_function(format!("object, key and frame: {name}"), |bencher| {
            bencher.iter(|| {
                down = !down;
                press(&mut app, if down { 'j' } else { 'k' });
                terminal
                    .draw(|frame| drop(ui::draw(black_box(&app), frame)))
                    .unwrap();
            });
        });
        press(&mut app, 'o');
    }
    group.finish();
}

criterion_group!(benches, diffs);
criterion_main!(benches);
