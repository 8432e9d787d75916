//! `demo`: an incident in a cluster in memory. The dashboard reads it as it reads any other.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use super::commands::{Outcome, mode, preferences, quiet_when_closed, version_at};
use super::dashboard::{self, View};
use super::journal::Journal;
use super::{clock, served};
use crate::app::{Mode, Origin};
use crate::cli::settings::Settings;
use crate::cli::{self, Cli};
use crate::error::Error;
use crate::model::{Cluster, Scope};
use crate::sim::scenario::{self, Scenario, ScenarioError};
use crate::sim::{Clock, Sim};
use crate::source::live::{Consent, Live, namespace_name};

/// As the context is called, on every screen and in every printed command: nobody's kubeconfig has one of this name, so that no
/// command which is pasted reaches a real cluster.
pub(super) const CONTEXT: &str = "confsplit-demo";

/// For one answer; the cluster is in this process.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn demo(cli: &Cli, args: cli::demo::Demo) -> Result<Outcome, Error> {
    if args.list {
        list()?;
        return Ok(Outcome::Clear);
    }
    if args.serve.is_none() && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(
            Error::new("The dashboard needs a terminal for its input and output.").hint(
                "`confsplit demo --serve 127.0.0.1:0` serves the demo's cluster without one.",
            ),
        );
    }
    let name = args.scenario.as_deref().unwrap_or(scenario::FIRST);
    let scenario = Scenario::named(name).map_err(unplayable)?;
    let namespace = scenario.namespace.clone();
    let sim = scenario.play(Clock::told(clock::now)).map_err(unplayable)?;
    let running = {
        let sim = sim.clone();
        tokio::spawn(async move { sim.run().await })
    };
    let shown = match args.serve {
        Some(address) => served::serve(&sim, address, &namespace).await,
        None => show(cli, &args, &sim, &namespace).await,
    };
    running.abort();
    shown?;
    Ok(Outcome::Clear)
}

fn list() -> Result<(), Error> {
    let mut out = io::stdout().lock();
    let width = scenario::names().map(str::len).max().unwrap_or_default();
    for name in scenario::names() {
        let title = Scenario::named(name).map_err(unplayable)?.title;
        quiet_when_closed(writeln!(out, "{name:width$}  {title}"))?;
    }
    Ok(())
}

/// The dashboard on it.
async fn show(cli: &Cli, args: &cli::demo::Demo, sim: &Sim, namespace: &str) -> Result<(), Error> {
    let settings = Settings::load()?;
    let asked = cli.connect.namespace.as_deref().unwrap_or(namespace);
    let namespace = match cli.connect.all_namespaces {
        true => None,
        false => Some(namespace_name(asked)?),
    };
    let mode = mode(cli, &settings);
    let live = {
        let (sim, timeout) = (sim.clone(), cli.connect.timeout().unwrap_or(TIMEOUT));
        move || live(&sim, mode, timeout)
    };
    let view = View {
        origin: Origin::Live,
        mode,
        edits: cli.writing.allow_edit,
        // The cluster is gone with the program, and so is what would be undone.
        journal: Journal::at(None),
        cluster: cluster(),
        scope: Scope {
            namespace,
            target: args.target.clone().or_else(|| cli.target.clone()),
            route: cli.route.clone(),
            version_at: version_at(cli),
            client: cli.logs.client.clone(),
        },
        ascii: cli.ascii || settings.ascii,
        preferences: preferences(cli, &settings),
        exports: settings.export,
    };
    let first = live();
    dashboard::show(first, move || std::future::ready(Ok(live())), view).await
}

/// The same code reads it that reads a real cluster.
fn live(sim: &Sim, mode: Mode, timeout: Duration) -> Live {
    let consent = Consent::new(mode == Mode::Act);
    Live::over(consent, sim.service(), cluster(), timeout, clock::now)
}

fn cluster() -> Cluster {
    Cluster {
        context: Some(CONTEXT.to_owned()),
        flags: None,
        server: "a cluster in memory".to_owned(),
        version: None,
    }
}

fn unplayable(error: ScenarioError) -> Error {
    let hint = match &error {
        ScenarioError::Unknown { .. } => "`confsplit demo --list` tells what happened in each.",
        _ => "This is a fault of the program.",
    };
    Error::new(error.to_string()).hint(hint)
}
