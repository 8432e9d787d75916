//! Kubeconfig files: several, missing, empty, in UTF-16, unreadable; and servers that cannot be reached.

use std::time::Duration;

use super::network::{ApiServer, silent};
use super::{Kube, config};

/// So long may a server that cannot be reached take.
const LIMIT: Duration = Duration::from_secs(8);

fn server(api: &ApiServer) -> String {
    format!("{{server: \"{}\"}}", api.url())
}

/// KUBECONFIG with these files of the folder.
fn with(kube: Kube, files: &[&str]) -> Kube {
    let paths: Vec<String> = files
        .iter()
        .map(|file| kube.path(file).to_str().unwrap().to_owned())
        .collect();
    kube.var("KUBECONFIG", &paths.join(":"))
}

fn utf16(text: &str) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn missing_empty_and_repeated_files_do_not_matter() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{token: a}");
    kube.write("empty", "");
    kube.write(
        "unset",
        "apiVersion: v1\nkind: Config\ncurrent-context: \"\"\n",
    );
    with(kube, &["missing", "empty", "unset", "config", "config"])
        .diagnose()
        .reads();
}

#[test]
fn the_first_file_that_names_something_wins() {
    let (first, second) = (ApiServer::start(), ApiServer::start());
    let kube = Kube::new(&first.url(), "{token: first}");
    kube.write("second", config(&server(&second), "{token: second}"));
    with(kube, &["config", "second"]).diagnose().reads();
    assert!(second.headers("authorization").is_empty());
    assert!(
        first
            .headers("authorization")
            .contains(&Some("Bearer first".to_owned()))
    );
}

#[test]
fn utf_16_as_powershell_writes_it_is_read() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{token: a}");
    let text = utf16(&config(&server(&api), "{token: a}"));
    kube.write("config", &text);
    kube.diagnose().reads();
    kube.write("config", &text[..text.len() - 1]);
    let said = kube.diagnose().fails();
    assert!(said.contains("ends within a character"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{token: a}");
    kube.write("broken", "users: [{name: me, user: {token: hunter2}}\n");
    // A path through a file is no missing file: kubectl fails here too.
    let files = ["config/config", "broken", "."];
    let mut kube = kube;
    for file in files {
        kube = with(kube, &[file, "config"]);
        let said = kube.diagnose().fails();
        assert!(
            said.contains("The kubeconfig ") && said.contains(file),
            "{said}"
        );
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn what_a_kubeconfig_lacks_is_told() {
    let api = ApiServer::start();
    let none = Kube::new(&api.url(), "{}").var("KUBECONFIG", "/nonexistent/a:/nonexistent/b");
    let said = none.diagnose().fails();
    assert!(said.contains("/nonexistent/a:/nonexistent/b"), "{said}");
    assert!(said.contains("confsplit open"), "{said}");
    let kube = Kube::new(&api.url(), "{}");
    let cases = [
        (
            config(&server(&api), "{}").replace("current-context: lab", ""),
            "no current context",
            "lab",
        ),
        (
            config(&server(&api), "{}")
                .replace("context: {cluster: lab", "context: {cluster: gone"),
            "no cluster \"gone\"",
            "config view",
        ),
        (config("{}", "{}"), "has no server", "config view"),
        (
            config("{server: \"ftp://x\"}", "{}"),
            "neither http:// nor https://",
            "config view",
        ),
        (
            config(
                "{server: \"https://x\", certificate-authority-data: aGVsbG8=}",
                "{}",
            ),
            "no certificate in PEM form",
            "config view",
        ),
    ];
    for (text, message, hint) in cases {
        kube.write("config", text);
        let said = kube.diagnose().fails();
        assert!(said.contains(message) && said.contains(hint), "{said}");
    }
    let said = kube.run(&["--context", "other", "diagnose"]).fails();
    assert!(
        said.contains("no context other") && said.contains("There is lab"),
        "{said}"
    );
}

#[test]
fn a_server_without_a_scheme_is_reached() {
    let api = ApiServer::start();
    Kube::new(&api.address.to_string(), "{token: a}")
        .diagnose()
        .reads();
}

#[test]
fn a_server_that_cannot_be_reached_is_one_line_in_time() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let quiet = silent();
    let cases = [
        (
            "https://api.invalid:6443".to_owned(),
            "https://api.invalid:6443 ",
        ),
        (format!("https://{closed}"), "refused"),
        (format!("https://{quiet}"), "did not answer in 1 s"),
        (format!("http://{quiet}"), "did not answer in 1 s"),
    ];
    for (server, message) in cases {
        let kube = Kube::new(&server, "{token: a}");
        let ran = kube.run(&["diagnose", "--request-timeout", "1s"]);
        let said = ran.within(LIMIT).fails();
        assert!(said.contains(message), "{said}");
        assert!(!said.contains("ServiceError"), "{said}");
    }
}

#[test]
fn what_is_no_api_server_is_not_said_to_lack_the_namespace() {
    let page = ApiServer::nothing();
    let kube = Kube::new(&page.url(), "{token: a}");
    let said = kube.diagnose().fails();
    assert!(said.contains("nothing that can be read"), "{said}");
    assert!(
        said.contains("address of a Kubernetes API server"),
        "{said}"
    );
}
