//! What `y` copies on each screen: what is selected, as it can be pasted elsewhere.

use super::screen::{Screen, Sheet, Tab};
use super::triage::Listed;
use super::{App, Effect, diff, rows, shown, triage};
use crate::analysis::{Diagnosis, Incident, kubectl, quote};
use crate::remedy::Plan;
use crate::text::harmless;

/// Copies what is selected, or the command that shows it, or says why there is nothing to copy.
pub(super) fn copy(app: &mut App, command: bool) -> Vec<Effect> {
    match selected(app, command) {
        Some((what, text)) if !text.is_empty() => {
            app.copying = Some(what);
            vec![Effect::Copy(clean(&text))]
        }
        _ => {
            app.notice = Some("There is nothing to copy here.".into());
            Vec::new()
        }
    }
}

/// What is pasted into a shell must be what was read on screen: no escape may hide in it.
pub(super) fn clean(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(harmless).collect();
    lines.join("\n")
}

/// What is selected, in words, and its text.
fn selected(app: &App, command: bool) -> Option<(String, String)> {
    if let Some((overlay, _)) = app.overlay {
        let notes = app.filtered_notes(overlay);
        let text: Vec<String> = notes.iter().map(shown::Note::text).collect();
        return Some(("this text".into(), text.join("\n")));
    }
    if let Screen::Remedy(_) = &app.screen {
        let text: Vec<String> = app
            .notes_of_remedy()
            .iter()
            .map(super::shown::Note::text)
            .collect();
        return Some(("the remedy as it stands".into(), text.join("\n")));
    }
    if let Screen::Object(object) = &app.screen {
        return Some((
            "the command that shows it".into(),
            object.command(&app.options.cluster)?,
        ));
    }
    if let (Screen::Triage, Some(Listed::Suspect(suspect))) =
        (&app.screen, app.listed_at(app.triage))
    {
        return Some(("what is known".into(), triage::sentence(app, suspect)));
    }
    let (incident, plans) = app.incident()?;
    let sheet = match &app.screen {
        Screen::Object(_) | Screen::Remedy(_) => return None,
        Screen::Triage => {
            let shown = app.triage_rows().places.contains(&app.triage);
            let cause = incident.findings.first().filter(|_| shown)?;
            let text = format!(
                "{} → {}: {}",
                incident.config, incident.workload, cause.sentence
            );
            return Some(("the incident's cause".into(), text));
        }
        Screen::Sheet(sheet) => sheet,
    };
    if sheet.tab == Tab::Diff {
        return in_diff(sheet, incident, app.diagnosis()?, command);
    }
    on_tab(app, sheet, incident, plans)
}

/// The diff of the key that is open, or the commands that show its sides.
fn in_diff(
    sheet: &Sheet,
    incident: &Incident,
    diagnosis: &Diagnosis,
    command: bool,
) -> Option<(String, String)> {
    let unified = diff::unified(&sheet.diff, incident).filter(|_| !command);
    match unified {
        Some(text) => Some(("the diff of this key".into(), text)),
        None => Some((
            "the commands that show both sides".into(),
            diff::commands(&sheet.diff, incident, diagnosis)?,
        )),
    }
}

/// The same on a tab of a sheet.
fn on_tab(
    app: &App,
    sheet: &Sheet,
    incident: &Incident,
    plans: &[Plan],
) -> Option<(String, String)> {
    let rows = app.rows(sheet.tab).unwrap_or_default();
    let on_screen = |cursor: usize| rows.places.contains(&cursor).then_some(cursor);
    match sheet.tab {
        Tab::Timeline => {
            let entry = incident.timeline.get(on_screen(sheet.entry)?)?;
            Some(("the entry".into(), rows::entry_in_full(app, entry)))
        }
        Tab::Replicas => {
            let pod = &app.replicas()?.get(on_screen(sheet.replica)?)?.pod;
            let command = format!(
                "{} -n {} describe pod {}",
                kubectl(&app.options.cluster),
                quote(&pod.namespace),
                quote(&pod.name)
            );
            Some((format!("kubectl describe pod {}", pod.name), command))
        }
        Tab::Evidence => {
            let items = app.evidence();
            let item = items.get(on_screen(sheet.evidence)?)?;
            Some((
                format!("the command of [{}]", item.number),
                item.command.clone(),
            ))
        }
        Tab::Plan => {
            let steps = shown::steps(plans);
            let (_, number, step) = steps.get(on_screen(sheet.step)?)?;
            Some((
                format!("the command of step {number}"),
                step.command.clone(),
            ))
        }
        Tab::Logs => {
            let (line, cut) = sheet.logs.selected_text()?;
            let what = match cut {
                true => "the first 64 KiB of the line",
                false => "the line",
            };
            Some((what.into(), line))
        }
        Tab::Diff => None,
    }
}
