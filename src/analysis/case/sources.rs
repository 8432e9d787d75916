//! Where a container could have what it logs from: a value tells of a use only where nothing else could have told it.

use std::collections::BTreeSet;

use super::{Case, User};
use crate::analysis::content::Reaches;
use crate::analysis::incident::{Signal, Use};
use crate::analysis::loads::{Shown, Speaker};
use crate::analysis::signals::{Endpoints, HostPort, Setting, endpoints_in};
use crate::analysis::uses::{ConfigUse, is_open};
use crate::model::{ConfigRef, Content, EnvSource};

/// What a signal is about.
pub(super) struct Origin {
    keys: Option<BTreeSet<String>>,
    speaker: Speaker,
}

/// The signal with what it is about.
pub(super) fn of(
    (signal, shown): (Signal, Option<Shown>),
    origin: Origin,
) -> (Signal, Option<Shown>) {
    let shown = shown.map(|shown| Shown {
        keys: origin.keys,
        speaker: origin.speaker,
        ..shown
    });
    (signal, shown)
}

/// Of a setting, in a container that takes all these uses.
pub(super) fn of_setting(
    case: &Case<'_>,
    user: &User<'_>,
    uses: &[ConfigUse],
    setting: &Setting,
) -> Origin {
    let says = |usage: &ConfigUse, content: &Content| {
        let keys = content.keys().into_iter();
        let mut reaching = keys.filter(|key| usage.keys.reaches(key, content) != Reaches::No);
        match &usage.via {
            Use::Env { variable } => setting.is_called(variable) && reaching.next().is_some(),
            Use::EnvFrom { prefix } => {
                reaching.any(|key| setting.is_called(&format!("{prefix}{key}")))
            }
            _ => reaching.any(|key| {
                let text = content.get_text(key).unwrap_or_default();
                setting.is_called(key) || text.lines().any(|line| setting.value_in(line).is_some())
            }),
        }
    };
    let own = user.container.env.iter().filter(|variable| {
        !matches!(variable.source, EnvSource::Key { .. }) && setting.is_called(&variable.name)
    });
    Origin {
        keys: Some(setting.keys.clone()),
        speaker: match own.count() {
            0 => speaker(case, user, uses, says),
            _ => Speaker::Unclear,
        },
    }
}

/// Of an address, in a container that takes all these uses.
pub(super) fn of_address(
    case: &Case<'_>,
    user: &User<'_>,
    uses: &[ConfigUse],
    address: &HostPort,
) -> Origin {
    let network = Endpoints::new(case.index, &user.pod.reference.namespace);
    let says = |_: &ConfigUse, content: &Content| {
        endpoints_in(content)
            .iter()
            .any(|named| network.means(named, address))
    };
    Origin {
        keys: None,
        speaker: speaker(case, user, uses, says),
    }
}

/// The one use of the container that could have told it, of any config.
fn speaker(
    case: &Case<'_>,
    user: &User<'_>,
    uses: &[ConfigUse],
    says: impl Fn(&ConfigUse, &Content) -> bool,
) -> Speaker {
    let speaks = |usage: &&ConfigUse| {
        let contents = contents(case, &usage.config);
        contents.into_iter().any(|content| says(usage, content))
    };
    // Another config may have held the same before the oldest content of it that is known.
    let open = |usage: &&ConfigUse| {
        let whole = matches!(usage.via, Use::Env { .. });
        !whole
            && usage.config != case.config.reference
            && is_open(case.index, &usage.config, user.pod)
    };
    if uses.iter().any(|usage| open(&usage)) {
        return Speaker::Unclear;
    }
    let mut speakers = uses.iter().filter(speaks);
    match (speakers.next(), speakers.next()) {
        (Some(one), None) if one.config == case.config.reference => Speaker::Use(one.via.clone()),
        _ => Speaker::Unclear,
    }
}

/// Every known content of a config.
fn contents<'a>(case: &'a Case<'_>, config: &ConfigRef) -> Vec<&'a Content> {
    if *config == case.config.reference {
        return case.history.contents().collect();
    }
    let live = case.index.config(config).and_then(|c| c.content.as_ref());
    let earlier = case.index.earlier(config);
    let earlier = earlier.into_iter().flat_map(|e| &e.versions);
    live.into_iter()
        .chain(earlier.filter_map(|c| c.content.as_ref()))
        .collect()
}
