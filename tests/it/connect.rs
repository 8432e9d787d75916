//! From flags, environment and kubeconfig to a connection: the program against sockets of this process.

mod files;
mod login;
pub mod network;
mod proxies;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A kubeconfig in a folder of its own, and what the program is run with.
pub struct Kube {
    folder: TempDir,
    vars: Vec<(String, String)>,
}

impl Kube {
    /// One context on this server, for a user with these lines of YAML (`{token: a}`).
    pub fn new(server: &str, user: &str) -> Self {
        Self::with_cluster(&format!("{{server: \"{server}\"}}"), user)
    }

    pub fn with_cluster(cluster: &str, user: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kube = Self {
            folder,
            vars: Vec::new(),
        };
        kube.write("config", config(cluster, user));
        let path = kube.path("config");
        kube.var("KUBECONFIG", path.to_str().unwrap())
    }

    /// With a variable in the program's environment, which is else empty but for PATH.
    pub fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.retain(|(known, _)| known != name);
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A shell script that can be run.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(name, format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        let started = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_confsplit"))
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .envs(self.vars.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap();
        Ran {
            took: started.elapsed(),
            output,
        }
    }

    pub fn diagnose(&self) -> Ran {
        self.run(&["diagnose", "--request-timeout", "5s"])
    }
}

/// What a run gave.
pub struct Ran {
    took: Duration,
    output: Output,
}

impl Ran {
    /// It read the cluster, and there was nothing in it.
    pub fn reads(&self) -> &Self {
        let said = String::from_utf8_lossy(&self.output.stdout);
        assert_eq!(self.output.status.code(), Some(0), "{}{said}", self.said());
        assert!(said.contains("in namespace"), "{said}");
        self
    }

    /// It ended with an error of one line and a hint. The line.
    pub fn fails(&self) -> String {
        let said = self.said();
        assert_eq!(self.output.status.code(), Some(3), "{said}");
        assert_eq!(self.output.stdout, b"", "{said}");
        let lines: Vec<&str> = said.lines().collect();
        let [error, hint] = lines[..] else {
            panic!("not one line and a hint: {said}");
        };
        assert!(
            error.starts_with("error: ") && error.ends_with('.'),
            "{said}"
        );
        assert!(!error.contains(".."), "{said}");
        assert!(hint.starts_with("hint: "), "{said}");
        said
    }

    pub fn said(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }

    pub fn within(&self, limit: Duration) -> &Self {
        assert!(self.took < limit, "it took {:?}", self.took);
        self
    }
}

/// A kubeconfig of one context, `lab`, in namespace shop.
pub fn config(cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: lab\n\
         clusters: [{{name: lab, cluster: {cluster}}}]\n\
         contexts: [{{name: lab, context: {{cluster: lab, user: me, namespace: shop}}}}]\n\
         users: [{{name: me, user: {user}}}]\n"
    )
}

/// A login plugin in a kubeconfig's user.
pub fn plugin(command: &Path) -> String {
    format!(
        "{{exec: {{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always, command: \"{}\"}}}}",
        command.display()
    )
}
