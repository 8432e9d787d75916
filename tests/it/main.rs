//! The integration tests: one binary, since linking several against kube takes minutes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed, in its helpers too"
)]

mod capture;
mod cli;
mod reports;
