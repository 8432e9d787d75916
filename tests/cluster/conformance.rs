//! The pairs of request and answer to which the simulator is held, on a real API server: they are right as long as this passes.

#[path = "../conformance/runner.rs"]
mod runner;

use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::program::kubeconfig;

async fn client() -> Client {
    let file = Kubeconfig::read_from(kubeconfig()).expect("a kubeconfig");
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(file, &options);
    let mut config = config.await.expect("a cluster in it");
    // An answer is what it is, also one that asks for another try.
    config.default_retry = false;
    Client::try_from(config).expect("a client")
}

#[test]
fn a_real_api_server_answers_as_the_pairs_say() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let outcome = runtime.block_on(async {
        let mark = std::process::id().to_string();
        runner::run_all(&client().await, &folder, &mark).await
    });
    outcome.check();
}
