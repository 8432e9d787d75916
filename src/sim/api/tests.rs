//! What is said of runs, without a run: commands' ends over a socket, and the pieces of a log.

use chrono::{DateTime, TimeDelta, Utc};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::exec::{self, Streams};
use super::logs;
use super::pods::container;
use crate::sim::status::Failure;
use crate::sim::world::{Line, Output};

/// Each message of an exec, by its channel.
async fn played(ran: Result<Output, Failure>) -> Vec<(u8, Vec<u8>)> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let streams = Streams {
        stdout: true,
        stderr: true,
    };
    tokio::spawn(async move {
        let mut socket = WebSocketStream::from_raw_socket(far, Role::Server, None).await;
        exec::play(&mut socket, ran, &streams).await.unwrap();
    });
    let mut socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
    let mut messages = Vec::new();
    while let Some(Ok(message)) = socket.next().await {
        if message.is_binary() {
            let data = message.into_data();
            messages.push((data[0], data[1..].to_vec()));
        }
    }
    messages.retain(|(_, bytes)| !bytes.is_empty());
    messages
}

#[tokio::test]
async fn a_command_ends_with_its_code_on_the_third_channel() {
    let ran = played(Ok(Output {
        stdout: b"out".to_vec(),
        stderr: b"err".to_vec(),
        code: 1,
    }));
    let ran = ran.await;
    assert_eq!(ran[0], (1, b"out".to_vec()));
    assert_eq!(ran[1], (2, b"err".to_vec()));
    let status: Value = serde_json::from_slice(&ran[2].1).unwrap();
    assert_eq!(status["reason"], "NonZeroExitCode");
    assert_eq!(
        status["details"],
        json!({"causes": [{"reason": "ExitCode", "message": "1"}]})
    );
    let fine = played(Ok(Output::default())).await;
    let status: Value = serde_json::from_slice(&fine[0].1).unwrap();
    assert_eq!(status, json!({"metadata": {}, "status": "Success"}));
}

#[tokio::test]
async fn what_cannot_be_run_is_told_through_the_socket() {
    let failure = Failure::new(500, "InternalError", "executable file not found in $PATH");
    let ran = played(Err(failure)).await;
    let status: Value = serde_json::from_slice(&ran[0].1).unwrap();
    assert_eq!(status["code"], 500);
    assert_eq!(status["message"], "executable file not found in $PATH");
}

fn at(seconds: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
    start + TimeDelta::seconds(seconds)
}

fn said(query: &str) -> String {
    let lines = ["one", "two", "three"].into_iter().zip(0..);
    let lines = lines.map(|(text, n)| Line {
        at: at(n),
        text: text.to_owned(),
    });
    logs::written(lines.collect(), query).unwrap()
}

#[test]
fn of_a_log_the_part_that_is_wanted_is_told() {
    assert_eq!(said(""), "one\ntwo\nthree\n");
    assert_eq!(said("tailLines=2"), "two\nthree\n");
    assert_eq!(said("tailLines=0"), "");
    assert_eq!(said("limitBytes=6"), "one\ntw");
    assert_eq!(said("sinceTime=2026-11-30T12:00:01Z"), "two\nthree\n");
    assert_eq!(
        said("timestamps=true&tailLines=1"),
        "2026-11-30T12:00:02.000000000Z three\n"
    );
}

#[test]
fn of_several_containers_one_must_be_named() {
    let pod = json!({
        "metadata": {"name": "pair"},
        "spec": {"containers": [{"name": "left"}, {"name": "right"}], "initContainers": [{"name": "first"}]},
    });
    let message = |named| container(&pod, named).unwrap_err().message;
    assert_eq!(
        message(None),
        "a container name must be specified for pod pair, choose one of: [left right] or one of the init containers: [first]"
    );
    assert_eq!(
        message(Some("nothing")),
        "container nothing is not valid for pod pair"
    );
    assert_eq!(container(&pod, Some("first")).unwrap(), "first");
}
