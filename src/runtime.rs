//! What runs: the commands, the reading that they share, and the dashboard's loop.

pub mod clock;
pub mod collect;
pub mod commands;
