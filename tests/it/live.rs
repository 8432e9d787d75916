//! The reader of a live cluster, through kube's client, over an API server inside this process.

mod allow;
mod earlier;
mod fake;
mod following;
mod lists;
mod logs;
mod objects;
mod rights;
mod secrets;
mod streams;
mod watching;
mod whole;
