//! The content of a revision that no source has, from what is left of it: what a replica that loaded it still holds, another version
//! of the config by its name, or a reconstruction. It is found after the loads are judged, and judges none.

use std::collections::BTreeSet;

use super::case::{Case, Subject, User};
use super::content::hash;
use super::evidence::{Book, show_config, show_in_container};
use super::incident::{ContentSource, Use};
use super::reconstruction::{self, Reconstruction};
use super::uses::places::{certain_keys, files, variables};
use crate::model::{Config, ConfigKind, Content, Held, Shared};

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
    if let Some((content, keys, source, evidence)) = still_held(case, subject, unknown, book) {
        fill(case, unknown, content, source, evidence);
        if let Some(revision) = case.history.revisions.get_mut(unknown) {
            revision.unknown_keys = keys;
            if !revision.unknown_keys.is_empty() {
                revision.hash = None;
            }
        }
        return None;
    }
    if let Some(revision) = case.history.revisions.get_mut(unknown)
        && !revision.also.is_empty()
    {
        // The best of what is held to be it.
        let best = revision.also.remove(0);
        revision.hash = Some(best.hash);
        revision.content = Some(best.content);
        revision.source = Some(best.source);
        return None;
    }
    if let Some(found) = reconstruction::of(case, book) {
        fill(
            case,
            unknown,
            found.content.clone(),
            found.source(),
            found.evidence.clone(),
        );
        return Some(found);
    }
    if behind && let Some((content, source, evidence)) = sibling(case, book) {
        fill(case, unknown, content, source, vec![evidence]);
    }
    None
}

fn fill(
    case: &mut Case<'_>,
    place: usize,
    content: Content,
    source: ContentSource,
    evidence: Vec<usize>,
) {
    if let Some(revision) = case.history.revisions.get_mut(place) {
        revision.hash = Some(hash(&content));
        revision.content = Some(content);
        revision.source = Some(source);
        revision.evidence.extend(evidence);
    }
}

type Recovered = (Content, BTreeSet<String>, ContentSource, Vec<usize>);

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
        let (content, unknown) = with_held(live, &held);
        let names: Vec<&str> = held.iter().map(|one| one.name.as_str()).collect();
        let variables = held.iter().all(|one| one.variable);
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
        return Some((content, unknown, source, vec![number]));
    }
    None
}

struct OfKey {
    key: String,
    /// The variable or the file.
    name: String,
    variable: bool,
    value: Option<Held>,
}

fn held(user: &User<'_>, case: &Case<'_>, probe: &crate::model::Probe) -> Vec<OfKey> {
    let mut found = Vec::new();
    for usage in user.uses.iter().filter(|usage| !usage.swaps()) {
        if matches!(usage.via, Use::InitCopy { .. } | Use::Api) {
            continue;
        }
        let keys = certain_keys(usage, case.history.contents());
        for place in variables(usage, &keys) {
            if let Some(value) = probe.env.as_ref().and_then(|env| env.get(&place.name)) {
                found.push(OfKey {
                    key: place.key,
                    name: place.name,
                    variable: true,
                    value: value.clone(),
                });
            }
        }
        for place in files(usage, user.pod, user.container, &keys) {
            if let Some(file) = probe.files.iter().find(|f| f.path == place.name) {
                found.push(OfKey {
                    key: place.key,
                    name: place.name,
                    variable: false,
                    value: Some(file.held.clone()),
                });
            }
        }
    }
    found
}

/// The live content with what is held in its place, and without the keys of which nothing is known.
fn with_held(live: &Content, held: &[OfKey]) -> (Content, BTreeSet<String>) {
    let mut content = live.clone();
    let mut unknown: BTreeSet<String> = live.keys().into_iter().map(str::to_owned).collect();
    if let Content::Plain { data, binary } = &mut content {
        for one in held {
            unknown.remove(&one.key);
            data.remove(&one.key);
            binary.remove(&one.key);
            match &one.value {
                Some(Held::Text(text)) => {
                    data.insert(one.key.clone(), text.clone());
                }
                Some(Held::Bytes(bytes)) => {
                    binary.insert(one.key.clone(), bytes.clone());
                }
                Some(Held::Hashed(_)) => {
                    unknown.insert(one.key.clone());
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
fn sibling(case: &Case<'_>, book: &mut Book<'_>) -> Option<(Content, ContentSource, usize)> {
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
    Some((newest.content.clone()?, source, number))
}
