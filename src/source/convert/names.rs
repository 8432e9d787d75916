//! ConfigMaps that a program seems to read through the API: what options and variables that are called like one name.
//!
//! `--configmap=$(POD_NAMESPACE)/ingress-nginx-controller` (ingress-nginx), `--config-map app` and
//! `CONFIG_MAP_NAME=app` are such; there is no other trace of it in a pod's spec. It stays a guess.

/// Whether an option or a variable is called like one that names a ConfigMap.
fn is_called_so(name: &str) -> bool {
    let bare: String = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | '.'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    bare.ends_with("configmap") || bare.ends_with("configmapname")
}

/// A ConfigMap's name, where the value is one, or `NAMESPACE/NAME` with the pod's own namespace.
fn named(value: &str, namespace: &str) -> Option<String> {
    let name = match value.rsplit_once('/') {
        None => value,
        Some((own, name)) if own == namespace || own.starts_with("$(") => name,
        Some(_) => return None,
    };
    let fits = !name.is_empty()
        && name.len() <= 253
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'))
        && name.bytes().any(|b| b.is_ascii_lowercase());
    (fits && !matches!(name, "true" | "false")).then(|| name.to_owned())
}

/// Those that `command` and `args` name.
pub(super) fn of_arguments<'a>(
    arguments: impl Iterator<Item = &'a str>,
    namespace: &str,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut expecting = false;
    for argument in arguments {
        let option = argument.strip_prefix('-');
        match option.map(|o| o.trim_start_matches('-').split_once('=')) {
            Some(Some((option, value))) => {
                expecting = false;
                if is_called_so(option) {
                    found.extend(named(value, namespace));
                }
            }
            Some(None) => expecting = is_called_so(argument),
            None => {
                if std::mem::take(&mut expecting) {
                    found.extend(named(argument, namespace));
                }
            }
        }
    }
    found
}

/// That which a variable names.
pub(super) fn of_variable(name: &str, value: &str, namespace: &str) -> Option<String> {
    if !is_called_so(name) {
        return None;
    }
    named(value, namespace)
}

#[cfg(test)]
mod tests;
