//! What to read next: the questions that the analysis has after it saw the lists.

use super::{ConfigRef, PodRef};

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
    /// The pods of a namespace as they were at this resourceVersion.
    PodsAt {
        namespace: String,
        resource_version: String,
    },
    /// A Secret's content, to be hashed and forgotten, and its values taken out of the logs.
    SecretContent { config: ConfigRef },
}
