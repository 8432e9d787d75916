//! The stable codes of the rules, and the grades of a load.

use std::fmt;

/// How well a load is known, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The content was read where it cannot have changed since the load.
    Proved,
    /// The order of edit and load is known without clocks, and the load is fixed from then on.
    Ordered,
    /// The replica's log holds something that only one revision explains.
    Shown,
    /// The times say so.
    Inferred,
    /// None of these, or they contradict each other.
    Unknown,
}

impl Grade {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Ordered => "ordered",
            Self::Shown => "shown",
            Self::Inferred => "inferred",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The stable codes of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    MissingReference,
    CrashOnNew,
    SplitReference,
    EditedBack,
    SplitReplicas,
    Recreated,
    StaleEverywhere,
    NoEndpoints,
    LoadedEverywhere,
    EditedElsewhere,
    OtherSource,
    PortMismatch,
    InPlaceEdit,
    ChecksumStale,
    RollbackBroken,
    OwnerWillUndo,
    Syncing,
    SplitInjected,
}

impl Code {
    /// All codes, causes first and in the order in which they are tried.
    pub const ALL: [Self; 18] = [
        Self::MissingReference,
        Self::CrashOnNew,
        Self::SplitReference,
        Self::EditedBack,
        Self::SplitReplicas,
        Self::Recreated,
        Self::StaleEverywhere,
        Self::NoEndpoints,
        Self::LoadedEverywhere,
        Self::EditedElsewhere,
        Self::OtherSource,
        Self::PortMismatch,
        Self::InPlaceEdit,
        Self::ChecksumStale,
        Self::RollbackBroken,
        Self::OwnerWillUndo,
        Self::Syncing,
        Self::SplitInjected,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingReference => "missing-reference",
            Self::CrashOnNew => "crash-on-new",
            Self::SplitReference => "split-reference",
            Self::EditedBack => "edited-back",
            Self::SplitReplicas => "split-replicas",
            Self::Recreated => "recreated",
            Self::StaleEverywhere => "stale-everywhere",
            Self::NoEndpoints => "no-endpoints",
            Self::LoadedEverywhere => "loaded-everywhere",
            Self::EditedElsewhere => "edited-elsewhere",
            Self::OtherSource => "other-source",
            Self::PortMismatch => "port-mismatch",
            Self::InPlaceEdit => "in-place-edit",
            Self::ChecksumStale => "checksum-stale",
            Self::RollbackBroken => "rollback-broken",
            Self::OwnerWillUndo => "owner-will-undo",
            Self::Syncing => "syncing",
            Self::SplitInjected => "split-injected",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
