//! What runs: the commands, the reading that they share, and the dashboard's loop.

pub mod clock;
pub mod collect;
pub mod commands;
pub mod dashboard;
mod demo;
mod editor;
mod effects;
pub mod event_loop;
mod export;
pub mod journal;
pub mod keeper;
mod logfile;
mod login;
mod old;
mod record;
mod served;
mod signals;
pub mod terminal;
mod undo;
