//! Everything that is tested from outside the library, in one binary.

mod build;
mod flows;
mod screens;
