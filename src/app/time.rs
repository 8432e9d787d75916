//! Moments, intervals and ages in words, in the zone that the user chose.

use chrono::{DateTime, FixedOffset, NaiveDate, Offset, TimeDelta, Utc};

use super::App;
use crate::model::Interval;

/// The zone on screen.
fn offset(app: &App, at: DateTime<Utc>) -> FixedOffset {
    if app.local_time {
        (app.options.local)(at)
    } else {
        Utc.fix()
    }
}

/// `UTC`, or the local offset: `UTC+05:45`.
pub fn zone(app: &App) -> String {
    let offset = offset(app, app.reference());
    if app.local_time {
        format!("UTC{offset}")
    } else {
        "UTC".into()
    }
}

/// The day that moments are written without their date on, and whether in local time: as long as it stays, so do their words.
pub type Today = (bool, NaiveDate);

pub fn today(app: &App) -> Today {
    let now = app.reference();
    let date = now.with_timezone(&offset(app, now)).date_naive();
    (app.local_time, date)
}

/// `20:35:25`; with the date where it is another day than the one that ages count from: `10-01 20:35:25`.
pub fn moment(app: &App, at: DateTime<Utc>) -> String {
    let (_, today) = today(app);
    let local = at.with_timezone(&offset(app, at));
    if local.date_naive() == today {
        local.format("%H:%M:%S").to_string()
    } else {
        local.format("%m-%d %H:%M:%S").to_string()
    }
}

/// As [`moment`], with milliseconds.
pub fn precise(app: &App, at: DateTime<Utc>) -> String {
    format!(
        "{}.{:03}",
        moment(app, at),
        at.timestamp_subsec_millis() % 1000
    )
}

/// `20:35:26–20:35:33`. What the API wrote in whole seconds is one of them, not a range of two.
pub fn interval(app: &App, at: Interval) -> String {
    match (at.earliest, at.latest) {
        (Some(from), Some(to)) if to - from <= TimeDelta::seconds(1) => moment(app, from),
        (Some(from), Some(to)) => format!("{}–{}", moment(app, from), moment(app, to)),
        (Some(from), None) => format!("after {}", moment(app, from)),
        (None, Some(to)) => format!("by {}", moment(app, to)),
        (None, None) => "unknown".into(),
    }
}

/// `4 s`, `12 min`, `3 h 10 min`, `2 d 4 h`.
pub fn span(delta: TimeDelta) -> String {
    let seconds = delta.num_seconds().max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..86_400 if minutes % 60 == 0 => format!("{hours} h"),
        3600..86_400 => format!("{hours} h {} min", minutes % 60),
        _ if hours % 24 == 0 || days > 9 => format!("{days} d"),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// How long ago, counted from now (or from when the capture was taken).
pub fn ago(app: &App, at: DateTime<Utc>) -> String {
    format!("{} ago", span(app.reference() - at))
}

/// With the date in full: `2026-10-02 20:38:34`.
pub fn dated(app: &App, at: DateTime<Utc>) -> String {
    at.with_timezone(&offset(app, at))
        .format("%Y-%m-%d %H:%M:%S")
        .to_string()
}
