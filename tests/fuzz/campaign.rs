//! Tries damaged inputs on one parser, and says of the one that fails how it is made again.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::damage::damaged;

/// So many are tried where no time is given.
const CASES: u64 = 300;
/// No input of at most 256 KiB may take longer, in a build without optimisation on a busy machine.
const SLOWEST: Duration = Duration::from_secs(5);
/// The most that the whole process, with all parsers at once, may ever have held.
const MEMORY_KIB: u64 = 512 << 10;

/// Feeds the parser with damaged samples. The samples themselves come first.
pub fn run(name: &str, samples: &[Vec<u8>], parse: impl Fn(&[u8])) {
    assert!(
        samples.iter().all(|sample| !sample.is_empty()),
        "{name} has samples"
    );
    for sample in samples {
        parse(sample);
    }
    if let Ok(seed) = env::var("CONFSPLIT_FUZZ_SEED") {
        try_one(name, seed.parse().expect("a number"), samples, &parse);
        return;
    }
    let given = env::var("CONFSPLIT_FUZZ_SECONDS").ok();
    let seconds = given.map(|given| Duration::from_secs(given.parse().expect("seconds")));
    let (begun, first) = (Instant::now(), seconds.map_or(0, |_| of_the_clock()));
    let mut tried = 0;
    while seconds.map_or(tried < CASES, |seconds| begun.elapsed() < seconds) {
        try_one(name, first.wrapping_add(tried), samples, &parse);
        tried += 1;
    }
    assert!(tried > 0, "nothing was tried");
    println!(
        "{name}: {tried} inputs in {:.1?}, from seed {first}",
        begun.elapsed()
    );
}

/// Each long run tries other inputs.
fn of_the_clock() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    since.as_secs() << 24
}

fn try_one(name: &str, seed: u64, samples: &[Vec<u8>], parse: &impl Fn(&[u8])) {
    let input = damaged(samples, &mut Chance::new(seed));
    // A stack that overflows ends the process at once: then the input is here.
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
    fs::write(&place, &input).unwrap();
    let again = format!(
        "CONFSPLIT_FUZZ_SEED={seed} cargo test --test fuzz {name} (the input is in {})",
        place.display()
    );
    let begun = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| parse(&input)));
    assert!(parsed.is_ok(), "{name} panicked: {again}");
    let took = begun.elapsed();
    assert!(took < SLOWEST, "{name} took {took:?}: {again}");
    if let Some(most) = most_held() {
        assert!(most < MEMORY_KIB, "{most} KiB were held: {again}");
    }
}

/// The most memory that this process ever had, in KiB; only Linux tells it so.
fn most_held() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    Some(number.parse().unwrap())
}

#[test]
fn an_input_is_made_again_from_its_seed() {
    let samples = [b"{\"a\": 1}".to_vec(), b"b = 2\n".to_vec()];
    let make = |seed| damaged(&samples, &mut Chance::new(seed));
    assert!((0..50).all(|seed| make(seed) == make(seed)));
    assert!((0..50).any(|seed| make(seed) != make(seed + 1)));
}

#[test]
fn a_panic_names_the_seed() {
    let samples = [b"quiet".to_vec()];
    let failed = catch_unwind(|| {
        run("loud", &samples, |input| {
            assert_eq!(input, b"quiet", "loud")
        });
    });
    let words = failed.unwrap_err();
    let words = words.downcast_ref::<String>().unwrap();
    assert!(
        words.starts_with("loud panicked: CONFSPLIT_FUZZ_SEED="),
        "{words}"
    );
}
