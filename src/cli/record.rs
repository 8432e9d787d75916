//! `record`: what is kept, and for how long.

use clap::Args;

use super::{bound, target};
use crate::capture::history::Bounds;
use crate::model::Target;

pub(super) const HELP: &str = "\
It prints a line for each version that is on disk. ConfigMaps are kept as they are, in files that only you may read, \
and no Secret ever is. diagnose, capture and the dashboard read the history where there is one. What is over the bounds \
is let go, oldest first, but never the newest version of a ConfigMap that is still there.

Examples:
  confsplit -n shop record
  confsplit -A record --keep 1GiB --keep 30d
  confsplit -n shop record cm/frontend-nginx --store /var/lib/confsplit";

#[derive(Debug, Args)]
pub struct Record {
    /// How much is kept of a cluster, as a size or a time; may be given for both [default: 64MiB and 90d]
    #[arg(long, value_name = "SIZE|TIME", value_parser = bound::parse)]
    pub keep: Vec<bound::Bound>,

    /// One ConfigMap, or the workload or Service whose ConfigMaps are meant; without it all of the namespace
    #[arg(value_name = "TYPE/NAME", value_parser = target::parse)]
    pub target: Option<Target>,
}

impl Record {
    /// What is given, the last of each; else the defaults.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::default();
        for keep in &self.keep {
            match keep {
                bound::Bound::Bytes(bytes) => bounds.bytes = *bytes,
                bound::Bound::Age(age) => bounds.age = *age,
            }
        }
        bounds
    }
}
