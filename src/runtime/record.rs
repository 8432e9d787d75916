//! `confsplit record`: keeps every revision of the ConfigMaps in scope until it is stopped, and prints a line for each.

use std::collections::HashSet;
use std::io::{self, Write};

use chrono::SecondsFormat;
use tokio::sync::mpsc::{self, Receiver};

use super::commands::{self, Outcome};
use super::old;
use crate::analysis;
use crate::capture::history::Bounds;
use crate::cli::settings::Settings;
use crate::cli::{self, Cli};
use crate::error::Error;
use crate::model::{ConfigKind, ConfigRef, GapReason, Scope, Target};
use crate::source::live::Recording;
use crate::source::{Link, Told};
use crate::text::harmless;

/// How far the watch may be ahead of what is printed.
const WAITING: usize = 1024;

pub(super) async fn record(cli: &Cli, mut args: cli::Record) -> Result<Outcome, Error> {
    let target = without_secrets(args.target.take().or_else(|| cli.target.clone()))?;
    let settings = match &cli.old.store {
        Some(_) => Settings::default(),
        None => Settings::load()?,
    };
    let store = old::store(cli.old.store.as_deref(), &settings).ok_or_else(|| {
        Error::new("There is no place for the history: this user has no home directory.")
            .hint("Name a folder with --store DIR.")
    })?;
    let live = commands::connect(cli)?;
    let recording = Recording {
        scope: Scope {
            namespace: live.namespace().map(str::to_owned),
            ..Scope::default()
        },
        target,
        store,
        bounds: args.bounds(),
    };
    say(&beginning(&recording));
    let (told, tells) = mpsc::channel(WAITING);
    let mut printing = tokio::task::spawn_blocking(move || Tally::default().run(tells));
    let mut printed = None;
    let ended = tokio::select! {
        recorded = live.record(recording, told) => recorded,
        () = asked_to_end() => Ok(()),
        tally = &mut printing => {
            printed = tally.ok();
            Ok(())
        }
    };
    let tally = match printed {
        Some(tally) => tally,
        // The last is on disk, or will not be, when nothing is told any more.
        None => printing.await.unwrap_or_default(),
    };
    ended?;
    tally.end()
}

fn without_secrets(target: Option<Target>) -> Result<Option<Target>, Error> {
    match target {
        Some(Target::Config {
            kind: ConfigKind::Secret,
            ..
        }) => Err(Error::new("Secrets are never recorded.")
            .hint("Name a ConfigMap as cm/NAME, or a workload for the ConfigMaps that it names.")),
        other => Ok(other),
    }
}

fn beginning(recording: &Recording) -> String {
    let place = match &recording.scope.namespace {
        Some(namespace) => format!("namespace {namespace}"),
        None => "all namespaces".to_owned(),
    };
    let what = match &recording.target {
        Some(Target::Config { name, .. }) => format!("ConfigMap {name} of {place}"),
        Some(Target::Workload { kind, name }) => {
            format!("the ConfigMaps that {kind} {name} of {place} names")
        }
        Some(Target::Service { name }) => {
            format!("the ConfigMaps that the pods of Service {name} of {place} name")
        }
        None => format!("the ConfigMaps of {place}"),
    };
    let Bounds { bytes, age } = recording.bounds;
    let age = match age.num_days() {
        0..=2 => format!("{} hours", age.num_hours()),
        days => format!("{days} days"),
    };
    format!(
        "Recording {what} in {}: at most {} MiB and {age}, as they are, passwords in them too. Ctrl-C ends it.",
        recording.store.display(),
        bytes.div_ceil(1 << 20),
    )
}

/// On standard error: standard output has a line a version.
fn say(text: &str) {
    drop(writeln!(io::stderr().lock(), "{}", harmless(text)));
}

/// The signals that end a program.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let ends = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        let mut signals: Vec<_> = ends
            .into_iter()
            .filter_map(|end| signal(end).ok())
            .collect();
        let each = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures::future::select_all(each).await;
    }
    #[cfg(not(unix))]
    drop(tokio::signal::ctrl_c().await);
}

/// What has been kept so far.
#[derive(Debug, Default)]
struct Tally {
    kept: u64,
    configs: HashSet<ConfigRef>,
    failing: Option<usize>,
    lost: u64,
    denied: Option<(&'static str, GapReason)>,
    was_lost: bool,
}

impl Tally {
    /// Prints what is told until nothing is any more, or nobody reads it.
    fn run(mut self, mut tells: Receiver<Told>) -> Self {
        let mut begun = false;
        while let Some(told) = tells.blocking_recv() {
            let Some(line) = self.take(told) else {
                if self.denied.is_some() {
                    return self;
                }
                continue;
            };
            let mut out = io::stdout().lock();
            let head = if begun {
                Ok(())
            } else {
                let columns = ["NAMESPACE", "NAME", "VERSION", "SEEN", ""];
                writeln!(out, "{}", row(columns))
            };
            begun = true;
            let written = head.and_then(|()| writeln!(out, "{}", harmless(&line)));
            if written.and_then(|()| out.flush()).is_err() {
                return self;
            }
        }
        self
    }

    /// The line of what was told; what is no version goes to standard error.
    fn take(&mut self, told: Told) -> Option<String> {
        match told {
            Told::Kept { kept, known } => {
                let config = &kept.config;
                self.kept += 1;
                self.configs.insert(config.reference.clone());
                let what = match (&kept.follows, known) {
                    (Some(version), _) => format!("follows {version}"),
                    (None, true) => "what was between is not known".to_owned(),
                    (None, false) => "first seen".to_owned(),
                };
                let seen = kept.seen_at.to_rfc3339_opts(SecondsFormat::Secs, true);
                let ConfigRef {
                    namespace, name, ..
                } = &config.reference;
                return Some(row([
                    namespace,
                    name,
                    &config.resource_version,
                    &seen,
                    &what,
                ]));
            }
            Told::Gone(config) => {
                return Some(row([&config.namespace, &config.name, "-", "-", "deleted"]));
            }
            Told::Failing { why, waiting } => {
                self.failing = Some(waiting);
                say(&format!(
                    "The history cannot be written ({why}). Watching goes on, and the newest version of each ConfigMap waits."
                ));
            }
            Told::Working { lost } => {
                self.failing = None;
                self.lost += lost;
                say(&format!(
                    "The history can be written again; {lost} versions between were lost."
                ));
            }
            Told::Denied { resource, reason } => self.denied = Some((resource, reason)),
            Told::Link(link) => self.link(&link),
        }
        None
    }

    fn link(&mut self, link: &Link) {
        match link {
            Link::Live if self.was_lost => say("The ConfigMaps are watched again."),
            Link::Lost(reason) => say(&format!(
                "The watch is lost ({}), and taken up again as soon as it can be.",
                why("configmaps", reason)
            )),
            Link::Polled { seconds } => say(&format!(
                "No permission to watch ConfigMaps: they are listed every {seconds} s, and what is written and written over between is missed."
            )),
            Link::Live | Link::Denied(_) => {}
        }
        self.was_lost = matches!(link, Link::Lost(_));
    }

    fn end(self) -> Result<Outcome, Error> {
        if let Some((resource, reason)) = self.denied {
            let why = why(resource, &reason);
            return Err(
                Error::new(format!("The {resource} cannot be read: {why}.")).hint(format!(
                    "Recording needs the rights to list and to watch {resource} here."
                )),
            );
        }
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let kept = usize::try_from(self.kept).unwrap_or(usize::MAX);
        say(&format!(
            "Kept {} of {}.",
            plural(kept, "version"),
            plural(self.configs.len(), "ConfigMap")
        ));
        if self.failing.is_some() {
            return Err(
                Error::new("The newest versions could not be written to the end.")
                    .hint("Make room where the history is kept, and record again."),
            );
        }
        Ok(Outcome::Clear)
    }
}

fn why(resource: &str, reason: &GapReason) -> String {
    analysis::gap_reason(&crate::model::Gap {
        verb: "list".to_owned(),
        resource: resource.to_owned(),
        namespace: None,
        name: None,
        reason: reason.clone(),
    })
}

fn row([namespace, name, version, seen, what]: [&str; 5]) -> String {
    let row = format!("{namespace:<16} {name:<32} {version:<12} {seen:<20} {what}");
    row.trim_end().to_owned()
}
