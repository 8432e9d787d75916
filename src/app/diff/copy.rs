//! What of a diff goes to the clipboard: the diff of a key as `diff -u` writes it, and the commands that show both sides.

use std::fmt::Write;

use super::text::{Kind, Row, Text};
use super::{Body, DiffView, window};
use crate::analysis::{Diagnosis, Incident, Revision};
use crate::text::harmless;

/// Terminals take some 70 kB of base64 at once.
const MAX_BYTES: usize = 48 * 1024;
/// Characters of a line, those around its change.
const MAX_WIDTH: usize = 400;

/// The diff of the key on screen, or the sentence that stands in its place.
pub(in crate::app) fn unified(view: &DiffView, incident: &Incident) -> Option<String> {
    let (Some(old), Some(new)) = view.revisions(incident) else {
        return None;
    };
    let key = view.keys.get(view.key)?;
    let name = |sign: &str, revision: &Revision| {
        let live = if revision.live { ", live" } else { "" };
        let hash = revision.hash.as_deref().unwrap_or("content unknown");
        let line = format!(
            "{sign} {} {} (revision {}{live}, {hash})",
            incident.config, key.name, revision.name
        );
        harmless(&line).into_owned()
    };
    let mut out = format!("{}\n{}\n", name("---", old), name("+++", new));
    match &view.body {
        Body::Said(sentence) => push(&mut out, sentence),
        Body::Text { text, note } => {
            if let Some(note) = note {
                push(&mut out, &format!("# {note}"));
            }
            if view.whole {
                let (old, new) = contents(old, new, &key.name);
                hunks(&Text::compare(old, new, false), &mut out);
            } else {
                hunks(text, &mut out);
            }
        }
    }
    Some(out)
}

fn contents<'a>(old: &'a Revision, new: &'a Revision, key: &str) -> (&'a str, &'a str) {
    let text = |revision: &'a Revision| {
        let content = revision.content.as_ref();
        content
            .and_then(|content| content.get_text(key))
            .unwrap_or_default()
    };
    (text(old), text(new))
}

fn push(out: &mut String, line: &str) {
    out.push_str(&harmless(line));
    out.push('\n');
}

fn hunks(text: &Text, out: &mut String) {
    let parts = text.rows.split(|row| matches!(row.kind, Kind::Skipped(_)));
    for rows in parts.filter(|rows| rows.iter().any(|row| row.kind != Kind::Context)) {
        let side = |line: fn(&Row) -> Option<usize>| {
            let mut lines = rows.iter().filter_map(line);
            let first = lines.next();
            (
                first.map_or(0, |at| at + 1),
                usize::from(first.is_some()) + lines.count(),
            )
        };
        let ((old, old_len), (new, new_len)) = (side(|row| row.old), side(|row| row.new));
        let _ = writeln!(out, "@@ -{old},{old_len} +{new},{new_len} @@");
        for (at, row) in rows.iter().enumerate() {
            if out.len() > MAX_BYTES {
                let _ = writeln!(out, "… {} more lines of this change", rows.len() - at);
                return;
            }
            line(text, row, out);
        }
    }
}

fn line(text: &Text, row: &Row, out: &mut String) {
    let sign = match row.kind {
        Kind::Removed => '-',
        Kind::Added => '+',
        Kind::Context | Kind::Skipped(_) => ' ',
    };
    out.push(sign);
    let (line, unterminated) = text.line(row);
    let start = window::start(line, &row.marks, MAX_WIDTH, None);
    let rest = line.get(start..).unwrap_or_default();
    let end = rest
        .char_indices()
        .nth(MAX_WIDTH)
        .map_or(rest.len(), |(at, _)| at);
    if start > 0 {
        out.push('…');
    }
    out.push_str(&harmless(rest.get(..end).unwrap_or_default()));
    if end < rest.len() {
        out.push('…');
    }
    out.push('\n');
    if unterminated {
        out.push_str("\\ No newline at end of file\n");
    }
}

/// The commands by which both sides can be seen, the left one first.
pub(in crate::app) fn commands(
    view: &DiffView,
    incident: &Incident,
    diagnosis: &Diagnosis,
) -> Option<String> {
    let (left, right) = view.revisions(incident);
    let mut commands: Vec<&str> = Vec::new();
    for revision in left.into_iter().chain(right) {
        let number = revision.evidence.first();
        let item = diagnosis
            .evidence
            .iter()
            .find(|item| Some(&item.number) == number);
        if let Some(item) = item.filter(|item| !commands.contains(&item.command.as_str())) {
            commands.push(&item.command);
        }
    }
    (!commands.is_empty()).then(|| commands.join("\n"))
}
