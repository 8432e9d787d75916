//! What a diff compares, in words: a line for either side, and one for the key.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::analysis::{ContentSource, Incident, Revision};
use crate::app::App;
use crate::app::diff::{Body, Change, DiffView, Side};
use crate::model::Interval;
use crate::ui::{text, theme, time};

/// The heading in so many columns; each side gets `rows` rows at most.
pub(super) fn lines(
    app: &App,
    view: &DiffView,
    incident: &Incident,
    columns: usize,
    rows: usize,
) -> Vec<Line<'static>> {
    let (left, right) = view.revisions(incident);
    let mut lines = Vec::new();
    for (sign, style, side, revision) in [
        ("-", theme::bold(), &view.left, left),
        ("+", theme::accent(), &view.right, right),
    ] {
        let told = told(app, side, incident, revision);
        lines.extend(side_lines(sign, style, &told, columns, rows));
    }
    lines.push(key(view, incident, columns));
    lines
}

/// What is told of a side, in the order in which it matters.
struct Told {
    /// `A  loaded by kt2jr`.
    name: String,
    /// ` (shown)`: how well that is known.
    grade: String,
    /// Hash, times, source.
    parts: Vec<String>,
    writer: String,
}

fn told(app: &App, side: &Side, incident: &Incident, revision: Option<&Revision>) -> Told {
    let (whose, grade) = whose(app, side, incident);
    let Some(revision) = revision else {
        return Told {
            name: format!("?  {whose}").trim_end().to_owned(),
            grade,
            parts: Vec::new(),
            writer: String::new(),
        };
    };
    let hash = revision.hash.as_deref().unwrap_or("content unknown");
    let mut parts = vec![hash.to_owned(), times(app, revision)];
    // The live content is from where it is live.
    let source = revision.source.as_ref().filter(|_| !revision.live);
    parts.extend(source.map(self::source));
    Told {
        name: format!("{}  {whose}", revision.name).trim_end().to_owned(),
        grade,
        parts,
        writer: revision
            .writer
            .clone()
            .unwrap_or_else(|| "an unknown writer".into()),
    }
}

/// `loaded by kt2jr`, ` (shown)`.
fn whose(app: &App, side: &Side, incident: &Incident) -> (String, String) {
    let Side::Replica { pod, .. } = side else {
        return Default::default();
    };
    let Some(replica) = side.replica(incident) else {
        return (
            format!("loaded by {}, which is gone", pod.name),
            String::new(),
        );
    };
    let mixed = replica
        .uses
        .iter()
        .any(|usage| usage.loaded != replica.loaded);
    let more = if mixed {
        "; its uses differ: 2 Replicas"
    } else {
        ""
    };
    let name = app.replicas().map(|all| all.name(replica));
    (
        format!("loaded by {}", name.as_ref().unwrap_or(&pod.name)),
        format!(" ({}{more})", replica.grade),
    )
}

fn times(app: &App, revision: &Revision) -> String {
    let known = |at: Interval| at != Interval::UNKNOWN;
    let at = |interval: Interval| time::interval(app, interval);
    match (known(revision.from), known(revision.until), revision.live) {
        (true, _, true) => format!("live since {}", at(revision.from)),
        (false, _, true) => "live, since when is unknown".into(),
        (true, true, false) => format!("live {} to {}", at(revision.from), at(revision.until)),
        (false, true, false) => format!("live until {}", at(revision.until)),
        (true, false, false) => format!("live from {}", at(revision.from)),
        (false, false, false) => "live at unknown times".into(),
    }
}

fn source(source: &ContentSource) -> String {
    match source {
        ContentSource::Live => "live object".into(),
        ContentSource::Exact { resource_version } => format!("API history rv {resource_version}"),
        ContentSource::LastApplied => "last-applied".into(),
        ContentSource::Kept { .. } => "kept by record".into(),
        ContentSource::Audit { .. } => "audit log".into(),
        ContentSource::Helm { release, revision } => format!("Helm {release}.v{revision}"),
        ContentSource::File { path } => format!("file {path}, named by you"),
        ContentSource::Git { revision, .. } => format!("git {revision}, named by you"),
        ContentSource::Replica { pod, .. } => format!("still held by {pod}"),
        ContentSource::Named { config } | ContentSource::Sibling { config } => {
            format!("of {}", config.name)
        }
        ContentSource::Reconstruction { .. } => "a reconstruction, found nowhere".into(),
    }
}

fn side_lines(
    sign: &'static str,
    style: Style,
    told: &Told,
    columns: usize,
    rows: usize,
) -> Vec<Line<'static>> {
    let room = columns.saturating_sub(4);
    let parts = told.parts.join("  ");
    let by = if told.writer.is_empty() {
        String::new()
    } else {
        format!("  by {}", told.writer)
    };
    let name = format!("{}{}", told.name, told.grade);
    let row = |sign: &'static str, name: String, more: String| {
        Line::from(vec![
            Span::styled(format!(" {sign} "), style),
            Span::styled(name, style),
            Span::raw(more),
        ])
    };
    if text::width(&name) + text::width(&parts) + text::width(&by) + 2 <= room {
        return vec![row(sign, text::cut(&name, room), format!("  {parts}{by}"))];
    }
    if rows > 1 {
        return vec![
            row(sign, text::cut(&name, room), String::new()),
            row(" ", String::new(), text::cut(&format!("{parts}{by}"), room)),
        ];
    }
    // On a narrow screen how well it is known goes first: the list of replicas tells it, too.
    let name = text::cut_middle(&told.name, room);
    let mut parts: Vec<String> = told.parts.iter().map(|part| shorter(part)).collect();
    parts.insert(0, String::new());
    let left = room.saturating_sub(text::width(&name));
    let parts = text::cut(&parts.join("  "), left);
    let left = left.saturating_sub(text::width(&parts) + 2);
    let by = if left < 8 || told.writer.is_empty() {
        String::new()
    } else {
        format!(
            "  {}",
            text::cut_middle(&format!("by {}", told.writer), left)
        )
    };
    vec![row(sign, name, format!("{parts}{by}"))]
}

/// A part with what goes without saying left out.
fn shorter(part: &str) -> String {
    let part = part.split(" rv ").next().unwrap_or(part);
    match part.strip_prefix("live ") {
        Some(times) if times.contains(" to ") => times.replacen(" to ", "–", 1),
        _ => part.to_owned(),
    }
}

/// `1 of 500 keys changed; key 1: default.conf  Differs only in white space.`
fn key(view: &DiffView, incident: &Incident, columns: usize) -> Line<'static> {
    let Some(key) = view.keys.get(view.key) else {
        return Line::default();
    };
    let all = view.keys.len();
    let noun = if all == 1 { "key" } else { "keys" };
    let count = match view.changed {
        0 => format!(" Equal content, {all} {noun}: "),
        changed => format!(" {changed} of {all} {noun} changed: "),
    };
    let place = match (view.list, key.change, view.changed) {
        (Some(at), _, _) => return Line::from(format!("{count}key {} in the list", at + 1)),
        (None, Change::Same, _) | (None, _, 0 | 1) => String::new(),
        (None, _, changed) => format!(" ({} of {changed})", view.key + 1),
    };
    let mut notes = Vec::new();
    match key.change {
        Change::Changed => {}
        Change::Added => notes.push("added".to_owned()),
        Change::Removed => notes.push("removed".to_owned()),
        Change::Same => notes.push("unchanged".to_owned()),
    }
    let taken = view.taken(incident);
    if taken.is_some_and(|taken| !taken.contains(key.name.as_str())) {
        notes.push("not taken by this replica".into());
    }
    if let Body::Text { text, note } = &view.body {
        if let Some(note) = note.as_ref().filter(|_| key.change != Change::Same) {
            notes.push(note.clone());
        }
        if text.coarse {
            notes.push(
                "COARSE: too much to compare in time; lines may be shown as changed that are not"
                    .into(),
            );
        }
        if let stops @ 2.. = text.stops.len() {
            notes.push(format!("change {} of {stops}", view.stop + 1));
        }
        if let Some(across) = view.across {
            notes.push(format!("from column {}", across + 1));
        }
    }
    let notes = notes.join("; ");
    let room = columns.saturating_sub(text::width(&count) + text::width(&place) + 3);
    let name = text::cut_middle(&key.name, room.saturating_sub(text::width(&notes)).max(16));
    let left = room.saturating_sub(text::width(&name));
    Line::from(vec![
        Span::styled(count, theme::dim()),
        Span::styled(name, theme::accent()),
        Span::styled(place, theme::dim()),
        Span::styled(format!("  {}", text::cut(&notes, left)), theme::bold()),
    ])
}
