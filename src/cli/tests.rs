//! What the command line means, and what it refuses.

use std::ffi::OsString;
use std::time::Duration;

use clap::CommandFactory;

use super::{Cli, Command, Output, parse, settings, target, timeout};
use crate::model::{ConfigKind, Target};

fn cli(line: &str) -> Result<Cli, clap::Error> {
    parse(line.split(' ').map(OsString::from))
}

#[test]
fn clap_finds_no_fault_in_the_definition() {
    Cli::command().debug_assert();
}

#[test]
fn cluster_flags_stand_before_or_after_the_command() {
    for line in [
        "confsplit -n shop --context kind diagnose -o json",
        "confsplit diagnose -o json -n shop --context kind",
    ] {
        let cli = cli(line).unwrap();
        assert_eq!(cli.connect.namespace.as_deref(), Some("shop"));
        assert_eq!(cli.connect.context.as_deref(), Some("kind"));
        let Some(Command::Diagnose(diagnose)) = cli.command else {
            panic!("{line}: not diagnose");
        };
        assert_eq!(diagnose.output, Output::Json);
    }
}

#[test]
fn groups_may_be_repeated_and_the_timeout_has_a_default() {
    let cli = cli("confsplit --as me --as-group a --as-group b").unwrap();
    assert_eq!(cli.connect.impersonate_groups, ["a", "b"]);
    assert_eq!(cli.connect.timeout(), Some(Duration::from_secs(10)));
}

#[test]
fn a_capture_takes_no_cluster_flags_wherever_they_stand() {
    for line in [
        "confsplit -n shop diagnose --from f",
        "confsplit diagnose --from f -A",
        "confsplit open f --context kind",
        "confsplit diagnose --from f --capture g",
        "confsplit diagnose --force",
    ] {
        assert!(cli(line).is_err(), "{line}");
    }
    let text = cli("confsplit -n shop diagnose --from f")
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("--namespace cannot be used with it"),
        "{text}"
    );
}

#[test]
fn probing_is_said_once_and_of_a_cluster() {
    for line in [
        "confsplit --probe --no-probe",
        "confsplit --probe diagnose --no-probe",
        "confsplit --no-probe diagnose --version-at :80/x",
        "confsplit diagnose --from f --probe",
        "confsplit open f --no-probe",
        "confsplit open f --version-at :80/x",
        "confsplit --version-at 80/x",
    ] {
        assert!(cli(line).is_err(), "{line}");
    }
    let both = cli("confsplit --no-probe capture -o f --version-at :80/x").unwrap_err();
    let said = both.to_string();
    assert!(
        said.contains("--no-probe forbids what --version-at asks for"),
        "{said}"
    );
    let given = cli("confsplit diagnose --version-at :80/x#a.b")
        .unwrap()
        .probing;
    assert_eq!(given.said(), None);
    assert_eq!(given.version_at.unwrap().port, 80);
    for (line, said) in [
        ("confsplit --probe", settings::Probe::Always),
        ("confsplit diagnose --no-probe", settings::Probe::Never),
    ] {
        assert_eq!(cli(line).unwrap().probing.said(), Some(said), "{line}");
    }
}

#[test]
fn a_target_is_given_once() {
    assert!(cli("confsplit deploy/a diagnose deploy/b").is_err());
    assert!(cli("confsplit deploy/a diagnose").is_ok());
}

#[test]
fn kubectl_names_of_types_are_understood() {
    let workload = |kind: &str| Target::Workload {
        kind: kind.to_owned(),
        name: "x".to_owned(),
    };
    let config = |kind| Target::Config {
        kind,
        name: "x".to_owned(),
    };
    for (text, expected) in [
        ("cm/x", config(ConfigKind::ConfigMap)),
        ("ConfigMap/x", config(ConfigKind::ConfigMap)),
        ("secrets/x", config(ConfigKind::Secret)),
        ("deploy/x", workload("Deployment")),
        ("deployments.apps/x", workload("Deployment")),
        ("deployment.v1.apps/x", workload("Deployment")),
        ("sts/x", workload("StatefulSet")),
        ("ds.apps/x", workload("DaemonSet")),
        ("rs/x", workload("ReplicaSet")),
        ("po/x", workload("Pod")),
        (
            "svc/x",
            Target::Service {
                name: "x".to_owned(),
            },
        ),
    ] {
        assert_eq!(target::parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn other_targets_are_refused_with_what_is_accepted() {
    for text in [
        "diagnos",
        "node/x",
        "cm.apps/x",
        "deploy/",
        "deploy/a/b",
        "cm/A",
        "cm/-x",
    ] {
        let message = target::parse(text).unwrap_err();
        assert!(
            message.contains("TYPE is one of: configmap (cm)"),
            "{text}: {message}"
        );
    }
}

#[test]
fn timeouts_are_kubectls() {
    let of = |text: &str| timeout::parse(text).map(timeout::Timeout::limit);
    assert_eq!(of("10s"), Ok(Some(Duration::from_secs(10))));
    assert_eq!(of("1m30s"), Ok(Some(Duration::from_secs(90))));
    assert_eq!(of("500ms"), Ok(Some(Duration::from_millis(500))));
    assert_eq!(of("7"), Ok(Some(Duration::from_secs(7))));
    assert_eq!(of("0"), Ok(None));
    for bad in ["", "s", "10 s", "10d", "-1s", "99999999999999999999h"] {
        assert!(of(bad).is_err(), "{bad}");
    }
}

#[test]
fn as_a_plugin_it_calls_itself_kubectl_confsplit() {
    let help = cli("/usr/bin/kubectl-confsplit diagnose --help")
        .unwrap_err()
        .to_string();
    assert!(help.contains("Usage: kubectl confsplit diagnose"), "{help}");
    assert!(
        help.contains("kubectl confsplit -n shop diagnose"),
        "{help}"
    );
}

#[test]
fn a_logs_command_is_checked_before_anything_is_read() {
    let line = |template: &str| {
        let args = ["confsplit", "diagnose", "--logs-cmd", template];
        parse(args.map(OsString::from))
    };
    let cli = line("mylogs '{namespace}' {pod}").unwrap();
    assert_eq!(
        cli.logs.logs_cmd.unwrap().to_string(),
        "mylogs '{namespace}' {pod}"
    );
    let text = line("mylogs {node} {pod}").unwrap_err().to_string();
    assert!(text.contains("{node} is not known; expected"), "{text}");
    let text = cli_error("confsplit diagnose --from f --logs-cmd {pod}");
    assert!(text.contains("may not depend on the cluster"), "{text}");
    let args = ["confsplit", "open", "f", "--logs-cmd", "mylogs {pod}"];
    let text = parse(args.map(OsString::from)).unwrap_err().to_string();
    assert!(text.contains("--logs-cmd cannot be used with it"), "{text}");
}

fn cli_error(line: &str) -> String {
    cli(line).unwrap_err().to_string()
}

#[test]
fn a_client_is_something_that_logs() {
    let named = |line: &str| cli(line).unwrap().logs.client;
    let deploy = Target::Workload {
        kind: "Deployment".to_owned(),
        name: "loadgen".to_owned(),
    };
    assert_eq!(
        named("confsplit --client deploy/loadgen"),
        Some(deploy.clone())
    );
    // A capture may hold its log.
    assert_eq!(
        named("confsplit diagnose --from f --client deploy/loadgen"),
        Some(deploy)
    );
    let text = cli_error("confsplit --client cm/nginx");
    assert!(
        text.contains("a config logs nothing; name a workload"),
        "{text}"
    );
}

#[test]
fn signals_asks_no_cluster_and_knows_no_route() {
    for line in [
        "confsplit -n shop signals x",
        "confsplit signals x --context kind",
        "confsplit signals --route /x x",
        "confsplit deploy/web signals x",
        "confsplit signals --list x",
    ] {
        assert!(cli(line).is_err(), "{line}");
    }
    for line in [
        "confsplit signals",
        "confsplit signals -",
        "confsplit --ascii signals x -o json",
    ] {
        assert!(cli(line).is_ok(), "{line}");
    }
}

#[test]
fn examples_name_the_program_as_it_was_called() {
    let help = parse(["kubectl-confsplit", "signals", "--help"].map(OsString::from))
        .unwrap_err()
        .to_string();
    assert!(
        help.contains("| kubectl confsplit signals") && !help.contains("  confsplit signals"),
        "{help}"
    );
}
