//! The rows of a config on screen: what it is, who uses it, what it holds, who wrote it.

use std::collections::BTreeSet;

use super::{Row, Told};
use crate::analysis::{ConfigUser, Reach, Use, users_of};
use crate::app::diff::weighed;
use crate::model::{Config, ConfigRef, ContainerKind, Content, Facts, LastApplied, ManagedEntry};
use crate::text::grouped;

/// So many keys are named in a sentence.
const NAMED: usize = 6;

/// Rows, and the values that they point into.
pub(super) fn rows(facts: &Facts, reference: &ConfigRef) -> (Vec<Row>, Vec<String>) {
    let mut draft = Draft::default();
    let config = facts.config(reference);
    match config {
        Some(config) => draft.identity(config),
        None => draft.rows.push(Row::Note(missing(facts, reference))),
    }
    if !facts.parts.is_empty() {
        draft.users(reference, &users_of(facts, reference));
    }
    if let Some(config) = config {
        draft.content(config);
        draft.writers(&config.managed);
    }
    (draft.rows, draft.values)
}

fn missing(facts: &Facts, reference: &ConfigRef) -> String {
    if facts.parts.is_empty() {
        format!(
            "{reference} is in no facts: nothing but the report was kept, so the object cannot be shown."
        )
    } else {
        format!(
            "{reference} was not among what was read: it does not exist, or could not be listed. \
             w: what was not checked."
        )
    }
}

#[derive(Default)]
struct Draft {
    rows: Vec<Row>,
    values: Vec<String>,
}

impl Draft {
    fn heading(&mut self, text: String) {
        if !self.rows.is_empty() {
            self.rows.push(Row::Empty);
        }
        self.rows.push(Row::Heading(text));
    }

    fn field(&mut self, name: &str, text: impl Into<String>) {
        self.rows
            .push(Row::Field(name.to_owned(), Told::Text(text.into())));
    }

    fn identity(&mut self, config: &Config) {
        match config.created {
            Some(at) => self.rows.push(Row::Field("created".into(), Told::Time(at))),
            None => self.field("created", "at an unknown time"),
        }
        self.field("resourceVersion", config.resource_version.as_str());
        self.field("uid", config.uid.as_str());
        if config.immutable {
            self.field(
                "immutable",
                "true: it cannot be edited, only replaced under another name",
            );
        }
        if let Some(applied) = &config.last_applied {
            self.field(
                "last-applied",
                last_applied(applied, config.content.as_ref()),
            );
        }
        for (name, value) in &config.owner_marks {
            self.field(name, value.as_str());
        }
        if config.owner_marks.is_empty() {
            self.rows.push(Row::Note(
                "No label or annotation of Argo CD, Flux or Helm; others are not kept.".into(),
            ));
        }
    }

    fn users(&mut self, config: &ConfigRef, users: &[ConfigUser]) {
        self.heading(format!("Who uses it in {}", config.namespace));
        if users.is_empty() {
            self.rows.push(Row::Note("No pod that was read.".into()));
        }
        let mut last = None;
        for user in users {
            if last != Some(&user.workload) {
                let wanted = user
                    .desired
                    .map_or_else(String::new, |n| format!(" of {n} wanted"));
                let pods = user.of_pods;
                let noun = if pods == 1 && wanted.is_empty() {
                    "pod"
                } else {
                    "pods"
                };
                self.field(&user.workload.to_string(), format!("{pods}{wanted} {noun}"));
                last = Some(&user.workload);
            }
            self.rows.push(Row::Note(format!("  {}", told(user))));
        }
        self.rows.push(Row::Note(
            "Told by the pods that are there: a workload without pods is not seen.".into(),
        ));
    }

    fn content(&mut self, config: &Config) {
        match &config.content {
            None => self.keys_by_writers(config),
            Some(Content::Hashed(keys)) => {
                self.heading(count(
                    keys.len(),
                    "key",
                    "; values of Secrets are not shown",
                ));
                let keys = keys.keys().map(|key| Row::Key(key.clone(), String::new()));
                self.rows.extend(keys);
            }
            Some(Content::Plain { data, binary }) => {
                self.heading(count(data.len(), "key", " of data"));
                for (key, value) in data {
                    self.value(key, value);
                }
                if !binary.is_empty() {
                    self.heading(count(binary.len(), "key", " of binaryData"));
                }
                let keys = binary
                    .iter()
                    .map(|(key, bytes)| Row::Key(key.clone(), weighed(bytes)));
                self.rows.extend(keys);
            }
        }
    }

    /// The keys that managedFields name, where nothing more was read.
    fn keys_by_writers(&mut self, config: &Config) {
        let keys: BTreeSet<&String> = config.managed.iter().flat_map(|e| &e.data_keys).collect();
        self.heading(count(
            keys.len(),
            "key",
            " by managedFields; no value was read",
        ));
        let keys = keys
            .into_iter()
            .map(|key| Row::Key(key.clone(), String::new()));
        self.rows.extend(keys);
    }

    fn value(&mut self, key: &str, value: &str) {
        let short = !value.contains('\n');
        let bytes = grouped(value.len());
        let note = match value {
            "" => "empty".to_owned(),
            _ if short => format!("{bytes} bytes"),
            _ => {
                let end = if value.ends_with('\n') {
                    ""
                } else {
                    ", no newline at the end"
                };
                format!(
                    "{} lines, {bytes} bytes{end}",
                    grouped(value.lines().count())
                )
            }
        };
        self.rows.push(Row::Key(key.to_owned(), note));
        let place = self.values.len();
        let mut start = 0;
        for line in value.split_inclusive('\n') {
            let end = start + line.strip_suffix('\n').unwrap_or(line).len();
            self.rows.push(Row::Value(place, start..end));
            start += line.len();
        }
        self.values.push(value.to_owned());
    }

    fn writers(&mut self, managed: &[ManagedEntry]) {
        self.heading("Who wrote it (managedFields: a manager's latest write alone)".into());
        if managed.is_empty() {
            self.rows.push(Row::Note("Nothing is recorded.".into()));
        }
        for entry in managed {
            let keys: Vec<&String> = entry.data_keys.iter().collect();
            let more = match (keys.is_empty(), entry.owns_other) {
                (true, true) => "no key, something else",
                (false, true) => ", and more than keys",
                (true, false) => "no key",
                (false, false) => "",
            };
            self.rows.push(Row::Writer {
                manager: entry.manager.clone(),
                operation: entry.operation.clone(),
                time: entry.time,
                owns: format!("{}{more}", named(&keys)),
            });
        }
    }
}

fn count(number: usize, noun: &str, more: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}{more}", grouped(number))
}

fn named<T: AsRef<str>>(keys: &[T]) -> String {
    let shown: Vec<&str> = keys.iter().take(NAMED).map(AsRef::as_ref).collect();
    match keys.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), grouped(more)),
    }
}

fn last_applied(applied: &LastApplied, live: Option<&Content>) -> String {
    let same = match live {
        Some(live) if *live == applied.content => "holds what is live",
        Some(_) => "holds other content than is live",
        None => "is there",
    };
    match &applied.resource_version {
        Some(version) => {
            format!("{same}; it names resourceVersion {version}: fetched, changed and applied back")
        }
        None => same.to_owned(),
    }
}

/// `nginx: volume at /etc/nginx/conf.d, every key; in 1 of 2 pods`.
fn told(user: &ConfigUser) -> String {
    let container = match user.kind {
        ContainerKind::Main => user.container.clone(),
        ContainerKind::Init => format!("{} (init container)", user.container),
        ContainerKind::Sidecar => format!("{} (sidecar)", user.container),
        ContainerKind::Ephemeral => format!("{} (ephemeral)", user.container),
    };
    let way = match &user.via {
        Use::Env { variable } => format!("env {variable}"),
        Use::EnvFrom { prefix } if prefix.is_empty() => "envFrom".into(),
        Use::EnvFrom { prefix } => format!("envFrom with prefix {prefix}"),
        Use::Volume { path } => format!("volume at {path}"),
        Use::SubPath { path } => format!("subPath at {path}"),
        Use::Projected { path } => format!("projected volume at {path}"),
        Use::InitCopy { path, init } => format!("copied by init container {init} to {path}"),
        Use::Api => "perhaps read through the API".into(),
    };
    let mut out = format!("{container}: {way}, {}", reach(&user.reach));
    if user.optional {
        out.push_str("; optional");
    }
    if user.pods < user.of_pods {
        out.push_str(&format!("; in {} of {} pods", user.pods, user.of_pods));
    }
    out
}

fn reach(reach: &Reach) -> String {
    match reach {
        Reach::All => "every key".into(),
        Reach::AllBut(hidden) => format!(
            "every key but {} (hidden by another mount or source)",
            named(hidden)
        ),
        Reach::Only { keys, missing } => {
            let noun = if keys.len() == 1 { "key" } else { "keys" };
            let lacking = if missing.is_empty() {
                String::new()
            } else {
                format!(" (MISSING here: {})", named(missing))
            };
            format!("{noun} {}{lacking}", named(keys))
        }
        Reach::TextBut(others) if others.is_empty() => "every text key".into(),
        Reach::TextBut(others) => {
            format!("every text key but {} (set otherwise)", named(others))
        }
    }
}
