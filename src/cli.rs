//! The command line: kubectl's flags where kubectl has them, a few commands of our own, and what may not be combined.

mod bound;
pub mod demo;
mod plan;
mod record;
pub mod settings;
pub mod signals;
mod target;
mod timeout;
mod writing;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::model::Target;
use crate::report::Format;
use crate::source::VersionAt;
use crate::source::live::LogsCommand;
use crate::source::outside::{GitPlace, Given};
pub use plan::{Plan, PlanOutput};
pub use record::Record;
pub use writing::{Undo, Writing};

const EXAMPLES: &str = "\
Examples:
  confsplit demo                               an incident to look at, without a cluster
  confsplit -n shop                            the dashboard on one namespace
  confsplit -n shop deploy/frontend            about one workload
  confsplit -n shop svc/api --route /api/items what the page named
  confsplit -A diagnose                        every namespace, as text, once
  confsplit -n shop diagnose -o json cm/nginx  for a script; the exit code says what was found
  confsplit -n shop diagnose --probe           also read inside containers, by a fixed list of commands
  confsplit -n shop capture -o shop.capture    write down everything that was read
  confsplit open shop.capture                  the dashboard on it, anywhere
  confsplit -n shop plan deploy/frontend       the remedy as kubectl lines, for a shell or a ticket
  confsplit -n shop record                     keep every revision of its ConfigMaps, for the next time";

const DIAGNOSE_HELP: &str = "\
Exit codes:
  0  nothing was found
  1  there is an incident
  2  there is none, but something could not be read that would matter
  3  an error, or wrong usage

Examples:
  confsplit -n shop diagnose
  confsplit -n shop diagnose -o markdown deploy/frontend >> ticket.md
  confsplit -n shop diagnose --capture shop.capture
  confsplit diagnose --from shop.capture -o json";

const CAPTURE_HELP: &str = "\
The file is gzip over lines of JSON: `zcat FILE | jq` shows it. It holds no Secret and no literal value of an
environment variable, but ConfigMaps and logs as they are, and of Secrets that were not read a program may log the value: look
before you hand it on.";

/// Shows which replica runs which version of an edited ConfigMap or Secret, how that is known, and what to do in which order.
///
/// Without a command it opens the dashboard. It writes to the cluster only what is agreed to there, word by word.
#[derive(Debug, Parser)]
#[command(name = "confsplit", version, after_help = EXAMPLES)]
pub struct Cli {
    /// Only ASCII characters on the screen and in text
    #[arg(long, global = true)]
    pub ascii: bool,

    /// The dashboard's colours: auto, dark, light or mono [default: the settings', else auto]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "NAME",
        hide_possible_values = true
    )]
    pub theme: Option<settings::Theme>,

    /// A config, a workload or a Service: cm/NAME, secret/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, pod/NAME, svc/NAME
    #[arg(value_name = "TYPE/NAME", value_parser = target::parse)]
    pub target: Option<Target>,

    /// The route that fails, as the page names it: /api/items, or "GET /api/items"
    #[arg(long, global = true, value_name = "ROUTE")]
    pub route: Option<String>,

    #[command(flatten)]
    pub logs: Logs,

    #[command(flatten)]
    pub probing: Probing,

    #[command(flatten)]
    pub old: Old,

    #[command(flatten)]
    pub writing: Writing,

    // Last, since its heading would hold for what follows it.
    #[command(flatten)]
    pub connect: Connect,

    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Which logs are read beside those of an incident's replicas, and how.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Logs")]
pub struct Logs {
    /// A load generator, a gateway or another client whose log counts as the impact: deploy/NAME, sts/NAME, ds/NAME, pod/NAME, svc/NAME
    #[arg(long, global = true, value_name = "TYPE/NAME", value_parser = target::client)]
    pub client: Option<Target>,

    /// A command that prints a log which the kubelet has rotated away: 'COMMAND {namespace} {pod} {container} {since}', without a shell
    #[arg(long, global = true, value_name = "COMMAND")]
    pub logs_cmd: Option<LogsCommand>,
}

/// What is read beyond observing.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Probing")]
pub struct Probing {
    /// Also run a fixed list of reads in containers (`i` in the dashboard shows it), without being asked
    #[arg(long, global = true)]
    pub probe: bool,

    /// Run nothing in containers, and do not ask [default: the dashboard asks once, else nothing is run]
    #[arg(long, global = true)]
    pub no_probe: bool,

    /// Where each replica tells its configuration's version: :8080/info#config.version in JSON, or :9090/metrics#NAME.LABEL
    #[arg(long, global = true, value_name = ":PORT/PATH#NAME")]
    pub version_at: Option<VersionAt>,
}

impl Probing {
    /// The flags that were given, by name.
    fn given(&self) -> Vec<&'static str> {
        [
            (self.probe, "--probe"),
            (self.no_probe, "--no-probe"),
            (self.version_at.is_some(), "--version-at"),
        ]
        .into_iter()
        .filter_map(|(given, flag)| given.then_some(flag))
        .collect()
    }

    /// What the flags say, where they say anything.
    pub fn said(&self) -> Option<settings::Probe> {
        match (self.probe, self.no_probe) {
            (true, _) => Some(settings::Probe::Always),
            (false, true) => Some(settings::Probe::Never),
            (false, false) => None,
        }
    }
}

/// Where old contents are known from, beside the API.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Old contents")]
pub struct Old {
    /// The API server's audit log, as JSON lines, also gzipped; may be repeated for rotated files
    #[arg(long, global = true, value_name = "FILE")]
    pub audit: Vec<PathBuf>,

    /// A manifest (YAML or JSON) or another capture that holds earlier contents; may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    pub previous: Vec<PathBuf>,

    /// A manifest at a revision of a git clone, such as .:deploy/cm.yaml@HEAD~1; may be repeated
    #[arg(long, global = true, value_name = "REPO:PATH@REV")]
    pub git: Vec<GitPlace>,

    /// Where `record` keeps its history, which the others read [default: the settings', else the user's state directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl Old {
    /// What the flags name beside the program's own history.
    pub fn given(&self) -> Given {
        Given {
            audit: self.audit.clone(),
            previous: self.previous.clone(),
            git: self.git.clone(),
        }
    }
}

/// Which cluster and which part of it, as kubectl takes them.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Cluster")]
pub struct Connect {
    /// The namespace [default: the context's]
    #[arg(short, long, global = true, value_name = "NS")]
    pub namespace: Option<String>,

    /// All namespaces; --namespace is then ignored
    #[arg(short = 'A', long, global = true)]
    pub all_namespaces: bool,

    /// The kubeconfig's context [default: its current one]
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,

    /// The kubeconfig file [default: $KUBECONFIG, then ~/.kube/config]
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Act as this user
    #[arg(long = "as", global = true, value_name = "USER")]
    pub impersonate: Option<String>,

    /// Act as a member of this group; may be repeated
    #[arg(long = "as-group", global = true, value_name = "GROUP")]
    pub impersonate_groups: Vec<String>,

    /// How long to wait for one answer: 10s, 1m, 500ms; 0 is without end [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = timeout::parse)]
    pub request_timeout: Option<timeout::Timeout>,
}

impl Connect {
    /// How long to wait for one answer. `None` is without end.
    pub fn timeout(&self) -> Option<Duration> {
        self.request_timeout.unwrap_or_default().limit()
    }

    /// The flags that were given, by name: those that mean nothing where no cluster is asked.
    pub fn given(&self) -> Vec<&'static str> {
        [
            (self.namespace.is_some(), "--namespace"),
            (self.all_namespaces, "--all-namespaces"),
            (self.context.is_some(), "--context"),
            (self.kubeconfig.is_some(), "--kubeconfig"),
            (self.impersonate.is_some(), "--as"),
            (!self.impersonate_groups.is_empty(), "--as-group"),
            (self.request_timeout.is_some(), "--request-timeout"),
        ]
        .into_iter()
        .filter_map(|(given, flag)| given.then_some(flag))
        .collect()
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Diagnose once and print a report, without a screen
    #[command(after_help = DIAGNOSE_HELP)]
    Diagnose(Diagnose),
    /// Write down everything that was read, to be opened anywhere
    #[command(after_help = CAPTURE_HELP)]
    Capture(Capture),
    /// Open the dashboard on a capture
    Open(Open),
    /// The dashboard on a cluster in memory that plays an incident; everything works in it
    #[command(after_help = demo::HELP)]
    Demo(demo::Demo),
    /// Keep every revision of the ConfigMaps in scope, until it is stopped
    #[command(after_help = record::HELP)]
    Record(Record),
    /// Print the remedy as kubectl lines that can be run in order, as JSON, or as a change ticket
    #[command(after_help = plan::HELP)]
    Plan(Plan),
    /// Bring back what a remedy replaced, from its journal; asks before it writes
    #[command(after_help = writing::UNDO_HELP)]
    Undo(Undo),
    /// Print what the log extractors find in any log, without a cluster
    #[command(after_help = signals::HELP)]
    Signals(signals::Signals),
}

#[derive(Debug, Args)]
pub struct Diagnose {
    /// How to print the report
    #[arg(short, long, value_enum, default_value_t = Output::Text, value_name = "FORMAT")]
    pub output: Output,

    /// Also write down what this very run read
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub capture: Option<PathBuf>,

    /// Diagnose a capture instead of a cluster: the same report as when it was taken
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// Let --capture replace a file
    #[arg(long, requires = "capture")]
    pub force: bool,

    /// A config, a workload or a Service; the report is about this alone
    #[arg(value_name = "TYPE/NAME", value_parser = target::parse)]
    pub target: Option<Target>,
}

#[derive(Debug, Args)]
pub struct Capture {
    /// Where to; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Replace the file if there is one
    #[arg(long)]
    pub force: bool,

    /// What the capture is about; without it everything in the namespace
    #[arg(value_name = "TYPE/NAME", value_parser = target::parse)]
    pub target: Option<Target>,
}

#[derive(Debug, Args)]
pub struct Open {
    /// A file that `capture` or `diagnose --capture` wrote
    pub file: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For a person at a terminal
    Text,
    /// For a program: schema confsplit.report/v1
    Json,
    /// For a ticket or a chat
    Markdown,
}

impl From<Output> for Format {
    fn from(output: Output) -> Self {
        match output {
            Output::Text => Self::Text,
            Output::Json => Self::Json,
            Output::Markdown => Self::Markdown,
        }
    }
}

/// Parses a command line, the program's name first. As a plugin of kubectl it calls itself what the user typed.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut command = Cli::command();
    let program = args.first().map(Path::new).and_then(Path::file_stem);
    if program.is_some_and(|name| name.to_string_lossy().starts_with("kubectl-")) {
        command = command
            .bin_name("kubectl confsplit")
            .after_help(EXAMPLES.replace("  confsplit ", "  kubectl confsplit "));
        command = command.mut_subcommand("diagnose", |diagnose| {
            diagnose.after_help(DIAGNOSE_HELP.replace("  confsplit ", "  kubectl confsplit "))
        });
        command = command.mut_subcommand("signals", |signals| {
            signals.after_help(signals::HELP.replace(" confsplit ", " kubectl confsplit "))
        });
    }
    let matches = command.try_get_matches_from_mut(args)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    check(&cli)
        .map_err(|message| command.error(clap::error::ErrorKind::ArgumentConflict, message))?;
    Ok(cli)
}

/// What clap cannot say about flags that may stand before or after the command.
fn check(cli: &Cli) -> Result<(), String> {
    let (from_file, target) = match &cli.command {
        Some(Command::Diagnose(diagnose)) => (
            diagnose.from.is_some().then_some("--from"),
            diagnose.target.as_ref(),
        ),
        Some(Command::Plan(plan)) => (
            plan.from.is_some().then_some("--from"),
            plan.target.as_ref(),
        ),
        Some(Command::Capture(capture)) => (None, capture.target.as_ref()),
        Some(Command::Open(_)) => (Some("open"), None),
        Some(Command::Record(record)) => (None, record.target.as_ref()),
        Some(Command::Signals(_)) => (Some("signals"), None),
        Some(Command::Demo(_) | Command::Undo(_)) | None => (None, None),
    };
    if let Some(what) = from_file {
        let mut given = cli.connect.given();
        given.extend(cli.probing.given());
        given.extend(cli.old.store.as_ref().map(|_| "--store"));
        given.extend(cli.logs.logs_cmd.iter().map(|_| "--logs-cmd"));
        // A capture's report is about a route too; a log alone has all of them.
        if cli.route.is_some() && matches!(cli.command, Some(Command::Signals(_))) {
            given.push("--route");
        }
        if !given.is_empty() {
            return Err(format!(
                "{what} reads a file and asks no cluster, so {} cannot be used with it",
                given.join(", ")
            ));
        }
    }
    if let Some(Command::Demo(demo)) = &cli.command {
        demo::check(cli, demo)?;
    }
    let probing = cli.probing.given();
    let other = probing.iter().find(|flag| **flag != "--no-probe");
    if let Some(other) = other.filter(|_| cli.probing.no_probe) {
        return Err(format!(
            "--no-probe forbids what {other} asks for: give one of them"
        ));
    }
    if matches!(cli.command, Some(Command::Record(_))) && !cli.old.given().is_empty() {
        return Err(
            "record keeps what it sees itself: --audit, --previous and --git cannot be used with it"
                .to_owned(),
        );
    }
    let before = cli.target.as_ref();
    if before.is_some()
        && (target.is_some() || matches!(cli.command, Some(Command::Open(_) | Command::Signals(_))))
    {
        return Err("give TYPE/NAME once, after the command".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
