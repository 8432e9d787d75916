//! The rules: each decides, for one config and one workload, whether it holds, does not hold, or cannot be told for lack of data.
//!
//! Adding a rule:
//! 1. Give it a code in [`Code`], at its place in the order of causes, or among those that only support.
//! 2. Write `rules/NAME.rs` with `pub(super) fn decide(case: &Case, book: &mut Book) -> Decision`. The sentence of a finding names
//!    this case's objects and numbers, and says nothing that its evidence does not carry. A rule that lacks data says which.
//! 3. Enter it in `CAUSES` or `SUPPORTING`, and in the schema `assets/report.schema.json`.
//! 4. Test it in `tests/it/rules.rs` or beside it in `tests/it/rules/`: yes, no, cannot tell.
//! 5. Write its paragraph in `docs/rules.md`: what it means, and what to do.

mod checksum_stale;
mod crash_on_new;
mod edited_back;
mod edited_elsewhere;
mod in_place_edit;
mod loaded_everywhere;
mod missing_reference;
mod no_endpoints;
mod other_source;
mod owner_will_undo;
mod port_mismatch;
mod recreated;
mod rollback_broken;
mod split_injected;
mod split_reference;
mod split_replicas;
mod stale_everywhere;
mod syncing;
mod words;

pub(super) use crash_on_new::only_new_ones_crash;

use super::case::Case;
use super::evidence::Book;
use super::incident::{Code, Finding};

/// A rule's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Yes(Finding),
    No,
    /// What is missing.
    CannotTell(String),
}

type Rule = fn(&Case<'_>, &mut Book<'_>) -> Decision;

/// Causes in the order in which they are tried; the first that holds is the cause.
const CAUSES: [(Code, Rule); 11] = [
    (Code::MissingReference, missing_reference::decide),
    (Code::CrashOnNew, crash_on_new::decide),
    (Code::SplitReference, split_reference::decide),
    (Code::EditedBack, edited_back::decide),
    (Code::SplitReplicas, split_replicas::decide),
    (Code::Recreated, recreated::decide),
    (Code::StaleEverywhere, stale_everywhere::decide),
    (Code::NoEndpoints, no_endpoints::decide),
    (Code::LoadedEverywhere, loaded_everywhere::decide),
    (Code::EditedElsewhere, edited_elsewhere::decide),
    (Code::OtherSource, other_source::decide),
];

/// Rules that add to a cause, and alone make no incident.
const SUPPORTING: [(Code, Rule); 7] = [
    (Code::PortMismatch, port_mismatch::decide),
    (Code::InPlaceEdit, in_place_edit::decide),
    (Code::ChecksumStale, checksum_stale::decide),
    (Code::RollbackBroken, rollback_broken::decide),
    (Code::OwnerWillUndo, owner_will_undo::decide),
    (Code::Syncing, syncing::decide),
    (Code::SplitInjected, split_injected::decide),
];

/// What all rules said of a case.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The cause, other causes that hold as well, then what supports; empty where no cause holds.
    pub(crate) found: Vec<Finding>,
    pub(crate) cannot_tell: Vec<(Code, String)>,
}

/// Tries every rule.
pub(crate) fn judge(case: &Case<'_>, book: &mut Book<'_>) -> Findings {
    let mut result = Findings::default();
    apply(&CAUSES, case, book, &mut result);
    if !result.found.is_empty() {
        apply(&SUPPORTING, case, book, &mut result);
    }
    result
}

fn apply(rules: &[(Code, Rule)], case: &Case<'_>, book: &mut Book<'_>, result: &mut Findings) {
    for (code, rule) in rules {
        match rule(case, book) {
            Decision::Yes(finding) => result.found.push(finding),
            Decision::No => {}
            Decision::CannotTell(what) => result.cannot_tell.push((*code, what)),
        }
    }
}
