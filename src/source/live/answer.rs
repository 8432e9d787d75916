//! Further questions, answered all at once: facts or gaps, in an order that does not depend on who was faster.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use futures::stream;

use super::{Live, earlier, logs, withhold};
use crate::model::{
    Config, ConfigKind, Container, ContainerState, EarlierConfig, Gap, GapReason, Log, Pod, PodsAt,
    Snapshot, Want,
};
use crate::source::Progress;

/// Answers in the making at once; how many requests that may be is the client's to say.
const AT_ONCE: usize = 16;

enum Answer {
    Log(Log),
    Earlier(EarlierConfig),
    PodsAt(PodsAt),
    Secret(Config),
    Gap(Gap),
}

pub(super) async fn answer(
    live: &Live,
    snapshot: &mut Snapshot,
    wants: Vec<Want>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) {
    let of = wants.len();
    let done = AtomicUsize::new(0);
    // Values of Secrets must be known before a log is read, so that they are taken out of it.
    let (secrets, others): (Vec<Want>, Vec<Want>) = wants.into_iter().partition(concerns_secret);
    for group in [secrets, others].into_iter().filter(|g| !g.is_empty()) {
        let seen: &Snapshot = snapshot;
        let answers: Vec<(Want, Answer)> = stream::iter(group)
            .map(|want| async {
                let answer = one(live, seen, &want).await;
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                progress(Progress::Answered { done, of });
                (want, answer)
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        for (want, answer) in answers {
            snapshot.asked.insert(want);
            keep(snapshot, answer);
        }
        redact(live, snapshot);
    }
    sort(snapshot);
}

/// What was read before a Secret was known may hold its values too, and so may the next lists.
pub(super) fn redact(live: &Live, snapshot: &mut Snapshot) {
    let vault = &live.vault;
    for log in &mut snapshot.logs {
        log.text = log
            .text
            .pieces()
            .iter()
            .map(|piece| vault.redact(piece.to_string()))
            .collect();
    }
    for event in &mut snapshot.events {
        let clean = vault.redact(event.message.clone());
        if clean != event.message {
            event.message = clean;
        }
    }
    for pod in &mut snapshot.pods {
        if let Some(clean) = redacted(live, pod) {
            *pod = clean.into();
        }
    }
    for pod in snapshot.pods_at.iter_mut().flat_map(|at| &mut at.pods) {
        if let Some(clean) = redacted(live, pod) {
            *pod = clean;
        }
    }
}

/// A pod with the messages of its containers cleaned, where anything stood in them.
fn redacted(live: &Live, pod: &Pod) -> Option<Pod> {
    let message = |c: &Container| match &c.status.as_ref()?.state {
        ContainerState::Waiting { message, .. } if !message.is_empty() => {
            let clean = live.vault.redact(message.clone());
            (clean != *message).then_some(clean)
        }
        _ => None,
    };
    let clean: Vec<Option<String>> = pod.containers.iter().map(message).collect();
    if clean.iter().all(Option::is_none) {
        return None;
    }
    let mut pod = pod.clone();
    for (container, clean) in pod.containers.iter_mut().zip(clean) {
        if let (Some(status), Some(clean)) = (&mut container.status, clean)
            && let ContainerState::Waiting { message, .. } = &mut status.state
        {
            *message = clean;
        }
    }
    Some(pod)
}

fn concerns_secret(want: &Want) -> bool {
    match want {
        Want::SecretContent { .. } => true,
        Want::Earlier { config, .. } => config.kind == ConfigKind::Secret,
        Want::Log { .. } | Want::PodsAt { .. } => false,
    }
}

async fn one(live: &Live, snapshot: &Snapshot, want: &Want) -> Answer {
    let or_gap = |found: Result<Answer, Gap>| found.unwrap_or_else(Answer::Gap);
    match want {
        Want::Log {
            pod,
            container,
            previous,
        } => {
            if let Some(gap) = withhold::unknown_secret(snapshot, pod) {
                return Answer::Gap(gap);
            }
            let started = logs::started(snapshot, pod, container, *previous);
            let found = logs::log(live, pod, container, *previous, started).await;
            or_gap(found.map(Answer::Log))
        }
        Want::Earlier {
            config,
            resource_version,
        } => {
            let known = snapshot.configs.iter().find(|c| c.reference == *config);
            let uid = known.map_or("", |c| c.uid.as_str());
            Answer::Earlier(earlier::earlier(live, config, resource_version, uid).await)
        }
        Want::PodsAt {
            namespace,
            resource_version,
        } => or_gap(
            earlier::pods_at(live, namespace, resource_version)
                .await
                .map(Answer::PodsAt),
        ),
        Want::SecretContent { config } => {
            or_gap(earlier::secret(live, config).await.map(Answer::Secret))
        }
    }
}

fn keep(snapshot: &mut Snapshot, answer: Answer) {
    match answer {
        Answer::Log(log) => snapshot.logs.push(log),
        Answer::Earlier(earlier) => snapshot.earlier.push(earlier),
        Answer::PodsAt(at) => snapshot.pods_at.push(at),
        Answer::Gap(gap) => snapshot.gaps.push(gap),
        Answer::Secret(secret) => take_content(snapshot, secret),
    }
}

/// The content belongs to the version that was listed; one that was written since is another.
fn take_content(snapshot: &mut Snapshot, secret: Config) {
    let known = snapshot
        .configs
        .iter_mut()
        .find(|c| c.reference == secret.reference);
    let Some(known) = known else { return };
    if known.resource_version == secret.resource_version {
        known.content = secret.content;
    } else {
        snapshot.gaps.push(Gap {
            verb: "get".to_owned(),
            resource: "secrets".to_owned(),
            namespace: Some(secret.reference.namespace),
            name: Some(secret.reference.name),
            reason: GapReason::Unordered("it was written again while it was read".to_owned()),
        });
    }
}

fn sort(snapshot: &mut Snapshot) {
    snapshot.logs.sort_by(|a, b| {
        (&a.pod, &a.container, a.previous).cmp(&(&b.pod, &b.container, b.previous))
    });
    snapshot
        .earlier
        .sort_by(|a, b| a.reference.cmp(&b.reference));
    snapshot.pods_at.sort_by(|a, b| {
        (&a.namespace, &a.resource_version).cmp(&(&b.namespace, &b.resource_version))
    });
    snapshot.gaps.sort();
    snapshot.gaps.dedup();
}
