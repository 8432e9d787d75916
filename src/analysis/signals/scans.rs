//! The scans of the last look: a log that grew is read on from where it ended.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Scan, Setting};
use crate::model::{Log, PodRef};

#[derive(Debug, Default)]
pub(crate) struct Scans {
    known: HashMap<Key, Scanned>,
    look: u64,
}

/// Which log was read, and for which values: several configs of one container are looked for in the same log.
type Key = (PodRef, String, bool, Vec<(String, Vec<(usize, String)>)>);

#[derive(Debug)]
struct Scanned {
    /// The pieces that were read; kept, so that none of their addresses can mean another one.
    pieces: Vec<Arc<str>>,
    scan: Arc<Scan>,
    look: u64,
}

impl Scans {
    /// The scan of a log, as far as it is known from before.
    pub(crate) fn of(&mut self, log: &Log, settings: &[Setting]) -> Arc<Scan> {
        let asked = settings.iter().map(Setting::key).collect();
        let key = (log.pod.clone(), log.container.clone(), log.previous, asked);
        let known = self.known.entry(key).or_insert_with(|| Scanned {
            pieces: Vec::new(),
            scan: Arc::default(),
            look: self.look,
        });
        let begins = known.pieces.len() <= log.text.pieces().len()
            && known
                .pieces
                .iter()
                .zip(log.text.pieces())
                .all(|(a, b)| Arc::ptr_eq(a, b));
        if !begins {
            known.pieces.clear();
            known.scan = Arc::default();
        }
        let fresh = log
            .text
            .pieces()
            .get(known.pieces.len()..)
            .unwrap_or_default();
        if !fresh.is_empty() {
            let scan = Arc::make_mut(&mut known.scan);
            fresh.iter().for_each(|piece| scan.take(piece, settings));
            known.pieces.extend(fresh.iter().cloned());
        }
        known.look = self.look;
        known.scan.clone()
    }

    /// Forgets what the last look did not ask for.
    pub(crate) fn tidy(&mut self) {
        let look = self.look;
        self.known.retain(|_, scanned| scanned.look == look);
        self.look += 1;
    }
}
