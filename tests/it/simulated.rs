//! The whole program on the cluster in memory: scenarios read by `collect`, and the dashboard by its keys. The time is the runtime's,
//! which passes as fast as nobody has anything to do.

pub mod cluster;
mod consent;
pub mod desk;
mod hardship;
mod healing;
mod opening;
mod plans;
mod remedies;
mod reports;
mod second_edits;
mod secrets;
pub mod wire;
