//! Requests that may pass and those that may not.

use http::Method;

use super::allowed;

#[test]
fn reads_pass() {
    for path in [
        "/api/v1/namespaces/shop/pods",
        "/api/v1/namespaces/shop/pods/frontend-1/log",
        "/api/v1/namespaces/shop/configmaps/proxy",
        "/api/v1/namespaces/proxy/pods/exec",
        "/version",
    ] {
        assert!(allowed(&Method::GET, path), "{path}");
    }
    assert!(allowed(
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
        "/api/v1/namespaces/shop/pods/frontend-1/proxy/info",
        "/api/v1/namespaces/shop/services/api/proxy",
        "/api/v1/nodes/node-1/proxy/configz",
        "/api/v1/namespaces/shop/pods/frontend-1/%65xec",
    ] {
        assert!(!allowed(&Method::GET, path), "{path}");
    }
    for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::POST] {
        assert!(
            !allowed(&method, "/api/v1/namespaces/shop/configmaps/features"),
            "{method}"
        );
    }
    assert!(!allowed(
        &Method::POST,
        "/api/v1/namespaces/shop/pods/selfsubjectaccessreviews"
    ));
}
