//! The closing report of a remedy, in Markdown: what was to be, what was done, how it stands, and what prevents the next time.

use chrono::SecondsFormat;

use super::markdown::escape::{fenced, inline};
use crate::model::Cluster;
use crate::remedy::{Check, Course, Mark, Stage};

/// Everything that it tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    pub cluster: Cluster,
    pub course: Course,
    pub checks: Vec<Check>,
    pub prevention: Vec<(String, String)>,
}

/// The report as a page.
pub fn closing(closing: &Closing) -> String {
    let (course, goal) = (&closing.course, &closing.course.goal);
    let mut out = String::new();
    let mut block = |text: &str| out.push_str(&format!("{text}\n\n"));
    block(&format!(
        "# {} of {} → {} in {}",
        goal.kind.as_str(),
        inline(&goal.config.to_string()),
        inline(&goal.workload.to_string()),
        inline(&goal.config.namespace)
    ));
    let context = closing.cluster.context.as_deref().unwrap_or("in-cluster");
    block(&inline(&format!(
        "context {context}, {}",
        closing.cluster.server
    )));
    block(&format!("**{}**", inline(&outcome(&course.stage))));
    block(&inline(&format!(
        "{} was to be live and to run.",
        goal.meant()
    )));
    block("## What was done");
    let done = course.told.iter().map(|(at, what)| {
        let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
        format!("- {at} {}", inline(what))
    });
    block(&done.collect::<Vec<_>>().join("\n"));
    block("## How it stood at the end");
    let checks = closing.checks.iter().map(|check| {
        let mark = match check.mark {
            Mark::Holds => "holds",
            Mark::Waits => "not yet",
            Mark::Fails => "does not hold",
            Mark::Unknown => "not known",
        };
        format!("- {mark}: {}", inline(&check.text))
    });
    block(&checks.collect::<Vec<_>>().join("\n"));
    if !closing.prevention.is_empty() {
        block("## So that it does not happen again");
        for (title, text) in &closing.prevention {
            block(&inline(title));
            block(&fenced("", text.lines()));
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
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
