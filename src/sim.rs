//! A Kubernetes cluster in memory: the part of its API that confsplit uses, served to the real client, and behind it controllers and a
//! kubelet that are small and true. The demo and the tests run on it; the code that reads a cluster does not know.
//!
//! - `store`: objects, resourceVersions, managedFields, reads of older states; `resources` and `status` are its words.
//! - `world`: the store, what runs on the nodes, and what is due when; moved by `clock`.
//! - `controllers`, `kubelet`, `images`, `network` and `recorder` are what happens in it; `nodes` is what it has from the beginning.
//! - `scenario`: files in `assets/scenarios` say which objects there are, and what happens when.
//! - `shared`: the world behind a lock, moved as time goes by, with a sign to those who watch.
//! - `api`: its HTTP API, for those whose `rights`, or roles (`rbac`), suffice; `patch` is how objects are changed by it, `serve` how it is reached.

pub mod api;
pub mod clock;
mod controllers;
mod images;
mod kubelet;
pub mod names;
mod network;
mod nodes;
mod object;
mod patch;
mod random;
mod rbac;
mod recorder;
pub mod resources;
pub mod rights;
pub mod scenario;
mod schedule;
pub mod serve;
pub mod shared;
pub mod status;
pub mod store;
pub mod world;

pub use clock::Clock;
pub use rights::Rights;
pub use shared::Sim;
pub use world::World;
