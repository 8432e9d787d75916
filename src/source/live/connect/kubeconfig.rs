//! Which kubeconfig, and which context of it.

use std::path::{Path, PathBuf};

use kube::config::{Config, KubeConfigOptions, Kubeconfig, KubeconfigError};

use super::{ConnectOptions, problem, proxy};
use crate::source::SourceError;

/// The configuration to use and the name of its context (`None` inside a cluster).
pub(super) async fn load(options: &ConnectOptions) -> Result<(Config, Option<String>), SourceError> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let files = files(options.kubeconfig.as_deref(), &variable);
    match read(&files)? {
        Some(kubeconfig) => {
            let context = choose(&kubeconfig, options.context.as_deref(), &files)?;
            let proxy = proxy::of(&kubeconfig, &context, &variable)?;
            let wanted = KubeConfigOptions {
                context: Some(context.clone()),
                ..KubeConfigOptions::default()
            };
            let mut config = Config::from_custom_kubeconfig(kubeconfig, &wanted)
                .await
                .map_err(|error| unusable(&error, &files))?;
            config.proxy_url = proxy;
            Ok((config, Some(context)))
        }
        None if variable("KUBERNETES_SERVICE_HOST").is_some() => match Config::incluster() {
            Ok(config) => Ok((config, None)),
            Err(error) => Err(problem(
                format!("The service account of this pod cannot be used: {error}."),
                Some("Mount its token, or give a kubeconfig with --kubeconfig.".to_owned()),
            )),
        },
        None => Err(problem(
            format!("There is no kubeconfig: {} does not exist.", files.names()),
            Some("Name one with --kubeconfig or KUBECONFIG.".to_owned()),
        )),
    }
}

/// Where to look, as kubectl does: the flag, else the variable's list, else the home directory.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Files {
    pub paths: Vec<PathBuf>,
    /// The user named this very file, so it must be there.
    pub required: bool,
}

impl Files {
    fn names(&self) -> String {
        let names: Vec<_> = self.paths.iter().map(|path| path.display().to_string()).collect();
        if names.is_empty() { "~/.kube/config".to_owned() } else { names.join(", ") }
    }
}

pub(super) fn files(flag: Option<&Path>, variable: &dyn Fn(&str) -> Option<String>) -> Files {
    if let Some(path) = flag {
        return Files {
            paths: vec![path.to_owned()],
            required: true,
        };
    }
    let listed: Vec<PathBuf> = variable("KUBECONFIG")
        .map(|list| std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect())
        .unwrap_or_default();
    let paths = if listed.is_empty() {
        let home = variable("HOME").or_else(|| variable("USERPROFILE"));
        home.map(|home| PathBuf::from(home).join(".kube/config")).into_iter().collect()
    } else {
        listed
    };
    Files { paths, required: false }
}

/// All files that exist, merged: what an earlier one says stands. `None` where there is none.
pub(super) fn read(files: &Files) -> Result<Option<Kubeconfig>, SourceError> {
    let mut merged: Option<Kubeconfig> = None;
    for path in &files.paths {
        let next = match Kubeconfig::read_from(path) {
            Ok(next) => next,
            Err(KubeconfigError::ReadConfig(error, _))
                if error.kind() == std::io::ErrorKind::NotFound && !files.required =>
            {
                continue;
            }
            Err(error) => return Err(unreadable(&error, path)),
        };
        merged = Some(match merged {
            None => next,
            Some(earlier) => earlier.merge(next).map_err(|error| unreadable(&error, path))?,
        });
    }
    Ok(merged)
}

fn unreadable(error: &KubeconfigError, path: &Path) -> SourceError {
    let path = path.display();
    match error {
        KubeconfigError::ReadConfig(error, _) if error.kind() == std::io::ErrorKind::NotFound => problem(
            format!("The kubeconfig {path} does not exist."),
            Some("Look at the path after --kubeconfig.".to_owned()),
        ),
        KubeconfigError::ReadConfig(error, _) => problem(
            format!("The kubeconfig {path} cannot be read: {error}."),
            Some("Look at its owner and mode.".to_owned()),
        ),
        // The parser's own message quotes the file, and tokens are in it.
        KubeconfigError::Parse(error) => {
            let place = error.location().map(|at| format!(", line {}", at.line())).unwrap_or_default();
            problem(
                format!("The kubeconfig {path} is not valid YAML for a kubeconfig{place}."),
                Some("`kubectl config view` shows whether kubectl can read it.".to_owned()),
            )
        }
        other => problem(format!("The kubeconfig {path} cannot be used: {other}."), None),
    }
}

/// The context that was asked for, else the current one; it must be there.
pub(super) fn choose(
    kubeconfig: &Kubeconfig,
    asked: Option<&str>,
    files: &Files,
) -> Result<String, SourceError> {
    let known: Vec<&str> = kubeconfig.contexts.iter().map(|context| context.name.as_str()).collect();
    let hint = if known.is_empty() {
        format!("{} has no contexts.", files.names())
    } else {
        format!("Choose one with --context: {}.", known.join(", "))
    };
    let current = kubeconfig.current_context.as_deref().filter(|name| !name.is_empty());
    match asked.or(current) {
        None => Err(problem("The kubeconfig names no current context.".to_owned(), Some(hint))),
        Some(name) if known.contains(&name) => Ok(name.to_owned()),
        Some(name) => Err(problem(
            format!("There is no context \"{name}\" in {}.", files.names()),
            Some(hint),
        )),
    }
}

fn unusable(error: &KubeconfigError, files: &Files) -> SourceError {
    let (what, hint) = match error {
        KubeconfigError::LoadContext(name) => (format!("context \"{name}\" is empty"), "Give it a cluster and a user."),
        KubeconfigError::LoadClusterOfContext(name) => {
            (format!("the cluster \"{name}\" of the context is missing"), "Add it, or choose another context.")
        }
        KubeconfigError::MissingClusterUrl => {
            ("the cluster has no server".to_owned(), "Add `server: https://...` to it.")
        }
        other => (other.to_string(), "`kubectl config view --minify` shows what this context names."),
    };
    problem(
        format!("The kubeconfig {} cannot be used: {what}.", files.names()),
        Some(hint.to_owned()),
    )
}
