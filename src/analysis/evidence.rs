//! The numbered evidence: each item once, with the command by which anyone can see it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use chrono::{DateTime, Utc};

use super::incident::Evidence;
use super::names::{kubectl, quote};
use crate::model::{Cluster, ConfigRef, Log, LogFrom, PodRef, ToldVersion, WorkloadRef};

/// Collects evidence in the order in which it is first needed.
#[derive(Debug)]
pub(crate) struct Book<'a> {
    cluster: &'a Cluster,
    items: Vec<Evidence>,
    /// Where an item may be, by its hash.
    places: HashMap<u64, Vec<usize>>,
    /// Nothing is kept: only the conclusions are wanted.
    mute: bool,
}

impl<'a> Book<'a> {
    pub(crate) fn new(cluster: &'a Cluster) -> Self {
        Self {
            cluster,
            items: Vec::new(),
            places: HashMap::new(),
            mute: false,
        }
    }

    /// A book that keeps nothing.
    pub(crate) fn mute(cluster: &'a Cluster) -> Self {
        Self {
            mute: true,
            ..Self::new(cluster)
        }
    }

    /// Whether what is added is kept.
    pub(crate) fn is_mute(&self) -> bool {
        self.mute
    }

    /// The number of an item; the same source, command and excerpt keep one number.
    pub(crate) fn add(
        &mut self,
        source: String,
        arguments: &str,
        taken_at: DateTime<Utc>,
        excerpt: String,
    ) -> usize {
        self.add_command(
            source,
            &|kubectl| format!("{kubectl} {arguments}"),
            taken_at,
            excerpt,
        )
    }

    /// A line of a log, by whatever shows it: kubectl, the command that the user named, or both.
    pub(crate) fn add_log(
        &mut self,
        source: String,
        (arguments, from): (&str, Option<&LogFrom>),
        taken_at: DateTime<Utc>,
        excerpt: String,
    ) -> usize {
        let line = |kubectl: &str| match from {
            None => format!("{kubectl} {arguments}"),
            Some(from) if from.alone => from.command.clone(),
            Some(from) => format!("{}; {kubectl} {arguments}", from.command),
        };
        self.add_command(source, &line, taken_at, excerpt)
    }

    fn add_command(
        &mut self,
        source: String,
        line: &dyn Fn(&str) -> String,
        taken_at: DateTime<Utc>,
        excerpt: String,
    ) -> usize {
        if self.mute {
            return 0;
        }
        let command = line(&kubectl(self.cluster));
        self.add_line(source, command, taken_at, excerpt)
    }

    /// The same, of what another program than kubectl shows.
    pub(crate) fn add_line(
        &mut self,
        source: String,
        command: String,
        taken_at: DateTime<Utc>,
        excerpt: String,
    ) -> usize {
        if self.mute {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        (&source, &command, &excerpt).hash(&mut hasher);
        let places = self.places.entry(hasher.finish()).or_default();
        // What was cut leaves its places behind, where others may stand by now.
        let known = places
            .iter()
            .filter_map(|at| self.items.get(*at))
            .find(|e| e.source == source && e.command == command && e.excerpt == excerpt);
        if let Some(item) = known {
            return item.number;
        }
        places.push(self.items.len());
        let number = self.items.len() + 1;
        self.items.push(Evidence {
            number,
            source,
            command,
            taken_at,
            excerpt,
        });
        number
    }

    /// How many items there are: where to come back to with [`Book::cut`].
    pub(crate) fn mark(&self) -> usize {
        self.items.len()
    }

    /// Forgets what was added since a mark, for a case that turned out to be none.
    pub(crate) fn cut(&mut self, mark: usize) {
        self.items.truncate(mark);
    }

    pub(crate) fn into_items(self) -> Vec<Evidence> {
        self.items
    }
}

/// Shows an object with who wrote it. A Secret is shown by its metadata alone.
pub(crate) fn show_config(config: &ConfigRef) -> String {
    let form = match config.kind {
        crate::model::ConfigKind::ConfigMap => "-o yaml --show-managed-fields",
        crate::model::ConfigKind::Secret => {
            "-o jsonpath='{.metadata.resourceVersion}{\"\\n\"}{.metadata.managedFields}'"
        }
    };
    format!(
        "-n {} get {} {} {form}",
        quote(&config.namespace),
        config.kind.as_str().to_lowercase(),
        quote(&config.name)
    )
}

/// Shows a workload with its template.
pub(crate) fn show_workload(workload: &WorkloadRef) -> String {
    format!(
        "-n {} get {} {} -o yaml",
        quote(&workload.namespace),
        workload.kind.to_lowercase(),
        quote(&workload.name)
    )
}

/// Reads a config as it was at a resourceVersion.
pub(crate) fn show_earlier(config: &ConfigRef, resource_version: &str) -> String {
    format!(
        "get --raw '/api/v1/namespaces/{}/{}?fieldSelector=metadata.name%3D{}&resourceVersion={resource_version}&resourceVersionMatch=Exact'",
        config.namespace,
        config.kind.resource(),
        config.name
    )
}

/// Reads the pods of a namespace as they were at a resourceVersion.
pub(crate) fn show_pods_at(namespace: &str, resource_version: &str) -> String {
    format!(
        "get --raw '/api/v1/namespaces/{namespace}/pods?resourceVersion={resource_version}&resourceVersionMatch=Exact'"
    )
}

/// Runs a program in a container on some variables or files.
pub(crate) fn show_in_container(
    pod: &PodRef,
    container: &str,
    program: &str,
    names: &[&str],
) -> String {
    let names: Vec<String> = names.iter().map(|name| quote(name)).collect();
    format!(
        "-n {} exec {} -c {} -- {program} {}",
        quote(&pod.namespace),
        quote(&pod.name),
        quote(container),
        names.join(" ")
    )
}

/// Asks a pod through the API server's proxy.
pub(crate) fn show_version(told: &ToldVersion) -> String {
    let asked = told.asked.split('#').next().unwrap_or_default();
    let (port, path) = asked
        .trim_start_matches(':')
        .split_once('/')
        .unwrap_or((asked.trim_start_matches(':'), ""));
    let pod = &told.pod;
    let path = format!(
        "/api/v1/namespaces/{}/pods/{}:{port}/proxy/{path}",
        pod.namespace, pod.name
    );
    format!("get --raw {}", quote(&path))
}

/// Reads a container's log with the kubelet's timestamps.
pub(crate) fn show_log(log: &Log) -> String {
    format!(
        "-n {} logs {} -c {} --timestamps{}",
        quote(&log.pod.namespace),
        quote(&log.pod.name),
        quote(&log.container),
        if log.previous { " --previous" } else { "" }
    )
}
