//! What was read inside the container says which revision it holds.

use chrono::{DateTime, TimeDelta, Utc};

use super::compare::{alike, is_live};
use super::files::of_program;
use super::{Known, SWAP, Seen};
use crate::analysis::content::digest;
use crate::analysis::evidence::{Book, show_in_container};
use crate::analysis::incident::{Grade, Use};
use crate::analysis::names::clock_time;
use crate::analysis::ordering::taken_by;
use crate::analysis::uses::ConfigUse;
use crate::analysis::uses::places::{self, Reading};
use crate::model::{Content, Held, Probe, Process};

/// Times of processes and of a swap are of one clock; the boot time from which the former are counted is in whole seconds.
const SECOND: TimeDelta = TimeDelta::seconds(1);

/// The load, with what the probe read where it cannot have changed since: it is the strongest that there is.
pub(super) fn with_probe(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    known: Known,
    book: &mut Book<'_>,
) -> Known {
    let Some(probe) = seen.probe else {
        return known;
    };
    if usage.swaps() {
        return since_swap(seen, usage, probe, known, book);
    }
    let readings = readings(seen, usage, probe);
    let Some((index, alone)) = explained(seen, usage, &readings) else {
        return known;
    };
    let number = cite(seen, probe, usage, &readings, book);
    let Some(index) = index else {
        return unexplained(seen, known, number);
    };
    let what = match usage.via {
        Use::Env { .. } | Use::EnvFrom { .. } => "its environment",
        Use::InitCopy { .. } => "the file that the init container left, not written to since,",
        _ => "its mounted file, which no edit reaches,",
    };
    let mut why = vec![format!(
        "{what} holds {}",
        if alone {
            "what only this revision holds"
        } else {
            "none of the contents that are known"
        }
    )];
    if known
        .index
        .is_some_and(|before| !alike(seen.history, before, index, usage))
    {
        why.push(format!(
            "which contradicts what else is known and is the stronger ({} by grade {}: {})",
            known
                .index
                .and_then(|i| seen.history.name(i))
                .unwrap_or_default(),
            known.grade,
            known.why.join("; ")
        ));
    } else {
        why.extend(
            known
                .why
                .into_iter()
                .filter(|_| known.grade != Grade::Unknown),
        );
    }
    let mut evidence = vec![number];
    evidence.extend(known.evidence);
    Known {
        index: Some(index),
        live_unknown: false,
        // As the only one that is not known: it is at least not what is live.
        differs: !alone,
        grade: Grade::Proved,
        why,
        evidence,
    }
}

/// What it holds is in no revision that is known, the live one among them.
fn unexplained(seen: &Seen<'_>, known: Known, number: usize) -> Known {
    let mut why = "it holds a value that no known revision of the config has".to_owned();
    why.push_str(if seen.history.oldest.whole {
        ": the value comes from another source of the same name"
    } else {
        ": an earlier one that is not known, or another source of the same name"
    });
    let mut evidence = vec![number];
    evidence.extend(known.evidence);
    // With a whole history it is none of this config's contents, so nothing is said of them.
    let earlier = !seen.history.oldest.whole;
    Known {
        evidence,
        differs: earlier,
        grade: if earlier {
            Grade::Proved
        } else {
            Grade::Unknown
        },
        ..Known::nothing(why)
    }
}

/// What a use holds that is in no revision that is known, where it is text that may be shown.
pub(super) fn strays(seen: &Seen<'_>, usage: &ConfigUse) -> Vec<(String, String)> {
    const LONGEST: usize = 80;
    let Some(probe) = seen.probe.filter(|_| !usage.swaps()) else {
        return Vec::new();
    };
    if matches!(usage.via, Use::InitCopy { .. }) {
        return Vec::new();
    }
    let in_none = |reading: &Reading<'_>| {
        let mut told = seen
            .history
            .contents()
            .map(|content| fits(reading, content));
        told.all(|fits| fits == Some(false))
    };
    let strange = readings(seen, usage, probe).into_iter().filter(in_none);
    strange
        .filter_map(|reading| match reading.held {
            Some(Held::Text(text)) if text.len() <= LONGEST && !text.contains('\n') => {
                Some((reading.place.name, text.clone()))
            }
            _ => None,
        })
        .collect()
}

/// What was read of a use, and tells what it took.
fn readings<'a>(seen: &Seen<'_>, usage: &ConfigUse, probe: &'a Probe) -> Vec<Reading<'a>> {
    let of = (seen.pod, seen.container);
    let mut found = places::readings(usage, of, seen.history.contents(), probe);
    if matches!(usage.via, Use::InitCopy { .. }) {
        // A copy that was written to since the init container ended may be anything by now.
        found.retain(|r| r.file.is_some_and(|file| untouched(seen, file.modified)));
    }
    found
}

fn untouched(seen: &Seen<'_>, modified: Option<DateTime<Utc>>) -> bool {
    let ended = taken_by(seen.taker);
    matches!((modified, ended), (Some(modified), Some(ended)) if modified <= ended)
}

/// Whether a reading is what a content holds; `None` where the two cannot be compared.
fn fits(reading: &Reading<'_>, content: &Content) -> Option<bool> {
    let key = reading.place.key.as_str();
    let Some(held) = reading.held else {
        return Some(!content.keys().contains(key));
    };
    match (content, held) {
        (Content::Plain { data, binary }, Held::Text(text)) => Some(
            data.get(key).is_some_and(|value| value == text)
                || binary
                    .get(key)
                    .is_some_and(|value| value == text.as_bytes()),
        ),
        (Content::Plain { binary, .. }, Held::Bytes(bytes)) => Some(binary.get(key) == Some(bytes)),
        (Content::Hashed(keys), Held::Hashed(found)) => Some(keys.get(key) == Some(found)),
        _ => None,
    }
}

/// The one revision that explains what was read (`true`: by its content; `false`: as the only one whose content is not known).
/// Nothing where that is not told; `None` inside where no revision can.
fn explained(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    readings: &[Reading<'_>],
) -> Option<(Option<usize>, bool)> {
    let history = seen.history;
    let all = 0..history.revisions.len();
    // What an init container renders is not what it read: only an equal file tells.
    let rendered = matches!(usage.via, Use::InitCopy { .. });
    let mut compared = false;
    let fitting: Vec<usize> = all
        .clone()
        .filter(|index| {
            let Some(content) = history.content(*index) else {
                return false;
            };
            let told: Vec<bool> = readings.iter().filter_map(|r| fits(r, content)).collect();
            compared |= !told.is_empty();
            !told.is_empty() && told.iter().all(|fits| *fits)
        })
        .collect();
    if !compared {
        return None;
    }
    let unknown: Vec<usize> = all
        .filter(|index| history.content(*index).is_none())
        .collect();
    match (fitting.as_slice(), unknown.as_slice()) {
        ([], _) if rendered => None,
        ([], [one]) => Some((Some(*one), false)),
        ([], _) => Some((None, false)),
        // One that is not known may have held the same: then it is the same for this use.
        ([.., last], _) => {
            let alike = fitting
                .iter()
                .all(|index| alike(history, *index, *last, usage));
            alike.then_some((Some(*last), true))
        }
    }
}

/// Files that the kubelet swaps. All processes that started after the last swap can have read nothing but what is there now.
fn since_swap(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    probe: &Probe,
    known: Known,
    book: &mut Book<'_>,
) -> Known {
    let (Use::Volume { path } | Use::Projected { path }) = &usage.via else {
        return known;
    };
    if known.index.is_some() && !known.live_unknown {
        return known;
    }
    let (Some(swapped), Some(processes)) = (probe.swapped.get(path), &probe.processes) else {
        return known;
    };
    // A program that is known forks new workers when it is told to read again, and its first process stays.
    let master = processes.iter().map(|p| p.pid).min();
    let forks = processes.len() > 1 && of_program(seen, &usage.via).is_some();
    let readers = processes.iter().filter(|p| !forks || Some(p.pid) != master);
    let first = readers.map(|p| p.started_at).min();
    if known.grade < Grade::Inferred || first.is_none_or(|first| first <= *swapped + SECOND) {
        return known;
    }
    let readings = readings(seen, usage, probe);
    let Some((Some(index), true)) = explained(seen, usage, &readings) else {
        return known;
    };
    let number = cite(seen, probe, usage, &readings, book);
    let now = seen.snapshot.now();
    // The kubelet may be about to swap them, and then it depends on the program.
    let edited = seen.history.last_edit().and_then(|edit| edit.at.latest);
    let pending = !is_live(seen.history, index, usage)
        && edited.is_none_or(|edited| probe.read_at < edited + SWAP);
    let mut evidence = vec![number];
    evidence.extend(known.evidence);
    Known {
        index: Some(index),
        live_unknown: pending,
        differs: false,
        grade: Grade::Inferred,
        why: vec![format!(
            "its processes started after its files were swapped last (at {}), and the files hold this revision{}",
            clock_time(*swapped, now),
            if pending {
                "; they may be swapped for the live ones any moment"
            } else {
                ""
            }
        )],
        evidence,
    }
}

/// Whether the processes show that the program read its files only at its start: none is younger, and none watches files.
pub(super) fn only_at_start(seen: &Seen<'_>) -> bool {
    const WORKERS: TimeDelta = TimeDelta::seconds(5);
    let started = seen.container.started_at();
    let processes = seen.probe.and_then(|probe| probe.processes.as_ref());
    let (Some(started), Some(processes)) = (started, processes) else {
        return false;
    };
    let from_start = |p: &Process| p.started_at <= started + WORKERS && p.watches == Some(false);
    !processes.is_empty() && processes.iter().all(from_start)
}

/// Whether a process holds an inotify watch: then it may read its files whenever they are swapped.
pub(super) fn watches(seen: &Seen<'_>) -> bool {
    let processes = seen.probe.and_then(|probe| probe.processes.as_ref());
    processes
        .into_iter()
        .flatten()
        .any(|p| p.watches == Some(true))
}

fn cite(
    seen: &Seen<'_>,
    probe: &Probe,
    usage: &ConfigUse,
    readings: &[Reading<'_>],
    book: &mut Book<'_>,
) -> usize {
    const SHOWN: usize = 5;
    let env = matches!(usage.via, Use::Env { .. } | Use::EnvFrom { .. });
    let mut lines: Vec<String> = readings.iter().take(SHOWN).map(line).collect();
    if readings.len() > SHOWN {
        lines.push(format!("and {} more", readings.len() - SHOWN));
    }
    let names: Vec<&str> = readings
        .iter()
        .take(SHOWN)
        .map(|r| r.place.name.as_str())
        .collect();
    let program = if env { "printenv" } else { "cat" };
    book.add(
        format!(
            "{} pod {}, container {}",
            if env { "Environment of" } else { "Files in" },
            probe.pod.name,
            probe.container
        ),
        &show_in_container(&seen.pod.reference, &probe.container, program, &names),
        probe.read_at,
        lines.join("\n"),
    )
}

fn line(reading: &Reading<'_>) -> String {
    const LONGEST: usize = 120;
    let name = &reading.place.name;
    match reading.held {
        None => format!("{name} is not there"),
        Some(Held::Text(text)) if text.len() <= LONGEST && !text.trim_end().contains('\n') => {
            format!("{name}={}", text.trim_end())
        }
        Some(Held::Text(text)) => format!(
            "{name}: {} lines, {}",
            text.lines().count(),
            digest(text.as_bytes())
        ),
        Some(Held::Bytes(bytes)) => format!("{name}: {} bytes, {}", bytes.len(), digest(bytes)),
        Some(Held::Hashed(_)) => format!("{name}: compared by its hash"),
    }
}
