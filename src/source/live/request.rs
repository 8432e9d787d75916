//! One request: sent, bounded in time, and its failure given a name.

use std::time::Duration;

use futures::io::{AsyncReadExt, BufReader};
use http::Request;
use http::header::ACCEPT;
use kube::{Client, Error};

use super::connect::chain;
use crate::model::GapReason;

/// The client with what every request has in common.
#[derive(Clone)]
pub(super) struct Api {
    client: Client,
    timeout: Duration,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api")
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

const JSON: &str = "application/json";

impl Api {
    pub(super) fn new(client: Client, timeout: Duration) -> Self {
        Self { client, timeout }
    }

    /// The body of an answer to a GET.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>, GapReason> {
        self.get_as(path, JSON).await
    }

    /// The same, asking for a form of the answer.
    pub(super) async fn get_as(&self, path: &str, accept: &str) -> Result<Vec<u8>, GapReason> {
        let request = Request::get(path)
            .header(ACCEPT, accept)
            .body(Vec::new())
            .map_err(|error| GapReason::Unreadable(error.to_string()))?;
        let read = async {
            let stream = self.client.request_stream(request).await.map_err(reason)?;
            let mut body = Vec::new();
            BufReader::new(stream)
                .read_to_end(&mut body)
                .await
                .map_err(|error| GapReason::Connection(chain(&error)))?;
            Ok(body)
        };
        match tokio::time::timeout(self.timeout, read).await {
            Ok(answer) => answer,
            Err(_) => Err(GapReason::TimedOut {
                seconds: self.timeout.as_secs().max(1),
            }),
        }
    }
}

/// A proxy before the server may answer with a page of its own, of any length: its beginning tells enough.
fn brief(message: &str) -> String {
    const LONGEST: usize = 200;
    let message = message.trim();
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

/// What an error of the client is called.
fn reason(error: Error) -> GapReason {
    match error {
        Error::Api(status) => match status.code {
            401 => GapReason::Unauthorized,
            403 => GapReason::Forbidden,
            404 => GapReason::NotFound,
            410 => GapReason::Gone,
            // "resourceVersion … too old" comes as 410 or, from an etcd that compacted meanwhile, as 500 with this message.
            _ if status
                .message
                .contains("required revision has been compacted") =>
            {
                GapReason::Gone
            }
            code => GapReason::Status {
                code,
                message: brief(&status.message),
            },
        },
        other => GapReason::Connection(chain(&other)),
    }
}
