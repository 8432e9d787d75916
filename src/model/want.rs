//! What to read next: the questions that the analysis has after it saw the lists.

use std::collections::BTreeSet;

use super::{ConfigRef, Gap, GapReason, PodRef};

/// One further read. The reader answers it in the snapshot, with facts or with a gap, and never twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Want {
    /// The log of a container, current or previous run.
    Log {
        pod: PodRef,
        container: String,
        previous: bool,
    },
    /// Earlier versions of a config, stepping back from this resourceVersion with `resourceVersionMatch=Exact`.
    Earlier {
        config: ConfigRef,
        resource_version: String,
    },
    /// The object that bore a config's name before this one, which was made by the write of this resourceVersion.
    Former {
        config: ConfigRef,
        resource_version: String,
    },
    /// The pods of a namespace as they were at this resourceVersion.
    PodsAt {
        namespace: String,
        resource_version: String,
    },
    /// A Secret's content, to be hashed and forgotten, and its values taken out of the logs.
    SecretContent { config: ConfigRef },
    /// What a Helm release applied for a config, from the Secret or ConfigMap in which Helm keeps the release.
    HelmRelease {
        config: ConfigRef,
        holder: ConfigRef,
    },
    /// Configs of the same name in other namespaces.
    Namesakes { config: ConfigRef },
    /// Whether the resourceVersions of ConfigMaps and pods come from one counter.
    OneCounter { namespace: String },
    /// How far a node's clock is from the API server's.
    NodeClock { node: String },
    /// What a container holds, read inside it. Only where the user agreed to that.
    Probe {
        pod: PodRef,
        container: String,
        /// The run that it is about.
        run: String,
        /// The config's version for which it is asked: after an edit it is asked again.
        config: ConfigRef,
        resource_version: String,
        reads: Box<ProbeReads>,
    },
    /// What a replica tells of its configuration's version, at the place that the user named.
    ToldVersion {
        pod: PodRef,
        asked: String,
        /// The config's version for which it is asked.
        resource_version: String,
    },
}

/// What to read in a container.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProbeReads {
    /// Variables whose value is a ConfigMap's, and no Secret's.
    pub env: BTreeSet<String>,
    /// Variables whose value may be a Secret's: hashed where they are read.
    pub secret_env: BTreeSet<String>,
    /// Files of ConfigMaps.
    pub files: BTreeSet<String>,
    /// Files of Secrets, and those that may hold one: hashed where they are read.
    pub secret_files: BTreeSet<String>,
    /// Mounted folders whose time of the last swap matters.
    pub folders: BTreeSet<String>,
    /// Start times and inotify watches of the processes.
    pub processes: bool,
    pub sockets: bool,
}

impl Want {
    /// Whether it needs more than observing: the user's consent.
    pub fn probes(&self) -> bool {
        matches!(self, Self::Probe { .. } | Self::ToldVersion { .. })
    }

    /// What is missing where it cannot be answered.
    pub fn gap(&self, reason: GapReason) -> Gap {
        let (verb, resource, namespace, name) = match self {
            Self::Log { pod, .. } => ("get", "pods/log", &*pod.namespace, Some(&pod.name)),
            Self::Earlier { config, .. } | Self::Former { config, .. } => {
                let resource = config.kind.resource();
                ("list", resource, &*config.namespace, Some(&config.name))
            }
            Self::PodsAt { namespace, .. } | Self::OneCounter { namespace } => {
                ("list", "pods", &**namespace, None)
            }
            Self::SecretContent { config } => {
                ("get", "secrets", &*config.namespace, Some(&config.name))
            }
            Self::Namesakes { config } => {
                return Gap {
                    verb: "list".to_owned(),
                    resource: config.kind.resource().to_owned(),
                    namespace: None,
                    name: Some(config.name.clone()),
                    reason,
                };
            }
            Self::HelmRelease { holder, .. } => {
                let resource = holder.kind.resource();
                ("get", resource, &*holder.namespace, Some(&holder.name))
            }
            Self::NodeClock { node } => ("get", "leases", "kube-node-lease", Some(node)),
            Self::Probe { pod, .. } => ("create", "pods/exec", &*pod.namespace, Some(&pod.name)),
            Self::ToldVersion { pod, .. } => {
                ("get", "pods/proxy", &*pod.namespace, Some(&pod.name))
            }
        };
        Gap {
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            namespace: Some(namespace.to_owned()),
            name: name.cloned(),
            reason,
        }
    }

    /// Whether it reads inside a container, or asks it: several such reads of one pod have gaps of their own.
    pub fn is_probing(&self) -> bool {
        matches!(self, Self::Probe { .. } | Self::ToldVersion { .. })
    }

    /// Whether a gap says that this read failed, for whatever reason. That of a list stays with the list.
    pub fn is_refused_by(&self, gap: &Gap) -> bool {
        *gap == self.gap(gap.reason.clone()) && gap.name.is_some()
    }
}
