//! Plays many sequences on all cores, and fails with those that show that a claim is false.
//!
//! `CONFSPLIT_SEQUENCES` is how many, `CONFSPLIT_SEED` one alone, with its story.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use confsplit::analysis::Grade;

use crate::claims::{Falsehood, Measured, is_reported, measure};
use crate::play::{describe, play};

/// Played where nothing else is asked for: a twentieth of what `.ci/run` plays.
const SEQUENCES: u64 = 5_000;
/// Seeds that a thread takes at once.
const BATCH: u64 = 64;

/// One kind of false claim: how often, and the shortest sequence that shows it.
#[derive(Debug, Clone)]
struct Kind {
    count: usize,
    /// How much there is to read in it.
    size: usize,
    seed: u64,
    example: Falsehood,
}

#[derive(Debug, Default)]
struct Sum {
    measured: Measured,
    kinds: BTreeMap<String, Kind>,
    sequences: u64,
}

impl Sum {
    fn take(&mut self, seed: u64) {
        let played = play(seed, false);
        let found = measure(&played);
        self.sequences += 1;
        // A report is judged by the same code, which need not be shown by every sequence.
        if seed.is_multiple_of(16) {
            assert!(
                is_reported(&played),
                "seed {seed}: a report says other than was judged"
            );
        }
        for falsehood in &found.falsehoods {
            self.note(Kind {
                count: 1,
                size: played.size(),
                seed,
                example: falsehood.clone(),
            });
        }
        self.count(&found);
    }

    fn count(&mut self, found: &Measured) {
        for (sum, more) in self.measured.claims.iter_mut().zip(found.claims) {
            *sum += more;
        }
        self.measured.unknown += found.unknown;
        self.measured.unjudged += found.unjudged;
    }

    fn note(&mut self, kind: Kind) {
        let known = self.kinds.entry(kind.example.kind()).or_insert(Kind {
            count: 0,
            ..kind.clone()
        });
        known.count += kind.count;
        if (kind.size, kind.seed) < (known.size, known.seed) {
            *known = Kind {
                count: known.count,
                ..kind
            };
        }
    }

    fn add(&mut self, other: Self) {
        self.sequences += other.sequences;
        self.count(&other.measured);
        other.kinds.into_values().for_each(|kind| self.note(kind));
    }
}

fn play_all(sequences: u64) -> Sum {
    let next = AtomicU64::new(0);
    let work = || {
        let mut sum = Sum::default();
        loop {
            let from = next.fetch_add(BATCH, Ordering::Relaxed);
            if from >= sequences {
                return sum;
            }
            (from..(from + BATCH).min(sequences)).for_each(|seed| sum.take(seed));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut all = Sum::default();
        for thread in threads {
            all.add(thread.join().expect("a sequence that can be played"));
        }
        all
    })
}

/// The story of a seed, and what is claimed falsely in the end.
fn story(seed: u64) -> String {
    let played = play(seed, true);
    let world = &played.world;
    let clocks: Vec<i64> = world.nodes.iter().map(|node| node.offset).collect();
    let mut lines = vec![format!(
        "seed {seed}; the nodes' clocks are before by {clocks:?} ms"
    )];
    lines.extend(describe(&world.template));
    lines.extend(world.story.clone().unwrap_or_default());
    for falsehood in measure(&played).falsehoods {
        lines.push(format!(
            "FALSE {}: {}\n  because {}\n  truly {}",
            falsehood.grade, falsehood.claim, falsehood.why, falsehood.truth
        ));
    }
    lines.join("\n")
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn no_claim_is_false() {
    if let Some(seed) = number("CONFSPLIT_SEED") {
        println!("{}", story(seed));
        return assert!(measure(&play(seed, false)).falsehoods.is_empty());
    }
    let begun = Instant::now();
    let sum = play_all(number("CONFSPLIT_SEQUENCES").unwrap_or(SEQUENCES));
    let claims: usize = sum.measured.claims.iter().sum();
    let all = claims + sum.measured.unknown;
    println!("{} sequences in {:.1?}", sum.sequences, begun.elapsed());
    for grade in [Grade::Proved, Grade::Ordered, Grade::Shown, Grade::Inferred] {
        println!("{grade}: {}", sum.measured.claims[grade as usize]);
    }
    println!(
        "unknown: {} ({:.1} %); not judged, since clocks differ, a program reads again, or an edit left no time: {}",
        sum.measured.unknown,
        100.0 * sum.measured.unknown as f64 / all as f64,
        sum.measured.unjudged
    );
    let mut kinds: Vec<(&String, &Kind)> = sum.kinds.iter().collect();
    kinds.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
    for (name, kind) in &kinds {
        println!("FALSE {} times, seed {}: {name}", kind.count, kind.seed);
    }
    assert!(
        kinds.is_empty(),
        "{} kinds of false claims; the commonest:\n{}",
        kinds.len(),
        story(kinds[0].1.seed)
    );
}
