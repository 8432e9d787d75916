//! Answers with bytes that are others: whatever is read of them, nothing breaks, and it comes back with the truth.

use std::time::{Duration, Instant};

use confsplit::model::Kind;

use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;
use crate::simulated::wire::{Asked, Fault};

/// So long, or as the environment says, which the fuzz tests go by as well.
fn long_enough() -> Duration {
    let seconds = std::env::var("CONFSPLIT_FUZZ_SECONDS").ok();
    Duration::from_secs(seconds.map_or(3, |seconds| seconds.parse().unwrap()))
}

/// Every answer but those that writes need.
fn all() -> Vec<Asked> {
    let mut all: Vec<Asked> = Kind::ALL
        .iter()
        .flat_map(|kind| {
            ["list", "watch", "exact", "get"].map(|verb| Asked::new(verb, kind.resource()))
        })
        .collect();
    all.extend(["pods/log", "version", "leases", "namespaces"].map(|of| Asked::new("get", of)));
    all.push(Asked::new("follow", "pods/log"));
    all
}

#[tokio::test(start_paused = true)]
async fn damaged_answers_break_nothing() {
    let scenarios = [
        "env-frozen",
        "secret-frozen",
        "argo-cd",
        "crash-new",
        "immutable-split",
    ];
    let (began, most) = (Instant::now(), long_enough());
    let mut seed = 1;
    while began.elapsed() < most || seed <= 5 {
        for name in scenarios {
            let played = Played::named(name);
            for asked in all() {
                // Each answer of a run is damaged elsewhere.
                played.wire.fail(asked, Fault::Damaged(seed));
                seed += 1;
            }
            let what = format!("{name}, up to seed {seed}");
            let mut desk = Desk::over(played);
            desk.pass(20).await;
            for tab in ["1", "2", "3", "4", "5", "6", "w"] {
                desk.press(tab);
                let shown = desk.screen();
                let harmful = |c: char| c.is_control() && c != '\n';
                assert!(!shown.contains(harmful), "{what}\n{shown}");
            }
            desk.press("\u{1b}");
            desk.played.wire.make_good();
            desk.press("R");
            desk.pass(20).await;
            assert_eq!(desk.app.incidents().len(), 1, "{what}\n{}", desk.screen());
            desk.says("● live");
        }
    }
}
