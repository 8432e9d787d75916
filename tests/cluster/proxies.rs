//! TLS to a real API server through proxies, by another name than that of its address.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

#[path = "../it/connect/network.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "it is the other test binary's; its API server is for those who have none"
)]
mod network;

use self::network::Proxy;
use crate::program::{Run, kubeconfig, kubectl, run_in};

/// The API server's address, which must be one of this machine for these tests.
fn server() -> SocketAddr {
    let view = [
        "config",
        "view",
        "--minify",
        "-o",
        "jsonpath={.clusters[0].cluster.server}",
    ];
    let url = kubectl(&kubeconfig(), &view);
    let address = url.trim_start_matches("https://");
    address.parse().expect("an address")
}

/// The kubeconfig, its cluster changed with these flags of `kubectl config set-cluster`. The CA is in it as data.
fn changed(folder: &Path, flags: &[&str]) -> PathBuf {
    let own = folder.join("config");
    let plain = kubectl(
        &kubeconfig(),
        &["config", "view", "--raw", "--minify", "--flatten"],
    );
    assert!(
        plain.contains("certificate-authority-data"),
        "no CA as data"
    );
    std::fs::write(&own, plain).expect("a kubeconfig is written");
    let name = ["config", "view", "-o", "jsonpath={.clusters[0].name}"];
    let name = kubectl(&own, &name);
    kubectl(&own, &[&["config", "set-cluster", &name], flags].concat());
    own
}

fn diagnose(kubeconfig: &Path, vars: &[(&str, &str)]) -> Run {
    run_in(
        kubeconfig,
        vars,
        &["-n", "kube-system", "diagnose", "--request-timeout", "5s"],
    )
}

#[test]
fn the_environments_proxy_carries_tls_by_the_servers_own_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = Proxy::connect(server());
    let url = format!("http://{}", proxy.address);
    let own = changed(
        folder.path(),
        &[
            "--server=https://api.test:6443",
            "--tls-server-name=kubernetes.default.svc",
        ],
    );
    let run = diagnose(&own, &[("HTTPS_PROXY", &url)]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let seen = proxy.seen();
    assert!(
        seen.iter().all(|s| s == "CONNECT api.test:6443 HTTP/1.1"),
        "{seen:?}"
    );
    assert!(!seen.is_empty());
    let direct = diagnose(&own, &[("HTTPS_PROXY", &url), ("NO_PROXY", "api.test")]);
    assert_eq!(direct.code, Some(3), "{}", direct.stdout);
    assert_eq!(proxy.seen().len(), seen.len(), "NO_PROXY goes direct");
    let wrong = changed(
        folder.path(),
        &[
            "--server=https://api.test:6443",
            "--tls-server-name=other.test",
        ],
    );
    let run = diagnose(&wrong, &[("HTTPS_PROXY", &url)]);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    assert!(run.stderr.contains("certificate"), "{}", run.stderr);
}

#[test]
fn the_kubeconfigs_proxies_carry_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let (http, socks) = (Proxy::connect(server()), Proxy::socks5(server()));
    for (scheme, proxy) in [("http", &http), ("socks5", &socks)] {
        let url = format!("--proxy-url={scheme}://{}", proxy.address);
        let flags = [
            "--server=https://api.test:6443",
            "--tls-server-name=kubernetes.default.svc",
            &url,
        ];
        let own = changed(folder.path(), &flags);
        let run = diagnose(&own, &[]);
        assert_eq!(run.code, Some(0), "{scheme}: {}{}", run.stdout, run.stderr);
        assert!(proxy.seen().iter().all(|s| s.contains("api.test:6443")));
        assert!(!proxy.seen().is_empty(), "{scheme}");
    }
}
