//! Requests that may pass and those that may not, without the user's consent and with it.

use http::Method;

use super::allowed;
use crate::source::Probing;

fn passes(method: &Method, url: &str, agreed: &Probing) -> bool {
    let (path, query) = match url.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (url, None),
    };
    allowed(method, path, query, agreed)
}

fn reads(method: &Method, url: &str) -> bool {
    passes(method, url, &Probing::default())
}

fn all() -> Probing {
    Probing {
        exec: true,
        version_at: ":8080/info#version".parse().ok(),
    }
}

#[test]
fn reads_pass() {
    for path in [
        "/api/v1/namespaces/shop/pods",
        "/api/v1/namespaces/shop/pods/frontend-1/log",
        "/api/v1/namespaces/shop/configmaps/proxy",
        "/api/v1/namespaces/proxy/pods/exec",
        "/version",
    ] {
        assert!(reads(&Method::GET, path), "{path}");
        assert!(passes(&Method::GET, path, &all()), "{path}");
    }
    assert!(reads(
        &Method::POST,
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    ));
}

#[test]
fn nothing_else_passes() {
    for path in [
        "/api/v1/namespaces/shop/pods/frontend-1/exec",
        "/api/v1/namespaces/shop/pods/frontend-1/attach",
        "/api/v1/namespaces/shop/pods/frontend-1/portforward",
        "/api/v1/namespaces/shop/services/api/proxy",
        "/api/v1/nodes/node-1/proxy/configz",
        "/api/v1/namespaces/shop/pods/frontend-1/%65xec",
    ] {
        assert!(!reads(&Method::GET, path), "{path}");
        assert!(!passes(&Method::GET, path, &all()), "{path}");
    }
    for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::POST] {
        let path = "/api/v1/namespaces/shop/configmaps/features";
        assert!(!passes(&method, path, &all()), "{method}");
    }
    assert!(!reads(
        &Method::POST,
        "/api/v1/namespaces/shop/pods/selfsubjectaccessreviews"
    ));
}

const EXEC: &str = "/api/v1/namespaces/shop/pods/frontend-1/exec?container=web&stdout=true";

#[test]
fn a_listed_command_passes_with_consent_alone() {
    for command in [
        "command=cat&command=%2Fproc%2Fself%2Fenviron",
        "command=env&command=-0",
        "command=stat&command=-L&command=-c&command=%25Y+%25s+%25F+%25n&command=%2Fetc%2Fapp%2Fa+b",
        "command=ls&command=-l&command=%2Fproc%2F1%2Ffd&command=%2Fproc%2F20%2Ffd&stderr=true",
    ] {
        let url = format!("{EXEC}&{command}");
        assert!(passes(&Method::GET, &url, &all()), "{url}");
        assert!(!reads(&Method::GET, &url), "{url}");
        let version_only = Probing {
            exec: false,
            ..all()
        };
        assert!(!passes(&Method::GET, &url, &version_only), "{url}");
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(!passes(&method, &url, &all()), "{method} {url}");
        }
    }
}

#[test]
fn no_other_command_passes() {
    let listed = "command=cat&command=%2Fproc%2Fself%2Fenviron";
    for more in [
        "",
        "&command=id",
        "&command=sh&command=-c&command=cat+%2Fproc%2Fself%2Fenviron",
        "&command=cat+%2Fproc%2Fself%2Fenviron",
        "&command=cat&command=%2Fproc%2Fself%2Fenviron%00",
        "&command=cat&command=%2Fetc%2F..%2Fproc%2Fkmsg",
        "&command=rm&command=%2Fetc%2Fapp%2Fa",
    ] {
        let url = format!("{EXEC}{more}");
        assert!(!passes(&Method::GET, &url, &all()), "{url}");
    }
    for more in [
        "stdin=true",
        "stdin=1",
        "stdin=false",
        "tty=true",
        "std%69n=true",
        "stdout=maybe",
        "container=other",
        "Command=id",
        "command=",
        "pretty",
    ] {
        let url = format!("{EXEC}&{listed}&{more}");
        assert!(!passes(&Method::GET, &url, &all()), "{url}");
    }
    for path in [
        "/api/v1/namespaces/shop/pods/p/exec/",
        "/api/v1/namespaces/shop/pods/p//exec",
        "/api/v1/namespaces//pods/p/exec",
        "/api/v1/namespaces/shop/pods/P/exec",
        "/api/v1/namespaces/shop/pods/p/attach",
        "/api/v1/namespaces/shop/services/p/exec",
        "/apis/x/v1/namespaces/shop/pods/p/exec",
        "/x/api/v1/namespaces/shop/pods/p/exec",
    ] {
        let url = format!("{path}?container=web&stdout=true&{listed}");
        assert!(!passes(&Method::GET, &url, &all()), "{url}");
    }
    let without = format!("/api/v1/namespaces/shop/pods/p/exec?stdout=true&{listed}");
    assert!(!passes(&Method::GET, &without, &all()));
}

#[test]
fn the_version_is_asked_exactly_where_it_was_said() {
    let pods = "/api/v1/namespaces/shop/pods";
    let url = format!("{pods}/frontend-1:8080/proxy/info");
    assert!(passes(&Method::GET, &url, &all()));
    assert!(!reads(&Method::GET, &url));
    let exec_only = Probing {
        version_at: None,
        ..all()
    };
    assert!(!passes(&Method::GET, &url, &exec_only));
    assert!(!passes(&Method::POST, &url, &all()));
    for path in [
        "frontend-1:8080/proxy/info/",
        "frontend-1:8080/proxy/info?x=y",
        "frontend-1:8080/proxy/info?",
        "frontend-1:8080/proxy/",
        "frontend-1:8080/proxy",
        "frontend-1:8080/proxy/admin",
        "frontend-1:8080/proxy//info",
        "frontend-1:8080/proxy/x/../info",
        "frontend-1:80/proxy/info",
        "frontend-1:08080/proxy/info",
        "https:frontend-1:8080/proxy/info",
        "frontend-1/proxy/info",
    ] {
        let url = format!("{pods}/{path}");
        assert!(!passes(&Method::GET, &url, &all()), "{url}");
    }
    let service = "/api/v1/namespaces/shop/services/frontend:8080/proxy/info";
    assert!(!passes(&Method::GET, service, &all()));
}
