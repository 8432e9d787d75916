//! Measures what the analysis says of loads by a small model of the kubelet and the API server: random sequences are played on the
//! model, and every claim is compared with what truly reached the process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints its numbers"
)]
#![expect(
    unreachable_pub,
    reason = "the modules of a test binary are seen by nobody else"
)]

mod chance;
mod claims;
mod measure;
mod model;
mod play;
mod truth;
