//! The integration tests: one binary, since linking several against kube takes minutes.

mod capture;
mod cli;
mod reports;
