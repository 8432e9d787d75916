//! From flags and kubeconfig to a client, as kubectl does it.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::header::{HeaderValue, USER_AGENT};
use kube::client::ClientBuilder;
use kube::config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

use super::allow::ReadOnly;
use crate::model::Cluster;
use crate::source::SourceError;

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
    pub(super) client: Client,
    pub(super) cluster: Cluster,
    pub(super) namespace: Option<String>,
}

pub(super) async fn connect(options: &ConnectOptions) -> Result<Connected, SourceError> {
    let (mut config, context) = load(options).await?;
    if let Some(user) = &options.impersonate {
        config.auth_info.impersonate = Some(user.clone());
    }
    if !options.impersonate_groups.is_empty() {
        config.auth_info.impersonate_groups = Some(options.impersonate_groups.clone());
    }
    // A login plugin must not write to our terminal or read its keys; one that has to ask is to be run beforehand.
    if let Some(exec) = &mut config.auth_info.exec {
        exec.interactive_mode = Some(ExecInteractiveMode::Never);
    }
    let agent = HeaderValue::from_static(concat!("confsplit/", env!("CARGO_PKG_VERSION")));
    config.headers.push((USER_AGENT, agent));
    // kube would repeat a 429, 503 or 504 fifteen times before anybody hears of it.
    config.default_retry = false;
    honour_no_proxy(&mut config);
    let cluster = Cluster {
        context,
        flags: options.flags(),
        server: config
            .cluster_url
            .to_string()
            .trim_end_matches('/')
            .to_owned(),
        version: None,
    };
    let namespace = if options.all_namespaces {
        None
    } else {
        let own = options.namespace.clone().filter(|n| !n.is_empty());
        let namespace = own.unwrap_or_else(|| config.default_namespace.clone());
        Some(valid(if namespace.is_empty() {
            "default".to_owned()
        } else {
            namespace
        })?)
    };
    let client = build(config, &cluster.server, options.timeout()).await?;
    Ok(Connected {
        client,
        cluster,
        namespace,
    })
}

/// It goes into paths, so it must be a name that a namespace can have (a DNS label).
fn valid(namespace: String) -> Result<String, SourceError> {
    let fits = namespace.len() <= 63
        && namespace
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !namespace.starts_with('-')
        && !namespace.ends_with('-');
    if fits {
        return Ok(namespace);
    }
    Err(SourceError {
        message: format!("{namespace:?} cannot be the name of a namespace."),
        hint: Some("It has small letters, digits and dashes, 63 at most.".to_owned()),
    })
}

/// kube runs a login plugin while it builds the client, and waits for it: on a thread of its own, so that one which hangs
/// costs the time-out and not the program. What a plugin printed is not repeated, since it may hold a token.
async fn build(config: Config, server: &str, limit: Duration) -> Result<Client, SourceError> {
    let failed = |what: String| SourceError {
        message: format!("The login for {server} cannot be used: {what}."),
        hint: Some(
            "See whether `kubectl get namespaces` works; if it asks something, log in there first."
                .to_owned(),
        ),
    };
    let (send, receive) = tokio::sync::oneshot::channel();
    let handle = tokio::runtime::Handle::current();
    std::thread::spawn(move || {
        let _inside = handle.enter();
        // The receiver is gone only after the time-out.
        let _ = send.send(ClientBuilder::try_from(config));
    });
    match tokio::time::timeout(limit, receive).await {
        Ok(Ok(Ok(builder))) => Ok(builder.with_layer(&ReadOnly).build()),
        Ok(Ok(Err(kube::Error::Auth(_)))) => Err(failed(
            "the kubeconfig's login plugin or token failed".to_owned(),
        )),
        Ok(Ok(Err(error))) => Err(failed(chain(&error))),
        Ok(Err(_)) => Err(failed(
            "the login plugin ended without an answer".to_owned(),
        )),
        Err(_) => Err(failed(format!(
            "the login plugin gave no answer in {} s",
            limit.as_secs()
        ))),
    }
}

/// The kubeconfig's configuration and its context's name, or that of the cluster we run in.
async fn load(options: &ConnectOptions) -> Result<(Config, Option<String>), SourceError> {
    let Some(kubeconfig) = read(options.kubeconfig.as_deref())? else {
        if options.context.is_some() {
            return Err(no_kubeconfig());
        }
        return Config::incluster()
            .map(|config| (config, None))
            .map_err(|_| no_kubeconfig());
    };
    let context = options
        .context
        .clone()
        .or_else(|| kubeconfig.current_context.clone())
        .filter(|context| !context.is_empty());
    let known: Vec<String> = kubeconfig.contexts.iter().map(|c| c.name.clone()).collect();
    let Some(context) = context else {
        return Err(SourceError {
            message: "The kubeconfig has no current context.".to_owned(),
            hint: Some(format!(
                "Name one with --context; there is {}.",
                offer(&known)
            )),
        });
    };
    if !known.contains(&context) {
        return Err(SourceError {
            message: format!("The kubeconfig has no context {context}."),
            hint: Some(format!("There is {}.", offer(&known))),
        });
    }
    let chosen = KubeConfigOptions {
        context: Some(context.clone()),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(kubeconfig, &chosen)
        .await
        .map_err(|error| SourceError {
            message: format!("The context {context} cannot be used: {}.", chain(&error)),
            hint: Some("See `kubectl config view`.".to_owned()),
        })?;
    Ok((config, Some(context)))
}

fn offer(known: &[String]) -> String {
    if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    }
}

fn no_kubeconfig() -> SourceError {
    SourceError {
        message: "There is no kubeconfig, and this is not a pod of a cluster.".to_owned(),
        hint: Some(
            "Set KUBECONFIG or --kubeconfig, or look at a capture with `confsplit open FILE`."
                .to_owned(),
        ),
    }
}

/// The file of the flag, else those of KUBECONFIG merged (missing and empty ones do not count), else `~/.kube/config`.
fn read(flag: Option<&Path>) -> Result<Option<Kubeconfig>, SourceError> {
    if let Some(path) = flag {
        return read_file(path).map(Some);
    }
    let listed = env::var_os("KUBECONFIG").unwrap_or_default();
    let mut paths: Vec<PathBuf> = env::split_paths(&listed)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    if paths.is_empty() {
        paths.extend(env::home_dir().map(|home| home.join(".kube").join("config")));
    }
    let mut merged: Option<Kubeconfig> = None;
    for path in paths.iter().filter(|path| is_filled(path)) {
        let next = read_file(path)?;
        merged = Some(match merged {
            None => next,
            Some(before) => before
                .merge(next)
                .map_err(|error| unreadable(path, &error))?,
        });
    }
    Ok(merged)
}

fn is_filled(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_dir() || meta.len() > 0)
}

fn read_file(path: &Path) -> Result<Kubeconfig, SourceError> {
    Kubeconfig::read_from(path).map_err(|error| unreadable(path, &error))
}

/// A parser quotes the lines around an error, and a kubeconfig's hold tokens: only the place is told.
fn unreadable(path: &Path, error: &KubeconfigError) -> SourceError {
    let what = match error {
        KubeconfigError::Parse(error) => match error.location() {
            Some(at) => format!(
                "line {}, column {} is not YAML of that shape",
                at.line(),
                at.column()
            ),
            None => "it is not YAML of that shape".to_owned(),
        },
        KubeconfigError::ReadConfig(error, _) => error.to_string(),
        other => chain(other),
    };
    SourceError {
        message: format!("The kubeconfig {} cannot be read: {what}.", path.display()),
        hint: Some("See whether `kubectl config view` can read it.".to_owned()),
    }
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

/// kube 5.0 matches NO_PROXY against the proxy's own address. A proxy that came from the environment is dropped here where
/// NO_PROXY names the API server.
fn honour_no_proxy(config: &mut Config) {
    let from_env = ["HTTPS_PROXY", "https_proxy"]
        .iter()
        .filter_map(|name| env::var(name).ok())
        .any(|value| {
            config.proxy_url.as_ref().is_some_and(|url| {
                value.trim_end_matches('/') == url.to_string().trim_end_matches('/')
            })
        });
    let listed = env::var("NO_PROXY").or_else(|_| env::var("no_proxy"));
    if let (true, Ok(listed), Some(host)) = (from_env, listed, config.cluster_url.host())
        && exempt(&listed, host)
    {
        config.proxy_url = None;
    }
}

/// Whether a NO_PROXY list names a host: itself, a domain above it, `*`, or a network in CIDR form.
fn exempt(listed: &str, host: &str) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    listed
        .split(',')
        .map(|entry| entry.trim().to_ascii_lowercase())
        .filter(|entry| !entry.is_empty())
        .any(|entry| {
            let domain = entry.trim_start_matches('*').trim_start_matches('.');
            entry == "*"
                || host == domain
                || host
                    .strip_suffix(domain)
                    .is_some_and(|rest| rest.ends_with('.'))
                || within(&entry, &host)
        })
}

fn within(network: &str, host: &str) -> bool {
    let Some((base, bits)) = network.split_once('/') else {
        return false;
    };
    let parsed = (
        base.parse::<std::net::IpAddr>(),
        host.parse::<std::net::IpAddr>(),
        bits.parse::<u32>(),
    );
    match parsed {
        (Ok(std::net::IpAddr::V4(base)), Ok(std::net::IpAddr::V4(host)), Ok(bits))
            if bits <= 32 =>
        {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            base.to_bits() & mask == host.to_bits() & mask
        }
        (Ok(std::net::IpAddr::V6(base)), Ok(std::net::IpAddr::V6(host)), Ok(bits))
            if bits <= 128 =>
        {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            base.to_bits() & mask == host.to_bits() & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
