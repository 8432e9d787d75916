//! Every answer that a cluster, or what stands before it, can give to every request: the gap is named, nothing is claimed that
//! rests on it, and all is well again by itself once it is answered well.

use confsplit::model::Kind;

use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;
use crate::simulated::wire::{Asked, Fault};

/// The lists without which no replica's revision can be told.
const NEEDED: [&str; 2] = ["configmaps", "pods"];
/// What is refused is asked for again after so long at the latest, and some seconds more are needed to read it.
const TRIED_AGAIN: u64 = 310;

/// As the dashboard names a list that was not read.
fn named(resource: &str) -> &'static str {
    match resource {
        "configmaps" => "The ConfigMaps in shop",
        "secrets" => "The Secrets in shop",
        "pods" => "The replicas in shop",
        "replicasets" => "The ReplicaSets in shop",
        "deployments" => "The Deployments in shop",
        "statefulsets" => "The StatefulSets in shop",
        "daemonsets" => "The DaemonSets in shop",
        "services" => "The Services in shop",
        "endpointslices" => "The endpoints in shop",
        "events" => "The events in shop",
        other => panic!("nobody lists {other}"),
    }
}

/// Whether the incident that there is stands on screen.
fn is_told(desk: &Desk) -> bool {
    desk.app
        .incidents()
        .iter()
        .any(|incident| incident.config.name == "features")
}

/// Opens the dashboard where a list is answered so.
async fn on(asked: Asked, fault: Fault) -> Desk {
    let played = Played::named("env-frozen");
    played.wire.fail(asked, fault);
    let mut desk = Desk::over(played);
    desk.pass(25).await;
    desk
}

/// Goes on as nothing had been, by itself.
async fn mends(desk: &mut Desk, what: &str) {
    desk.played.wire.make_good();
    for _ in 0..TRIED_AGAIN {
        desk.pass(1).await;
        if desk.words().contains("● live") && is_told(desk) {
            return;
        }
    }
    panic!("{what}: it does not come back\n{}", desk.screen());
}

async fn each_list(fault: Fault) {
    some_lists(&Kind::ALL, fault).await;
}

async fn some_lists(kinds: &[Kind], fault: Fault) {
    for kind in kinds {
        let resource = kind.resource();
        let mut desk = on(Asked::new("list", resource), fault).await;
        let what = format!("{resource} {fault:?}");
        desk.says_not("● live");
        assert!(desk.words().contains(resource), "{what}\n{}", desk.screen());
        assert_eq!(is_told(&desk), !NEEDED.contains(&resource), "{what}");
        for claim in [
            "No config split in namespace",
            "No replica in scope uses a config",
        ] {
            assert!(!desk.words().contains(claim), "{what}\n{}", desk.screen());
        }
        desk.press("w");
        assert!(
            desk.words().contains(named(resource)),
            "{what}\n{}",
            desk.screen()
        );
        desk.press("\u{1b}");
        mends(&mut desk, &what).await;
        desk.press("w");
        assert!(
            !desk.words().contains(named(resource)),
            "{what}\n{}",
            desk.screen()
        );
    }
}

macro_rules! lists {
    ($($name:ident: $fault:expr;)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                each_list($fault).await;
            }
        )*
    };
}

lists! {
    lists_that_are_forbidden: Fault::Status(403);
    lists_that_are_not_there: Fault::Status(404);
    lists_that_conflict: Fault::Status(409);
    lists_that_are_gone: Fault::Status(410);
    lists_that_are_invalid: Fault::Status(422);
    lists_for_which_there_is_too_much_to_do: Fault::Busy(7);
    lists_that_fail_inside: Fault::Status(500);
    lists_of_a_server_that_is_not_available: Fault::Status(503);
    lists_that_time_out_on_the_way: Fault::Status(504);
    lists_behind_a_broken_proxy: Fault::BadGateway;
    lists_that_are_the_page_of_a_login: Fault::Html;
    lists_that_are_garbage: Fault::Garbage;
    lists_of_which_half_comes: Fault::Half;
    lists_that_stop_in_the_middle: Fault::Stops;
    lists_that_break_off: Fault::Breaks;
    lists_whose_connection_is_reset: Fault::Reset;
    lists_that_nobody_answers: Fault::Hangs;
    lists_of_another_kind: Fault::OtherKind;
    lists_that_always_say_that_there_is_more: Fault::Endless;
    lists_that_are_empty: Fault::Empty;
}

/// It takes a while to see that there is no end.
#[tokio::test(start_paused = true)]
async fn lists_that_have_no_end() {
    some_lists(&[Kind::ConfigMaps], Fault::Flood).await;
}

/// Opens the dashboard on an incident that cannot be told without logs and history.
async fn without(asked: Asked, fault: Fault) -> Desk {
    let played = Played::named("partial-restart");
    played.wire.fail(asked, fault);
    let mut desk = Desk::over(played);
    desk.pass(12).await;
    desk
}

/// Each answer that is none.
const NONE: [Fault; 15] = [
    Fault::Status(403),
    Fault::Status(404),
    Fault::Status(409),
    Fault::Status(422),
    Fault::Busy(7),
    Fault::Status(500),
    Fault::Status(503),
    Fault::Status(504),
    Fault::BadGateway,
    Fault::Html,
    Fault::Garbage,
    Fault::Breaks,
    Fault::Reset,
    Fault::Hangs,
    Fault::OtherKind,
];

#[tokio::test(start_paused = true)]
async fn logs_that_cannot_be_read_are_named_and_read_later() {
    for fault in NONE {
        let mut desk = without(Asked::new("get", "pods/log"), fault).await;
        let what = format!("{fault:?}");
        assert!(desk.app.incidents().is_empty(), "{what}\n{}", desk.screen());
        desk.says("● live");
        desk.says("No config split is known in namespace shop");
        desk.press("w");
        assert!(
            desk.words().contains("The logs of pods frontend-"),
            "{what}\n{}",
            desk.screen()
        );
        desk.press("\u{1b}");
        desk.played.wire.make_good();
        for _ in 0..TRIED_AGAIN {
            desk.pass(1).await;
            // What was said of it stands until it is read.
            let told = !desk.app.incidents().is_empty();
            desk.press("w");
            assert!(
                told || desk.words().contains("The logs of pods frontend-"),
                "{what}\n{}",
                desk.screen()
            );
            desk.press("\u{1b}");
            if told {
                break;
            }
        }
        desk.says("1 of 2 frontend replicas runs the edited config.");
    }
}

#[tokio::test(start_paused = true)]
async fn history_that_cannot_be_read_is_no_proof_of_anything() {
    for fault in NONE {
        let mut desk = without(Asked::new("exact", "configmaps"), fault).await;
        let what = format!("{fault:?}");
        desk.says("1 of 2 frontend replicas runs the edited config.");
        assert!(
            !desk
                .words()
                .contains("recovered from the API server's history"),
            "{what}\n{}",
            desk.screen()
        );
        assert!(
            !desk.words().contains("in no revision"),
            "{what}\n{}",
            desk.screen()
        );
        desk.played.wire.make_good();
        for _ in 0..TRIED_AGAIN {
            desk.pass(1).await;
            if desk
                .words()
                .contains("recovered from the API server's history")
            {
                break;
            }
        }
        desk.says("recovered from the API server's history");
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_cannot_be_followed_says_so_and_is_followed_later() {
    for fault in [NONE[0], NONE[1], NONE[5], NONE[9], NONE[11], NONE[13]] {
        let mut desk = without(Asked::new("follow", "pods/log"), fault).await;
        let what = format!("{fault:?}");
        desk.says("1 of 2 frontend replicas runs the edited config.");
        let lines = |desk: &Desk| {
            desk.known()
                .logs
                .iter()
                .map(|log| log.lines().count())
                .sum::<usize>()
        };
        let before = lines(&desk);
        desk.played.wire.make_good();
        desk.pass(TRIED_AGAIN).await;
        assert!(
            lines(&desk) > before + 100,
            "{what}: {before}, then {}",
            lines(&desk)
        );
    }
}

/// Without what is only asked beside the lists everything else is told all the same.
async fn without_what_is_asked_beside(resource: &str) {
    for fault in NONE {
        // A namespace that is not there is an error, and has its own test.
        if (resource, fault) == ("namespaces", Fault::Status(404)) {
            continue;
        }
        let mut desk = on(Asked::new("get", resource), fault).await;
        let what = format!("{resource} {fault:?}");
        assert!(is_told(&desk), "{what}\n{}", desk.screen());
        mends(&mut desk, &what).await;
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_version_of_the_server() {
    without_what_is_asked_beside("version").await;
}

#[tokio::test(start_paused = true)]
async fn without_the_clocks_of_the_nodes() {
    without_what_is_asked_beside("leases").await;
}

#[tokio::test(start_paused = true)]
async fn without_namespaces() {
    without_what_is_asked_beside("namespaces").await;
}
