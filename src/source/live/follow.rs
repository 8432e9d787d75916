//! Follows a container's log: each line once, in order, from where the reading before it ended.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::io::AsyncBufReadExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout};

use super::Live;
use crate::model::{GapReason, LogLine, PodRef};
use crate::source::Change;

/// Lines that come together are passed on together, but none waits longer than this.
const TOGETHER: Duration = Duration::from_millis(20);
/// At most so many bytes at once, and of one line.
const AT_ONCE: usize = 256 << 10;
const LONGEST_LINE: usize = 1 << 20;
/// Waits between tries.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// The kubelet ends a stream that is as good as over at once: tries without a line before it counts as ended.
const SILENT_TRIES: u32 = 3;

/// Tells each line after `after`, through lost connections, until the run is over or nobody listens.
pub(super) async fn follow(
    live: &Live,
    pod: &PodRef,
    container: &str,
    after: Option<DateTime<Utc>>,
    changes: Sender<Change>,
) {
    let mut following = Following {
        live,
        pod,
        container,
        last: Last {
            at: after,
            lines: Vec::new(),
        },
        changes,
    };
    let mut wait = FIRST_WAIT;
    let mut silent = 0;
    while !following.changes.is_closed() {
        match following.once().await {
            Ok(0) => silent += 1,
            Ok(_) => {
                silent = 0;
                wait = FIRST_WAIT;
            }
            // The pod or the container is gone, or the right is.
            Err(
                GapReason::NotFound | GapReason::Forbidden | GapReason::Status { code: 400, .. },
            ) => {
                break;
            }
            Err(_) => {}
        }
        if silent >= SILENT_TRIES {
            break;
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    let ended = Change::LogEnded {
        pod: pod.clone(),
        container: container.to_owned(),
    };
    // The dashboard may have been quit meanwhile.
    let _ = following.changes.send(ended).await;
}

struct Following<'a> {
    live: &'a Live,
    pod: &'a PodRef,
    container: &'a str,
    last: Last,
    changes: Sender<Change>,
}

/// The newest moment of which lines were told, and those lines: `sinceTime` counts in whole seconds, so the server repeats some.
struct Last {
    at: Option<DateTime<Utc>>,
    lines: Vec<String>,
}

impl Last {
    /// Whether a line was not told yet.
    fn is_fresh(&mut self, line: &str) -> bool {
        let Some(at) = LogLine::parse(line).at else {
            return true;
        };
        match self.at {
            Some(last) if at < last => false,
            // What was read before the following began ends with all lines of its last moment.
            Some(last) if at == last && self.lines.is_empty() => false,
            Some(last) if at == last => {
                let fresh = !self.lines.iter().any(|known| known == line);
                if fresh {
                    self.lines.push(line.to_owned());
                }
                fresh
            }
            _ => {
                self.at = Some(at);
                self.lines.clear();
                self.lines.push(line.to_owned());
                true
            }
        }
    }
}

impl Following<'_> {
    /// One stream to its end; how many lines it told.
    async fn once(&mut self) -> Result<usize, GapReason> {
        let since = self.last.at.map_or_else(String::new, |at| {
            format!("&sinceTime={}", at.format("%Y-%m-%dT%H:%M:%SZ"))
        });
        let url = format!(
            "/api/v1/namespaces/{}/pods/{}/log?container={}&timestamps=true&follow=true{since}",
            self.pod.namespace, self.pod.name, self.container
        );
        let mut body = self.live.api.open(&url, super::request::JSON).await?;
        let mut told = 0;
        let mut ready = String::new();
        let mut line = Vec::new();
        let mut due = Instant::now();
        loop {
            let wait = if ready.is_empty() {
                Duration::from_secs(3600)
            } else {
                due.saturating_duration_since(Instant::now())
            };
            let read = tokio::select! {
                read = timeout(wait, body.read_until(b'\n', &mut line)) => read,
                () = self.changes.closed() => return Ok(told),
            };
            let ended = match read {
                // Half a line may have come: it stays where it is.
                Err(_) => {
                    self.pass(&mut ready).await;
                    continue;
                }
                Ok(Ok(0)) => true,
                Ok(Ok(_)) => !line.ends_with(b"\n"),
                Ok(Err(error)) => {
                    self.pass(&mut ready).await;
                    return Err(GapReason::Connection(super::connect::chain(&error)));
                }
            };
            if line.ends_with(b"\n") || (ended && !line.is_empty()) {
                told += usize::from(self.take(&mut line, &mut ready));
                if ready.len() >= AT_ONCE {
                    self.pass(&mut ready).await;
                } else if due <= Instant::now() {
                    due = Instant::now() + TOGETHER;
                }
            }
            if ended {
                self.pass(&mut ready).await;
                return Ok(told);
            }
        }
    }

    fn take(&mut self, line: &mut Vec<u8>, ready: &mut String) -> bool {
        line.truncate(LONGEST_LINE);
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches(['\n', '\r']);
        let fresh = self.last.is_fresh(text);
        if fresh {
            ready.push_str(text);
            ready.push('\n');
        }
        line.clear();
        fresh
    }

    async fn pass(&self, ready: &mut String) {
        if ready.is_empty() {
            return;
        }
        let lines = Change::Lines {
            pod: self.pod.clone(),
            container: self.container.to_owned(),
            lines: self.live.vault.redact(std::mem::take(ready)),
        };
        let _ = self.changes.send(lines).await;
    }
}
