//! `printer --every=2 env:FEATURE_RECS file:/etc/app/settings.yaml#mode`: prints its settings every so many seconds. The
//! environment is read at the start; files are read each time, or with `--once` at the start too.

use chrono::{DateTime, TimeDelta, Utc};

use super::items::Item;
use super::{Beat, Launched, Program, Setting};
use crate::sim::object::seconds;

#[derive(Debug)]
pub(crate) struct Printer {
    every: TimeDelta,
    message: String,
    env: Vec<(String, String)>,
    items: Vec<Item>,
    /// What was read at the start, with `--once`.
    kept: Option<Vec<String>>,
}

pub(super) fn launch(setting: &Setting<'_>) -> Launched {
    let option = |name: &str| {
        let mut words = setting.words.iter();
        words.find_map(|word| {
            word.strip_prefix("--")?
                .strip_prefix(name)?
                .strip_prefix('=')
        })
    };
    let every: i64 = option("every").and_then(|n| n.parse().ok()).unwrap_or(2);
    let items: Vec<Item> = setting
        .words
        .iter()
        .filter_map(|word| Item::parse(word))
        .collect();
    let once = setting.words.iter().any(|word| word == "--once");
    let values = items
        .iter()
        .map(|item| item.value(setting.env, setting.read));
    let kept = once.then(|| values.collect());
    let printer = Printer {
        every: TimeDelta::seconds(every.max(1)),
        message: option("msg").unwrap_or("settings").to_owned(),
        env: setting.env.to_vec(),
        items,
        kept,
    };
    let mut launched = Launched::new(Program::Printer(printer));
    launched.tick = Some(TimeDelta::milliseconds(20));
    launched
}

impl Printer {
    pub(super) fn beat(&self, now: DateTime<Utc>, read: &dyn Fn(&str) -> Option<String>) -> Beat {
        let mut line = format!("{} level=info msg={}", seconds(now), self.message);
        for (at, item) in self.items.iter().enumerate() {
            let kept = self.kept.as_ref().and_then(|kept| kept.get(at).cloned());
            let value = kept.unwrap_or_else(|| item.value(&self.env, read));
            line.push_str(&format!(" {}={value}", item.name()));
        }
        Beat::Lines(vec![line], self.every)
    }
}
