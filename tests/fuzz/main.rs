//! Damaged text for every parser of foreign text: none may panic, take long, or fill the memory.
//!
//! `cargo test --test fuzz` tries a fixed number of inputs; `CONFSPLIT_FUZZ_SECONDS=60` tries new ones for so long, each parser.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, its helpers too, and a campaign tells how much it tried"
)]
#![expect(
    unreachable_pub,
    reason = "the modules of a test binary are seen by nobody else"
)]

mod campaign;
#[allow(dead_code, reason = "the model of the kubelet draws more from it")]
#[path = "../kubelet/chance.rs"]
mod chance;
mod damage;
mod parsers;
mod samples;
