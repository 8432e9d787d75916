//! A claim that is wrong is found.

use std::rc::Rc;

use confsplit::analysis::{Grade, Judged, judged};

use super::{Measured, compare_pair, measure};
use crate::play::{Played, play};

/// Seeds of sequences in which a load is known by order. Where they tell it no longer, others are looked for.
const ORDERED: [u64; 20] = [
    55, 125, 131, 354, 358, 360, 443, 464, 571, 1062, 1081, 1096, 1148, 1166, 1237, 1519, 1593,
    1754, 1814, 1834,
];
/// And of which an older one of two revisions is.
const OLDER: [u64; 3] = [131, 571, 1096];

/// Pairs of sequences in which nothing is claimed falsely, of these seeds first.
fn sound(first: &[u64]) -> impl Iterator<Item = (Rc<Played>, Judged)> {
    let seeds = first.iter().copied().chain(0..20_000);
    seeds
        .map(|seed| play(seed, false))
        .filter(|played| played.synchronous && measure(played).falsehoods.is_empty())
        .flat_map(|played| {
            let played = Rc::new(played);
            let pairs = judged(&played.snapshot).into_iter();
            pairs.map(move |pair| (Rc::clone(&played), pair))
        })
}

fn found(played: &Played, pair: &Judged) -> usize {
    let mut measured = Measured::default();
    compare_pair(played, pair, &mut measured);
    measured.falsehoods.len()
}

#[test]
fn a_load_that_is_said_to_be_other_than_live_is_found() {
    let mut tried = 0;
    for (played, mut pair) in sound(&ORDERED) {
        let uses = pair.replicas.iter_mut().flat_map(|r| &mut r.uses);
        let mut claims = uses.filter(|u| u.live.is_some() && u.grade == Grade::Ordered);
        let Some(claim) = claims.next() else { continue };
        claim.live = claim.live.map(|live| !live);
        assert!(found(&played, &pair) > 0, "seed {}", played.seed);
        tried += 1;
        if tried == 20 {
            return;
        }
    }
    panic!("no sequence in which something is claimed");
}

#[test]
fn a_revision_that_was_not_loaded_is_found() {
    let mut tried = 0;
    for (played, mut pair) in sound(&OLDER) {
        let [older, newer] = pair.revisions.as_slice() else {
            continue;
        };
        if older.content.is_none() {
            continue;
        }
        let (older, newer) = (older.name.clone(), newer.name.clone());
        let uses = pair.replicas.iter_mut().flat_map(|r| &mut r.uses);
        let mut claims = uses.filter(|u| u.live == Some(false) && u.grade == Grade::Ordered);
        let Some(claim) = claims.next() else { continue };
        assert_eq!(claim.loaded, Some(older));
        claim.loaded = Some(newer);
        assert!(found(&played, &pair) > 0, "seed {}", played.seed);
        tried += 1;
        if tried == 3 {
            return;
        }
    }
    panic!("no sequence in which a stale load is claimed");
}

#[test]
fn a_replica_that_contradicts_its_uses_is_found() {
    for (played, mut pair) in sound(&[]) {
        let mut replicas = pair.replicas.iter_mut();
        let Some(replica) = replicas.find(|r| r.live.is_none()) else {
            continue;
        };
        replica.live = Some(true);
        assert!(found(&played, &pair) > 0, "seed {}", played.seed);
        return;
    }
    panic!("no sequence in which something is not known");
}
