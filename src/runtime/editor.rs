//! Has a person correct a text in their editor, in a file that only they may read and that is gone afterwards.

use std::env;
use std::io::Write;

use super::login::{ending, of_line};

/// More than a ConfigMap holds.
const LONGEST: u64 = 2 << 20;

/// The key and its text as it was left; `None` where nothing was changed.
pub(super) fn run(key: &str, text: &str) -> Result<Option<(String, String)>, String> {
    let failed =
        |error: std::io::Error| format!("The text could not be handed to an editor: {error}.");
    let mut file = tempfile::Builder::new()
        .prefix("confsplit-")
        .suffix(&format!("-{}", plain(key)))
        .tempfile()
        .map_err(failed)?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.flush())
        .map_err(failed)?;
    let named = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = named("KUBE_EDITOR")
        .or_else(|| named("VISUAL"))
        .or_else(|| named("EDITOR"));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let quoted = crate::analysis::quote(&file.path().to_string_lossy());
    let status = of_line(&format!("{editor} {quoted}"))
        .status()
        .map_err(failed)?;
    if !status.success() {
        return Err(format!(
            "Nothing is taken over: the editor {}.",
            ending(status)
        ));
    }
    // Editors may put another file in its place.
    let size = std::fs::metadata(file.path()).map_err(failed)?.len();
    if size > LONGEST {
        return Err(
            "Nothing is taken over: the text is longer than a ConfigMap may be.".to_owned(),
        );
    }
    let bytes = std::fs::read(file.path()).map_err(failed)?;
    let edited = String::from_utf8(bytes)
        .map_err(|_| "Nothing is taken over: it is no UTF-8 any more.".to_owned())?;
    Ok((edited != text).then(|| (key.to_owned(), edited)))
}

/// A key as the end of a file's name: an editor colours by that.
fn plain(key: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    key.chars().filter(fits).take(60).collect()
}
