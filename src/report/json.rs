//! The report for programs: schema `confsplit.report/v1`, described in assets/report.schema.json.
//!
//! It is a contract. A field may be added; none may change its meaning, its type or its name, or go.

mod incident;

use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::analysis::Diagnosis;
use crate::model::Interval;

use super::words::{self, clean};

pub(super) fn write(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Report::of(diagnosis))?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Report {
    schema: &'static str,
    cluster: Cluster,
    taken_at: String,
    scope: Scope,
    verdict: String,
    not_checked: Vec<NotChecked>,
    evidence: Vec<Evidence>,
    incidents: Vec<incident::Incident>,
}

#[derive(Serialize)]
struct Cluster {
    context: Option<String>,
    server: String,
    version: Option<String>,
}

#[derive(Serialize)]
struct Scope {
    /// `null` is all of them.
    namespace: Option<String>,
    /// `Kind/name`.
    target: Option<String>,
}

#[derive(Serialize)]
struct NotChecked {
    what: String,
    why: String,
}

#[derive(Serialize)]
struct Evidence {
    number: usize,
    source: String,
    command: String,
    taken_at: String,
    excerpt: String,
}

impl Report {
    fn of(diagnosis: &Diagnosis) -> Self {
        let cluster = &diagnosis.cluster;
        let scope = &diagnosis.scope;
        Self {
            schema: "confsplit.report/v1",
            cluster: Cluster {
                context: safe_option(cluster.context.as_deref()),
                server: safe(&cluster.server),
                version: safe_option(cluster.version.as_deref()),
            },
            taken_at: time(diagnosis.taken_at),
            scope: Scope {
                namespace: safe_option(scope.namespace.as_deref()),
                target: scope.target.as_ref().map(|t| safe(&words::target(t))),
            },
            verdict: safe(&diagnosis.verdict),
            not_checked: words::not_checked(diagnosis)
                .iter()
                .map(|item| NotChecked {
                    what: safe(&item.what),
                    why: safe(&item.why),
                })
                .collect(),
            evidence: diagnosis
                .evidence
                .iter()
                .map(|evidence| Evidence {
                    number: evidence.number,
                    source: safe(&evidence.source),
                    command: safe(&evidence.command),
                    taken_at: time(evidence.taken_at),
                    excerpt: safe(&evidence.excerpt),
                })
                .collect(),
            incidents: diagnosis
                .incidents
                .iter()
                .map(|incident| incident::Incident::of(incident, diagnosis))
                .collect(),
        }
    }
}

/// JSON escapes only some of what a terminal obeys, and `jq -r` undoes even that: text is made harmless here too.
fn safe(text: &str) -> String {
    clean(text).into_owned()
}

fn safe_option(text: Option<&str>) -> Option<String> {
    text.map(safe)
}

/// RFC 3339 in UTC, with as many digits after the point as are known.
fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

#[derive(Serialize)]
struct Bounds {
    earliest: Option<String>,
    latest: Option<String>,
}

impl Bounds {
    fn of(interval: &Interval) -> Self {
        Self {
            earliest: interval.earliest.map(time),
            latest: interval.latest.map(time),
        }
    }
}
