//! What could not be known, and why.

use chrono::{DateTime, Utc};

/// Something that was not read. It is shown beside what it weakens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The verb as RBAC spells it: `get`, `list`, `watch`, `create`.
    pub verb: String,
    /// The resource as RBAC spells it: `configmaps`, `pods/log`, `deployments`.
    pub resource: String,
    /// `None` is the whole cluster.
    pub namespace: Option<String>,
    /// The object, where it is about one.
    pub name: Option<String>,
    pub reason: GapReason,
}

/// Why a read gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapReason {
    /// 401: the login is missing or expired.
    Unauthorized,
    /// 403: the right is missing.
    Forbidden,
    /// 404: the object or the API is not there.
    NotFound,
    /// 410: the history was compacted or the list expired.
    Gone,
    /// No answer in this many seconds.
    TimedOut { seconds: u64 },
    /// Another answer: the status and the server's message.
    Status { code: u16, message: String },
    /// The connection failed.
    Connection(String),
    /// It came, but could not be understood.
    Unreadable(String),
    /// The reader's own bound: what was left out.
    Bounded(String),
    /// The capture that this comes from is damaged or cut.
    Capture(String),
    /// It was not watched for a while; what came and went meanwhile is not known.
    Unwatched {
        from: DateTime<Utc>,
        until: DateTime<Utc>,
    },
    /// resourceVersions of these kinds do not come from one counter, so they give no order.
    Unordered(String),
}
