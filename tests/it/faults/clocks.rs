//! Clocks that are hours off, and times at which dates go wrong: what happened is told in its order all the same.

use chrono::TimeDelta;
use confsplit::sim::scenario::Scenario;

use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;

fn named(name: &str) -> Scenario {
    Scenario::named(name).unwrap()
}

/// The sentence of the cause, and how long ago the edit was as the list says it.
async fn told(played: Played) -> (String, String) {
    let mut desk = Desk::over(played);
    desk.pass(15).await;
    let incident = desk.app.incidents().first();
    let incident = incident.unwrap_or_else(|| panic!("no incident\n{}", desk.screen()));
    let cause = incident.findings[0].sentence.clone();
    desk.press("\u{1b}");
    let words = desk.words();
    let at = words
        .find(" ago")
        .unwrap_or_else(|| panic!("{}", desk.screen()));
    let before: Vec<&str> = words[..at].split_whitespace().rev().take(2).collect();
    (cause, format!("{} {}", before[1], before[0]))
}

#[tokio::test(start_paused = true)]
async fn this_machine_is_hours_off_either_way() {
    for name in ["partial-restart", "env-frozen"] {
        let right = told(Played::of(named(name))).await;
        for hours in [-30, -5, -1, 1, 5, 30] {
            let played = Played::of(named(name)).with_clock_ahead(TimeDelta::hours(hours));
            assert_eq!(told(played).await, right, "{name}, {hours} h ahead");
        }
    }
}

/// 32 bits of seconds end on 19 January 2038.
#[tokio::test(start_paused = true)]
async fn after_2038_everything_is_told_as_before() {
    let today = told(Played::of(named("env-frozen"))).await;
    for at in [
        "2038-01-19T03:14:10Z",
        "2040-02-29T12:00:30Z",
        "2100-01-01T12:00:00Z",
    ] {
        let later = told(Played::looked_at(named("env-frozen"), at)).await;
        let without_times = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "#");
        assert_eq!(without_times(&later.0), without_times(&today.0), "{at}");
        assert_eq!(later.1, today.1, "{at}");
    }
}

/// The edit is before midnight and before the year's end, the pod after both.
#[tokio::test(start_paused = true)]
async fn over_midnight_and_the_end_of_a_year_the_order_is_that_of_the_times() {
    let mut desk = Desk::over(Played::looked_at(
        named("subpath-frozen"),
        "2027-01-01T00:02:55Z",
    ));
    desk.pass(15).await;
    let incident = &desk.app.incidents()[0];
    let times: Vec<_> = incident
        .timeline
        .iter()
        .map(|entry| entry.at.anchor())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(
        incident.findings[0].sentence.contains("23:59:5"),
        "{}",
        incident.findings[0].sentence
    );
}
