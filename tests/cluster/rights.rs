//! The incident for a user who may list and watch pods, ConfigMaps and events of one namespace and read its logs, no more.

use std::path::PathBuf;

use serde_json::Value;

use crate::program::{Run, kubeconfig, kubectl, run_with};

const NAMESPACE: &str = "shop";

/// A ServiceAccount with a Role in the namespace, and a kubeconfig that logs in as it. All of it goes with this.
struct Account {
    name: String,
    folder: tempfile::TempDir,
}

impl Account {
    fn new(name: &str, resources: &str) -> Self {
        let account = Self {
            name: format!("confsplit-test-{name}"),
            folder: tempfile::tempdir().expect("a folder"),
        };
        account.remove();
        let (name, admin) = (account.name.as_str(), kubeconfig());
        let make = |args: &[&str]| kubectl(&admin, &[&["-n", NAMESPACE, "create"], args].concat());
        make(&["serviceaccount", name]);
        let resource = format!("--resource={resources}");
        make(&["role", name, "--verb=get,list,watch", &resource]);
        let (role, subject) = (
            format!("--role={name}"),
            format!("--serviceaccount={NAMESPACE}:{name}"),
        );
        make(&["rolebinding", name, &role, &subject]);
        let token = make(&["token", name]);
        let own = account.kubeconfig();
        let plain = kubectl(&admin, &["config", "view", "--raw", "--minify"]);
        std::fs::write(&own, plain).expect("a kubeconfig is written");
        kubectl(
            &own,
            &[
                "config",
                "set-credentials",
                "test",
                &format!("--token={token}"),
            ],
        );
        let namespace = format!("--namespace={NAMESPACE}");
        kubectl(
            &own,
            &[
                "config",
                "set-context",
                "--current",
                "--user=test",
                &namespace,
            ],
        );
        account
    }

    fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    fn run(&self, args: &[&str]) -> Run {
        run_with(&self.kubeconfig(), args)
    }

    fn report(&self, args: &[&str], code: i32) -> Value {
        let run = self.run(&[&["diagnose", "-o", "json"], args].concat());
        assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
        serde_json::from_str(&run.stdout).expect("a report in JSON")
    }

    fn remove(&self) {
        let args = ["-n", NAMESPACE, "delete", "--ignore-not-found"];
        for kind in ["rolebinding", "role", "serviceaccount"] {
            kubectl(&kubeconfig(), &[&args[..], &[kind, &self.name]].concat());
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.remove();
        }
    }
}

fn whys(report: &Value) -> Vec<&str> {
    let open = report["not_checked"]
        .as_array()
        .expect("what was not checked");
    open.iter().filter_map(|n| n["why"].as_str()).collect()
}

/// What each replica of the first incident runs, and how that is known.
fn loads(report: &Value) -> Vec<(&str, &str, &str)> {
    let replicas = report["incidents"][0]["replicas"].as_array();
    let mut found: Vec<_> = replicas
        .expect("replicas")
        .iter()
        .filter_map(|r| {
            Some((
                r["pod"].as_str()?,
                r["loaded"].as_str()?,
                r["grade"].as_str()?,
            ))
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn rights_on_four_resources_of_one_namespace_are_enough_for_the_cause() {
    let account = Account::new("four", "pods,pods/log,configmaps,events");
    // No -n: the context's namespace, not default.
    let few = account.report(&[], 1);
    let admin = run_with(&kubeconfig(), &["-n", NAMESPACE, "diagnose", "-o", "json"]);
    let admin: Value = serde_json::from_str(&admin.stdout).expect("a report in JSON");
    let cause = |report: &Value| report["incidents"][0]["findings"][0]["sentence"].clone();
    assert_eq!(few["incidents"][0]["findings"][0]["code"], "split-replicas");
    assert_eq!(cause(&few), cause(&admin));
    assert_eq!(few["incidents"][0]["workload"]["name"], "frontend");
    assert_eq!(few["incidents"][0]["workload"]["kind"], "Deployment");
    assert_eq!(loads(&few), loads(&admin));
    for resource in [
        "deployments",
        "replicasets",
        "statefulsets",
        "daemonsets",
        "services",
        "endpointslices",
        "secrets",
    ] {
        let why = format!("no permission: list {resource} in shop");
        assert!(
            whys(&few).contains(&why.as_str()),
            "{why}: {:?}",
            whys(&few)
        );
    }
    let service = account.report(&["svc/frontend"], 2);
    let verdict = service["verdict"].as_str().expect("a verdict");
    assert!(
        verdict.contains("no permission: list services in shop"),
        "{verdict}"
    );
    assert!(!verdict.contains("There is no"), "{verdict}");
    let deployment = account.report(&["deploy/frontend"], 1);
    assert_eq!(cause(&deployment), cause(&admin));
    let all = account.run(&["-A", "diagnose"]);
    assert_eq!(all.code, Some(3));
    assert!(all.stderr.contains("with -n"), "{}", all.stderr);
}

#[test]
fn what_is_missing_is_named_where_it_weakens() {
    let no_maps = Account::new("no-configmaps", "pods,pods/log,events").report(&[], 2);
    let verdict = no_maps["verdict"].as_str().expect("a verdict");
    assert!(
        verdict.contains("no permission: list configmaps in shop"),
        "{verdict}"
    );
    let no_events = Account::new("no-events", "pods,pods/log,configmaps").report(&[], 1);
    let open = no_events["not_checked"].to_string();
    assert!(
        open.contains("Kills and restarts around the edit"),
        "{open}"
    );
    assert!(!open.contains("there are no events"), "{open}");
    let no_logs = Account::new("no-logs", "pods,configmaps,events").report(&[], 2);
    let why = "no permission: get pods/log in shop";
    assert!(whys(&no_logs).contains(&why), "{:?}", whys(&no_logs));
}

#[test]
fn a_token_that_is_not_accepted_is_one_line() {
    let account = Account::new("expired", "pods");
    let token = "--token=eyJhbGciOiJSUzI1NiJ9.e30.x";
    kubectl(
        &account.kubeconfig(),
        &["config", "set-credentials", "test", token],
    );
    let run = account.run(&["diagnose"]);
    assert_eq!(run.code, Some(3));
    assert!(
        run.stderr.contains("does not accept the login"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
}
