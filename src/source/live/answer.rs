//! Further questions, answered all at once: facts or gaps, in an order that does not depend on who was faster.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use futures::stream;

use super::{Live, clocks, earlier, helm, logs, namesakes, probe, told};
use crate::model::{ConfigKind, Container, ContainerState, GapReason, Log, Pod, Snapshot, Want};
use crate::source::{Answer, Answers, Progress, unknown_secret};

/// Answers in the making at once; how many requests that may be is the client's to say.
const AT_ONCE: usize = 16;

pub(super) async fn answer(
    live: &Live,
    snapshot: &Snapshot,
    wants: Vec<Want>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Answers {
    let of = wants.len();
    let done = AtomicUsize::new(0);
    let all = |snapshot: Snapshot, wants: Vec<Want>| {
        let done = &done;
        async move {
            let seen = &snapshot;
            stream::iter(wants)
                .map(|want| async {
                    let answer = one(live, seen, &want).await;
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress(Progress::Answered { done, of });
                    (want, answer)
                })
                .buffer_unordered(AT_ONCE)
                .collect::<Vec<_>>()
                .await
        }
    };
    // Values of Secrets must be known before a log is read, so that they are taken out of it.
    let (secrets, others): (Vec<Want>, Vec<Want>) = wants.into_iter().partition(concerns_secret);
    let mut seen = snapshot.clone();
    let mut answers = all(seen.clone(), secrets).await;
    Answers(answers.clone()).into_snapshot(&mut seen);
    answers.extend(all(seen, others).await);
    Answers(answers)
}

/// What was read before a Secret was known may hold its values too.
pub(super) fn redact(live: &Live, snapshot: &mut Snapshot) {
    let vault = &live.vault;
    if live.redacted.swap(vault.len(), Ordering::Relaxed) == vault.len() {
        return;
    }
    for log in &mut snapshot.logs {
        *log = cleaned(live, log.clone());
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
    for at in &mut snapshot.pods_at {
        clean_pods(live, &mut at.pods);
    }
}

fn cleaned(live: &Live, mut log: Log) -> Log {
    let pieces = log.text.pieces().iter();
    log.text = pieces
        .map(|piece| live.vault.redact(piece.to_string()))
        .collect();
    log
}

fn clean_pods(live: &Live, pods: &mut [Pod]) {
    for pod in pods {
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
        Want::Earlier { config, .. } | Want::Former { config, .. } => {
            config.kind == ConfigKind::Secret
        }
        Want::Log { .. }
        | Want::PodsAt { .. }
        | Want::HelmRelease { .. }
        | Want::Namesakes { .. }
        | Want::OneCounter { .. }
        | Want::NodeClock { .. }
        | Want::Probe { .. }
        | Want::ToldVersion { .. } => false,
    }
}

/// Each read has its own room on the heap: in one, they would take more of a thread's stack than it has.
async fn one(live: &Live, snapshot: &Snapshot, want: &Want) -> Answer {
    let answer = Box::pin(read(live, snapshot, want)).await;
    answer.unwrap_or_else(|reason| Answer::Gap(want.gap(reason)))
}

async fn read(live: &Live, snapshot: &Snapshot, want: &Want) -> Result<Answer, GapReason> {
    Ok(match want {
        Want::Log {
            pod,
            container,
            previous,
        } => {
            let listed = snapshot.pods.iter().find(|p| p.reference == *pod);
            if let Some(why) = listed.and_then(|listed| unknown_secret(snapshot, listed)) {
                return Err(why);
            }
            let log = Box::pin(logs::read(live, snapshot, pod, container, *previous)).await?;
            Answer::Log(cleaned(live, log))
        }
        Want::Earlier {
            config,
            resource_version,
        } => {
            let known = snapshot.configs.iter().find(|c| c.reference == *config);
            let uid = known.map_or("", |c| c.uid.as_str());
            Answer::Earlier(Box::pin(earlier::earlier(live, config, resource_version, uid)).await)
        }
        Want::Former {
            config,
            resource_version,
        } => Answer::Former(Box::pin(earlier::former(live, config, resource_version)).await),
        Want::PodsAt {
            namespace,
            resource_version,
        } => {
            let mut at = Box::pin(earlier::pods_at(live, namespace, resource_version)).await?;
            clean_pods(live, &mut at.pods);
            Answer::PodsAt(at)
        }
        Want::HelmRelease { config, holder } => {
            Answer::Found(Box::pin(helm::release(live, config, holder)).await?)
        }
        Want::Namesakes { config } => {
            Answer::Namesakes(Box::pin(namesakes::namesakes(live, config)).await?)
        }
        Want::OneCounter { namespace } => {
            Answer::OneCounter(Box::pin(earlier::one_counter(live, namespace)).await?)
        }
        Want::NodeClock { node } => Answer::NodeClock {
            node: node.clone(),
            ahead: Box::pin(clocks::node(live, node)).await?,
        },
        Want::SecretContent { config } => {
            Answer::Secret(Box::pin(earlier::secret(live, config)).await?)
        }
        Want::Probe { .. } | Want::ToldVersion { .. } => {
            if !live.consent.get().permits(want) {
                let why = "nobody agreed to probing".to_owned();
                return Err(GapReason::Bounded(why));
            }
            Box::pin(probed(live, snapshot, want)).await?
        }
    })
}

/// What the user agreed to.
async fn probed(live: &Live, snapshot: &Snapshot, want: &Want) -> Result<Answer, GapReason> {
    Ok(match want {
        Want::Probe {
            pod,
            container,
            run,
            config,
            reads,
            ..
        } => {
            let asked = probe::Asked {
                pod,
                container,
                config,
                run,
                reads,
                want,
            };
            Answer::Probe(Box::pin(probe::probe(live, snapshot, &asked)).await?)
        }
        Want::ToldVersion { pod, asked, .. } => {
            Answer::ToldVersion(Box::pin(told::told(live, pod, asked)).await?)
        }
        _ => Answer::Known,
    })
}
