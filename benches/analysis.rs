//! Looking at 10,000 pods, 1,000 ConfigMaps and 10,000 events, of which 50 configs were edited: for the first time, and again
//! after one thing changed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench fails by panicking, and prints what criterion does not measure"
)]

mod made;

use std::hint::black_box;

use confsplit::analysis::Analyst;
use confsplit::model::Snapshot;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

/// 10,000 pods, 1,000 ConfigMaps, 10,000 events, and 50 configs that were edited.
const LARGE: made::Size = made::Size {
    namespaces: 50,
    deployments: 20,
    replicas: 10,
    events: 10_000,
};

/// An analyst that has looked at everything, and what it looked at.
fn looked(snapshot: &Snapshot) -> Analyst {
    let mut analyst = Analyst::default();
    let look = analyst.look(snapshot);
    assert_eq!(look.diagnosis.incidents.len(), LARGE.namespaces);
    analyst
}

fn looks(criterion: &mut Criterion) {
    let snapshot = made::snapshot(LARGE);
    println!(
        "{} pods, {} ConfigMaps, {} events, {} workloads",
        snapshot.pods.len(),
        snapshot.configs.len(),
        snapshot.events.len(),
        snapshot.workloads.len()
    );
    let mut group = criterion.benchmark_group("analysis");
    group.sample_size(20);
    group.bench_function("first look", |bencher| {
        bencher.iter_batched(
            Analyst::default,
            |mut analyst| {
                let look = analyst.look(black_box(&snapshot));
                (analyst, look)
            },
            BatchSize::PerIteration,
        );
    });
    let mut analyst = looked(&snapshot);
    group.bench_function("nothing changed", |bencher| {
        bencher.iter(|| analyst.look(black_box(&snapshot)));
    });
    let mut analyst = looked(&snapshot);
    let mut changing = snapshot.clone();
    group.bench_function("one pod changed", |bencher| {
        bencher.iter_batched(
            || {
                // Of app-10 of some namespace, which has no incident.
                let pod = &mut changing.pods[2_105];
                pod.ready = !pod.ready;
                changing.clone()
            },
            |snapshot| (analyst.look(&snapshot), snapshot),
            BatchSize::PerIteration,
        );
    });
    let mut analyst = looked(&snapshot);
    let mut changing = snapshot.clone();
    let (before, at) = (snapshot.configs[210].clone(), 210);
    group.bench_function("one ConfigMap changed", |bencher| {
        bencher.iter_batched(
            || {
                let same = changing.configs[at].resource_version == before.resource_version;
                changing.configs[at] = match same {
                    true => made::edited(&before, "off").into(),
                    false => before.clone(),
                };
                changing.clone()
            },
            |snapshot| (analyst.look(&snapshot), snapshot),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, looks);
criterion_main!(benches);
