//! Sizes and times as people write them, and what is neither.

use chrono::TimeDelta;

use super::{Bound, parse};

#[test]
fn sizes_and_times_are_told_apart_by_their_unit() {
    for (text, bound) in [
        ("64MiB", Bound::Bytes(64 << 20)),
        ("2Gi", Bound::Bytes(2 << 30)),
        ("5MB", Bound::Bytes(5_000_000)),
        ("36h", Bound::Age(TimeDelta::hours(36))),
        ("90d", Bound::Age(TimeDelta::days(90))),
        ("2w", Bound::Age(TimeDelta::days(14))),
    ] {
        assert_eq!(parse(text), Ok(bound), "{text}");
    }
}

#[test]
fn what_is_neither_or_out_of_bounds_is_refused() {
    for text in [
        "",
        "64",
        "MiB",
        "0d",
        "0MiB",
        "1KiB",
        "30m",
        "-1d",
        "1.5GiB",
        "99999999999999999999d",
        "500GiB",
        "9999w",
        "1 d",
    ] {
        assert!(
            parse(text).is_err_and(|e| e.starts_with("expected a size")),
            "{text}"
        );
    }
}
