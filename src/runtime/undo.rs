//! `undo`: brings back what a remedy replaced, from its journal, without the dashboard.

use std::io::{self, BufRead, IsTerminal, Write as _};
use std::path::Path;

use super::clock;
use super::commands::{Outcome, connect_options, mode};
use super::journal::{self, Journal};
use crate::app::{Mode, remedy::diff_lines};
use crate::cli::settings::Settings;
use crate::cli::{self, Cli};
use crate::error::Error;
use crate::model::{Config, ConfigRef, Scope, Target};
use crate::remedy::{Approved, Confirmation, Goal, Left, Prepared, Write, WriteError};
use crate::source::Source;
use crate::source::live::Live;
use crate::text::harmless;

pub(super) async fn undo(cli: &Cli, args: &cli::Undo) -> Result<Outcome, Error> {
    let settings = Settings::load()?;
    if mode(cli, &settings) == Mode::ReadOnly {
        return Err(
            Error::new("This session is read-only, so nothing can be undone.")
                .hint("Leave out --read-only, CONFSPLIT_READ_ONLY and the setting read-only."),
        );
    }
    let mut options = connect_options(cli);
    options.acts = true;
    let live = Live::connect(&options, clock::now)?;
    let journal = Journal::own();
    let left = find(&journal, args.journal.as_deref(), &live)?;
    let config = read(&live, &left.heading.config).await?;
    let goal = left.undo(&config);
    let Some(write) = goal.content_write() else {
        return nothing_to_undo(&left, &config);
    };
    let prepared = live.prepare(vec![write.clone()]).await.map_err(failed)?;
    show(&left, &live, &write, &prepared)?;
    let confirmation = ask(&live, &goal)?;
    let approved = Approved::content(write.clone(), &confirmation)
        .ok_or_else(|| Error::new("Only a content can be undone."))?;
    carry_out(&live, &journal, &left, approved).await?;
    tell(&format!(
        "{} holds again what it held before. Pods keep what they loaded until they are restarted.",
        goal.config
    ));
    Ok(Outcome::Clear)
}

fn find(journal: &Journal, named: Option<&Path>, live: &Live) -> Result<Left, Error> {
    let server = &live.cluster().server;
    let nowhere = Path::new(".");
    let left = journal::find(journal.folder().unwrap_or(nowhere), named, server)
        .map_err(|why| Error::new(format!("There is nothing to undo: {why}.")))?;
    if left.heading.server != *server {
        let message = format!(
            "{} is of {}, and this is {server}.",
            left.journal, left.heading.server
        );
        return Err(Error::new(message).hint("Name its context with --context."));
    }
    Ok(left)
}

/// The config as it is now.
async fn read(live: &Live, config: &ConfigRef) -> Result<Config, Error> {
    let scope = Scope {
        namespace: Some(config.namespace.clone()),
        target: Some(Target::Config {
            kind: config.kind,
            name: config.name.clone(),
        }),
        ..Scope::default()
    };
    let snapshot = live.lists(&scope, &|_| {}).await?;
    let mut configs = snapshot.configs.iter();
    let found = configs.find(|found| found.reference == *config);
    found.map(|found| Config::clone(found)).ok_or_else(|| {
        Error::new(format!(
            "{config} is not there in namespace {}.",
            config.namespace
        ))
    })
}

fn nothing_to_undo(left: &Left, config: &Config) -> Result<Outcome, Error> {
    let heading = &left.heading;
    if config.content.as_ref() == Some(&heading.before) {
        tell(&format!(
            "{} holds already what it held before.",
            heading.config
        ));
        return Ok(Outcome::Clear);
    }
    Err(Error::new(format!(
        "{} cannot be written: it is immutable.",
        heading.config
    )))
}

fn failed(error: WriteError) -> Error {
    Error::new(format!("Nothing is undone: {error}."))
}

/// Everything that is to be known before it is agreed to.
fn show(left: &Left, live: &Live, write: &Write, prepared: &Prepared) -> Result<(), Error> {
    let cluster = live.cluster();
    let heading = &left.heading;
    tell(&format!(
        "context {}, {}, namespace {}",
        cluster.context_name(),
        cluster.server,
        heading.config.namespace
    ));
    tell(&format!(
        "{} of {}: {} → {} would be undone; last in it: {}",
        left.journal, left.at, heading.config, heading.meant, left.last
    ));
    if let Write::Content { from, to, .. } = write {
        diff_lines(from, to).iter().for_each(|line| tell(line));
    }
    for (right, has) in &prepared.rights {
        if *has == Some(false) {
            return Err(failed(WriteError::Forbidden(right.clone())));
        }
    }
    for rehearsal in &prepared.rehearsals {
        match &rehearsal.outcome {
            Err(error) => return Err(failed(error.clone())),
            Ok(written) => written.taken_from.iter().for_each(|manager| {
                tell(&format!("fields that {manager} wrote become confsplit's"))
            }),
        }
    }
    Ok(())
}

/// The words that agree, typed by a person at a terminal.
fn ask(live: &Live, goal: &Goal) -> Result<Confirmation, Error> {
    let (context, namespace) = (live.cluster().context_name(), &goal.config.namespace);
    let wanted = Confirmation::wanted(context, namespace, false);
    if !io::stdin().is_terminal() {
        return Err(
            Error::new("Nothing is undone: a person has to agree, at a terminal.")
                .hint("Run it where you can type."),
        );
    }
    let mut err = io::stderr().lock();
    drop(write!(
        err,
        "Type {} to write this, anything else cancels: ",
        harmless(&wanted)
    ));
    drop(err.flush());
    drop(err);
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Error::new("What was typed could not be read.").because(error))?;
    Confirmation::typed(
        line.trim_end_matches(['\r', '\n']),
        context,
        namespace,
        false,
    )
    .ok_or_else(|| Error::new("Cancelled: nothing is written."))
}

async fn carry_out(
    live: &Live,
    journal: &Journal,
    left: &Left,
    approved: Approved,
) -> Result<(), Error> {
    let write = approved.write().clone();
    let unkept = |error: io::Error| failed(WriteError::Journal(error.to_string()));
    journal.go_on(&left.journal).map_err(unkept)?;
    journal.sent(&write, clock::now()).map_err(failed)?;
    let outcome = live.write(approved).await;
    let kept = journal.came_to(&write, &outcome, clock::now());
    outcome.map_err(failed)?;
    kept.and_then(|()| journal.end("undone", "by `confsplit undo`", clock::now()))
        .map_err(|error| Error::new(format!("It is undone, but {error}.")))
}

fn tell(line: &str) {
    drop(writeln!(io::stderr().lock(), "{}", harmless(line)));
}
