//! A gap in words: what it leaves open, why, and what is said where there would else be a "no" or a zero.

use std::collections::BTreeMap;

use crate::analysis::incident::NotChecked;
use crate::analysis::names::{clock_time, count, list};
use crate::analysis::workloads::counts;
use crate::model::{Gap, GapReason, Pod, Snapshot};

/// The gaps as sentences: those alike but for the object are one.
pub(super) fn sentences(gaps: &[Gap]) -> Vec<NotChecked> {
    let mut alike: BTreeMap<(&str, &str, Option<&str>, &GapReason), Vec<&str>> = BTreeMap::new();
    for gap in gaps {
        let place = gap.namespace.as_deref();
        alike
            .entry((&gap.verb, &gap.resource, place, &gap.reason))
            .or_default()
            .extend(gap.name.as_deref());
    }
    alike
        .into_iter()
        .map(|((verb, resource, namespace, reason), names)| {
            let place = in_place(namespace);
            let what = match (verb, names.as_slice()) {
                ("list", []) => list_left_open(resource, &place),
                ("watch", []) => format!("What happened{place} while nothing was watched"),
                (_, []) => format!("{verb} {resource}{place}"),
                ("list", names) if resource == "configmaps" && namespace.is_none() => {
                    return elsewhere(names, reason);
                }
                ("get", nodes) if resource == "leases" => {
                    format!(
                        "Whether the clocks of {} agree with the API server's",
                        names_of(nodes, "node")
                    )
                }
                ("create", pods) if resource == "pods/exec" => {
                    format!("The inside of {}{place}", names_of(pods, "pod"))
                }
                ("get", pods) if resource == "pods/proxy" => {
                    format!(
                        "What {}{place} would tell of its configuration's version",
                        names_of(pods, "pod")
                    )
                }
                ("get", names) if resource == "pods/log" => {
                    format!("The logs of {}{place}", names_of(names, "pod"))
                }
                // Of a file, not of the cluster.
                ("read", files) => format!("All of the {resource} {}", files.join(", ")),
                ("write", files) => format!("Keeping the {resource} in {}", files.join(", ")),
                (_, names) => format!("{verb} {resource} {}{place}", names.join(", ")),
            };
            NotChecked {
                what,
                why: worded(reason, &format!("{verb} {resource}{place}")),
            }
        })
        .collect()
}

/// That the ConfigMaps of other namespaces could not be looked at.
fn elsewhere(names: &[&str], reason: &GapReason) -> NotChecked {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    NotChecked {
        what: format!(
            "Whether a ConfigMap of another namespace with the name of one in scope ({}) was edited instead",
            list(&names)
        ),
        why: match reason {
            GapReason::Forbidden => "no permission: list configmaps in all namespaces".to_owned(),
            other => worded(other, "list configmaps"),
        },
    }
}

/// `pod a`, `pods a and b`.
fn names_of(names: &[&str], noun: &str) -> String {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    format!("{noun}{plural} {}", list(&names))
}

fn in_place(namespace: Option<&str>) -> String {
    namespace.map_or_else(|| " in all namespaces".to_owned(), |ns| format!(" in {ns}"))
}

/// What is not known without a list.
fn list_left_open(resource: &str, place: &str) -> String {
    match resource {
        "configmaps" => {
            format!("The ConfigMaps{place}: what they hold, and whether one was edited")
        }
        "secrets" => format!("The Secrets{place}: which there are, and whether one was edited"),
        "pods" => format!("The replicas{place}"),
        "deployments" => format!(
            "The Deployments{place}: whether one is paused; those with pods are named from them"
        ),
        "replicasets" => {
            format!("The ReplicaSets{place}; whose they are is told from their names")
        }
        "statefulsets" => format!(
            "The StatefulSets{place}: how they are updated; those with pods are named from them"
        ),
        "daemonsets" => format!(
            "The DaemonSets{place}: how they are updated; those with pods are named from them"
        ),
        "services" => {
            format!("The Services{place}: which ports they publish, and which pods they select")
        }
        "endpointslices" => format!("The endpoints{place}: which are ready"),
        "events" => format!("The events{place}: kills, failed starts and probes"),
        other => format!("list {other}{place}"),
    }
}

/// Why a read gave nothing.
pub fn why(gap: &Gap) -> String {
    let place = in_place(gap.namespace.as_deref());
    worded(
        &gap.reason,
        &format!("{} {}{place}", gap.verb, gap.resource),
    )
}

fn worded(reason: &GapReason, what: &str) -> String {
    match reason {
        GapReason::Unauthorized => "the login is missing or has expired".to_owned(),
        GapReason::Forbidden if what.ends_with(" in all namespaces") => {
            format!("no permission: {what}; name one that you may read with -n")
        }
        GapReason::Forbidden => format!("no permission: {what}"),
        GapReason::NotFound => "not found".to_owned(),
        GapReason::Gone => "the API server keeps no history so far back".to_owned(),
        GapReason::TimedOut { seconds } => format!("no answer in {seconds} s"),
        GapReason::Status { code, message } => format!("the API server answered {code}: {message}"),
        GapReason::Connection(what) => format!("the connection failed: {what}"),
        GapReason::Unreadable(what) => format!("it could not be understood: {what}"),
        GapReason::Unwatched { from, until } => format!(
            "the connection was lost from {} to {}; what is there was read again, what came and went meanwhile is not known",
            clock_time(*from, *until),
            clock_time(*until, *until)
        ),
        GapReason::Bounded(what) | GapReason::Capture(what) | GapReason::Unordered(what) => {
            what.clone()
        }
    }
}

/// Why a list as a whole was not read; `None` where it was, though an object of it may be missing.
pub(crate) fn unlisted(snapshot: &Snapshot, resource: &str) -> Option<String> {
    let mut gaps = snapshot.gaps.iter();
    let gap = gaps.find(|g| g.verb == "list" && g.resource == resource && g.name.is_none())?;
    Some(why(gap))
}

/// Why a pod's log was not read, where it was tried.
pub(crate) fn no_log(snapshot: &Snapshot, pod: &Pod) -> Option<String> {
    let mut gaps = snapshot.gaps.iter();
    let gap = gaps.find(|g| {
        g.resource == "pods/log"
            && g.namespace.as_ref() == Some(&pod.reference.namespace)
            && g.name.as_ref() == Some(&pod.reference.name)
    })?;
    Some(why(gap))
}

/// The verdict where no replica could be judged because what it takes was not read: a zero would read as "nothing there".
pub(crate) fn blind(snapshot: &Snapshot, scope: &str) -> Option<String> {
    if let Some(why) = unlisted(snapshot, "pods") {
        return Some(format!("The replicas in {scope} are not known: {why}."));
    }
    let mut takes = [("ConfigMaps", "configmaps"), ("Secrets", "secrets")].into_iter();
    let (kind, why, pods) = takes.find_map(|(kind, resource)| {
        let why = unlisted(snapshot, resource)?;
        let pods = snapshot.pods.iter().filter(|pod| counts(pod));
        let pods = pods.filter(|pod| names_kind(pod, kind)).count();
        (pods > 0).then_some((kind, why, pods))
    })?;
    let (pods, their) = (count(pods, "pod"), if pods == 1 { "its" } else { "their" });
    Some(format!(
        "What {pods} in {scope} {} of {their} {kind} is not known: {why}.",
        if their == "its" { "runs" } else { "run" }
    ))
}

/// Whether one of a pod's uses is of a kind of config, in the plural.
pub(super) fn names_kind(pod: &Pod, plural: &str) -> bool {
    let mut configs = pod.configs();
    configs.any(|config| format!("{}s", config.kind.as_str()) == plural)
}

/// The reasons, of which several lists may have the same kind.
pub(crate) fn all_unlisted(snapshot: &Snapshot, resources: &[&str]) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for why in resources.iter().filter_map(|r| unlisted(snapshot, r)) {
        if !found.contains(&why) {
            found.push(why);
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}
