//! What pods say and what is asked of them.

use futures::{AsyncBufReadExt, StreamExt};
use http::Request;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, AttachParams};
use tokio::io::AsyncReadExt;

use super::{Lab, PODS, failure};

#[tokio::test]
async fn a_command_prints_and_ends() {
    let lab = Lab::new().await;
    let pods = lab.printers().await;
    let api: Api<Pod> = Api::default_namespaced(lab.client.clone());
    let params = AttachParams::default()
        .container("app")
        .stderr(true)
        .stdin(false);
    let command = ["cat", "/proc/self/environ"];
    let mut attached = api.exec(&pods[0], command, &params).await.unwrap();
    let mut out = String::new();
    attached
        .stdout()
        .unwrap()
        .read_to_string(&mut out)
        .await
        .unwrap();
    assert!(out.split('\0').any(|one| one == "mode=blue"), "{out}");
    let status = attached.take_status().unwrap().await.unwrap();
    assert_eq!(status.status.as_deref(), Some("Success"));
    let mut failed = api
        .exec(&pods[0], ["cat", "/nothing"], &params)
        .await
        .unwrap();
    let status = failed.take_status().unwrap().await.unwrap();
    assert_eq!(status.reason.as_deref(), Some("NonZeroExitCode"));
}

#[tokio::test]
async fn a_log_is_followed_until_the_pod_is_gone() {
    let lab = Lab::new().await;
    let pods = lab.printers().await;
    let path = format!(
        "{PODS}/{}/log?container=app&follow=true&tailLines=1&timestamps=true",
        pods[0]
    );
    let request = Request::get(&path).body(Vec::new()).unwrap();
    let mut lines = lab.client.request_stream(request).await.unwrap().lines();
    let first = lines.next().await.unwrap().unwrap();
    assert!(first.ends_with("mode=blue"), "{first}");
    lab.pass(2);
    let second = lines.next().await.unwrap().unwrap();
    assert!(second > first, "{second}");
    let request = Request::delete(format!("{PODS}/{}", pods[0]))
        .body(Vec::new())
        .unwrap();
    let _: serde_json::Value = lab.client.request(request).await.unwrap();
    lab.pass(60);
    let rest = lines.count();
    assert!(
        tokio::time::timeout(std::time::Duration::from_secs(20), rest)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn there_is_no_log_of_a_run_before() {
    let lab = Lab::new().await;
    let pods = lab.printers().await;
    let path = format!("{PODS}/{}/log?previous=true", pods[0]);
    let request = Request::get(&path).body(Vec::new()).unwrap();
    let refused = failure(lab.client.request_text(request).await.unwrap_err());
    let message = format!(
        "previous terminated container \"app\" in pod \"{}\" not found",
        pods[0]
    );
    assert_eq!(refused, (400, message));
}
