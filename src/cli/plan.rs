//! `plan`: the remedy on paper.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::target;
use crate::model::Target;
use crate::report::PlanFormat;

pub(super) const HELP: &str = "\
The recommended plan's commands run as they stand, in any shell: they end where a step fails, or where the config is another than \
the one that the plan was made for. Other plans are comments. Exit codes as of diagnose.

Examples:
  confsplit -n shop plan cm/frontend-nginx > fix.sh
  confsplit -n shop plan deploy/frontend -o markdown >> change.md
  confsplit plan --from shop.capture -o json";

#[derive(Debug, Args)]
pub struct Plan {
    /// How to print the plans
    #[arg(short, long, value_enum, default_value_t = PlanOutput::Commands, value_name = "FORMAT")]
    pub output: PlanOutput,

    /// Plan for a capture instead of a cluster
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// A config, a workload or a Service; without it every incident in the namespace
    #[arg(value_name = "TYPE/NAME", value_parser = target::parse)]
    pub target: Option<Target>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanOutput {
    /// kubectl lines for a shell
    Commands,
    Json,
    /// A change ticket
    Markdown,
}

impl From<PlanOutput> for PlanFormat {
    fn from(output: PlanOutput) -> Self {
        match output {
            PlanOutput::Commands => Self::Commands,
            PlanOutput::Json => Self::Json,
            PlanOutput::Markdown => Self::Markdown,
        }
    }
}
