//! One command in a container, over the API server's WebSocket: what it printed, and how it ended.

use bytes::Bytes;
use futures::StreamExt;
use serde::Deserialize;
use zeroize::{Zeroize, Zeroizing};

use super::commands::Argv;
use crate::model::{GapReason, PodRef};
use crate::source::live::request::{Api, brief};

/// Of what a command complains about, so much is kept.
const COMPLAINT: usize = 16 << 10;
// Channels of the protocol, the first byte of each message.
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;

/// What a command gave. Its output may hold values of Secrets, so it is wiped when it is let go.
pub(super) struct Ran {
    pub(super) out: Zeroizing<Vec<u8>>,
    /// What it complained about.
    pub(super) complaint: Zeroizing<String>,
    pub(super) end: End,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Fine,
    /// It ran, and failed at some of it.
    Failed(i32),
    /// There is no such program in the container.
    Absent,
    /// It printed more than was to be read, and was left.
    TooLong,
    /// It could not be run, in the words of who should have.
    Refused(String),
}

/// Runs a command and reads at most so many bytes of what it prints. Nothing is sent to it. Dropping this ends it, as far as
/// the connection goes.
pub(super) async fn exec(
    api: &Api,
    pod: &PodRef,
    container: &str,
    argv: &Argv,
    most: usize,
) -> Result<Ran, GapReason> {
    let (connection, _room) = api.socket(&path(pod, container, argv)).await?;
    let mut messages = connection.into_stream();
    let mut out = Wiped::default();
    let mut complaint = Wiped::default();
    let ended = |out: Wiped, complaint: Wiped, end| {
        let complaint = String::from_utf8_lossy(&complaint.0).into_owned();
        Ran {
            out: out.0,
            complaint: Zeroizing::new(complaint),
            end,
        }
    };
    while let Some(message) = messages.next().await {
        let message = message.map_err(|error| GapReason::Connection(error.to_string()))?;
        if !message.is_binary() {
            continue;
        }
        let data = message.into_data();
        match data.split_first() {
            Some((&STDOUT, piece)) => out.push(piece, most + 1),
            Some((&STDERR, piece)) => complaint.push(piece, COMPLAINT),
            Some((&STATUS, status)) if !status.is_empty() => {
                let end = end_of(status);
                return Ok(ended(out, complaint, end));
            }
            _ => {}
        }
        wipe(data);
        if out.0.len() > most {
            return Ok(ended(out, complaint, End::TooLong));
        }
    }
    Err(GapReason::Connection(
        "it was closed before the command ended".to_owned(),
    ))
}

/// Where the exec is asked for. Neither standard input nor a terminal is attached.
fn path(pod: &PodRef, container: &str, argv: &Argv) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("container", container);
    for word in argv {
        query.append_pair("command", word);
    }
    query
        .append_pair("stdout", "true")
        .append_pair("stderr", "true");
    format!(
        "/api/v1/namespaces/{}/pods/{}/exec?{}",
        pod.namespace,
        pod.name,
        query.finish()
    )
}

/// Bytes that leave no copy behind while they grow.
#[derive(Default)]
struct Wiped(Zeroizing<Vec<u8>>);

impl Wiped {
    /// Takes in as much of a piece as there is room for.
    fn push(&mut self, piece: &[u8], most: usize) {
        let piece = piece
            .get(..most.saturating_sub(self.0.len()))
            .unwrap_or(piece);
        let needed = self.0.len() + piece.len();
        if needed > self.0.capacity() {
            let mut larger = Zeroizing::new(Vec::with_capacity(needed.max(8192) * 2));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
        self.0.extend_from_slice(piece);
    }
}

/// As far as nobody else holds these bytes.
fn wipe(data: Bytes) {
    if let Ok(mut data) = data.try_into_mut() {
        data.zeroize();
    }
}

/// The end of a command, as the protocol's last message tells it (a `Status`).
#[derive(Deserialize)]
struct Status {
    status: Option<String>,
    message: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    causes: Vec<Cause>,
}

#[derive(Deserialize)]
struct Cause {
    reason: Option<String>,
    message: Option<String>,
}

fn end_of(bytes: &[u8]) -> End {
    /// What a shell, and busybox, say by their exit code of a program that is not there.
    const NO_PROGRAM: i32 = 127;
    let Ok(status) = serde_json::from_slice::<Status>(bytes) else {
        return End::Refused("its end was told in words that are not known".to_owned());
    };
    if status.status.as_deref() == Some("Success") {
        return End::Fine;
    }
    let causes = status.details.into_iter().flat_map(|d| d.causes);
    let code = causes
        .filter(|cause| cause.reason.as_deref() == Some("ExitCode"))
        .find_map(|cause| cause.message?.parse().ok());
    let message = status.message.unwrap_or_default();
    let absent = ["executable file not found", "no such file or directory"];
    match code {
        Some(NO_PROGRAM) => End::Absent,
        Some(code) => End::Failed(code),
        None if absent.iter().any(|words| message.contains(words)) => End::Absent,
        None => End::Refused(brief(&message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_apart() {
        // As a server with containerd words them.
        let fine = br#"{"metadata":{},"status":"Success"}"#;
        let failed = br#"{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: error executing command [cat /x], exit code 1","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"1"}]}}"#;
        let absent = br#"{"metadata":{},"status":"Failure","message":"Internal error occurred: error executing command in container: failed to exec in container: failed to start exec \"df4c\": OCI runtime exec failed: exec failed: unable to start container process: exec: \"cat\": executable file not found in $PATH: unknown","reason":"InternalError","details":{"causes":[{"message":"error executing command in container"}]},"code":500}"#;
        let refused = br#"{"status":"Failure","message":"container is in CONTAINER_EXITED state"}"#;
        assert_eq!(end_of(fine), End::Fine);
        assert_eq!(end_of(failed), End::Failed(1));
        assert_eq!(end_of(absent), End::Absent);
        assert_eq!(
            end_of(refused),
            End::Refused("container is in CONTAINER_EXITED state".to_owned())
        );
        assert!(matches!(end_of(b"junk"), End::Refused(_)));
    }

    #[test]
    fn every_word_of_a_command_arrives() {
        let pod = PodRef {
            namespace: "shop".to_owned(),
            name: "a-1".to_owned(),
            uid: String::new(),
        };
        let words = ["cat", "/etc/a b&command=sh+%41"].map(str::to_owned);
        assert_eq!(
            path(&pod, "web", &words.to_vec()),
            "/api/v1/namespaces/shop/pods/a-1/exec?container=web&command=cat&\
             command=%2Fetc%2Fa+b%26command%3Dsh%2B%2541&stdout=true&stderr=true"
        );
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut out = Wiped::default();
        for _ in 0..10 {
            out.push(b"0123456789", 25);
        }
        assert_eq!(&out.0[..], b"0123456789012345678901234");
    }
}
