//! The incident in sentences: why, at what cost, and what to do. What is cut says where the rest is.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{paint, text, theme};
use crate::analysis::Incident;
use crate::app::shown;
use crate::remedy::Plan;

const LABEL: usize = 9;
/// Rows that are left to the page below before what merely supports is told in full.
const ROOM: usize = 4;
const MORE: &str = "… more: Enter";

/// One labelled paragraph.
struct Part {
    label: &'static str,
    style: Style,
    text: String,
    /// Rows that it gets at least, where it needs them.
    least: usize,
}

/// Draws the summary from the top of the area; returns the rows that it took.
pub(super) fn draw(incident: &Incident, plans: &[Plan], frame: &mut Frame<'_>, area: Rect) -> u16 {
    let columns = usize::from(area.width).saturating_sub(LABEL + 1);
    let parts = parts(incident, plans);
    let rows = share(&parts, columns, usize::from(area.height));
    let mut lines = Vec::new();
    for (part, rows) in parts.iter().zip(rows) {
        for (at, line) in text::wrap_to(&part.text, columns, rows, MORE)
            .into_iter()
            .take(rows)
            .enumerate()
        {
            let label = if at == 0 { part.label } else { "" };
            lines.push(Line::from(vec![
                Span::styled(format!(" {label:<8}"), theme::accent()),
                Span::styled(line, part.style),
            ]));
        }
    }
    let used = u16::try_from(lines.len()).unwrap_or(area.height);
    paint::lines(frame, area, lines);
    used.min(area.height)
}

fn parts(incident: &Incident, plans: &[Plan]) -> Vec<Part> {
    let mut parts = vec![Part {
        label: "CAUSE",
        style: theme::bold(),
        text: cause(incident),
        least: 4,
    }];
    let also = also(incident);
    if !also.is_empty() {
        parts.push(Part {
            label: "ALSO",
            style: theme::plain(),
            text: also,
            least: 1,
        });
    }
    parts.push(Part {
        label: "IMPACT",
        style: theme::plain(),
        text: shown::impact(incident),
        least: 2,
    });
    parts.push(Part {
        label: "NEXT",
        style: theme::plain(),
        text: next(plans),
        least: 2,
    });
    parts
}

/// Rows for each part: first what each needs at least, then the rest in order.
fn share(parts: &[Part], columns: usize, height: usize) -> Vec<usize> {
    let needed: Vec<usize> = parts
        .iter()
        .map(|part| text::wrap(&part.text, columns).len())
        .collect();
    let mut rows: Vec<usize> = parts
        .iter()
        .zip(&needed)
        .map(|(part, needed)| part.least.min(*needed))
        .collect();
    let mut left = height.saturating_sub(rows.iter().sum());
    // What merely supports gets what is left over.
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| parts[*at].label == "ALSO");
    for at in order {
        let spare = if parts[at].label == "ALSO" {
            left.saturating_sub(ROOM)
        } else {
            left
        };
        let more = spare.min(needed[at] - rows[at]);
        rows[at] += more;
        left -= more;
    }
    rows
}

fn cause(incident: &Incident) -> String {
    let Some(finding) = incident.findings.first() else {
        return "Not known.".into();
    };
    let numbers = shown::numbers(&finding.evidence);
    format!("{} {} {numbers}", finding.sentence, incident.certainty())
}

/// The other findings, one after the other.
fn also(incident: &Incident) -> String {
    let others = incident.findings.iter().skip(1).map(|finding| {
        format!(
            "{}: {} {}",
            finding.code,
            finding.sentence,
            shown::numbers(&finding.evidence)
        )
    });
    others.collect::<Vec<_>>().join(" ")
}

fn next(plans: &[Plan]) -> String {
    match (plans.iter().find(|plan| plan.recommended), plans) {
        (Some(plan), _) => plan.headline.clone(),
        // There is no choice where there is one way alone.
        (None, [plan]) => plan.headline.clone(),
        (None, _) if plans.is_empty() => "There is no plan: the config is not the problem.".into(),
        (None, _) => {
            let offers: Vec<String> = plans
                .iter()
                .map(|plan| format!("{}: {}", plan.kind.as_str(), plan.headline))
                .collect();
            format!(
                "What was the edit meant to do? Nothing here says; two ways are under Plan. {}",
                offers.join(" ")
            )
        }
    }
}

#[cfg(test)]
mod tests;
