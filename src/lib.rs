//! confsplit says which replica runs which version of an edited ConfigMap or Secret, how that is known, since when,
//! at what cost, and what to do in which order.
//!
//! The rooms of the house, and what each may use (`tests/it/tidy.rs` holds them apart):
//!
//! - [`model`]: facts as plain data. Uses nothing of the house.
//! - [`analysis`]: facts to incident, pure. Uses `model`.
//! - [`remedy`]: incident to plan, and the way through one that was agreed to; pure. Uses `analysis`, `model`.
//! - [`text`]: untrusted text made harmless. Uses nothing of the house.
//! - [`capture`]: snapshots in a file, and back. Uses `model`.
//! - [`source`]: the seam to a live cluster or a capture. Uses `capture`, `model`.
//! - [`report`]: a diagnosis as text, JSON or Markdown. Uses `remedy`, `analysis`, `text`, `model`.
//! - [`app`]: the dashboard's state; messages in, effects out. Uses `remedy`, `analysis`, `model`, `source`.
//! - [`ui`]: draws the state. Uses `app`, only to read.
//! - [`sim`]: a Kubernetes cluster in memory, for the demo and the tests. Uses nothing of the house.
//! - [`cli`] and [`error`]: how the program is called, and how it fails.
//! - [`runtime`]: what runs. Uses everything above.
pub mod analysis;
pub mod app;
pub mod capture;
pub mod cli;
pub mod error;
pub mod model;
pub mod remedy;
pub mod report;
pub mod runtime;
pub mod sim;
pub mod source;
pub mod text;
pub mod ui;
