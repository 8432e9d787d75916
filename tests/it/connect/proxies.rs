//! Proxies: which is used, and that the connection goes through it.

use super::network::{ApiServer, Proxy};
use super::{Kube, Ran};

const NAME: &str = "http://api.test:8001";

fn through_proxy_url(url: &str) -> Ran {
    let cluster = format!("{{server: \"{NAME}\", proxy-url: \"{url}\"}}");
    // NO_PROXY is not for a proxy that the kubeconfig names.
    let kube = Kube::with_cluster(&cluster, "{token: a}").var("NO_PROXY", "*");
    kube.diagnose()
}

#[test]
fn the_kubeconfigs_http_proxy_leads_to_the_server() {
    let api = ApiServer::start();
    let proxy = Proxy::connect(api.address);
    through_proxy_url(&format!("http://me:p%40ss@{}", proxy.address)).reads();
    let seen = proxy.seen();
    // "me:p@ss"
    let first = "CONNECT api.test:8001 HTTP/1.1 Basic bWU6cEBzcw==";
    assert!(seen.iter().any(|s| s == first), "{seen:?}");
    assert!(
        api.headers("authorization")
            .contains(&Some("Bearer a".to_owned()))
    );
}

#[test]
fn a_socks_proxy_resolves_the_name() {
    for scheme in ["socks5", "socks5h"] {
        let api = ApiServer::start();
        let proxy = Proxy::socks5(api.address);
        through_proxy_url(&format!("{scheme}://{}", proxy.address)).reads();
        let seen = proxy.seen();
        assert!(seen.iter().all(|s| s == "api.test:8001"), "{seen:?}");
        assert!(!seen.is_empty(), "{scheme}");
    }
}

#[test]
fn the_environments_proxy_is_used_by_scheme() {
    let api = ApiServer::start();
    let proxy = Proxy::connect(api.address);
    let address = proxy.address.to_string();
    let kube = Kube::new(NAME, "{token: a}").var("HTTP_PROXY", &address);
    // An empty entry is nothing to fail on.
    kube.var("NO_PROXY", "elsewhere.test,").diagnose().reads();
    assert!(
        proxy
            .seen()
            .iter()
            .all(|s| s == "CONNECT api.test:8001 HTTP/1.1")
    );
    let secure = Proxy::connect(api.address);
    let url = format!("http://{}", secure.address);
    let kube = Kube::new("https://api.test:6443", "{token: a}").var("https_proxy", &url);
    // What is behind this proxy speaks no TLS.
    kube.diagnose().fails();
    let seen = secure.seen();
    assert!(
        seen.contains(&"CONNECT api.test:6443 HTTP/1.1".to_owned()),
        "{seen:?}"
    );
}

#[test]
fn no_proxy_and_this_machine_go_direct() {
    let api = ApiServer::start();
    let proxy = Proxy::connect(api.address);
    let url = format!("http://{}", proxy.address);
    let kube = Kube::new(&api.url(), "{token: a}").var("HTTP_PROXY", &url);
    kube.diagnose().reads();
    let kube = Kube::new("http://api.invalid:8001", "{token: a}").var("HTTP_PROXY", &url);
    let said = kube.var("NO_PROXY", ".invalid:8001").diagnose().fails();
    assert!(said.contains("http://api.invalid:8001 "), "{said}");
    assert_eq!(proxy.seen(), [""; 0]);
}

#[test]
fn a_proxy_that_cannot_be_used_is_named() {
    let said = through_proxy_url("ftp://me:hunter2@proxy.test").fails();
    assert!(
        said.contains("The context lab cannot be used: its proxy-url"),
        "{said}"
    );
    assert!(
        said.contains("socks5") && !said.contains("hunter2"),
        "{said}"
    );
    let dead = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let said = through_proxy_url(&format!("http://{dead}")).fails();
    assert!(said.contains("refused"), "{said}");
}
