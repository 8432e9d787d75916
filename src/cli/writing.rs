//! Flags and commands about what is written to a cluster.

use std::path::PathBuf;

use clap::Args;

pub(super) const UNDO_HELP: &str = "\
The dashboard writes a journal for each remedy, in confsplit/journal in the user's state directory: the object as it was \
before the first write, and a line before and after each. undo shows what would come back as a diff that the API server has \
tried, and writes it once CONTEXT/NAMESPACE is typed. Nothing is restarted.";

/// Whether anything may be written to the cluster.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Writing")]
pub struct Writing {
    /// Write nothing to the cluster, whatever is agreed to in the dashboard; cannot be switched off inside
    #[arg(long, global = true, env = "CONFSPLIT_READ_ONLY", value_parser = clap::builder::FalseyValueParser::new())]
    pub read_only: bool,

    /// In the dashboard: allow to correct a content in $EDITOR before it is written
    #[arg(long, global = true)]
    pub allow_edit: bool,
}

#[derive(Debug, Args)]
pub struct Undo {
    /// A journal by its path or name; without it the newest of this cluster
    pub journal: Option<PathBuf>,
}
