//! The closing report of a remedy, in Markdown: what was to be, what was done, how it stands, and what prevents the next time.

use chrono::SecondsFormat;

use super::markdown::Page;
use super::markdown::escape::inline;
use crate::model::Cluster;
use crate::remedy::{Closing, Mark, Stage};

/// The report as a page.
pub fn closing(cluster: &Cluster, closing: &Closing) -> String {
    let (course, goal) = (&closing.course, &closing.course.goal);
    let mut page = Page::default();
    page.block(format_args!(
        "# {} of {} → {} in {}",
        goal.kind.as_str(),
        inline(&goal.config.to_string()),
        inline(&goal.workload.to_string()),
        inline(&goal.config.namespace)
    ));
    let context = cluster.context_name();
    page.block(inline(&format!("context {context}, {}", cluster.server)));
    page.block(format_args!("**{}**", inline(&outcome(&course.stage))));
    page.block(inline(&format!(
        "{} was to be live and to run.",
        goal.meant()
    )));
    page.block("## What was done");
    page.list(course.told.iter().map(|(at, what)| {
        let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
        format!("{at} {}", inline(what))
    }));
    page.block("## How it stood at the end");
    page.list(closing.checks.iter().map(|check| {
        let mark = match check.mark {
            Mark::Holds => "holds",
            Mark::Waits => "not yet",
            Mark::Unknown => "not known",
        };
        format!("{mark}: {}", inline(&check.text))
    }));
    page.prevention(&closing.prevention);
    page.end()
}

fn outcome(stage: &Stage) -> String {
    match stage {
        Stage::Closed { verified: true } => "Closed, verified by traffic.".to_owned(),
        Stage::Closed { verified: false } => "Closed, not verified by traffic.".to_owned(),
        Stage::Stopped(why) => format!("Stopped: {why}."),
        Stage::Paused(why) => format!("Paused: {why}."),
        _ => "Under way.".to_owned(),
    }
}
