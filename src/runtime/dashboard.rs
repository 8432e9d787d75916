//! Opens the dashboard on a source: a live cluster or a capture, by the same way.

use std::env;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, FixedOffset, Local, Offset, Utc};
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::watch;

use super::event_loop::Reader;
use super::journal::{self, Journal};
use super::keeper::{Task, keep};
use super::{clock, event_loop};
use crate::app::{Mode, Msg, Options, Origin, Preferences, Theme};
use crate::error::Error;
use crate::model::{Cluster, Scope, Snapshot};
use crate::remedy::Left;
use crate::source::{Clock, Probing, Source, SourceError};

/// Changes of what is open that may wait for the keeper.
const FOCI: usize = 16;
/// Acts that may wait for it; they come one after the other.
const ACTS: usize = 16;

/// What the dashboard is about.
#[derive(Debug)]
pub struct View {
    pub origin: Origin,
    pub mode: Mode,
    pub edits: bool,
    /// Where writes are written down.
    pub journal: Journal,
    pub cluster: Cluster,
    pub scope: Scope,
    /// `--ascii`; a locale that is not UTF-8 asks for the same.
    pub ascii: bool,
    pub preferences: Preferences,
    /// Where exports go.
    pub exports: PathBuf,
}

/// Runs the dashboard until it is quit. `again` makes the source anew where everything is to be read again: a login may have
/// expired, a file may be another one.
pub async fn show<S, A, F>(source: S, again: A, view: View) -> Result<(), Error>
where
    S: Source + 'static,
    A: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<S, SourceError>> + Send + 'static,
{
    let left = left(&view.journal, view.mode, &view.cluster);
    let (cluster, journal) = (view.cluster.clone(), view.journal.clone());
    let exports = view.exports.clone();
    let options = options(view);
    let first = Mutex::new(Some(Arc::new(source)));
    let again = Arc::new(again);
    let read = move |scope: Scope, news: Sender<Msg>| {
        let (focus, focused) = mpsc::channel(FOCI);
        let (consent, agreed) = watch::channel(Probing::default());
        let (acts, approved) = mpsc::channel(ACTS);
        let task = Task {
            snapshot: Snapshot::empty(cluster.clone(), scope.clone(), clock::now()),
            scope,
            clock: Clock::from(clock::now),
            news,
            focus: focused,
            consent: agreed,
            acts: approved,
            journal: journal.clone(),
        };
        let opened = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        let again = again.clone();
        let task = tokio::spawn(async move {
            let source = match opened {
                Some(source) => source,
                None => match again().await {
                    Ok(source) => Arc::new(source),
                    Err(error) => {
                        // The dashboard may have been quit meanwhile.
                        let _ = task.news.send(Msg::Failed(error)).await;
                        return;
                    }
                },
            };
            keep(source, task).await;
        });
        Reader {
            task,
            focus,
            consent,
            acts,
        }
    };
    event_loop::run(options, Clock::from(clock::now), exports, left, read)
        .await
        .map_err(|error| Error::new("The dashboard could not run.").because(error))
}

/// What the environment adds to what was asked for.
fn options(view: View) -> Options {
    let mut preferences = view.preferences;
    if preferences.theme == Theme::Auto {
        preferences.theme = background(env::var("COLORFGBG").ok().as_deref());
    }
    Options {
        origin: view.origin,
        mode: view.mode,
        edits: view.edits,
        cluster: view.cluster,
        scope: view.scope,
        ascii: view.ascii || !is_utf8(|name| env::var(name).ok()),
        no_color: env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
        preferences,
        local,
    }
}

/// What earlier runs left open on this cluster, where it could be gone on with.
fn left(journal: &Journal, mode: Mode, cluster: &Cluster) -> Vec<Left> {
    match (mode, journal.folder()) {
        (Mode::Act, Some(folder)) => journal::left(folder, &cluster.server),
        _ => Vec::new(),
    }
}

/// The theme for the background, where the terminal tells it: `15;0` is white on black. Asking the terminal itself would
/// mean waiting for those that never answer.
fn background(colorfgbg: Option<&str>) -> Theme {
    let last = colorfgbg.and_then(|value| value.rsplit(';').next());
    match last.and_then(|number| number.parse::<u8>().ok()) {
        Some(0..=6 | 8) => Theme::Dark,
        Some(7 | 15) => Theme::Light,
        _ => Theme::Auto,
    }
}

fn local(at: DateTime<Utc>) -> FixedOffset {
    at.with_timezone(&Local).offset().fix()
}

/// Whether the locale is UTF-8: of LC_ALL, LC_CTYPE and LANG the first that is set decides (POSIX, 8.2). Where none is set
/// nothing says that it is not, and containers often set none.
fn is_utf8(var: impl Fn(&str) -> Option<String>) -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| var(name).filter(|value| !value.is_empty()))
        .is_none_or(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        })
}

#[cfg(test)]
mod tests;
