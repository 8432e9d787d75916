//! The content of a revision that no source has, from what is left of it: what a replica that loaded it still holds, another version
//! of the config by its name, or a reconstruction. It is found after the loads are judged, and judges none.

use std::collections::BTreeSet;

use super::case::{Case, Subject, User};
use super::content::hash;
use super::evidence::{Book, show_config, show_in_container};
use super::incident::{ContentSource, Use};
use super::reconstruction::{self, Reconstruction};
use super::uses::ConfigUse;
use super::uses::places::{Reading, readings};
use crate::model::{Config, ConfigKind, Content, Held, Probe, Shared};

/// Fills in the revision before the live one where its content is not known; gives the reconstruction where that is what it is
/// filled with.
pub(crate) fn of(
    case: &mut Case<'_>,
    subject: &Subject<'_>,
    book: &mut Book<'_>,
) -> Option<Reconstruction> {
    let unknown = case.history.live().checked_sub(1)?;
    let open = case.history.content(unknown).is_none();
    let behind = case.replicas.iter().any(|r| r.live == Some(false));
    let plain = case.config.reference.kind == ConfigKind::ConfigMap;
    if !open || !plain || case.history.live_content().is_none() {
        return None;
    }
    let kept = still_held(case, subject, unknown, book).or_else(|| best_named(case, unknown));
    if let Some(found) = kept {
        fill(case, unknown, found);
        return None;
    }
    if let Some(found) = reconstruction::of(case, book) {
        let (content, evidence) = (found.content.clone(), found.evidence.clone());
        fill(
            case,
            unknown,
            Recovered::whole(content, found.source(), evidence),
        );
        return Some(found);
    }
    if behind && let Some(found) = sibling(case, book) {
        fill(case, unknown, found);
    }
    None
}

/// A content with where it is from, and the keys of which nothing is known.
struct Recovered {
    content: Content,
    unknown_keys: BTreeSet<String>,
    source: ContentSource,
    evidence: Vec<usize>,
}

impl Recovered {
    fn whole(content: Content, source: ContentSource, evidence: Vec<usize>) -> Self {
        Self {
            content,
            unknown_keys: BTreeSet::new(),
            source,
            evidence,
        }
    }
}

fn fill(case: &mut Case<'_>, place: usize, found: Recovered) {
    if let Some(revision) = case.history.revisions.get_mut(place) {
        let whole = found.unknown_keys.is_empty();
        revision.hash = whole.then(|| hash(&found.content));
        revision.unknown_keys = found.unknown_keys;
        revision.content = Some(found.content);
        revision.source = Some(found.source);
        revision.evidence.extend(found.evidence);
    }
}

/// The best of what is held to be it; its evidence is the revision's already.
fn best_named(case: &mut Case<'_>, place: usize) -> Option<Recovered> {
    let also = &mut case.history.revisions.get_mut(place)?.also;
    let best = (!also.is_empty()).then(|| also.remove(0))?;
    Some(Recovered::whole(best.content, best.source, Vec::new()))
}

/// What a replica that loaded this revision holds in its environment or in a file that no edit reaches. What it does not take is
/// not known: those keys are named.
fn still_held(
    case: &Case<'_>,
    subject: &Subject<'_>,
    place: usize,
    book: &mut Book<'_>,
) -> Option<Recovered> {
    let name = case.history.name(place);
    let live = case.history.live_content()?;
    for (user, replica) in subject.users.iter().zip(&case.replicas) {
        let of_it =
            replica.live == Some(false) && (replica.loaded == name || replica.loaded.is_none());
        let Some(probe) = case.probe(user).filter(|_| of_it) else {
            continue;
        };
        let held = held(user, case, probe);
        if held.is_empty() {
            continue;
        }
        let (content, unknown_keys) = with_held(live, &held);
        let names: Vec<&str> = held.iter().map(|one| one.place.name.as_str()).collect();
        let variables = held.iter().all(|one| one.file.is_none());
        let number = book.add(
            format!(
                "What pod {}, container {} still holds of it",
                probe.pod.name, probe.container
            ),
            &show_in_container(
                &probe.pod,
                &probe.container,
                if variables { "printenv" } else { "cat" },
                &names,
            ),
            probe.read_at,
            format!("{} of its keys", held.len()),
        );
        let source = ContentSource::Replica {
            pod: probe.pod.name.clone(),
            container: probe.container.clone(),
        };
        return Some(Recovered {
            content,
            unknown_keys,
            source,
            evidence: vec![number],
        });
    }
    None
}

fn held<'p>(user: &User<'_>, case: &Case<'_>, probe: &'p Probe) -> Vec<Reading<'p>> {
    let fixed = |usage: &&ConfigUse| {
        !usage.swaps() && !matches!(usage.via, Use::InitCopy { .. } | Use::Api)
    };
    let of = (&**user.pod, user.container);
    let read = |usage| readings(usage, of, case.history.contents(), probe);
    user.uses.iter().filter(fixed).flat_map(read).collect()
}

/// The live content with what is held in its place, and without the keys of which nothing is known.
fn with_held(live: &Content, held: &[Reading<'_>]) -> (Content, BTreeSet<String>) {
    let mut content = live.clone();
    let mut unknown: BTreeSet<String> = live.keys().into_iter().map(str::to_owned).collect();
    if let Content::Plain { data, binary } = &mut content {
        for one in held {
            let key = &one.place.key;
            unknown.remove(key);
            data.remove(key);
            binary.remove(key);
            match one.held {
                Some(Held::Text(text)) => {
                    data.insert(key.clone(), text.clone());
                }
                Some(Held::Bytes(bytes)) => {
                    binary.insert(key.clone(), bytes.clone());
                }
                Some(Held::Hashed(_)) => {
                    unknown.insert(key.clone());
                }
                None => {}
            }
        }
        data.retain(|key, _| !unknown.contains(key));
        binary.retain(|key, _| !unknown.contains(key));
    }
    (content, unknown)
}

/// Another version of the config by its name, `settings-v1` beside `settings-v2`, that holds the same keys.
fn sibling(case: &Case<'_>, book: &mut Book<'_>) -> Option<Recovered> {
    let own = &case.config.reference;
    let (stem, _) = own.name.rsplit_once('-')?;
    let live = case.history.live_content()?;
    let fits = |other: &&Shared<Config>| {
        let reference = &other.reference;
        let same_stem = reference
            .name
            .rsplit_once('-')
            .is_some_and(|(s, _)| s == stem);
        let keys = other.content.as_ref().map(Content::keys);
        *reference != *own
            && reference.kind == own.kind
            && reference.namespace == own.namespace
            && same_stem
            && other.immutable
            && keys == Some(live.keys())
            && other.content.as_ref() != Some(live)
    };
    let all = case.snapshot.configs.iter().filter(fits);
    let newest = all.max_by_key(|other| other.created)?;
    let number = book.add(
        format!("{}, another version by its name", newest.reference),
        &show_config(&newest.reference),
        case.snapshot.taken_at,
        format!("content {}", hash(newest.content.as_ref()?)),
    );
    let source = ContentSource::Sibling {
        config: newest.reference.clone(),
    };
    Some(Recovered::whole(
        newest.content.clone()?,
        source,
        vec![number],
    ))
}
