//! A dashboard of 200×60 that looks at a cluster's facts.

use chrono::{DateTime, FixedOffset, Offset, Utc};
use confsplit::analysis::Diagnosis;
use confsplit::app::{App, Mode, Msg, News, Options, Origin, Preferences};
use confsplit::model::{Facts, Snapshot};
use std::sync::Arc;

pub(crate) const SIZE: (u16, u16) = (200, 60);

/// It has been told nothing yet.
pub(crate) fn open(snapshot: &Snapshot, now: DateTime<Utc>) -> App {
    let options = Options {
        origin: Origin::Live,
        mode: Mode::ReadOnly,
        edits: false,
        cluster: snapshot.cluster.clone(),
        scope: snapshot.scope.clone(),
        ascii: false,
        preferences: Preferences::default(),
        no_color: false,
        local: |_: DateTime<Utc>| -> FixedOffset { Utc.fix() },
    };
    let mut app = App::new(options, now);
    let (width, height) = SIZE;
    app.update(Msg::Resize { width, height });
    app
}

pub(crate) fn tell(app: &mut App, diagnosis: Arc<Diagnosis>, facts: Facts) {
    app.update(Msg::News(News {
        diagnosis,
        watched: None,
        facts,
        complete: true,
    }));
}
