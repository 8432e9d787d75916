//! What a report says of one replica.

use serde_json::Value;

/// What is said of a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) loaded: Option<String>,
    pub(super) live: Option<bool>,
    /// None where it is said by silence.
    pub(super) grade: Option<String>,
    pub(super) why: String,
    pub(super) started: Option<String>,
    pub(super) uses: Vec<String>,
}

/// The incident of a config and a workload, if there is one.
pub(super) fn incident<'a>(report: &'a Value, config: &str, workload: &str) -> Option<&'a Value> {
    let incidents = report["incidents"].as_array()?;
    incidents.iter().find(|incident| {
        name(&incident["config"]) == config && name(&incident["workload"]) == workload
    })
}

/// `Deployment/app`.
pub(super) fn name(object: &Value) -> String {
    let part = |field: &str| object[field].as_str().unwrap_or_default();
    format!("{}/{}", part("kind"), part("name"))
}

/// The codes of an incident's findings.
pub(super) fn codes(incident: &Value) -> Vec<&str> {
    let findings = incident["findings"].as_array();
    findings
        .into_iter()
        .flatten()
        .filter_map(|finding| finding["code"].as_str())
        .collect()
}

/// What an incident says of a replica; nothing where it does not count it.
pub(super) fn in_incident(incident: &Value, pod: &str, container: &str) -> Option<Claim> {
    let replicas = incident["replicas"].as_array()?;
    let replica = replicas
        .iter()
        .find(|r| r["pod"] == pod && r["container"] == container)?;
    let text = |field: &str| replica[field].as_str().map(str::to_owned);
    let uses = replica["uses"].as_array();
    Some(Claim {
        loaded: text("loaded"),
        live: replica["live"].as_bool(),
        grade: text("grade"),
        why: text("why").unwrap_or_default(),
        started: text("started_at"),
        uses: uses
            .into_iter()
            .flatten()
            .filter_map(|u| u["use"].as_str().map(str::to_owned))
            .collect(),
    })
}

/// What a report without an incident of this pair says of a pod: that it is not known what it runs, or, by silence, that it
/// runs what is live.
pub(super) fn by_silence(report: &Value, config: &str, workload: &str, pod: &str) -> Claim {
    let open = report["not_checked"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|entry| {
            names(
                entry["what"].as_str().unwrap_or_default(),
                config,
                workload,
                pod,
            )
        });
    Claim {
        loaded: None,
        live: open.is_none().then_some(true),
        grade: open.map(|_| "unknown".to_owned()),
        why: open
            .and_then(|entry| entry["why"].as_str())
            .unwrap_or("no word of it")
            .to_owned(),
        started: None,
        uses: Vec::new(),
    }
}

/// Whether this is `What a, b and c run of ConfigMap/x in Deployment/y`, `What a will run of their configs`, or `What the init
/// containers of a and b made of the configs that they read`, with the pod among them.
fn names(what: &str, config: &str, workload: &str, pod: &str) -> bool {
    let of_the_pair = what
        .strip_prefix("What ")
        .and_then(|rest| rest.strip_suffix(&format!(" of {config} in {workload}")));
    let copied = what
        .strip_prefix("What the init containers of ")
        .and_then(|rest| rest.split_once(" made "));
    let to_come = what
        .strip_prefix("What ")
        .and_then(|rest| rest.split_once(" will run of "));
    of_the_pair
        .or(to_come.map(|(who, _)| who))
        .or(copied.map(|(who, _)| who))
        .is_some_and(|who| who.split([' ', ',']).any(|word| word == pod))
}

/// Whether a revision of this name is what is live, by its mark or by its content.
pub(super) fn names_live(incident: &Value, revision: &str) -> bool {
    let all = || incident["revisions"].as_array().into_iter().flatten();
    let hash = |found: Option<&Value>| found.and_then(|r| r["hash"].as_str().map(str::to_owned));
    let live = all().find(|r| r["live"] == true);
    let named = all().find(|r| r["name"] == revision);
    named.is_some_and(|r| r["live"] == true) || (hash(named).is_some() && hash(named) == hash(live))
}
