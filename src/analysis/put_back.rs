//! Which earlier content a revert would put back: not always the one before the last edit, since that one may fail as well.

use super::case::Case;
use super::diff::value_changes;
use super::incident::PutBack;

/// The newest revision before the live one that is known, is another one, and of which no evidence says that it fails.
pub(crate) fn of(case: &Case<'_>, live_fails: bool) -> Option<PutBack> {
    let live = case.history.live();
    let now = case.history.live_content()?;
    let mut earlier = (0..live).rev();
    let place = earlier.find(|place| {
        case.history.content(*place).is_some()
            && !case.are_same(*place, live)
            && !(live_fails && fails_too(case, *place))
    })?;
    Some(PutBack {
        revision: case.history.name(place)?,
        changes: value_changes(case.history.content(place)?, now, &case.keys),
    })
}

/// Whether a replica fails that runs a revision, or is sent where that revision would send it too, and nobody answers.
fn fails_too(case: &Case<'_>, place: usize) -> bool {
    let Some(impacted) = &case.impact else {
        return false;
    };
    let name = case.history.name(place);
    let dead_ends = case.dead_ends(case.history.content(place));
    impacted.failing.iter().any(|at| {
        let runs = case.replicas.get(*at).is_some_and(|r| r.loaded == name);
        let scans = case.scans.get(*at);
        runs || scans.is_some_and(|scans| dead_ends.asked_by(scans).is_some())
    })
}
