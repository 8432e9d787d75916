//! The incidents that the lab made before the tests, by what their pods say.

use super::truth::Ask;
use super::{BY_TIMES, KNOWN, Live, Pair, Row, SPLIT, STALE, any, judged, row};
use crate::place::Place;
use crate::rules::paused_half_way;

const CATALOG: &str = "Deployment/catalog";
const RECS: Ask = Ask::Env("FEATURE_RECS");

fn there(namespace: &str, expected: &[Pair]) {
    judged(&Place::there(namespace), expected);
}

#[test]
fn frozen_variables_of_the_lab() {
    let features = "ConfigMap/features";
    let stale = [row("on", 3, &["A"], Live::No, KNOWN)];
    there(
        "envfrom-frozen",
        &[Pair::incident(features, CATALOG, RECS, STALE, &stale)],
    );
    let split = |live: super::Grades| {
        [
            row("on", 1, &["A"], Live::No, KNOWN),
            row("off", 1, &["B"], Live::Yes, live),
        ]
    };
    there(
        "restarted-in-place",
        &[Pair::incident(
            features,
            CATALOG,
            RECS,
            SPLIT,
            &split(BY_TIMES),
        )],
    );
    let password = [
        row("hunter2-old", 1, &["A"], Live::No, KNOWN),
        row("hunter2-new", 1, &["B"], Live::Yes, KNOWN),
    ];
    let secret = Ask::Env("DB_PASSWORD");
    there(
        "secret-frozen",
        &[Pair::incident(
            "Secret/db",
            CATALOG,
            secret,
            SPLIT,
            &password,
        )],
    );
}

#[test]
fn frozen_files_of_the_lab() {
    let rows = [
        row(
            "mode: blue\nlimits:\n  rps: 100",
            2,
            &["A"],
            Live::No,
            KNOWN,
        ),
        row(
            "mode: green\nlimits:\n  rps: 100",
            1,
            &["B"],
            Live::Yes,
            KNOWN,
        ),
    ];
    let file = Ask::File("/etc/app/settings.yaml");
    there(
        "subpath-frozen",
        &[Pair::incident(
            "ConfigMap/app-settings",
            "Deployment/worker",
            file,
            SPLIT,
            &rows,
        )],
    );
}

/// A Deployment of nginx.
fn served(
    config: &'static str,
    workload: &'static str,
    page: &'static str,
    causes: &'static [&'static str],
    rows: &[Row],
) -> Pair {
    Pair::incident(config, workload, Ask::Page(page), causes, rows).container("nginx")
}

#[test]
fn servers_of_the_lab() {
    let crash = &["crash-on-new"];
    let rows = [
        row("ok", 1, &["A"], Live::No, BY_TIMES),
        row("crashes", 1, &["B"], Live::Yes, KNOWN),
    ];
    there(
        "crash-new",
        &[served(
            "ConfigMap/web-conf",
            "Deployment/web",
            "/",
            crash,
            &rows,
        )],
    );
    let rows = [
        row("{}", 1, &["A"], Live::No, BY_TIMES),
        row("504", 1, &["B"], Live::Yes, KNOWN),
    ];
    let (conf, page) = ("ConfigMap/frontend-nginx", "/api/items");
    there(
        "shop",
        &[served(conf, "Deployment/frontend", page, SPLIT, &rows)],
    );
}

#[test]
fn a_reference_to_another_config() {
    // How far the rollout came before it was paused is left to chance.
    let rows = [
        any("blue", &["A"], Live::No, KNOWN),
        any("green", &["B"], Live::Yes, KNOWN),
    ];
    let split = &["split-reference"];
    judged(
        &paused_half_way("confsplit-paused-loads"),
        &[Pair::incident(
            "ConfigMap/settings-v2",
            CATALOG,
            RECS,
            split,
            &rows,
        )],
    );
}
