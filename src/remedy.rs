//! From an incident to plans: what to do, in which order, and why. Pure; nothing here can write to a cluster.

mod plan;

pub use plan::{Plan, PlanKind, Step, plans};
