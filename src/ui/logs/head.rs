//! Above the lines: how far the logs are known, and how many lines of each kind each revision has.

use chrono::TimeDelta;
use ratatui::text::{Line, Span};

use super::{text, theme};
use crate::analysis::{Mark, MarkKind, SignalKind};
use crate::app::logs::{Logs, Source, State};
use crate::app::{App, Origin};
use crate::text::grouped;
use crate::ui::time;

/// After so long without a line it is said.
const QUIET: TimeDelta = TimeDelta::seconds(10);

pub(super) fn lines(app: &App, logs: &Logs, columns: usize) -> Vec<Line<'static>> {
    let mut lines = vec![state(app, logs, columns), counts(logs, columns)];
    let troubles = troubles(logs);
    if !troubles.is_empty() {
        let cut = text::cut(&troubles.join(" · "), columns.saturating_sub(2));
        lines.push(Line::from(format!(" {cut}")));
    }
    lines
}

/// `following 2 of 2 replicas · no lines since 14:05:03 (3 min)      line 7 of 1,204`.
fn state(app: &App, logs: &Logs, columns: usize) -> Line<'static> {
    let mut parts = Vec::new();
    let following = following(app, logs);
    match logs.only() {
        Some(source) => parts.push(format!("only {}: {following}", source.name)),
        None => parts.push(following),
    }
    if let Some((pattern, invert)) = logs.keep() {
        let not = if *invert { "without" } else { "only" };
        parts.push(format!("{not} /{}/", pattern.text));
    }
    if let Some(pattern) = logs.search() {
        let how = if pattern.literal { " as it stands" } else { "" };
        parts.push(format!("searching /{}/{how}", pattern.text));
    }
    if logs.previous {
        parts.push("with runs before".into());
    }
    if !logs.readable {
        parts.push("raw".into());
    }
    if logs.shift > 0 {
        parts.push(format!("from character {}", grouped(logs.shift + 1)));
    }
    let place = match logs.len() {
        0 => String::new(),
        len => format!(
            "line {} of {} ",
            grouped(logs.cursor.min(len - 1) + 1),
            grouped(len)
        ),
    };
    let room = columns.saturating_sub(text::width(&place) + 2);
    Line::from(vec![
        Span::styled(
            format!(" {} ", text::pad(&parts.join(" · "), room)),
            theme::bold(),
        ),
        Span::styled(place, theme::dim()),
    ])
}

fn following(app: &App, logs: &Logs) -> String {
    let last = logs.last();
    if let Origin::Capture { .. } = app.options.origin {
        return match last {
            Some(last) => format!("capture: ended at {}", time::moment(app, last)),
            None => "capture".into(),
        };
    }
    let (followed, of) = (logs.followed(), logs.sources().len());
    let mut told = match followed {
        0 => "not followed, R reads again".to_owned(),
        _ if !logs.follow && logs.fresh == 0 => "paused".to_owned(),
        _ if !logs.follow && logs.fresh == 1 => "paused, 1 new line below".to_owned(),
        _ if !logs.follow => {
            format!("paused, {} new lines below", grouped(logs.fresh))
        }
        _ => match logs.only() {
            Some(source) if source.state == State::Followed => "followed".to_owned(),
            Some(_) => "not followed".to_owned(),
            None => format!("following {followed} of {of} replicas"),
        },
    };
    if let Some(last) = last.filter(|last| app.now - *last > QUIET) {
        told.push_str(&format!(
            " · no lines since {} ({})",
            time::moment(app, last),
            time::span(app.now - last)
        ));
    }
    told
}

/// `Lines  ! upstream 10.96.10.144:8000: A 0, B 35`, for each kind and revision.
fn counts(logs: &Logs, columns: usize) -> Line<'static> {
    let counts = logs.counts();
    if counts.is_empty() {
        let none = "Nothing that was looked for in these logs tells the replicas apart.";
        return Line::styled(format!(" {}", text::cut(none, columns)), theme::dim());
    }
    let mut spans = vec![Span::styled(" Lines  ", theme::bold())];
    let mut left = columns.saturating_sub(8);
    for (mark, by_revision) in counts {
        let numbers: Vec<String> = by_revision
            .iter()
            .map(|(name, lines)| format!("{name} {}", grouped(*lines)))
            .collect();
        let sign = format!("{} ", sign(mark));
        let told = text::cut(
            &format!("{}: {}", words(mark, columns < 100), numbers.join(", ")),
            left.saturating_sub(text::width(&sign) + 3),
        );
        let used = text::width(&sign) + text::width(&told) + 3;
        if told.len() < 4 || used > left + 3 {
            break;
        }
        left = left.saturating_sub(used);
        spans.push(Span::styled(sign, style(mark)));
        spans.push(Span::raw(format!("{told}   ")));
    }
    Line::from(spans)
}

/// Before a line that tells the replicas apart.
pub(super) fn sign(mark: &Mark) -> char {
    if mark.fails { '!' } else { '◆' }
}

pub(super) fn style(mark: &Mark) -> ratatui::style::Style {
    if mark.fails {
        theme::fail()
    } else {
        theme::accent()
    }
}

/// What a mark is about; where there is little room only the port of an address, which is what an edit changes.
fn words(mark: &Mark, short: bool) -> String {
    let port = mark.text.rfind(':').and_then(|at| mark.text.get(at..));
    match mark.kind {
        MarkKind::Signal(SignalKind::Upstream) if short => {
            format!("upstream …{}", port.unwrap_or(&mark.text))
        }
        MarkKind::Signal(SignalKind::Upstream) => format!("upstream {}", mark.text),
        MarkKind::Failure => format!("5xx of {}", mark.text),
        MarkKind::Signal(_) => mark.text.clone(),
    }
}

/// What differs from a log that is there from its beginning, and whose it is; alike ones together.
fn troubles(logs: &Logs) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    // Of one alone the line above says it.
    let some_followed = logs.followed() > 0 && logs.only().is_none();
    for (at, source) in logs.sources().iter().enumerate() {
        if logs.only().is_some_and(|only| only != source) {
            continue;
        }
        for trouble in of_source(source, logs.dropped(at), some_followed) {
            match groups.iter_mut().find(|(known, _)| *known == trouble) {
                Some((_, names)) => names.push(&source.name),
                None => groups.push((trouble, vec![&source.name])),
            }
        }
    }
    groups
        .into_iter()
        .map(|(trouble, names)| match names.len() {
            1..=3 => format!("{}: {trouble}", names.join(", ")),
            many => format!("{many} replicas: {trouble}"),
        })
        .collect()
}

fn of_source(source: &Source, dropped: usize, some_followed: bool) -> Vec<String> {
    let state = match &source.state {
        State::Followed => None,
        State::Read(_) => some_followed.then(|| "not followed".to_owned()),
        State::Retrying(why) => Some(format!("not followed now, and tried again: {why}")),
        State::Ended(how) if how.is_empty() => Some("ended".to_owned()),
        State::Ended(how) => Some(format!("ended ({how})")),
        State::NotRead(why) if why.is_empty() => Some("not read yet".to_owned()),
        State::NotRead(why) => Some(format!("not read: {why}")),
        State::Gone => Some("gone".to_owned()),
    };
    let dropped = match dropped {
        0 => None,
        1 => Some("1 earlier line dropped".to_owned()),
        many => Some(format!("{} earlier lines dropped", grouped(many))),
    };
    state
        .into_iter()
        .chain(dropped)
        .chain(source.missing.clone())
        .collect()
}
