//! The kubeconfig as kubectl takes it: which files, how they are merged, and what a context comes to.

use std::env;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use http::Uri;
use kube::Config;
use kube::config::{Cluster, Context, ExecAuthCluster, ExecConfig, Kubeconfig, KubeconfigError};

use super::connect::chain;
use super::proxy;
use crate::source::SourceError;

/// What a context comes to.
pub(super) struct Loaded {
    pub(super) config: Config,
    /// The context's name; `None` inside a cluster.
    pub(super) context: Option<String>,
    /// The login plugin, taken out of the configuration: we run it ourselves.
    pub(super) plugin: Option<ExecConfig>,
}

/// The kubeconfig's configuration, or that of the cluster we run in.
pub(super) fn load(flag: Option<&Path>, context: Option<&str>) -> Result<Loaded, SourceError> {
    let Some(kubeconfig) = read(flag)? else {
        if context.is_some() {
            return Err(none());
        }
        let mut config = Config::incluster().map_err(|_| none())?;
        config.proxy_url = proxy::from_environment(&config.cluster_url, |name| env::var(name).ok())
            .map_err(|what| SourceError {
                message: format!("The API server cannot be reached: {what}."),
                hint: None,
            })?;
        return Ok(Loaded {
            config,
            context: None,
            plugin: None,
        });
    };
    let name = name(&kubeconfig, context)?;
    let (config, plugin) = configure(&kubeconfig, &name).map_err(|what| SourceError {
        message: format!("The context {name} cannot be used: {what}."),
        hint: Some("See `kubectl config view`.".to_owned()),
    })?;
    Ok(Loaded {
        config,
        context: Some(name),
        plugin,
    })
}

/// The name of the context that is meant, which is there.
fn name(kubeconfig: &Kubeconfig, asked: Option<&str>) -> Result<String, SourceError> {
    let known: Vec<&str> = kubeconfig.contexts.iter().map(|c| &*c.name).collect();
    let offer = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    let chosen = asked.or(kubeconfig.current_context.as_deref());
    let Some(name) = chosen.filter(|name| !name.is_empty()) else {
        return Err(SourceError {
            message: "The kubeconfig has no current context.".to_owned(),
            hint: Some(format!("Name one with --context; there is {offer}.")),
        });
    };
    if !known.contains(&name) {
        return Err(SourceError {
            message: format!("The kubeconfig has no context {name}."),
            hint: Some(format!("There is {offer}.")),
        });
    }
    Ok(name.to_owned())
}

fn context<'a>(kubeconfig: &'a Kubeconfig, name: &str) -> Option<&'a Context> {
    let mut contexts = kubeconfig.contexts.iter();
    contexts.find(|c| c.name == name)?.context.as_ref()
}

fn cluster<'a>(kubeconfig: &'a Kubeconfig, name: &str) -> Option<&'a Cluster> {
    let mut clusters = kubeconfig.clusters.iter();
    clusters.find(|c| c.name == name)?.cluster.as_ref()
}

/// kube's own way is not taken: it reads HTTPS_PROXY and NO_PROXY otherwise than kubectl and fails on lists that kubectl
/// takes, and where it runs a login plugin, that cannot be ended.
fn configure(kubeconfig: &Kubeconfig, name: &str) -> Result<(Config, Option<ExecConfig>), String> {
    let context = context(kubeconfig, name).ok_or("it names no cluster")?;
    let cluster = cluster(kubeconfig, &context.cluster)
        .ok_or_else(|| format!("there is no cluster {:?}", context.cluster))?;
    let server = cluster.server.as_deref().filter(|url| !url.is_empty());
    let server = server.ok_or_else(|| format!("cluster {:?} has no server", context.cluster))?;
    let known = ExecAuthCluster::try_from(cluster).map_err(|error| chain(&error))?;
    let insecure = cluster.insecure_skip_tls_verify == Some(true);
    let secured = insecure || known.certificate_authority_data.is_some();
    let mut config = Config::new(address(server, secured)?);
    let certificates = known.certificate_authority_data.as_deref();
    config.root_cert = certificates.map(self::certificates).transpose()?;
    config.accept_invalid_certs = insecure;
    config.disable_compression = cluster.disable_compression == Some(true);
    let server_name = cluster.tls_server_name.clone();
    config.tls_server_name = server_name.filter(|name| !name.is_empty());
    let namespace = context.namespace.as_deref().filter(|n| !n.is_empty());
    config.default_namespace = namespace.unwrap_or("default").to_owned();
    config.proxy_url = match cluster.proxy_url.as_deref().filter(|url| !url.is_empty()) {
        Some(url) => Some(proxy::parse(url).map_err(|what| format!("its proxy-url {what}"))?),
        None => proxy::from_environment(&config.cluster_url, |name| env::var(name).ok())?,
    };
    // As kubectl has it, a user that is not there is nobody.
    let user = context.user.as_deref().unwrap_or_default();
    let user = kubeconfig.auth_infos.iter().find(|u| u.name == user);
    config.auth_info = user.and_then(|u| u.auth_info.clone()).unwrap_or_default();
    let plugin = config.auth_info.exec.take().map(|mut plugin| {
        plugin.cluster = plugin.provide_cluster_info.then_some(known);
        plugin
    });
    Ok((config, plugin))
}

/// The API server's address. As kubectl has it, one without a scheme is https where the kubeconfig says how to trust it.
fn address(server: &str, secured: bool) -> Result<Uri, String> {
    let url = if server.contains("://") {
        server.to_owned()
    } else if secured {
        format!("https://{server}")
    } else {
        format!("http://{server}")
    };
    let parsed = url.parse::<Uri>();
    let parsed = parsed.map_err(|error| format!("its server {server:?} is no address: {error}"))?;
    match parsed.scheme_str() {
        Some("http" | "https") => Ok(parsed),
        _ => Err(format!(
            "its server {server:?} is neither http:// nor https://"
        )),
    }
}

fn certificates(text: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let bad = || "its certificate authority is no certificate in PEM form".to_owned();
    let blocks = pem::parse_many(text).map_err(|_| bad())?;
    let found: Vec<Vec<u8>> = blocks
        .into_iter()
        .filter(|block| block.tag() == "CERTIFICATE")
        .map(pem::Pem::into_contents)
        .collect();
    if found.is_empty() {
        return Err(bad());
    }
    Ok(found)
}

fn none() -> SourceError {
    let named = env::var("KUBECONFIG").unwrap_or_default();
    let message = if named.is_empty() {
        "There is no kubeconfig, and this is not a pod of a cluster.".to_owned()
    } else {
        format!(
            "KUBECONFIG is {named:?}, where there is nothing, and this is not a pod of a cluster."
        )
    };
    SourceError {
        message,
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
    for path in &paths {
        // Only one that is not there is passed over: what may not be read might be the one that is meant.
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_file() && meta.len() == 0 => continue,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(unreadable(path, &error.to_string())),
            Ok(_) => {}
        }
        let next = read_file(path)?;
        merged = Some(match merged {
            None => next,
            Some(before) => before
                .merge(next)
                .map_err(|error| unreadable(path, &what(&error)))?,
        });
    }
    Ok(merged)
}

fn read_file(path: &Path) -> Result<Kubeconfig, SourceError> {
    whole_utf16(path).map_err(|error| unreadable(path, &error.to_string()))?;
    let mut read = Kubeconfig::read_from(path).map_err(|error| unreadable(path, &what(&error)))?;
    // `kubectl config unset` leaves it empty; that must not hide the next file's.
    read.current_context = read.current_context.filter(|context| !context.is_empty());
    Ok(read)
}

/// kube takes UTF-16 (which PowerShell writes) two bytes at a time, and panics on half a character.
fn whole_utf16(path: &Path) -> io::Result<()> {
    let bytes = std::fs::read(path)?;
    let marked = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if marked && bytes.len() % 2 == 1 {
        return Err(io::Error::new(
            ErrorKind::InvalidData,
            "it is UTF-16 that ends within a character",
        ));
    }
    Ok(())
}

fn unreadable(path: &Path, what: &str) -> SourceError {
    SourceError {
        message: format!("The kubeconfig {} cannot be read: {what}.", path.display()),
        hint: Some("See whether `kubectl config view` can read it.".to_owned()),
    }
}

/// A parser quotes the lines around an error, and a kubeconfig's hold tokens: only the place is told.
fn what(error: &KubeconfigError) -> String {
    match error {
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
    }
}
