//! What is known of a config's contents from outside the API: versions that were kept, contents that somebody holds to have been
//! live, and who wrote, as the audit log tells.

use chrono::{DateTime, TimeDelta, Utc};

use super::History;
use super::writes::data_entries;
use crate::analysis::content::hash;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{AlsoFound, ContentSource, Person};
use crate::analysis::names::quote;
use crate::model::{
    AuditedWrite, Config, ConfigRef, Content, Found, Interval, Kept, Origin, Snapshot,
};

/// A content with where it was found, and when it was written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) content: Content,
    pub(super) source: ContentSource,
    pub(super) at: Option<DateTime<Utc>>,
    /// What shows it: the source and the command.
    pub(super) shows: (String, String),
    pub(super) read_at: DateTime<Utc>,
}

impl Candidate {
    /// The API server itself says that it was written then.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.source, ContentSource::Audit { .. })
    }

    pub(super) fn cite(&self, book: &mut Book<'_>) -> usize {
        let (source, command) = self.shows.clone();
        let excerpt = format!("content {}", hash(&self.content));
        book.add_line(source, command, self.read_at, excerpt)
    }
}

/// The kept version before a version of a config, with nothing between: the one that the watch saw it follow; or one that holds the
/// same, since writes of labels alone are not kept.
pub(super) fn before<'a>(snapshot: &'a Snapshot, newer: &Config) -> Option<&'a Kept> {
    let of = |kept: &&Kept| kept.config.reference == newer.reference;
    let kept = || snapshot.outside.kept.iter().filter(of);
    let same_version = |kept: &&Kept| kept.config.resource_version == newer.resource_version;
    if let Some(this) = kept().find(same_version) {
        let follows = this.follows.as_ref()?;
        return kept().find(|kept| kept.config.resource_version == *follows);
    }
    let number = |config: &Config| config.resource_version.parse::<u64>().ok();
    let older = kept().filter(|kept| number(&kept.config) < number(newer));
    let newest = older.max_by_key(|kept| number(&kept.config))?;
    // Whoever edits and edits back moves the time of his entry.
    let written = |config: &Config| data_entries(config).filter_map(|e| e.time).max();
    let same = newest.config.uid == newer.uid
        && newest.config.content == newer.content
        && written(&newest.config) == written(newer);
    same.then_some(newest)
}

/// Shows a version that was kept.
pub(super) fn show_kept(kept: &Kept) -> (String, String) {
    (
        format!(
            "{} at resourceVersion {}, as it was kept",
            kept.config.reference, kept.config.resource_version
        ),
        format!(
            "grep {} {}",
            quote(&format!(
                "\"resource_version\":\"{}\"",
                kept.config.resource_version
            )),
            quote(&kept.file)
        ),
    )
}

/// Every content of a config that was found outside and is not part of the chain of versions; what the API server says first,
/// then by time, and what the user named last.
pub(super) fn candidates(snapshot: &Snapshot, config: &Config, chain: &[String]) -> Vec<Candidate> {
    let reference = &config.reference;
    let outside = &snapshot.outside;
    let audited = outside.audited.iter().filter(|w| w.config == *reference);
    let mut found: Vec<Candidate> = audited
        .filter(|write| write.resource_version.as_ref() != Some(&config.resource_version))
        .filter_map(|write| audited_content(snapshot, write))
        .collect();
    let kept = outside.kept.iter().filter(|k| {
        k.config.reference == *reference && !chain.contains(&k.config.resource_version)
    });
    found.extend(kept.filter_map(kept_content));
    let others = outside.found.iter().filter(|f| f.config == *reference);
    found.extend(others.map(|found| other_content(snapshot, found)));
    found.sort_by_key(|one| (rank(&one.source), std::cmp::Reverse(one.at)));
    found
}

/// What is better known comes first.
fn rank(source: &ContentSource) -> usize {
    match source {
        ContentSource::Kept { .. } => 0,
        ContentSource::Audit { .. } => 1,
        ContentSource::Helm { .. } => 2,
        ContentSource::Git { .. } | ContentSource::File { .. } => 3,
        _ => 4,
    }
}

fn audited_content(snapshot: &Snapshot, write: &AuditedWrite) -> Option<Candidate> {
    Some(Candidate {
        content: write.content.clone()?,
        source: ContentSource::Audit {
            file: write.file.clone(),
        },
        at: write.at,
        shows: show_audited(write),
        read_at: snapshot.taken_at,
    })
}

/// Shows the writes of an audit log to a config.
fn show_audited(write: &AuditedWrite) -> (String, String) {
    let ConfigRef {
        kind,
        namespace,
        name,
    } = &write.config;
    let filter = format!(
        "select(.objectRef.resource==\"{}\" and .objectRef.namespace==\"{namespace}\" and .objectRef.name==\"{name}\")",
        kind.resource()
    );
    (
        format!("Writes to {} in the audit log", write.config),
        format!("jq -c {} {}", quote(&filter), quote(&write.file)),
    )
}

fn kept_content(kept: &Kept) -> Option<Candidate> {
    Some(Candidate {
        content: kept.config.content.clone()?,
        source: ContentSource::Kept {
            file: kept.file.clone(),
        },
        at: kept.config.managed.iter().filter_map(|e| e.time).max(),
        shows: show_kept(kept),
        read_at: kept.seen_at,
    })
}

fn other_content(snapshot: &Snapshot, found: &Found) -> Candidate {
    let (source, shows) = match &found.origin {
        Origin::Helm { release, revision } => (
            ContentSource::Helm {
                release: release.clone(),
                revision: *revision,
            },
            (
                format!("Helm release {release}, revision {revision}"),
                format!(
                    "helm get manifest {} --revision {revision} -n {}",
                    quote(release),
                    quote(&found.config.namespace)
                ),
            ),
        ),
        Origin::File { path } => (
            ContentSource::File { path: path.clone() },
            (format!("File {path}"), format!("cat {}", quote(path))),
        ),
        Origin::Git {
            repository,
            path,
            revision,
            commit,
        } => (
            ContentSource::Git {
                path: path.clone(),
                revision: revision.clone(),
                commit: commit.clone(),
            },
            (
                format!("{path} at git revision {revision}"),
                format!(
                    "git -C {} show {}",
                    quote(repository),
                    quote(&format!("{commit}:{path}"))
                ),
            ),
        ),
    };
    Candidate {
        content: found.content.clone(),
        source,
        at: found.at,
        shows,
        read_at: snapshot.taken_at,
    }
}

/// Notes beside each revision where else its content was found, and beside the one before the live what is held to be it.
pub(super) fn note_others(history: &mut History, candidates: &[Candidate], book: &mut Book<'_>) {
    for candidate in candidates {
        let same = |content: &Option<Content>| content.as_ref() == Some(&candidate.content);
        let of = history.revisions.iter().rposition(|r| same(&r.content));
        let known = of.is_some();
        let place = of.or_else(|| history.revisions.len().checked_sub(2));
        let Some(revision) = place.and_then(|at| history.revisions.get_mut(at)) else {
            continue;
        };
        if revision.source.as_ref() == Some(&candidate.source) {
            continue;
        }
        let number = candidate.cite(book);
        revision.evidence.push(number);
        revision.also.push(AlsoFound {
            source: candidate.source.clone(),
            same: known,
            content: candidate.content.clone(),
            hash: hash(&candidate.content),
        });
    }
}

/// Says of each edit who made it, where the audit log tells of one write alone that may be it; and then when.
pub(super) fn name_persons(
    snapshot: &Snapshot,
    config: &ConfigRef,
    history: &mut History,
    book: &mut Book<'_>,
) {
    let writes: Vec<&AuditedWrite> = snapshot
        .outside
        .audited
        .iter()
        .filter(|write| write.config == *config)
        .collect();
    for place in 0..history.edits.len() {
        let Some(write) = write_of(history, place, &writes) else {
            continue;
        };
        let (source, command) = show_audited(write);
        let number = book.add_line(source, command, snapshot.taken_at, describe(write));
        history.evidence.push(number);
        let Some(edit) = history.edits.get_mut(place) else {
            continue;
        };
        if let Some(at) = write.at {
            edit.at = Interval::between(Some(at), Some(at + TimeDelta::seconds(1)));
        }
        let at = edit.at;
        if let Some(before) = history.revisions.get_mut(place) {
            before.until = at;
        }
        if let Some(revision) = history.revisions.get_mut(place + 1) {
            revision.from = at;
            revision.person = Some(write.user.clone());
        }
        edit.by = Some(Person {
            user: write.user.clone(),
            impersonated: write.impersonated.clone(),
            source_ips: write.source_ips.clone(),
            user_agent: write.user_agent.clone(),
        });
    }
}

/// The write that an edit is: by its resourceVersion where the log holds that, else as the only one of its time that did not write
/// what was there before.
fn write_of<'a>(
    history: &History,
    place: usize,
    writes: &[&'a AuditedWrite],
) -> Option<&'a AuditedWrite> {
    let edit = history.edits.get(place)?;
    let version = edit.resource_version.as_ref();
    let mut exact = writes.iter();
    let exact = exact.find(|w| version.is_some() && w.resource_version.as_ref() == version);
    if exact.is_some() {
        return exact.copied();
    }
    // Managed fields are of whole seconds, and the request came before what it wrote.
    let slack = TimeDelta::seconds(2);
    let from = edit.at.earliest.map(|at| at - slack);
    let until = edit.at.latest.map(|at| at + slack);
    let fits = |write: &&&AuditedWrite| {
        let within = write.at.is_some_and(|at| {
            from.is_none_or(|from| at >= from) && until.is_none_or(|until| at <= until)
        });
        let manager = match (&write.field_manager, &edit.manager) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        let other = version.is_some() && write.resource_version.is_some();
        let before = write.content.is_some() && write.content.as_ref() == history.content(place);
        within && manager && !other && !before && write.verb != "delete"
    };
    let mut of_time = writes.iter().filter(fits);
    match (of_time.next(), of_time.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

fn describe(write: &AuditedWrite) -> String {
    let at = write.at.map_or_else(
        || "at an unknown time".to_owned(),
        |at| at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
    );
    let mut text = format!("{at} {} by {}", write.verb, write.user);
    if let Some(other) = &write.impersonated {
        text.push_str(&format!(", acting as {other}"));
    }
    if !write.source_ips.is_empty() {
        text.push_str(&format!(", from {}", write.source_ips.join(", ")));
    }
    if let Some(agent) = &write.user_agent {
        text.push_str(&format!(", with {agent}"));
    }
    if let Some(manager) = &write.field_manager {
        text.push_str(&format!(", field manager {manager}"));
    }
    text
}
