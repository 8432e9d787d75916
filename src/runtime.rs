//! What touches the world on the dashboard's behalf: the terminal, the event loop and its effects.

mod effects;
pub mod event_loop;
pub mod terminal;
