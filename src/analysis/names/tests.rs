//! Names and lists as sentences write them.

use chrono::{DateTime, Utc};

use super::{count, kubectl, list, quote, short_names, when};
use crate::model::{Cluster, Interval};

#[test]
fn names_are_cut_where_alike_and_never_where_they_differ() {
    let names = short_names(["frontend-55897d66f4-965p6", "frontend-55897d66f4-sczf7"]);
    assert_eq!(names["frontend-55897d66f4-965p6"], "965p6");
    let apart = short_names(["web-1", "db-1"]);
    assert_eq!(apart["web-1"], "web-1");
    let numbered = short_names(["web-1", "web-12"]);
    assert_eq!(numbered["web-12"], "web-12", "a number alone is no name");
    let deep = short_names(["shop-web-0", "shop-web-1"]);
    assert_eq!(deep["shop-web-1"], "web-1");
    let parted = short_names(["a-ünï", "a-üñï"]);
    assert_eq!(parted["a-ünï"], "ünï");
    assert_eq!(short_names(["alone-abc"])["alone-abc"], "alone-abc");
    let hashes = short_names(["web-76d98597b9-g5zrg", "web-85f6c7d8b9-kt2jr"]);
    assert_eq!(hashes["web-85f6c7d8b9-kt2jr"], "85f6c7d8b9-kt2jr");
    let twice = short_names(["same-pod", "same-pod"]);
    assert_eq!(twice["same-pod"], "same-pod");
}

#[test]
fn lists_and_counts_read_well() {
    let items: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
    assert_eq!(list(&items), "a, b and c");
    let many: Vec<String> = (0..9).map(|i| i.to_string()).collect();
    assert_eq!(list(&many), "0, 1, 2, 3 and 5 more");
    assert_eq!(count(1, "replica"), "1 replica");
    assert_eq!(count(0, "replica"), "0 replicas");
}

#[test]
fn words_survive_a_shell() {
    assert_eq!(quote("kind-a"), "kind-a");
    assert_eq!(quote("it's; rm -rf /"), r"'it'\''s; rm -rf /'");
    assert_eq!(quote(""), "''");
}

#[test]
fn commands_go_to_the_cluster_that_was_read() {
    let cluster = |flags: Option<Vec<&str>>, context: Option<&str>| Cluster {
        context: context.map(str::to_owned),
        flags: flags.map(|flags| flags.into_iter().map(str::to_owned).collect()),
        server: "https://127.0.0.1:6443".to_owned(),
        version: None,
    };
    assert_eq!(kubectl(&cluster(None, None)), "kubectl");
    assert_eq!(
        kubectl(&cluster(None, Some("my ctx"))),
        "kubectl --context 'my ctx'"
    );
    assert_eq!(
        kubectl(&cluster(
            Some(vec!["--kubeconfig", "ok.cfg", "--as", "me"]),
            Some("lab")
        )),
        "kubectl --kubeconfig ok.cfg --as me --context lab"
    );
}

#[test]
fn a_date_is_said_once_and_only_where_it_is_not_the_reports() {
    let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    let report = at("2026-11-30T20:39:45Z");
    let said = |a: &str, b: &str| {
        let interval = Interval {
            earliest: Some(at(a)),
            latest: Some(at(b)),
        };
        when(&interval, report)
    };
    assert_eq!(
        said("2026-11-30T20:35:25Z", "2026-11-30T20:35:26Z"),
        "20:35:25–20:35:26"
    );
    assert_eq!(
        said("2026-06-01T22:04:01Z", "2026-06-01T22:04:02Z"),
        "2026-06-01 22:04:01–22:04:02"
    );
    assert_eq!(
        said("2026-11-29T23:59:59Z", "2026-11-30T00:00:00Z"),
        "2026-11-29 23:59:59–00:00:00"
    );
}
