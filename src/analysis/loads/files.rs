//! Files that the kubelet swaps in a running pod: what the process read at its start, and whether it read them again.

use chrono::{DateTime, TimeDelta, Utc};

use super::compare::alike;
use super::probed::{only_at_start, watches};
use super::start::{AtStart, mount_failed};
use super::{Known, SWAP, Seen, Shown, told};
use crate::analysis::gaps::no_log;
use crate::analysis::incident::{Grade, Use};
use crate::analysis::names::clock_time;
use crate::analysis::ordering::clock_known;
use crate::analysis::signals::{Program, reads_once};
use crate::analysis::uses::ConfigUse;

/// What the process runs now, after what it read at its start.
pub(super) fn since_start(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    start: &AtStart,
    shown: &[&Shown],
) -> Known {
    let newest = shown.iter().max_by_key(|s| s.last);
    if let Some(by_log) = newest.and_then(|shown| told::by_shown(seen, usage, start, shown)) {
        return by_log;
    }
    let mut known = start.known.clone();
    let Some(index) = known.index else {
        return known;
    };
    // Edited and edited back, it may have read what was there between.
    let steady =
        (index..=seen.history.live()).all(|other| alike(seen.history, index, other, usage));
    if steady {
        return known;
    }
    match reload_after(seen, index) {
        // It read its own configuration again; whether this mount is part of that is known by the path alone.
        Reload::AfterSwap(at) if of_program(seen, &usage.via).is_some() && swapped(seen, index) => {
            Known {
                index: Some(seen.history.live()),
                live_unknown: false,
                differs: false,
                // Across two clocks of which it is not known how far they are apart it is the times that say so.
                grade: if clock_known(seen.snapshot, seen.pod) {
                    Grade::Shown
                } else {
                    Grade::Inferred
                },
                why: vec![format!(
                    "its log says at {} that it read its configuration again, after the files had been swapped",
                    clock_time(at, seen.snapshot.now())
                )],
                evidence: known.evidence,
            }
        }
        Reload::AfterSwap(_) | Reload::DuringSwap => Known::nothing(
            "ambiguous: it read its configuration again while the files were being swapped"
                .to_owned(),
        ),
        Reload::No => {
            known.grade = Grade::Inferred;
            match once(seen, &usage.via) {
                Some(why) => known.why.push(why),
                None => {
                    known.live_unknown = true;
                    let mut open = "that is what it read at its start; whether it read the files again is not known".to_owned();
                    if let Some(why) = no_log(seen.snapshot, seen.pod) {
                        open.push_str(&format!(" without its log ({why})"));
                    }
                    known.why.push(open);
                }
            }
            known
        }
    }
}

/// Whether the files are swapped for every later edit: not where the kubelet says that it failed, nor where it keeps an immutable
/// object that was deleted.
fn swapped(seen: &Seen<'_>, index: usize) -> bool {
    let since = seen.history.edits.get(index..).unwrap_or_default();
    let mut former = since.iter().filter_map(|edit| edit.after_former);
    !mount_failed(seen) && !former.any(|former| former.immutable)
}

/// The program whose own configuration a mount is.
pub(super) fn of_program(seen: &Seen<'_>, via: &Use) -> Option<Program> {
    let (Use::Volume { path } | Use::Projected { path }) = via else {
        return None;
    };
    let logged = seen.scan.and_then(|scan| scan.program);
    let runs = || {
        let processes = seen.probe?.processes.as_ref()?;
        processes.iter().find_map(|p| Program::of_process(&p.name))
    };
    reads_once(&seen.container.image, logged.or_else(runs), path)
}

/// Why this program is known to run what it read at its start.
fn once(seen: &Seen<'_>, via: &Use) -> Option<String> {
    let program = of_program(seen, via)?;
    if watches(seen) {
        return None;
    }
    let how = if seen.log_complete {
        "its complete log holds no reload"
    } else if only_at_start(seen) {
        "its processes are those of its start and watch no files"
    } else {
        return None;
    };
    let program = program.as_str();
    Some(format!("{program} reads its configuration once, and {how}"))
}

enum Reload {
    No,
    DuringSwap,
    AfterSwap(DateTime<Utc>),
}

/// Whether it read its files again since the edit that followed on what it read at its start, and after all of them.
fn reload_after(seen: &Seen<'_>, index: usize) -> Reload {
    let (Some(next), Some(edit)) = (seen.history.edits.get(index), seen.history.last_edit()) else {
        return Reload::No;
    };
    let Some(last) = seen.scan.and_then(|scan| scan.reloads.last()) else {
        return Reload::No;
    };
    match (last.0, next.at.earliest, edit.at.latest) {
        (Some(at), _, Some(latest)) if at > latest + SWAP => Reload::AfterSwap(at),
        (Some(at), Some(earliest), _) if at + TimeDelta::seconds(2) < earliest => Reload::No,
        _ => Reload::DuringSwap,
    }
}
