//! The first line: what is looked at, how fresh it is, and by which right.

use std::collections::BTreeMap;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{text, theme, time};
use crate::app::{App, Link, Mode, Origin, Reading};
use crate::model::{GapReason, Kind};
use crate::source::Progress;

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    let scope = app.options.scope.namespace.as_deref();
    let scope = scope.unwrap_or("all namespaces");
    let (state, style) = state(app);
    let left = format!(" confsplit  {}  ", text::cut_middle(scope, 24));
    let context = app.options.cluster.context_name();
    let context = format!("ctx {}", text::cut_middle(context, 20));
    let mouse = if app.mouse { "mouse  " } else { "" };
    let mode = match (app.options.mode, app.reads_inside()) {
        // A file cannot be written to by anybody.
        _ if app.options.origin != Origin::Live => "observe",
        (Mode::ReadOnly, false) => "read-only",
        (Mode::ReadOnly, true) => "read-only, probe",
        (Mode::Act, false) => "act",
        (Mode::Act, true) => "act, probe",
    };
    let right = format!("{context}  {mode}  {mouse}{} ", time::zone(app));
    let room = columns.saturating_sub(text::width(&left) + text::width(&right) + 2);
    let state = text::pad(&state, room);
    let line = Line::from(vec![
        Span::styled(text::cut(&left, columns), theme::bold()),
        Span::styled(state, style),
        Span::raw("  "),
        Span::styled(right, theme::dim()),
    ]);
    frame.render_widget(line, area);
}

/// A connection that is lost for longer is not just being taken up again.
const STALE: i64 = 15;

fn state(app: &App) -> (String, ratatui::style::Style) {
    let read = app.diagnosis().map(|diagnosis| diagnosis.taken_at);
    match (&app.reading, &app.options.origin, read) {
        (Reading::Running(progress), _, _) => (running(progress), theme::accent()),
        (Reading::Failed(_), _, Some(at)) => (
            format!("READING FAILED, as of {}", time::moment(app, at)),
            theme::fail(),
        ),
        (Reading::Failed(_), _, None) => ("READING FAILED".into(), theme::fail()),
        (Reading::Done, Origin::Capture { file }, Some(at)) => (
            format!(
                "{}capture taken {}: {}",
                if is_damaged(app) { "DAMAGED " } else { "" },
                time::dated(app, at),
                text::cut_middle(file, 30)
            ),
            if is_damaged(app) {
                theme::fail()
            } else {
                theme::plain()
            },
        ),
        (Reading::Done, Origin::Live, Some(at)) => linked(app, at),
        (Reading::Done, _, None) => ("nothing read".into(), theme::plain()),
    }
}

/// Whether the capture is not whole: what is missing from it would read as what was not there.
fn is_damaged(app: &App) -> bool {
    let mut gaps = app.facts().parts.iter().flat_map(|part| &part.gaps);
    gaps.any(|gap| gap.resource == "capture" && matches!(gap.reason, GapReason::Capture(_)))
}

/// How the facts keep up.
fn linked(app: &App, read: chrono::DateTime<chrono::Utc>) -> (String, ratatui::style::Style) {
    match &app.link {
        // First what is missing: a long line is cut at its end.
        Some(Link::Live { unread, .. }) if !unread.is_empty() => (
            format!("◌ NOT READ: {}; the rest is live", unread.join(", ")),
            theme::fail(),
        ),
        Some(Link::Live { polled, .. }) if polled.is_empty() => ("● live".into(), theme::plain()),
        Some(Link::Live { polled, .. }) => (format!("● live; {}", listed(polled)), theme::plain()),
        Some(Link::Lost { since, why }) => {
            let age = (app.now - *since).num_seconds().max(0);
            let state = if age < STALE { "RECONNECTING" } else { "STALE" };
            (format!("◌ {state} {age} s: {why}"), theme::fail())
        }
        None => (
            format!("read {}, {}", time::moment(app, read), time::ago(app, read)),
            theme::plain(),
        ),
    }
}

/// How much of the lists has come, or of what was asked for after them.
fn running(progress: &[Progress]) -> String {
    let lists = progress
        .iter()
        .filter(|step| !matches!(step, Progress::Answered { .. }))
        .count();
    let all = Kind::ALL.len();
    match progress.last() {
        Some(Progress::Answered { done, of }) => format!("reading… {done} of {of} further reads"),
        Some(Progress::Failed { resource }) if lists < all => {
            format!("reading… {lists} of {all} lists, {resource} failed")
        }
        _ => format!("reading… {lists} of {all} lists"),
    }
}

/// What is listed now and then, by how often that is.
fn listed(polled: &[(&str, u64)]) -> String {
    let mut often: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for (resource, seconds) in polled {
        often.entry(*seconds).or_default().push(resource);
    }
    let groups = often.iter();
    let groups = groups.map(|(seconds, of)| format!("listed every {seconds} s: {}", of.join(", ")));
    groups.collect::<Vec<_>>().join("; ")
}
