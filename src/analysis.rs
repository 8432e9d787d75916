//! From facts to incidents. Pure: no I/O, no clock, no `Result`; what is missing becomes "not checked" beside the conclusion.
//!
//! The way through: [`want`](wanted) says what to read next; `case` joins one config with one workload, from its `uses`,
//! `revisions`, `ordering` and `signals` to the `loads` of its replicas and their `impact`; `rules` judge it; `diagnosis`
//! ranks what they found.

mod case;
mod clients;
mod content;
mod dead_ends;
mod diagnosis;
mod diff;
mod evidence;
mod gaps;
mod hint;
mod impact;
mod incident;
mod index;
mod judged;
mod loads;
mod look;
mod misleading;
mod names;
mod ordering;
mod put_back;
mod reconstruction;
mod recovered;
mod revisions;
mod rivals;
mod rules;
mod separating;
mod signals;
mod target;
mod timeline;
mod unseen;
mod users;
mod uses;
mod want;
mod workloads;

pub use content::digest;
pub use diagnosis::diagnose;
pub use gaps::why as gap_reason;
pub use hint::{Group, Separating};
pub use incident::{
    AlsoFound, Code, ContentSource, Diagnosis, Entry, EntryKind, Evidence, Finding, Grade, Impact,
    Incident, Lane, NotChecked, PutBack, Replica, Revision, Signal, SignalKind, Suspect, Traffic,
    Use, UseLoad, ValueChange,
};
pub use judged::{Judged, judged};
pub use look::{Analyst, Look};
pub use names::{kubectl, quote, short_names};
pub use signals::{
    FORMATS, Item, Kind, Mark, MarkKind, Marks, Moment, Route, Row, Side, Tally, Wrapped, Wrapping,
    extractors,
};
pub use unseen::unseen;
pub use users::{ConfigUser, Reach, configs_of, users_of};
pub use want::wanted;
