//! The writes that were found, bounded: a config that a leader renews every other second must not push out all others.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::model::{AuditedWrite, ConfigRef, Content};

/// Of one config so many writes are kept, the latest.
const EACH: usize = 500;
/// And of all of them contents of so many bytes.
const BYTES: usize = 256 << 20;

#[derive(Debug, Default)]
pub(super) struct Writes {
    all: VecDeque<AuditedWrite>,
    each: HashMap<ConfigRef, usize>,
    seen: HashSet<String>,
    bytes: usize,
    dropped: u64,
}

impl Writes {
    /// Takes in what one event told; one that an overlapping file told already is known.
    pub(super) fn take(&mut self, id: &str, told: Vec<AuditedWrite>) {
        if !id.is_empty() && !self.seen.insert(id.to_owned()) {
            return;
        }
        for write in told {
            self.bytes += size(&write);
            let count = self.each.entry(write.config.clone()).or_default();
            *count += 1;
            let many = (*count > 2 * EACH).then(|| write.config.clone());
            self.all.push_back(write);
            if let Some(config) = many {
                self.thin(&config);
            }
            while self.bytes > BYTES && self.all.len() > 1 {
                self.drop_oldest();
            }
        }
    }

    /// In the order of their times, and what was let go.
    pub(super) fn into_sorted(mut self) -> (Vec<AuditedWrite>, Option<String>) {
        let many: Vec<ConfigRef> = self
            .each
            .iter()
            .filter(|(_, n)| **n > EACH)
            .map(|(c, _)| c.clone())
            .collect();
        for config in &many {
            self.thin(config);
        }
        let mut all: Vec<AuditedWrite> = self.all.into();
        // Those without a time first; else files in the wrong order come right.
        all.sort_by_key(|write| write.at);
        let dropped = self.dropped;
        let told = (dropped > 0).then(|| {
            format!(
                "{dropped} earlier writes were let go: of one config the latest {EACH} are kept, and 256 MiB of contents in all"
            )
        });
        (all, told)
    }

    /// Keeps a config's latest.
    fn thin(&mut self, config: &ConfigRef) {
        let Some(count) = self.each.get_mut(config) else {
            return;
        };
        let mut surplus = count.saturating_sub(EACH);
        *count -= surplus;
        let (bytes, dropped) = (&mut self.bytes, &mut self.dropped);
        self.all.retain(|write| {
            let goes = surplus > 0 && write.config == *config;
            if goes {
                surplus -= 1;
                *bytes -= size(write);
                *dropped += 1;
            }
            !goes
        });
    }

    fn drop_oldest(&mut self) {
        if let Some(write) = self.all.pop_front() {
            self.bytes -= size(&write);
            self.dropped += 1;
            if let Some(count) = self.each.get_mut(&write.config) {
                *count -= 1;
            }
        }
    }
}

/// The content is what grows.
fn size(write: &AuditedWrite) -> usize {
    let content = match &write.content {
        Some(Content::Plain { data, binary }) => {
            let text: usize = data
                .iter()
                .map(|(key, value)| key.len() + value.len())
                .sum();
            let bytes: usize = binary
                .iter()
                .map(|(key, value)| key.len() + value.len())
                .sum();
            text + bytes
        }
        _ => 0,
    };
    content + 256
}

#[cfg(test)]
mod tests;
