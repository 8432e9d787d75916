//! The files of configMap and projected volumes (kubernetes pkg/volume/configmap/configmap.go `MakePayload`,
//! pkg/volume/projected/projected.go `collectData`).

use std::collections::BTreeMap;

use confsplit::model::{Mount, SubPath, Volume};

use super::Data;

/// What each source of a volume held when it was projected. `None` is a config that was not there.
pub type Projected = Vec<Option<Data>>;

/// A path in the volume: which source it comes from, and the config's key. A later source writes over an earlier one.
pub type Files = BTreeMap<String, (usize, String)>;

/// The files, and whether no reference is missing that must be there: a volume that lacks one is not written at all, and one
/// that was mounted before stays as it was (kubernetes#112081).
pub fn files(volume: &Volume, contents: &Projected) -> (Files, bool) {
    let mut files = Files::new();
    let mut complete = true;
    let empty = Data::new();
    for (at, source) in volume.sources.iter().enumerate() {
        let found = contents.get(at).and_then(Option::as_ref);
        complete &= found.is_some() || source.optional;
        let data = found.unwrap_or(&empty);
        match &source.items {
            None => {
                for key in data.keys() {
                    files.insert((*key).to_owned(), (at, (*key).to_owned()));
                }
            }
            Some(items) => {
                for (key, path) in items {
                    if data.contains_key(key.as_str()) {
                        files.insert(path.clone(), (at, key.clone()));
                    } else {
                        complete &= source.optional;
                    }
                }
            }
        }
    }
    (files, complete)
}

/// Whether a mount shows a path of its volume: all, or what lies at or below its subPath.
pub fn shows(mount: &Mount, path: &str) -> bool {
    match &mount.sub_path {
        Some(SubPath::Path(sub)) => {
            path == sub
                || path
                    .strip_prefix(sub.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        }
        Some(SubPath::Expr(_)) | None => true,
    }
}
