//! What needs the user's consent: held back until there is some, and then read at once.

use std::future::pending;

use tokio::sync::watch;

use super::Keeper;
use crate::app::Msg;
use crate::model::{PodRef, Want};
use crate::source::{Probing, Source};

impl<S: Source + 'static> Keeper<S> {
    /// What was held back until now is read at once.
    pub(super) async fn permit(&mut self, probing: Probing) {
        self.source.permit(probing);
        let (wants, still) = self
            .held_back
            .clone()
            .into_iter()
            .partition(|want| self.source.permits(want));
        self.hold_back(still).await;
        self.ask(wants);
        self.look_soon();
    }

    /// Remembers what nobody agreed to, and tells which containers it is about, where those are others than before.
    pub(super) async fn hold_back(&mut self, wants: Vec<Want>) {
        let before = probed(&self.held_back);
        let now = probed(&wants);
        self.held_back = wants;
        if before != now {
            self.tell(Msg::Probeable(now)).await;
        }
    }
}

/// What the user agrees to now; never where nobody can say so any more.
pub(super) async fn consent(consent: &mut Option<watch::Receiver<Probing>>) -> Probing {
    if let Some(receiver) = consent
        && receiver.changed().await.is_ok()
    {
        return receiver.borrow_and_update().clone();
    }
    *consent = None;
    pending().await
}

/// The containers that wants would be answered in.
fn probed(wants: &[Want]) -> Vec<(PodRef, String)> {
    let mut all: Vec<(PodRef, String)> = wants
        .iter()
        .filter_map(|want| match want {
            Want::Probe { pod, container, .. } => Some((pod.clone(), container.clone())),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests;
