//! Every scenario that comes with the program can be played, and is the same each time.

use super::*;
use crate::sim::resources::named;

fn played(name: &str) -> Sim {
    let at = "2026-10-02T20:39:45Z".parse().unwrap();
    Scenario::named(name)
        .unwrap()
        .play(Clock::manual(at))
        .unwrap()
}

/// The pods of the scenario's namespace, by name: phase, and whether each is ready.
fn pods(sim: &Sim) -> Vec<(String, String, bool)> {
    sim.with(|world| {
        let pods = world.store().list(named("pods").unwrap(), Some("shop"));
        pods.map(|(key, pod)| {
            let phase = pod["status"]["phase"].as_str().unwrap_or_default();
            let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
            let ready = conditions
                .filter(|c| c["type"] == "Ready")
                .any(|c| c["status"] == "True");
            (key.name.clone(), phase.to_owned(), ready)
        })
        .collect()
    })
}

#[test]
fn each_is_played_and_all_is_ready_but_what_crashes() {
    for name in names() {
        let pods = pods(&played(name));
        assert!(pods.len() > 1, "{name}: {pods:?}");
        let unready = pods.iter().filter(|(_, _, ready)| !ready).count();
        let expected = usize::from(name == "crash-new");
        assert_eq!(unready, expected, "{name}: {pods:?}");
    }
}

#[test]
fn it_is_the_same_each_time() {
    for name in names() {
        assert_eq!(pods(&played(name)), pods(&played(name)), "{name}");
    }
}

#[test]
fn a_name_that_is_none_is_told_with_those_that_are() {
    let told = Scenario::named("nothing").unwrap_err().to_string();
    assert!(told.contains("partial-restart, env-frozen"), "{told}");
}

#[test]
fn a_field_that_is_none_is_told_with_its_place() {
    let text = "title: x\nnamespace: shop\nlooked_at: 1m\nhappens:\n- at: 0s\n  if: never\n  do: {delete: Pod/x}\n";
    let told = Scenario::read(text).unwrap_err().to_string();
    assert!(told.contains("if") && told.contains('6'), "{told}");
}

#[test]
fn a_step_that_is_refused_is_told() {
    let text =
        "title: x\nnamespace: default\nlooked_at: 1m\nhappens:\n- at: 5s\n  do: {delete: Pod/x}\n";
    let at = "2026-10-02T20:39:45Z".parse().unwrap();
    let refused = Scenario::read(text).unwrap().play(Clock::manual(at));
    let told = refused.unwrap_err().to_string();
    assert_eq!(told, "at 2026-10-02 20:38:50 UTC: pods \"x\" not found");
}

/// What the load generator saw until it is looked at: 502, 504, 200, and all.
fn seen(sim: &Sim) -> [usize; 4] {
    sim.with(|world| {
        let lines = world
            .lines_after("shop", "loadgen-7c6676864-9vwtl", None, false, 0)
            .unwrap();
        let count = |end: &str| {
            lines
                .lines
                .iter()
                .filter(|line| line.text.ends_with(end))
                .count()
        };
        [
            count("-> 502"),
            count("-> 504"),
            count("-> 200"),
            lines.lines.len(),
        ]
    })
}

/// The counts of the incident that it retells (of 78 requests 40 went well, 35 timed out, and 3 came at the start).
#[test]
fn the_client_sees_what_was_seen() {
    assert_eq!(seen(&played("partial-restart")), [3, 35, 40, 78]);
}

/// Months are played in no time, whatever the kubelet would ask meanwhile.
#[test]
fn half_a_year_of_probes_costs_little() {
    let (_, text) = ALL.iter().find(|(name, _)| *name == "half-year").unwrap();
    let probe = "readinessProbe: {exec: {command: [cat, /nothing]}, periodSeconds: 1}";
    let container = "              image: docker.io/demo/printer:1\n";
    let text = text.replace(container, &format!("{container}              {probe}\n"));
    assert!(text.contains(probe));
    let at: DateTime<Utc> = "2026-10-02T20:39:45Z".parse().unwrap();
    let sim = Scenario::read(&text).unwrap().play(Clock::manual(at));
    let sim = sim.unwrap();
    let pods = pods(&sim);
    assert_eq!(pods.iter().filter(|(_, _, ready)| !ready).count(), 3);
    // By the time that somebody looks they are asked as ever.
    sim.with(|world| {
        let events = world.store().list(named("events").unwrap(), Some("shop"));
        let fresh = events
            .filter(|(_, event)| event["reason"] == "Unhealthy")
            .filter(|(_, event)| {
                let last = event["lastTimestamp"].as_str().unwrap_or_default();
                last.starts_with("2026-10-02T20:39")
            });
        assert_eq!(fresh.count(), 3);
    });
}
