//! Opens the dashboard on a source: a live cluster or a capture, by the same way.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Local, Offset, Utc};
use tokio::sync::mpsc::Sender;

use super::collect::collect;
use super::{clock, event_loop};
use crate::analysis;
use crate::app::{Msg, News, Options, Origin, Preferences, Theme};
use crate::error::Error;
use crate::model::{Cluster, Facts, Scope, Snapshot};
use crate::source::{Progress, Source};

/// What the dashboard is about.
#[derive(Debug)]
pub struct View {
    pub origin: Origin,
    pub cluster: Cluster,
    pub scope: Scope,
    /// `--ascii`; a locale that is not UTF-8 asks for the same.
    pub ascii: bool,
    pub preferences: Preferences,
    /// Where exports go.
    pub exports: PathBuf,
}

/// Runs the dashboard until it is quit.
pub async fn show<S: Source + 'static>(source: S, view: View) -> Result<(), Error> {
    let source = Arc::new(source);
    let mut preferences = view.preferences;
    if preferences.theme == Theme::Auto {
        preferences.theme = background(env::var("COLORFGBG").ok().as_deref());
    }
    let options = Options {
        origin: view.origin,
        cluster: view.cluster,
        scope: view.scope,
        ascii: view.ascii || !is_utf8(|name| env::var(name).ok()),
        no_color: env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
        preferences,
        local,
    };
    let spawn_read = move |scope: Scope, news: Sender<Msg>| {
        let source = source.clone();
        tokio::spawn(async move { read(&*source, &scope, news).await })
    };
    event_loop::run(options, clock::now, view.exports, spawn_read)
        .await
        .map_err(|error| Error::new("The dashboard could not run.").because(error))
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

/// One reading, told as it goes. What does not fit into the channel is left out but for the end.
async fn read<S: Source>(source: &S, scope: &Scope, news: Sender<Msg>) {
    let progress = |progress: Progress| {
        let _ = news.try_send(Msg::Progress(progress));
    };
    let seen = |snapshot: &Snapshot| {
        let _ = news.try_send(Msg::News(known(snapshot.clone(), false)));
    };
    let last = match collect(source, scope, &progress, &seen).await {
        Ok(snapshot) => Msg::News(known(snapshot, true)),
        Err(error) => Msg::Failed(error),
    };
    // The dashboard may have been quit meanwhile.
    let _ = news.send(last).await;
}

fn known(snapshot: Snapshot, complete: bool) -> News {
    News {
        diagnosis: Arc::new(analysis::diagnose(&snapshot)),
        facts: Facts::of(snapshot),
        complete,
    }
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
