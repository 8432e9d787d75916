//! Runs a kubeconfig's login plugin: away from our terminal, bounded in time, and ended when that is over.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use kube::config::{AuthInfo, ExecConfig};
use serde::Deserialize;
use tokio::process::Command;
use zeroize::Zeroizing;

/// What a plugin answers (client.authentication.k8s.io).
#[derive(Deserialize)]
struct Credential {
    status: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    token: Option<Zeroizing<String>>,
    client_certificate_data: Option<String>,
    client_key_data: Option<Zeroizing<String>>,
    expiration_timestamp: Option<String>,
}

/// Puts what the plugin gives into the login, and says how long it holds. What the plugin printed is never repeated, since
/// it may hold a token.
pub(super) async fn run(
    plugin: &ExecConfig,
    login: &mut AuthInfo,
    limit: Duration,
) -> Result<Option<DateTime<Utc>>, String> {
    let command = plugin.command.as_deref().unwrap_or_default();
    let mut process = process(command, plugin)?;
    let started = process.spawn();
    let child = started.map_err(|error| format!("the login plugin {command} failed: {error}"))?;
    let output = match tokio::time::timeout(limit, child.wait_with_output()).await {
        Ok(output) => output.map_err(|error| format!("the login plugin {command} failed: {error}")),
        // Dropping the wait ends the plugin.
        Err(_) => Err(format!(
            "the login plugin {command} gave no answer in {} s",
            limit.as_secs().max(1)
        )),
    }?;
    let answer = Zeroizing::new(output.stdout);
    if !output.status.success() {
        return Err(format!(
            "the login plugin {command} failed ({})",
            output.status
        ));
    }
    let unclear = || format!("the answer of the login plugin {command} is no ExecCredential");
    let credential: Credential = serde_saphyr::from_slice(&answer).map_err(|_| unclear())?;
    let status = credential.status.ok_or_else(unclear)?;
    take(status, login)
        .ok_or_else(|| format!("the login plugin {command} gave neither a token nor a certificate"))
}

fn take(status: Status, login: &mut AuthInfo) -> Option<Option<DateTime<Utc>>> {
    let pair = status.client_certificate_data.zip(status.client_key_data);
    if status.token.is_none() && pair.is_none() {
        return None;
    }
    if let Some(token) = status.token {
        login.token = Some(String::from(token.trim()).into());
    }
    if let Some((certificate, key)) = pair {
        login.client_certificate_data = Some(STANDARD.encode(certificate));
        login.client_key_data = Some(STANDARD.encode(key.as_bytes()).into());
    }
    // One without an end, or with one that nobody can read, holds until it is refused.
    let until = status.expiration_timestamp;
    Some(until.and_then(|until| until.parse().ok()))
}

/// The plugin with its arguments and environment. It may neither write to our screen nor read our keys: its streams are its
/// own, and so is its session, where the system has a way to give it one, or else its process group.
fn process(command: &str, plugin: &ExecConfig) -> Result<Command, String> {
    let search = env::var_os("PATH").unwrap_or_default();
    let Some(program) = find(command, &search) else {
        let install = plugin.install_hint.as_deref().map(str::trim);
        let install = install.map_or_else(String::new, |hint| format!(" ({hint})"));
        return Err(format!(
            "the login plugin {command:?} is not there{install}"
        ));
    };
    let mut process = apart(&program, &search);
    process
        .args(plugin.args.iter().flatten())
        .env("KUBERNETES_EXEC_INFO", about(plugin))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    for variable in plugin.env.iter().flatten() {
        if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
            process.env(name, value);
        }
    }
    Ok(process)
}

/// A program in a session of its own, so that it cannot reach our terminal, where the system has a way to give it one; else
/// in its own process group.
pub(super) fn apart(program: &Path, search: &std::ffi::OsStr) -> Command {
    if let Some(setsid) = find("setsid", search) {
        let mut process = Command::new(setsid);
        process.arg(program);
        process
    } else {
        let mut process = Command::new(program);
        process.process_group(0);
        process
    }
}

/// What the plugin is told: that it can ask nobody, and of the cluster, if it wants to know.
fn about(plugin: &ExecConfig) -> String {
    let mut spec = serde_json::json!({"interactive": false});
    if let Some(cluster) = &plugin.cluster
        && let Ok(cluster) = serde_json::to_value(cluster)
    {
        spec["cluster"] = cluster;
    }
    serde_json::json!({
        "apiVersion": plugin.api_version,
        "kind": "ExecCredential",
        "spec": spec,
    })
    .to_string()
}

/// A program by its path, or by its name in PATH.
pub(super) fn find(command: &str, search: &std::ffi::OsStr) -> Option<PathBuf> {
    let is_file = |path: &PathBuf| path.is_file();
    if command.contains(std::path::MAIN_SEPARATOR) {
        return Some(Path::new(command).to_path_buf()).filter(is_file);
    }
    if command.is_empty() {
        return None;
    }
    env::split_paths(search)
        .map(|folder| folder.join(command))
        .find(is_file)
}
