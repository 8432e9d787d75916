//! Logins: as whom requests are sent, login plugins, and what becomes of a login that is not accepted.

use std::time::Duration;

use chrono::{DateTime, Utc};
use confsplit::model::Scope;
use confsplit::source::Source;
use confsplit::source::live::{ConnectOptions, Live};

use super::network::ApiServer;
use super::{Kube, config, plugin};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// What a plugin prints for this token, with these further fields of its status.
fn credential(token: &str, more: &str) -> String {
    format!(
        r#"echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {{"token": "{token}"{more}}}}}'"#
    )
}

/// How often the plugin was run that adds a line to this file each time.
fn runs(kube: &Kube) -> usize {
    std::fs::read_to_string(kube.path("runs")).map_or(0, |text| text.lines().count())
}

#[test]
fn every_request_is_sent_as_whom_the_flags_say() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{token: a}");
    kube.run(&["--as", "jane", "--as-group", "dev", "diagnose"])
        .reads();
    let all = |name, value| {
        let found = api.headers(name);
        assert!(
            !found.is_empty() && found.iter().all(|v| *v == value),
            "{name}: {found:?}"
        );
    };
    all("impersonate-user", some("jane"));
    all("impersonate-group", some("dev"));
    all("authorization", some("Bearer a"));
    let agent = format!("confsplit/{}", env!("CARGO_PKG_VERSION"));
    all("user-agent", Some(agent));
}

#[test]
fn a_login_that_is_not_accepted_is_one_line() {
    let api = ApiServer::accepting(|_| false);
    let said = Kube::new(&api.url(), "{token: expired}").diagnose().fails();
    assert!(said.contains("does not accept the login"), "{said}");
    assert!(said.contains("log in"), "{said}");
}

#[test]
fn a_plugin_is_found_from_the_kubeconfigs_folder_and_runs_apart() {
    let api = ApiServer::accepting(|login| login == "Bearer fresh");
    let kube = Kube::new(&api.url(), "{}");
    let ask =
        "echo 'Enter MFA code:' >&2\nread answer && exit 1\n(echo smear >/dev/tty) 2>/dev/null\n";
    kube.script("x.sh", &format!("{ask}{}", credential("fresh", "")));
    let user = plugin("../x.sh".as_ref());
    kube.write(
        "cfg/config",
        config(&format!("{{server: \"{}\"}}", api.url()), &user),
    );
    let path = kube.path("cfg/config");
    let kube = kube.var("KUBECONFIG", path.to_str().unwrap());
    let ran = kube.diagnose();
    ran.reads();
    assert_eq!(ran.said(), "");
}

#[test]
fn a_login_that_is_refused_is_renewed_once() {
    let api = ApiServer::accepting(|login| login == "Bearer 2");
    let kube = Kube::new(&api.url(), "{}");
    let count = format!(
        "echo x >> {0}; n=$(wc -l < {0})",
        kube.path("runs").display()
    );
    let script = kube.script("login", &format!("{count}\n{}", credential("'$((n))'", "")));
    let server = format!("{{server: \"{}\"}}", api.url());
    kube.write("config", config(&server, &plugin(&script)));
    kube.diagnose().reads();
    assert_eq!(runs(&kube), 2, "for a dozen refusals at once");
    // From here on each is refused.
    kube.diagnose().fails();
    assert_eq!(runs(&kube), 4);
}

#[test]
fn a_plugin_whose_logins_are_expired_is_not_run_for_each_request() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{}");
    let count = format!("echo x >> {}", kube.path("runs").display());
    let expired = r#", "expirationTimestamp": "2020-01-01T00:00:00Z""#;
    let script = kube.script("login", &format!("{count}\n{}", credential("a", expired)));
    let server = format!("{{server: \"{}\"}}", api.url());
    kube.write("config", config(&server, &plugin(&script)));
    kube.diagnose().reads();
    assert_eq!(runs(&kube), 1);
}

#[test]
fn a_plugin_that_is_no_use_is_told_without_what_it_printed() {
    let api = ApiServer::start();
    let server = format!("{{server: \"{}\"}}", api.url());
    let cases = [
        (
            "echo hunter2; echo hunter2 >&2; exit 7",
            "failed (exit status: 7)",
        ),
        (
            "echo '{\"status\": {\"token\": [\"hunter2\"]}}'",
            "no ExecCredential",
        ),
        (
            "echo '{\"status\": {}}'",
            "neither a token nor a certificate",
        ),
        ("echo hunter2; exec sleep 600", "no answer in 1 s"),
    ];
    for (text, said) in cases {
        let kube = Kube::new(&api.url(), "{}");
        let script = kube.script("login", text);
        kube.write("config", config(&server, &plugin(&script)));
        let ran = kube.run(&["diagnose", "--request-timeout", "1s"]);
        let told = ran.within(Duration::from_secs(5)).fails();
        assert!(told.contains(said), "{told}");
        assert!(told.contains("log in there first"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
    let kube = Kube::new(
        &api.url(),
        "{exec: {command: no-such-plugin, installHint: brew install it}}",
    );
    let told = kube.diagnose().fails();
    assert!(
        told.contains("\"no-such-plugin\" is not there (brew install it)"),
        "{told}"
    );
    assert!(
        api.headers("authorization").is_empty(),
        "something was sent"
    );
}

#[tokio::test]
async fn reading_again_takes_a_new_login_but_no_other_cluster() {
    let api = ApiServer::accepting(|login| login == "Bearer good");
    let other = ApiServer::start();
    let kube = Kube::new(&api.url(), "{token: bad}");
    let options = ConnectOptions {
        kubeconfig: Some(kube.path("config")),
        request_timeout: Some(Duration::from_secs(5)),
        ..ConnectOptions::default()
    };
    let live = Live::connect(&options, || DateTime::<Utc>::UNIX_EPOCH).unwrap();
    let scope = Scope {
        namespace: some("shop"),
        ..Scope::default()
    };
    let error = live.lists(&scope, &|_| {}).await.unwrap_err();
    assert!(
        error.message.contains("does not accept the login"),
        "{error}"
    );
    // The user switches the kubeconfig to another cluster: what is on screen must stay about the first.
    let elsewhere = format!("{{server: \"{}\"}}", other.url());
    kube.write("config", config(&elsewhere, "{token: good}"));
    live.lists(&scope, &|_| {}).await.unwrap_err();
    assert_eq!(other.headers("user-agent").len(), 0);
    // The user logs in again.
    let server = format!("{{server: \"{}\"}}", api.url());
    kube.write("config", config(&server, "{token: good}"));
    let snapshot = live.lists(&scope, &|_| {}).await.unwrap();
    assert_eq!(snapshot.gaps, []);
}
