//! Whether it is still the same cluster that answers, and none that was taken back to an earlier state: what is known of one must
//! not be mixed with what comes of the other.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as Turns, Notify};
use tokio::time::Instant;

use crate::source::live::Live;

/// Many ask at once when a connection is back: one answer is enough for them.
const FRESH: Duration = Duration::from_secs(1);

/// The cluster as it was when everything was listed.
pub(super) struct Same<'a> {
    live: &'a Live,
    known: Turns<Known>,
    why: Mutex<Option<String>>,
    ended: Notify,
}

#[derive(Default)]
struct Known {
    uid: Option<String>,
    asked: Option<Instant>,
}

impl<'a> Same<'a> {
    pub(super) fn new(live: &'a Live) -> Self {
        Self {
            live,
            known: Turns::default(),
            why: Mutex::default(),
            ended: Notify::new(),
        }
    }

    /// Asks which cluster answers; false where it is another one. Where nobody says, it is taken for the same.
    pub(super) async fn holds(&self) -> bool {
        let mut known = self.known.lock().await;
        if self.is_over() {
            return false;
        }
        if known.asked.is_some_and(|asked| asked.elapsed() < FRESH) {
            return true;
        }
        let Ok(Some(uid)) = self.live.uid().await else {
            return true;
        };
        known.asked = Some(Instant::now());
        let before = known.uid.get_or_insert_with(|| uid.clone());
        if *before == uid {
            return true;
        }
        self.end("Another cluster answers at this address");
        false
    }

    /// What was known is of no use any more.
    pub(super) fn end(&self, why: &str) {
        let mut told = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        told.get_or_insert_with(|| why.to_owned());
        self.ended.notify_one();
    }

    fn is_over(&self) -> bool {
        let told = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        told.is_some()
    }

    /// Waits for that, and says why.
    pub(super) async fn ended(&self) -> String {
        loop {
            self.ended.notified().await;
            let told = self.why.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(why) = &*told {
                return why.clone();
            }
        }
    }
}
