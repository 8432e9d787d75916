//! The simulator is held to the pairs that a real API server answers (`cargo test --test cluster conformance`). Its time is the
//! runtime's, which passes as fast as nobody has anything to do.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use confsplit::sim::world::World;
use confsplit::sim::{Clock, Sim};
use kube::Client;
use tokio::time::Instant;

use super::runner::{self, Book};

async fn hold(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let books = Book::all(&folder).unwrap();
    let book = books.iter().find(|book| book.name == name).unwrap();
    let began: DateTime<Utc> = "2026-11-30T10:00:00Z".parse().unwrap();
    let started = Instant::now();
    let clock =
        Clock::told(move || began + TimeDelta::from_std(started.elapsed()).unwrap_or_default());
    let sim = Sim::new(World::new(began - TimeDelta::minutes(10)), clock);
    let running = tokio::spawn({
        let sim = sim.clone();
        async move { sim.run().await }
    });
    let outcome = runner::run(&Client::new(sim.service(), "default"), book, "sim").await;
    running.abort();
    outcome.check();
}

macro_rules! held {
    ($($name:ident)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                hold(stringify!($name)).await;
            }
        )*

        #[test]
        fn no_file_of_pairs_is_left_out() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
            let mut books: Vec<_> = Book::all(&folder).unwrap().into_iter().map(|b| b.name).collect();
            books.sort();
            let mut held = vec![$(stringify!($name)),*];
            held.sort_unstable();
            assert_eq!(books, held);
        }
    };
}

held! { containers kinds lists managed pods requests rights watches workloads writes }
