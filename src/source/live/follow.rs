//! Follows a container's log: each line once, in order, from where the reading before it ended.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::io::AsyncBufReadExt;
use memchr::memchr;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout};

use super::Live;
use super::logs::{is_stamped, no_log};
use super::request::Body;
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
const SHORT: Duration = Duration::from_secs(5);

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
        last: Last::new(after),
        rest: Vec::new(),
        changes,
    };
    let mut wait = FIRST_WAIT;
    let mut silent = 0;
    let mut why = None;
    while !following.changes.is_closed() {
        let began = Instant::now();
        match following.once().await {
            Ok(0) if began.elapsed() < SHORT => silent += 1,
            // It was there for a while, and somebody on the way had enough of the silence.
            Ok(_) => {
                silent = 0;
                wait = FIRST_WAIT;
            }
            // The pod or the container is gone, or the right is; or what answers is no kubelet.
            Err(
                reason @ (GapReason::NotFound
                | GapReason::Forbidden
                | GapReason::Unreadable(_)
                | GapReason::Status { code: 400, .. }),
            ) => {
                why = Some(reason);
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
    following.tell_rest().await;
    let ended = Change::LogEnded {
        pod: pod.clone(),
        container: container.to_owned(),
        why,
    };
    // The dashboard may have been quit meanwhile.
    let _ = following.changes.send(ended).await;
}

struct Following<'a> {
    live: &'a Live,
    pod: &'a PodRef,
    container: &'a str,
    last: Last,
    /// Half a line at the end of a stream: the next one repeats it, whole.
    rest: Vec<u8>,
    changes: Sender<Change>,
}

/// Which lines were told: `sinceTime` counts in whole seconds, so the server repeats some.
struct Last {
    /// Lines up to here were read before the following began.
    before: Option<DateTime<Utc>>,
    /// The newest moment of a line.
    at: Option<DateTime<Utc>>,
    /// The lines of its second that were told, hashed.
    told: Vec<u64>,
    /// Those of them that this stream has not repeated yet.
    expected: HashMap<u64, usize>,
}

impl Last {
    fn new(before: Option<DateTime<Utc>>) -> Self {
        Self {
            before,
            at: before,
            told: Vec::new(),
            expected: HashMap::new(),
        }
    }

    /// A stream begins, with what was told of the last second.
    fn begin(&mut self) {
        self.expected.clear();
        for line in &self.told {
            *self.expected.entry(*line).or_default() += 1;
        }
    }

    /// Whether a line was not told yet. Lines of two streams of a container need not be in the order of their times, so
    /// that an older time is no sign of a repetition.
    fn is_fresh(&mut self, line: &str) -> bool {
        let Some(at) = LogLine::parse(line).at else {
            return true;
        };
        if self.before.is_some_and(|before| at <= before) {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(times) = self.expected.get_mut(&hash).filter(|times| **times > 0) {
            *times -= 1;
            return false;
        }
        if self.at.is_none_or(|last| last.timestamp() < at.timestamp()) {
            self.told.clear();
        }
        self.at = self.at.max(Some(at));
        self.told.push(hash);
        true
    }
}

/// Reads on in a line, to its end or that of the body; false at the end of the body. Of a line that is too long the rest is
/// passed over. What was read stays in `line` where the reading is given up.
async fn read_line(body: &mut Body, line: &mut Vec<u8>) -> std::io::Result<bool> {
    loop {
        let piece = body.fill_buf().await?;
        if piece.is_empty() {
            return Ok(false);
        }
        let end = memchr(b'\n', piece);
        let (text, len) = match end {
            Some(end) => (&piece[..end], end + 1),
            None => (piece, piece.len()),
        };
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&text[..text.len().min(room)]);
        body.consume_unpin(len);
        if end.is_some() {
            return Ok(true);
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
        self.last.begin();
        self.rest.clear();
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
                read = timeout(wait, read_line(&mut body, &mut line)) => read,
                () = self.changes.closed() => return Ok(told),
            };
            match read {
                // Half a line may have come: it stays where it is.
                Err(_) => self.pass(&mut ready).await,
                Ok(Ok(true)) => {
                    if told == 0 && !is_stamped(&line) {
                        return Err(GapReason::Unreadable(no_log(&line)));
                    }
                    told += usize::from(self.take(&line, &mut ready));
                    line.clear();
                    if ready.len() >= AT_ONCE {
                        self.pass(&mut ready).await;
                    } else if due <= Instant::now() {
                        due = Instant::now() + TOGETHER;
                    }
                }
                Ok(Ok(false)) => {
                    if told == 0 && !line.is_empty() && !is_stamped(&line) {
                        return Err(GapReason::Unreadable(no_log(&line)));
                    }
                    self.pass(&mut ready).await;
                    self.rest = line;
                    return Ok(told);
                }
                Ok(Err(error)) => {
                    self.pass(&mut ready).await;
                    return Err(GapReason::Connection(super::connect::chain(&error)));
                }
            }
        }
    }

    /// A run may end without the end of a line.
    async fn tell_rest(&mut self) {
        let line = std::mem::take(&mut self.rest);
        let mut ready = String::new();
        if !line.is_empty() && self.take(&line, &mut ready) {
            self.pass(&mut ready).await;
        }
    }

    fn take(&mut self, line: &[u8], ready: &mut String) -> bool {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches('\r');
        let fresh = self.last.is_fresh(text);
        if fresh {
            ready.push_str(text);
            ready.push('\n');
        }
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
