//! Logs of containers: a bounded number of lines of the present run and of the one before.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

use crate::sim::status::Failure;
use crate::sim::world::{Line, Lines, World};

/// So many lines of a run are kept, the oldest go first.
const MOST: usize = 20_000;

#[derive(Debug, Default)]
pub(crate) struct Log {
    lines: VecDeque<Line>,
    /// So many lines are gone.
    dropped: usize,
    /// The number of the run.
    pub(super) run: u64,
    pub(super) ended: bool,
}

impl Log {
    pub(super) fn push(&mut self, at: DateTime<Utc>, text: String) {
        if self.lines.len() >= MOST {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(Line { at, text });
    }

    /// What is kept, without so many lines that were written first.
    pub(crate) fn after(&self, skip: usize) -> Lines {
        let skip = skip.saturating_sub(self.dropped);
        Lines {
            lines: self
                .lines
                .range(skip.min(self.lines.len())..)
                .cloned()
                .collect(),
            written: self.dropped + self.lines.len(),
            run: self.run,
            ended: self.ended,
        }
    }
}

impl World {
    /// Writes a line of a run that is not over.
    pub(super) fn write_line(&mut self, uid: &str, number: u64, text: String) {
        let now = self.now;
        let run = self.kubelet.pods.get_mut(uid);
        if let Some(container) = run.and_then(|run| run.of_run(number)) {
            container.log.push(now, text);
        }
    }

    pub(crate) fn log_of(
        &self,
        namespace: &str,
        pod: &str,
        container: Option<&str>,
        previous: bool,
    ) -> Result<&Log, Failure> {
        let run = self.run_of(namespace, pod)?;
        let name = run.meant(container);
        let Some(found) = run.container(name) else {
            let message = format!("container {name} is not valid for pod {pod}");
            return Err(Failure::bad_request(message));
        };
        if previous {
            let Some(log) = &found.previous else {
                let message =
                    format!("previous terminated container \"{name}\" in pod \"{pod}\" not found");
                return Err(Failure::bad_request(message));
            };
            return Ok(log);
        }
        if found.run == 0 {
            let reason = match &found.state {
                super::State::Waiting(reason, _) => reason.as_str(),
                _ => "ContainerCreating",
            };
            let message =
                format!("container \"{name}\" in pod \"{pod}\" is waiting to start: {reason}");
            return Err(Failure::bad_request(message));
        }
        Ok(&found.log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_longer_kept_counts() {
        let mut log = Log::default();
        for number in 0..MOST + 5 {
            log.push(DateTime::UNIX_EPOCH, number.to_string());
        }
        let all = log.after(0);
        assert_eq!((all.lines.len(), all.written), (MOST, MOST + 5));
        assert_eq!(all.lines[0].text, "5");
        log.push(DateTime::UNIX_EPOCH, "next".to_owned());
        let new = log.after(all.written);
        let texts: Vec<&str> = new.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["next"]);
        assert_eq!(log.after(new.written).lines, []);
    }
}
