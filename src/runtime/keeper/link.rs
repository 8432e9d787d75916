//! How well the facts keep up: live, or lost since when, and what was missed when it is live again.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};

use crate::app;
use crate::model::{Config, GapReason, Kind, Shared, Snapshot};
use crate::source::Link;

/// The links of all lists, taken together.
#[derive(Debug, Default)]
pub(super) struct Links {
    of: BTreeMap<Kind, Link>,
    /// The server did not answer when it was asked.
    silent: Option<GapReason>,
    /// When it answered last before it fell silent.
    answered: Option<DateTime<Utc>>,
    /// Since when something is lost, and what was known then.
    lost: Option<(DateTime<Utc>, Box<Snapshot>)>,
    told: Option<app::Link>,
}

/// What has changed about the links.
#[derive(Debug, PartialEq)]
pub(super) enum Turn {
    Same,
    Told(app::Link),
    /// Live again: since when it was not, and what is different now.
    Back {
        link: app::Link,
        from: DateTime<Utc>,
        missed: String,
    },
}

impl Links {
    pub(super) fn set(&mut self, kind: Kind, link: Link) {
        self.of.insert(kind, link);
    }

    pub(super) fn beat(&mut self, told: Result<DateTime<Utc>, GapReason>) {
        match told {
            Ok(at) => (self.silent, self.answered) = (None, Some(at)),
            Err(reason) => self.silent = Some(reason),
        }
    }

    /// The moment that the facts are of: now, as long as nothing is lost. `None`: as it was.
    pub(super) fn contact(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.lost.is_none().then_some(now)
    }

    /// Works out what the links come to now.
    pub(super) fn turn(&mut self, now: DateTime<Utc>, snapshot: &Snapshot) -> Turn {
        let lost = self.of.iter().filter_map(|(kind, link)| match link {
            Link::Lost(reason) | Link::Denied(reason @ GapReason::Unauthorized) => {
                Some((*kind, reason))
            }
            _ => None,
        });
        let lost: Vec<(Kind, &GapReason)> = lost.collect();
        let why = lost.first().map(|(_, reason)| *reason);
        // The server was there when it answered last; since then nothing is known.
        let since = match (why, self.answered) {
            (None, Some(at)) => at.min(now),
            _ => now,
        };
        // Lists that fail though the server has answered since are named. Where it is away, all of them do.
        let began = self.lost.as_ref().map(|(since, _)| *since);
        let named = match self.silent.is_none() && began.is_some() && self.answered > began {
            true => of_lists(&lost),
            false => String::new(),
        };
        let why = why.or(self.silent.as_ref());
        let why = why.map(|why| format!("{named}{}", in_words(why)));
        match (why, self.lost.take()) {
            (None, None) if self.of.len() == Kind::ALL.len() => self.told(self.live()),
            (None, None) => Turn::Same,
            (Some(why), lost) => {
                let since = lost.as_ref().map_or(since, |(since, _)| *since);
                let before = lost.map_or_else(|| Box::new(snapshot.clone()), |(_, before)| before);
                self.lost = Some((since, before));
                self.told(app::Link::Lost { since, why })
            }
            (None, Some((from, before))) => {
                let link = self.live();
                self.told = Some(link.clone());
                let missed = missed(&before, snapshot);
                let missed = format!("Live again after {}: {missed}.", seconds(now - from));
                Turn::Back { link, from, missed }
            }
        }
    }

    fn told(&mut self, link: app::Link) -> Turn {
        if self.told.as_ref() == Some(&link) {
            return Turn::Same;
        }
        self.told = Some(link.clone());
        Turn::Told(link)
    }

    fn live(&self) -> app::Link {
        let polled = self.of.iter().filter_map(|(kind, link)| match link {
            Link::Polled { seconds } => Some((kind.resource(), *seconds)),
            _ => None,
        });
        let unread = self
            .of
            .iter()
            .filter_map(|(kind, link)| matches!(link, Link::Denied(_)).then_some(kind.resource()));
        app::Link::Live {
            polled: polled.collect(),
            unread: unread.collect(),
        }
    }
}

fn seconds(span: TimeDelta) -> String {
    match span.num_seconds() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// Which lists fail, as a beginning of why.
fn of_lists(lost: &[(Kind, &GapReason)]) -> String {
    match lost {
        [] => String::new(),
        [(kind, _)] => format!("{}: ", kind.resource()),
        [(kind, _), rest @ ..] => format!("{} and {} more: ", kind.resource(), rest.len()),
    }
}

/// A reason, short enough for the header.
pub(super) fn in_words(reason: &GapReason) -> String {
    match reason {
        GapReason::Unauthorized => "the login has expired: ! logs in".to_owned(),
        GapReason::Forbidden => "no permission".to_owned(),
        GapReason::NotFound => "not found".to_owned(),
        GapReason::Gone => "the server answers 410".to_owned(),
        GapReason::TimedOut { seconds } => format!("no answer in {seconds} s"),
        GapReason::Connection(why) => why.rsplit(": ").next().unwrap_or(why).to_owned(),
        GapReason::Status { code, .. } => format!("the server answers {code}"),
        GapReason::Unreadable(why)
        | GapReason::Bounded(why)
        | GapReason::Capture(why)
        | GapReason::Unordered(why) => why.clone(),
        GapReason::Unwatched { .. } => "it was not watched".to_owned(),
    }
}

/// What is different after a while in which nothing could be seen.
fn missed(before: &Snapshot, after: &Snapshot) -> String {
    let known: HashMap<_, _> = before.configs.iter().map(|c| (&c.reference, c)).collect();
    let is_edited = |config: &&Shared<Config>| {
        known.get(&config.reference).is_some_and(|known| {
            known.resource_version != config.resource_version
                && (known.content != config.content || config.content.is_none())
        })
    };
    let edited = after.configs.iter().filter(is_edited).count();
    let uids = |all: &Snapshot| -> HashSet<String> {
        let pods = all.pods.iter();
        pods.map(|pod| pod.reference.uid.clone()).collect()
    };
    let (then, now) = (uids(before), uids(after));
    let parts: Vec<String> = [
        (edited, "config edited", "configs edited"),
        (now.difference(&then).count(), "pod new", "pods new"),
        (then.difference(&now).count(), "pod gone", "pods gone"),
    ]
    .into_iter()
    .filter(|(number, _, _)| *number > 0)
    .map(|(number, one, many)| format!("{number} {}", if number == 1 { one } else { many }))
    .collect();
    if parts.is_empty() {
        "no config and no pod has changed meanwhile".to_owned()
    } else {
        format!("meanwhile {}", parts.join(", "))
    }
}
