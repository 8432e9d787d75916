//! Writes that were approved: each beside the reading, with its line in the journal before and after.

use std::future::pending;

use tokio::sync::mpsc::Receiver;

use super::Keeper;
use crate::app::{Act, Msg};
use crate::remedy::WriteError;
use crate::source::Source;

impl<S: Source + 'static> Keeper<S> {
    /// Does it, and tells what it came to. What was sent is waited for even if the reading ends meanwhile.
    pub(super) fn act(&self, act: Act) {
        let (source, news) = (self.source.clone(), self.news.clone());
        let (journal, clock) = (self.journal.clone(), self.clock.clone());
        tokio::spawn(async move {
            let msg = match act {
                Act::Prepare(meant) => Msg::Prepared(source.prepare(meant).await.map(Box::new)),
                Act::Write { approved, heading } => {
                    let write = approved.write().clone();
                    let begun = match heading {
                        Some(heading) => journal.begin(&heading, clock.now()),
                        None => Ok(()),
                    };
                    let outcome = match begun.and_then(|()| journal.sent(&write, clock.now())) {
                        Ok(()) => {
                            let outcome = source.write(*approved).await;
                            // It has happened: a line that is missing does not make it undone.
                            drop(journal.came_to(&write, &outcome, clock.now()));
                            outcome
                        }
                        Err(error) => Err(error),
                    };
                    Msg::Wrote(outcome)
                }
                Act::GoOn(name) => match journal.go_on(&name) {
                    Ok(()) => return,
                    Err(error) => Msg::Wrote(Err(WriteError::Journal(error.to_string()))),
                },
                Act::End { state, why } => {
                    drop(journal.end(state, &why, clock.now()));
                    return;
                }
            };
            // The dashboard may have been quit meanwhile.
            drop(news.send(msg).await);
        });
    }
}

/// What is to be done next; never where nobody can say so any more.
pub(super) async fn acts(acts: &mut Option<Receiver<Act>>) -> Act {
    if let Some(receiver) = acts
        && let Some(act) = receiver.recv().await
    {
        return act;
    }
    *acts = None;
    pending().await
}
