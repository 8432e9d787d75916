//! Runs what the command line asked for.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use crate::analysis::Diagnosis;
use crate::app::{Mode, Origin, Preferences};
use crate::capture::{self, Withheld};
use crate::cli::settings::{Probe, Settings};
use crate::cli::{self, Cli, Command};
use crate::error::Error;
use crate::model::{Scope, Snapshot, Target};
use crate::report::{self, Charset, Format};
use crate::source::live::{ConnectOptions, Live, LogsCommand, probe_commands};
use crate::source::replay::Replay;
use crate::source::{Probing, Source, SourceError};
use crate::text::harmless;

use super::clock;
use super::collect::collect;
use super::dashboard::{self, View};
use super::journal::Journal;
use super::{demo, old, record, signals, undo};

/// How the program ends when nothing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done, and nothing was found.
    Clear,
    /// There is an incident.
    Incident,
    /// There is none, but a gap covers something that matters.
    Uncertain,
}

impl Outcome {
    /// What a diagnosis comes to.
    pub fn of(diagnosis: &Diagnosis) -> Self {
        if !diagnosis.incidents.is_empty() {
            Self::Incident
        } else if diagnosis.weakened {
            Self::Uncertain
        } else {
            Self::Clear
        }
    }

    /// The exit code. Errors have [`FAILED`].
    pub fn code(self) -> u8 {
        match self {
            Self::Clear => 0,
            Self::Incident => 1,
            Self::Uncertain => 2,
        }
    }
}

/// The exit code of an error or of wrong usage.
pub const FAILED: u8 = 3;

/// Runs a command line to its end.
pub fn run(cli: Cli) -> Result<Outcome, Error> {
    signals::survive_limits()
        .map_err(|error| Error::new("Signals could not be heard.").because(error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::new("The program could not start its threads.").because(error))?;
    let outcome = runtime.block_on(dispatch(cli));
    // A name server that does not answer holds a thread for longer than anybody waits.
    runtime.shutdown_background();
    outcome
}

async fn dispatch(mut cli: Cli) -> Result<Outcome, Error> {
    match cli.command.take() {
        Some(Command::Diagnose(args)) => diagnose(&cli, args).await,
        Some(Command::Plan(args)) => plan(&cli, args).await,
        Some(Command::Capture(args)) => capture(&cli, args).await,
        Some(Command::Open(args)) => open(&cli, &args.file).await,
        Some(Command::Demo(args)) => demo::demo(&cli, args).await,
        Some(Command::Record(args)) => record::record(&cli, args).await,
        Some(Command::Undo(args)) => undo::undo(&cli, &args).await,
        Some(Command::Signals(args)) => super::logfile::signals(&args, cli.ascii),
        None => dashboard(&cli).await,
    }
}

/// Reads a capture where one is named, else the cluster.
async fn read(
    cli: &Cli,
    from: Option<&Path>,
    target: Option<Target>,
) -> Result<(Snapshot, Diagnosis), Error> {
    let Some(path) = from else {
        return read_cluster(cli, target).await;
    };
    let replay = Replay::open(path).map_err(|error| in_file(error, path))?;
    let loaded = old::load(&cli.old, replay.about()).await?;
    let replay = replay.with_outside(loaded);
    let scope = Scope {
        namespace: replay.scope().namespace.clone(),
        target,
        route: cli.route.clone(),
        version_at: None,
        client: cli.logs.client.clone(),
    };
    Ok(collect(&replay, &scope, &|_| {}).await?)
}

async fn plan(cli: &Cli, mut args: cli::Plan) -> Result<Outcome, Error> {
    let target = args.target.take().or_else(|| cli.target.clone());
    let (_, diagnosis) = read(cli, args.from.as_deref(), target).await?;
    let mut out = BufWriter::new(io::stdout().lock());
    let written = report::write_plans(args.output.into(), &diagnosis, &mut out);
    quiet_when_closed(written.and_then(|()| out.flush()))?;
    Ok(Outcome::of(&diagnosis))
}

async fn diagnose(cli: &Cli, mut args: cli::Diagnose) -> Result<Outcome, Error> {
    let target = args.target.take().or_else(|| cli.target.clone());
    if let Some(path) = args.capture.as_ref().filter(|_| args.from.is_none()) {
        capture::ensure_free(path, args.force)?;
    }
    let (snapshot, diagnosis) = read(cli, args.from.as_deref(), target).await?;
    print_report(args.output.into(), &diagnosis, cli.ascii)?;
    if let Some(path) = &args.capture {
        let withheld = capture::save(&snapshot, path, args.force)?;
        tell_saved(path, &snapshot, &withheld);
    }
    Ok(Outcome::of(&diagnosis))
}

async fn capture(cli: &Cli, mut args: cli::Capture) -> Result<Outcome, Error> {
    let target = args.target.take().or_else(|| cli.target.clone());
    let to_stdout = args.output.as_os_str() == "-";
    if to_stdout && io::stdout().is_terminal() {
        return Err(
            Error::new("A capture is compressed and cannot be shown in a terminal.")
                .hint("Send it to a file or through a pipe: `… capture -o - | zcat | jq`."),
        );
    }
    if !to_stdout {
        capture::ensure_free(&args.output, args.force)?;
    }
    let (snapshot, _) = read_cluster(cli, target).await?;
    if to_stdout {
        let mut out = BufWriter::new(io::stdout().lock());
        quiet_when_closed(capture::write(&snapshot, &mut out).and_then(|_| out.flush()))?;
    } else {
        let withheld = capture::save(&snapshot, &args.output, args.force)?;
        tell_saved(&args.output, &snapshot, &withheld);
    }
    Ok(Outcome::Clear)
}

/// Reads the cluster that the flags name.
async fn read_cluster(cli: &Cli, target: Option<Target>) -> Result<(Snapshot, Diagnosis), Error> {
    // A file of settings that is broken keeps nobody from reading who has said everything by flags.
    let settings = match (cli.probing.said(), &cli.old.store, &cli.logs.logs_cmd) {
        (Some(_), Some(_), Some(_)) => Settings::default(),
        _ => Settings::load()?,
    };
    let probe = cli.probing.said().unwrap_or(settings.probe);
    let command = logs_command(cli, &settings);
    let live = connect(cli)?.with_logs_command(command);
    let loaded = old::load(&cli.old, live.about()).await?;
    let live = old::with(live, loaded, &cli.old, &settings);
    let probing = Probing {
        // Nobody is there to be asked.
        exec: probe == Probe::Always,
        version_at: cli.probing.version_at.clone(),
    };
    tell_probing(&probing);
    live.permit(probing);
    let scope = Scope {
        namespace: live.namespace().map(str::to_owned),
        target,
        route: cli.route.clone(),
        version_at: version_at(cli),
        client: cli.logs.client.clone(),
    };
    Ok(collect(&live, &scope, &|_| {}).await?)
}

pub(super) fn version_at(cli: &Cli) -> Option<String> {
    cli.probing.version_at.as_ref().map(ToString::to_string)
}

/// What is run in containers, before it is: on standard error, where somebody may be reading.
fn tell_probing(probing: &Probing) {
    let mut err = io::stderr().lock();
    if !probing.exec || !err.is_terminal() {
        return;
    }
    let commands = probe_commands().into_iter().map(|(line, _)| line);
    let commands: Vec<String> = commands.collect();
    // A note that cannot be written keeps nobody from reading.
    drop(writeln!(
        err,
        "Probing: where it matters, these are run in containers: {}",
        commands.join("; ")
    ));
}

pub(super) fn connect(cli: &Cli) -> Result<Live, Error> {
    Ok(Live::connect(&connect_options(cli), clock::now)?)
}

/// The command for logs that the kubelet has not: the flag's, or else that of the settings.
fn logs_command(cli: &Cli, settings: &Settings) -> Option<LogsCommand> {
    let flag = cli.logs.logs_cmd.clone();
    flag.or_else(|| settings.logs_cmd.clone())
}

pub(super) fn connect_options(cli: &Cli) -> ConnectOptions {
    let flags = &cli.connect;
    ConnectOptions {
        kubeconfig: flags.kubeconfig.clone(),
        context: flags.context.clone(),
        namespace: flags.namespace.clone(),
        all_namespaces: flags.all_namespaces,
        impersonate: flags.impersonate.clone(),
        impersonate_groups: flags.impersonate_groups.clone(),
        request_timeout: flags.timeout(),
        acts: false,
    }
}

/// The dashboard on the cluster that the flags name.
async fn dashboard(cli: &Cli) -> Result<Outcome, Error> {
    let settings = Settings::load()?;
    let command = logs_command(cli, &settings);
    let mode = mode(cli, &settings);
    let mut options = connect_options(cli);
    options.acts = mode == Mode::Act;
    let live = Live::connect(&options, clock::now)?.with_logs_command(command.clone());
    let loaded = old::load(&cli.old, live.about()).await?;
    let view = View {
        origin: Origin::Live,
        mode,
        edits: cli.writing.allow_edit,
        journal: Journal::own(),
        cluster: live.cluster().clone(),
        scope: Scope {
            namespace: live.namespace().map(str::to_owned),
            target: cli.target.clone(),
            route: cli.route.clone(),
            version_at: version_at(cli),
            client: cli.logs.client.clone(),
        },
        ascii: cli.ascii || settings.ascii,
        preferences: preferences(cli, &settings),
        exports: settings.export.clone(),
    };
    let live = old::with(live, loaded.clone(), &cli.old, &settings);
    let (server, flags) = (live.cluster().server.clone(), cli.old.clone());
    // The context is the one on screen, whatever the kubeconfig says by then.
    options.context = live.cluster().context.clone().or(options.context);
    let again = move || {
        let live = Live::connect(&options, clock::now).and_then(|live| same_server(live, &server));
        let live = live.map(|live| {
            let live = live.with_logs_command(command.clone());
            old::with(live, loaded.clone(), &flags, &settings)
        });
        async move { live }
    };
    dashboard::show(live, again, view).await?;
    Ok(Outcome::Clear)
}

/// What is on screen is of one cluster: reading again leads to no other.
fn same_server(live: Live, server: &str) -> Result<Live, SourceError> {
    if live.cluster().server == server {
        return Ok(live);
    }
    Err(SourceError {
        message: format!(
            "The kubeconfig now names {} for this context, and not {server}.",
            live.cluster().server
        ),
        hint: Some("Quit and start again to look at that cluster.".to_owned()),
    })
}

/// Whether what is agreed to may be written: where neither a flag, the environment nor the settings say no.
pub(super) fn mode(cli: &Cli, settings: &Settings) -> Mode {
    match cli.writing.read_only || settings.read_only {
        true => Mode::ReadOnly,
        false => Mode::Act,
    }
}

/// The settings, but for what a flag says.
pub(super) fn preferences(cli: &Cli, settings: &Settings) -> Preferences {
    let mut preferences = settings.preferences();
    if let Some(theme) = cli.theme {
        preferences.theme = theme.into();
    }
    if let Some(probe) = cli.probing.said() {
        preferences.probe = probe.into();
    }
    preferences
}

/// The dashboard on a capture.
async fn open(cli: &Cli, path: &Path) -> Result<Outcome, Error> {
    let settings = Settings::load()?;
    let replay = Replay::open(path).map_err(|error| in_file(error, path))?;
    let loaded = old::load(&cli.old, replay.about()).await?;
    let file = path.file_name().unwrap_or(path.as_os_str());
    let view = View {
        origin: Origin::Capture {
            file: file.to_string_lossy().into_owned(),
        },
        mode: Mode::ReadOnly,
        edits: false,
        journal: Journal::at(None),
        cluster: replay.opened().snapshot.cluster.clone(),
        scope: replay.scope().clone(),
        ascii: cli.ascii || settings.ascii,
        preferences: preferences(cli, &settings),
        exports: settings.export,
    };
    let replay = replay.with_outside(loaded.clone());
    let path = path.to_owned();
    let again = move || {
        let (path, loaded) = (path.clone(), loaded.clone());
        async move {
            let replay = Replay::open(&path).map_err(|error| SourceError {
                message: format!("{}: {error}", path.display()),
                hint: Some(error.hint().to_owned()),
            })?;
            Ok(replay.with_outside(loaded))
        }
    };
    dashboard::show(replay, again, view).await?;
    Ok(Outcome::Clear)
}

fn print_report(format: Format, diagnosis: &Diagnosis, ascii: bool) -> Result<(), Error> {
    let stdout = io::stdout();
    let charset = if ascii {
        Charset::Ascii
    } else {
        Charset::Unicode
    };
    let mut out = BufWriter::new(stdout.lock());
    let written = report::write(format, charset, diagnosis, &mut out).and_then(|()| out.flush());
    quiet_when_closed(written)
}

/// Whoever reads our output may have seen enough (`| head`): that is no error.
pub(super) fn quiet_when_closed(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new("Standard output could not be written.").because(error))
        }
        _ => Ok(()),
    }
}

fn in_file(error: capture::OpenError, path: &Path) -> Error {
    Error::new(format!("{}: {error}", path.display())).hint(error.hint())
}

/// On standard error, since standard output may be the report. A note that cannot be written is no failure of the capture.
fn tell_saved(path: &Path, snapshot: &Snapshot, withheld: &[Withheld]) {
    let left_out: Vec<&str> = withheld.iter().map(|w| w.what.as_str()).collect();
    let note = format!(
        "{} written: {} configs, {} pods, {} logs, {} events; {} reads failed.\n\
         Left out: {}. ConfigMaps and logs are in it as they are.",
        path.display(),
        snapshot.configs.len(),
        snapshot.pods.len(),
        snapshot.logs.len(),
        snapshot.events.len(),
        snapshot.gaps.len(),
        left_out.join("; "),
    );
    let mut err = io::stderr().lock();
    for line in note.lines() {
        drop(writeln!(err, "{}", harmless(line)));
    }
}
