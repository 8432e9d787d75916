//! What runs: the commands, and the reading that they share.

pub mod collect;
pub mod commands;
