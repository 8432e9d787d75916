//! The reader of a live cluster, through kube's client, over an API server inside this process.

mod allow;
mod clients;
mod earlier;
pub mod fake;
mod following;
mod lists;
mod logs;
mod logs_command;
mod namesakes;
pub mod objects;
mod probing;
mod rights;
mod secrets;
mod sockets;
mod streams;
mod watching;
mod whole;
