//! From flags and kubeconfig to a client, as kubectl does it.

use std::path::PathBuf;
use std::time::Duration;

use super::allow::Consent;
use super::clocks::LocalClock;
use super::door::{Door, Plan, address};
use super::kubeconfig;
use crate::model::Cluster;
use crate::source::{Clock, SourceError};

/// What the command line says about the cluster. Everything unset is as kubectl has it.
#[derive(Debug, Clone, Default)]
pub struct ConnectOptions {
    pub kubeconfig: Option<PathBuf>,
    pub context: Option<String>,
    pub namespace: Option<String>,
    pub all_namespaces: bool,
    pub impersonate: Option<String>,
    pub impersonate_groups: Vec<String>,
    /// For each request; unset is without end.
    pub request_timeout: Option<Duration>,
    /// Whether what a person approves can be written; else nothing can, for as long as it is connected.
    pub acts: bool,
}

/// As good as none.
const NO_END: Duration = Duration::from_hours(24);

impl ConnectOptions {
    /// The flags that decide which cluster is meant, and as whom, beside the context.
    fn flags(&self) -> Option<Vec<String>> {
        let mut flags = Vec::new();
        let mut add = |name: &str, value: &str| flags.extend([name.to_owned(), value.to_owned()]);
        if let Some(path) = &self.kubeconfig {
            add("--kubeconfig", &path.to_string_lossy());
        }
        if let Some(user) = &self.impersonate {
            add("--as", user);
        }
        for group in &self.impersonate_groups {
            add("--as-group", group);
        }
        (!flags.is_empty()).then_some(flags)
    }

    pub(super) fn timeout(&self) -> Duration {
        self.request_timeout.unwrap_or(NO_END)
    }
}

/// What connecting came to.
pub(super) struct Connected {
    pub(super) door: Door,
    pub(super) clock: LocalClock,
    pub(super) consent: Consent,
    pub(super) cluster: Cluster,
    pub(super) namespace: Option<String>,
}

/// Reads the kubeconfig. Nothing is sent and no login plugin is run before something is read.
pub(super) fn connect(options: &ConnectOptions, clock: Clock) -> Result<Connected, SourceError> {
    let loaded = kubeconfig::load(options.kubeconfig.as_deref(), options.context.as_deref())?;
    let cluster = Cluster {
        context: loaded.context,
        flags: options.flags(),
        server: address(&loaded.config),
        version: None,
    };
    let namespace = if options.all_namespaces {
        None
    } else {
        let own = options.namespace.clone().filter(|n| !n.is_empty());
        Some(namespace_name(
            &own.unwrap_or(loaded.config.default_namespace),
        )?)
    };
    let local_clock = LocalClock::new(clock.clone());
    let consent = Consent::new(options.acts);
    let door = Door::planned(Plan {
        kubeconfig: options.kubeconfig.clone(),
        context: cluster.context.clone(),
        server: cluster.server.clone(),
        impersonate: options.impersonate.clone(),
        impersonate_groups: options.impersonate_groups.clone(),
        limit: options.timeout(),
        clock,
        local_clock: local_clock.clone(),
        consent: consent.clone(),
    });
    Ok(Connected {
        clock: local_clock,
        consent,
        door,
        cluster,
        namespace,
    })
}

/// A namespace that a user named: whether there is one is asked when it is read, since it need not be listed for that. It
/// goes into paths, so it must be a name that a namespace can have (a DNS label).
pub fn namespace_name(text: &str) -> Result<String, SourceError> {
    let namespace = text.trim();
    let fits = (1..=63).contains(&namespace.len())
        && namespace
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !namespace.starts_with('-')
        && !namespace.ends_with('-');
    if fits {
        return Ok(namespace.to_owned());
    }
    Err(SourceError {
        message: format!("{namespace:?} cannot be the name of a namespace."),
        hint: Some("It has small letters, digits and dashes, 63 at most, and begins and ends with none of the latter.".to_owned()),
    })
}

/// An error with its causes, each said once.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text.trim_end_matches('.').replace('\n', " ")
}
