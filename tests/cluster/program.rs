//! Runs the program on the cluster under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a run of the program gave.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A report in JSON.
pub(crate) struct Report(Value);

/// The kubeconfig of the cluster under test.
pub(crate) fn kubeconfig() -> PathBuf {
    std::env::var_os("CONFSPLIT_TEST_KUBECONFIG")
        .expect("CONFSPLIT_TEST_KUBECONFIG names the kubeconfig of the cluster under test")
        .into()
}

/// Runs the program with these arguments.
pub(crate) fn run(arguments: &[&str]) -> Run {
    run_with(&kubeconfig(), arguments)
}

/// The same with another kubeconfig.
pub(crate) fn run_with(kubeconfig: &Path, arguments: &[&str]) -> Run {
    run_in(kubeconfig, &[], arguments)
}

/// What kubectl prints.
pub(crate) fn kubectl(kubeconfig: &Path, arguments: &[&str]) -> String {
    let output = Command::new("kubectl")
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        .output()
        .expect("kubectl is in PATH");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kubectl {arguments:?}: {said}");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    printed.trim().to_owned()
}

/// The same with these further variables.
pub(crate) fn run_in(kubeconfig: &Path, vars: &[(&str, &str)], arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args(arguments)
        .env("KUBECONFIG", kubeconfig)
        .envs(vars.iter().copied())
        .output()
        .expect("the program runs");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Run {
    /// The report, of a run that ended with this code.
    pub(crate) fn report(self, code: i32) -> Report {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        Report(serde_json::from_str(&self.stdout).expect("a report in JSON"))
    }
}

impl Report {
    /// The first incident.
    pub(crate) fn incident(&self) -> &Value {
        &self.0["incidents"][0]
    }

    /// The codes of the first incident's findings.
    pub(crate) fn codes(&self) -> Vec<String> {
        let findings = self.incident()["findings"].as_array();
        findings
            .into_iter()
            .flatten()
            .filter_map(|f| f["code"].as_str().map(str::to_owned))
            .collect()
    }
}
