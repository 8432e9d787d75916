//! `demo`: an incident in a cluster in memory, on the dashboard or for other programs to look at.

use std::net::SocketAddr;

use clap::Args;

use super::{Cli, target};
use crate::model::Target;

pub(super) const HELP: &str = "\
No cluster is asked, no network is used, and nothing is written to disk, but with --serve a kubeconfig for as long as it runs.

Examples:
  confsplit demo
  confsplit demo --list
  confsplit demo crash-new deploy/web
  confsplit demo --serve 127.0.0.1:8001    then, elsewhere, with the kubeconfig that it prints:
  kubectl --kubeconfig FILE -n shop get pods
  confsplit --kubeconfig FILE -n shop diagnose";

#[derive(Debug, Args)]
pub struct Demo {
    /// The incident that is played; --list tells them [default: partial-restart]
    #[arg(value_name = "SCENARIO")]
    pub scenario: Option<String>,

    /// A config, a workload or a Service that the dashboard is about
    #[arg(value_name = "TYPE/NAME", value_parser = target::parse)]
    pub target: Option<Target>,

    /// Print the scenarios, and what happened in each
    #[arg(long, conflicts_with_all = ["scenario", "target", "serve"])]
    pub list: bool,

    /// Serve the cluster to other programs of this machine instead of opening the dashboard: 127.0.0.1:PORT, 0 for any free port
    #[arg(long, value_name = "ADDRESS", value_parser = loopback)]
    pub serve: Option<SocketAddr>,
}

/// An address that only this machine reaches: whoever reaches it may change the cluster, and nobody is asked who he is.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "expected an address and a port, such as 127.0.0.1:8001".to_owned())?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err(format!(
        "{} is reached from other machines; give 127.0.0.1 or [::1]",
        address.ip()
    ))
}

/// What means nothing where the cluster is in memory.
pub(super) fn check(cli: &Cli, demo: &Demo) -> Result<(), String> {
    let given = cli.connect.given();
    let mut given: Vec<&str> = given
        .into_iter()
        .filter(|flag| !HERE_TOO.contains(flag))
        .collect();
    let old = &cli.old;
    let outside = [
        (!old.audit.is_empty(), "--audit"),
        (!old.previous.is_empty(), "--previous"),
        (!old.git.is_empty(), "--git"),
        (old.store.is_some(), "--store"),
        (cli.logs.logs_cmd.is_some(), "--logs-cmd"),
    ];
    given.extend(
        outside
            .iter()
            .filter(|(given, _)| *given)
            .map(|(_, flag)| *flag),
    );
    if !given.is_empty() {
        return Err(format!(
            "demo plays its own cluster, so {} cannot be used with it",
            given.join(", ")
        ));
    }
    let unused = shown_only(cli, demo);
    if demo.serve.is_some() && !unused.is_empty() {
        return Err(format!(
            "demo --serve opens no dashboard, so {} cannot be used with it",
            unused.join(", ")
        ));
    }
    if demo.target.is_some() && cli.target.is_some() {
        return Err("give TYPE/NAME once, after the command".to_owned());
    }
    Ok(())
}

/// What was given that says how the dashboard reads and looks.
fn shown_only(cli: &Cli, demo: &Demo) -> Vec<&'static str> {
    let mut given = cli.connect.given();
    given.extend(cli.probing.given());
    let shown = [
        (demo.target.is_some() || cli.target.is_some(), "TYPE/NAME"),
        (cli.route.is_some(), "--route"),
        (cli.logs.client.is_some(), "--client"),
        (cli.ascii, "--ascii"),
        (cli.theme.is_some(), "--theme"),
    ];
    given.extend(
        shown
            .iter()
            .filter(|(given, _)| *given)
            .map(|(_, flag)| *flag),
    );
    given
}

/// Flags of the cluster that say something in the demo as well.
const HERE_TOO: [&str; 3] = ["--namespace", "--all-namespaces", "--request-timeout"];
