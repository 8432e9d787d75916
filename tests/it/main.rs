//! Everything that is tested without a cluster, in one binary.

#![expect(
    unreachable_pub,
    reason = "the modules of a test binary are seen by nobody else"
)]

mod build;
mod rules;
mod tidy;
