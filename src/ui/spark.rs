//! A replica's answers in a few columns: the status it gives, and how the share of failures went.

use ratatui::style::Style;
use ratatui::text::Span;

use super::{text, theme};
use crate::analysis::{Incident, Traffic};
use crate::app::rows::Failures;
pub(super) use crate::app::rows::{short_signal as short, traffic};

const BARS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/// `504 ▇▇▇▇▇▇▇`, in exactly `columns`.
pub(super) fn draw(
    incident: &Incident,
    traffic: Option<&Traffic>,
    columns: usize,
) -> Vec<Span<'static>> {
    let Some(traffic) = traffic.filter(|_| columns > 6) else {
        return vec![Span::raw(" ".repeat(columns))];
    };
    let status = traffic
        .statuses
        .iter()
        .max_by_key(|(_, count)| **count)
        .map_or_else(|| "  ?".to_owned(), |(status, _)| status.to_string());
    let style = if traffic.failed > 0 && traffic.failed * 2 >= traffic.total {
        theme::fail()
    } else {
        theme::plain()
    };
    vec![
        Span::styled(text::pad(&status, 4), style),
        Span::styled(bars(incident, traffic, columns - 4), style),
    ]
}

/// One bar a bucket of time: low is "all well", high is "all failed", nothing is "no request".
fn bars(incident: &Incident, traffic: &Traffic, columns: usize) -> String {
    let window = incident.impact.as_ref().map(|impact| impact.window);
    let first = traffic.samples.first().map(|(at, _)| *at);
    let last = traffic.samples.last().map(|(at, _)| *at);
    let (Some(from), Some(to)) = (
        window.map(|(from, _)| from).or(first),
        window.map(|(_, to)| to).or(last),
    ) else {
        return " ".repeat(columns);
    };
    let length = (to - from).num_milliseconds().max(1);
    let mut buckets = vec![(0_usize, 0_usize); columns];
    for (at, failed) in &traffic.samples {
        let offset = (*at - from).num_milliseconds().clamp(0, length - 1);
        let place = usize::try_from(offset * columns as i64 / length).unwrap_or(0);
        if let Some((failures, total)) = buckets.get_mut(place) {
            *failures += usize::from(*failed);
            *total += 1;
        }
    }
    buckets
        .into_iter()
        .map(|(failures, total)| match total {
            0 => ' ',
            total => BARS[failures * (BARS.len() - 1) / total],
        })
        .collect()
}

/// Red for what fails.
pub(super) fn style(failures: &Failures) -> Style {
    match failures.any {
        true => theme::fail(),
        false => theme::plain(),
    }
}
