//! The environment of a container: the variables that were asked for, out of all that a command printed.

use std::collections::BTreeMap;

use super::held;
use crate::model::{Held, ProbeReads};
use crate::source::live::secrets::Vault;

/// `NAME=value`, each ended by a zero byte. Of others than those asked for nothing is looked at but the name.
pub(super) fn parse(
    printed: &[u8],
    reads: &ProbeReads,
    vault: &Vault,
) -> BTreeMap<String, Option<Held>> {
    let asked = reads.env.iter().chain(&reads.secret_env);
    let mut found: BTreeMap<String, Option<Held>> =
        asked.map(|name| (name.clone(), None)).collect();
    for variable in printed.split(|byte| *byte == 0) {
        let Some(at) = variable.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        let (name, value) = variable.split_at(at);
        let value = value.get(1..).unwrap_or_default();
        let Ok(name) = std::str::from_utf8(name) else {
            continue;
        };
        if let Some(slot) = found.get_mut(name) {
            let secret = reads.secret_env.contains(name);
            *slot = Some(held(value, secret, name, vault));
        }
    }
    found
}

#[cfg(test)]
mod tests;
