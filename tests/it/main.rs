//! Everything that is tested without a cluster, in one binary: linking several against kube takes minutes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]
#![expect(
    unreachable_pub,
    reason = "the modules of a test binary are seen by nobody else"
)]

mod assets;
mod build;
mod capture;
mod cli;
mod clients;
mod conformance;
mod connect;
mod consent;
mod diffs;
mod faults;
mod flows;
mod incidents;
mod inputs;
mod inside;
mod keeping;
mod live;
mod logs;
mod objects;
mod old;
mod plans;
mod pty;
mod record;
mod reports;
mod rules;
mod screens;
mod signals;
mod sim;
mod simulated;
mod tape;
mod this_side;
mod tidy;
mod words;
