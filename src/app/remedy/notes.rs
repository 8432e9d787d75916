//! The remedy in words: what would be done and what stands against it, or what was done and what is still waited for.

use super::{App, Remedy};
use crate::app::diff::text::{Kind, Text};
use crate::app::shown::Note;
use crate::app::time;
use crate::model::Content;
use crate::remedy::{self, Goal, Mark, Method, PlanKind, Stage, Write};
use crate::text::harmless;

/// More lines of a diff than anybody reads here; the diff tab has them all.
const LINES: usize = 24;

pub(in crate::app) fn notes(app: &App) -> Vec<Note> {
    let Some(remedy) = &app.remedy else {
        return vec![Note::Text("There is no remedy under way.".into())];
    };
    let mut notes = Vec::new();
    let cluster = &app.options.cluster;
    notes.push(Note::Text(format!(
        "context {}, {}, namespace {}",
        cluster.context_name(),
        cluster.server,
        remedy.config.namespace
    )));
    if let Some(course) = &remedy.course {
        notes.extend(under_way(app, remedy, course));
        return notes;
    }
    match &remedy.goal {
        Err(why) => {
            notes.push(Note::Heading("It is not done from here".into()));
            notes.push(Note::Text(why.clone()));
            notes.push(Note::Text("The commands of each step are on tab 6.".into()));
        }
        Ok(goal) => notes.extend(preview(app, remedy, goal)),
    }
    notes
}

fn preview(app: &App, remedy: &Remedy, goal: &Goal) -> Vec<Note> {
    let mut notes = Vec::new();
    let writes = &remedy.announced;
    if !remedy.recommended {
        notes.push(Note::Text(
            "! This is one of the ways, and the evidence does not say that it is the one which was meant: tab 6 has the others, and r there opens the one under the cursor.".into(),
        ));
    }
    if writes.is_empty() {
        notes.push(Note::Text(
            "There is nothing to write as far as is known; it is watched until it can be called closed. A pod that turns out to run something else is not touched before you are asked.".into(),
        ));
    }
    for (at, write) in writes.iter().enumerate() {
        notes.push(Note::Heading(format!("{}. {}", at + 1, said(write))));
        notes.extend(details(remedy, goal, write));
    }
    notes.extend(serving(goal, writes));
    if let Some(before) = remedy
        .choices
        .first()
        .filter(|_| goal.kind == PlanKind::RollForward)
    {
        notes.push(Note::Heading(format!(
            "What they get, against {}",
            before.name
        )));
        notes.extend(diff(remedy));
    }
    notes.push(Note::Heading("Before it is agreed to".into()));
    match &remedy.prepared {
        None => notes.push(Note::Text(
            "… the cluster is being asked: rights, dry runs, what stands against it".into(),
        )),
        Some(Err(error)) => notes.push(Note::Text(format!("✗ it could not be prepared: {error}"))),
        Some(Ok(_)) => notes.extend(app.remedy_notes().iter().map(|note| {
            Note::Text(match note {
                remedy::Note::Blocks(text) => format!("✗ {text}"),
                remedy::Note::Warns(text) => format!("! {text}"),
                remedy::Note::Fine(text) => format!("✓ {text}"),
            })
        })),
    }
    if goal.needs_override() {
        notes.push(Note::Text(
            "! The evidence says that what is live fails: this makes a part failure a whole one."
                .into(),
        ));
    }
    // Before that Enter would only say that it is still being asked.
    if remedy.prepared.is_some() {
        let words = app.wanted_words().unwrap_or_default();
        notes.push(Note::Text(format!(
            "Enter asks for the words `{words}`. Esc leaves; nothing is written until they are typed."
        )));
    }
    notes
}

fn said(write: &Write) -> String {
    let text = write.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn details(remedy: &Remedy, goal: &Goal, write: &Write) -> Vec<Note> {
    if !matches!(write, Write::Content { .. }) {
        return Vec::new();
    }
    let mut notes = Vec::new();
    if let Some(target) = &goal.target {
        let what = if target.reconstructed {
            "put together, not recovered; look at it before you write it"
        } else {
            "content"
        };
        notes.push(Note::Text(format!(
            "{}: {what} from the {}",
            target.name, target.source
        )));
    }
    let chosen = remedy.chosen.as_ref();
    if let Some(chosen) = chosen.filter(|_| remedy.choices.len() > 1 && remedy.puts_back()) {
        notes.push(Note::Text(format!(
            "{} of {} earlier contents; c takes the next",
            chosen.content + 1,
            remedy.choices.len()
        )));
    }
    if let Some(chosen) = chosen.filter(|_| remedy.keys.len() > 1) {
        let keys: Vec<String> = remedy
            .keys
            .iter()
            .map(|key| harmless(key).into_owned())
            .collect();
        notes.push(Note::Text(match chosen.key {
            0 => format!(
                "all that it changes: {}; K takes one key alone",
                keys.join(", ")
            ),
            key => format!(
                "only {} of {}; K takes the next, then all",
                keys.get(key - 1).map_or("", String::as_str),
                keys.join(", ")
            ),
        }));
    }
    notes.extend(diff(remedy));
    notes
}

fn diff(remedy: &Remedy) -> Vec<Note> {
    let lines = remedy.diff.iter().take(LINES).cloned();
    let mut notes: Vec<Note> = lines.map(Note::Line).collect();
    let left = remedy.diff.len().saturating_sub(LINES);
    if left > 0 {
        notes.push(Note::Text(format!(
            "… {left} more lines; tab 3 shows them all"
        )));
    }
    notes
}

/// Every line that changes: the key, then what goes and what comes.
pub fn diff_lines(from: &Content, to: &Content) -> Vec<String> {
    let mut lines = Vec::new();
    for key in from.differing(to) {
        lines.push(format!("{}:", harmless(key)));
        let (old, new) = (from.get_text(key), to.get_text(key));
        if old.is_none() && new.is_none() {
            lines.push("  bytes that are no text".to_owned());
            continue;
        }
        let text = Text::compare(old.unwrap_or_default(), new.unwrap_or_default(), false);
        for row in &text.rows {
            let sign = match row.kind {
                Kind::Removed => '-',
                Kind::Added => '+',
                Kind::Context | Kind::Skipped(_) => continue,
            };
            lines.push(format!("{sign} {}", harmless(text.line(row).0)));
        }
    }
    lines
}

/// How many serve meanwhile.
fn serving(goal: &Goal, writes: &[Write]) -> Vec<Note> {
    let evicted = writes
        .iter()
        .filter(|w| matches!(w, Write::Evict { .. }))
        .count();
    let mut notes = Vec::new();
    if evicted > 0 {
        let asked = if evicted > 1 {
            " After the first you are asked."
        } else {
            ""
        };
        notes.push(Note::Text(format!(
            "One pod at a time, the next one only once its replacement is ready; {} now and meanwhile.{asked}",
            match goal.serving {
                1 => "1 serves".to_owned(),
                count => format!("{count} serve"),
            }
        )));
    }
    if goal.method == Method::Restart && goal.repoint.is_none() {
        notes.push(Note::Text("The controller replaces every pod, by its own strategy; f replaces only those that need it.".into()));
    } else if evicted > 0 {
        notes.push(Note::Text("f restarts the whole workload instead.".into()));
    }
    notes
}

fn under_way(app: &App, remedy: &Remedy, course: &remedy::Course) -> Vec<Note> {
    let mut notes = vec![Note::Heading(stage(&course.stage, &course.goal))];
    if let Stage::Paused(why) | Stage::Stopped(why) = &course.stage {
        notes.push(Note::Text(why.clone()));
    }
    app.seeing(remedy, |seen| {
        if !seen.fresh && !course.is_over() {
            notes.push(Note::Text("! the connection is lost, or being read again: nothing is done on what may have changed".into()));
        }
        if let Some(why) = course.stuck(seen) {
            notes.push(Note::Text(format!("! it takes long: {}", harmless(&why))));
        }
        if course.goal.kind != PlanKind::Undo {
            notes.push(Note::Heading("Closed when".into()));
            notes.extend(course.checks(seen).into_iter().map(|check| {
                let sign = match check.mark {
                    Mark::Holds => '✓',
                    Mark::Unknown => '?',
                    Mark::Waits => '·',
                };
                Note::Line(format!("{sign} {}", harmless(&check.text)))
            }));
        }
    });
    notes.push(Note::Heading("What was done".into()));
    notes.extend(
        course
            .told
            .iter()
            .map(|(at, what)| Note::Text(format!("{} {}", time::moment(app, *at), harmless(what)))),
    );
    notes
}

fn stage(stage: &Stage, goal: &Goal) -> String {
    match stage {
        Stage::Ready => "Begins".into(),
        Stage::Sending(write) => format!("{}: waiting for the answer", said(write)),
        Stage::Settling { .. } => format!("Waiting until {} is seen to be live", goal.meant()),
        Stage::Replacing { pod, .. } => format!("Replacing {}: waiting until another is ready and serves", pod.name),
        Stage::Asking => "It serves. Enter replaces the others, one by one; f restarts the whole workload; s stops here".into(),
        Stage::Restarting { .. } => format!("{} is being rolled out", goal.workload),
        Stage::Verifying { .. } => "Every replica runs it: watching whether that helped".into(),
        Stage::Closed { verified: true } => "Closed, verified by traffic. z undoes it".into(),
        Stage::Closed { verified: false } => match goal.kind {
            PlanKind::Undo => "Undone: what was there before is live again".into(),
            _ => "Closed, not verified by traffic. z undoes it".into(),
        },
        Stage::Paused(_) => "Paused. Enter tries again, s stops here".into(),
        Stage::Stopped(_) => "Stopped. Esc leaves, and r begins anew".into(),
    }
}
