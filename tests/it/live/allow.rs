//! Whatever asks, only reads reach the server.

use confsplit::model::{GapReason, PodRef, Scope, Want};
use confsplit::source::Source;
use confsplit::source::live::ReadOnly;
use http::{Method, Request};
use kube::client::Body;
use tower::{Layer, ServiceExt};

use super::fake::{Fake, answer, lists};
use crate::build::NS;

/// Sends one request through the layer; whether it was let through.
async fn passes(fake: &Fake, method: Method, path: &str) -> bool {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .body(Body::empty())
        .unwrap();
    let sent = ReadOnly::default()
        .layer(fake.clone())
        .oneshot(request)
        .await;
    if let Err(error) = &sent {
        let said = error.to_string();
        assert!(said.starts_with("refused before it was sent"), "{said}");
    }
    sent.is_ok()
}

#[tokio::test]
async fn writes_never_leave() {
    let fake = Fake::default();
    let path = "/api/v1/namespaces/shop/configmaps/features";
    let methods = [
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::CONNECT,
        Method::TRACE,
    ];
    for method in methods {
        assert!(!passes(&fake, method.clone(), path).await, "{method}");
    }
    let acting = [
        "/api/v1/namespaces/shop/pods/p/exec?command=id",
        "/api/v1/namespaces/shop/pods/p/attach",
        "/api/v1/namespaces/shop/pods/p/portforward",
        "/api/v1/namespaces/shop/pods/p/proxy/",
        "/api/v1/namespaces/shop/services/s:80/proxy",
        "/api/v1/nodes/n/proxy/run",
        "/api/v1/namespaces/shop/pods/p//exec",
        "/api/v1/namespaces/shop/pods/p/exec/",
        // A proxy before the server may resolve these.
        "/api/v1/namespaces/shop/pods/p/./exec",
        "/api/v1/namespaces/shop/pods/p/log/../exec",
        "/api/v1/namespaces/shop/pods/p/%65xec",
    ];
    for path in acting {
        assert!(!passes(&fake, Method::GET, path).await, "{path}");
    }
    assert_eq!(fake.urls(), Vec::<String>::new(), "something got out");
    assert!(passes(&fake, Method::GET, path).await);
    let review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert!(passes(&fake, Method::POST, review).await);
    assert_eq!(fake.urls(), [path, review]);
}

#[tokio::test]
async fn a_name_that_smuggles_a_path_gets_nowhere() {
    let fake = Fake::default();
    let live = fake.live();
    let scope = Scope {
        namespace: Some("shop/pods/p/exec?command=id&x=".to_owned()),
        ..Scope::default()
    };
    let error = live.lists(&scope, &|_| {}).await.unwrap_err();
    assert!(error.message.contains("refused"), "{error}");
    let smuggled = |url: &String| url.contains("exec");
    assert!(!fake.urls().iter().any(smuggled), "{:?}", fake.urls());

    let mut snapshot = lists(&live).await.unwrap();
    let want = Want::Log {
        pod: PodRef {
            namespace: NS.to_owned(),
            name: "p/exec?command=id&x=".to_owned(),
            uid: String::new(),
        },
        container: "app".to_owned(),
        previous: false,
    };
    answer(&live, &mut snapshot, vec![want]).await;
    assert!(!fake.urls().iter().any(smuggled), "{:?}", fake.urls());
    let GapReason::Connection(why) = &snapshot.gaps[0].reason else {
        panic!("{:?}", snapshot.gaps);
    };
    assert!(why.contains("refused before it was sent"), "{why}");
}
