//! In which way two texts differ, where nothing in them that can be read does: white space, line ends, hidden characters.

use crate::text::{grouped, is_hostile};

/// How two different texts differ, where nothing in them that can be read does.
pub fn unseen(old: &str, new: &str, (left, right): (&str, &str)) -> Option<String> {
    if old.trim_end_matches('\n') == new.trim_end_matches('\n') {
        return Some(match (old.ends_with('\n'), new.ends_with('\n')) {
            (false, true) => format!("Differs only in the newline at the end, which {left} lacks."),
            (true, false) => {
                format!("Differs only in the newline at the end, which {right} lacks.")
            }
            _ => "Differs only in the empty lines at the end.".into(),
        });
    }
    if (old.contains('\r') || new.contains('\r')) && without_returns(old) == without_returns(new) {
        let returns = |text: &str| grouped(text.matches("\r\n").count());
        let lines = |text: &str| grouped(text.lines().count());
        return Some(format!(
            "Differs only in line ends: CRLF on {} of {} lines in {left}, on {} of {} in {right}.",
            returns(old),
            lines(old),
            returns(new),
            lines(new)
        ));
    }
    let seen = |c: &char| !c.is_whitespace();
    if old.chars().filter(seen).eq(new.chars().filter(seen)) {
        let lines = |text: &str| text.lines().count();
        let ends = if lines(old) == lines(new) {
            ""
        } else {
            " and line breaks"
        };
        return Some(format!("Differs only in white space{ends}."));
    }
    let seen = |c: &char| !c.is_whitespace() && !is_hostile(*c);
    if old.chars().filter(seen).eq(new.chars().filter(seen)) {
        return Some("Differs only in characters that are not seen (shown as <U+…>).".into());
    }
    None
}

/// The text with all that ends lines made one line feed, those at its end left out.
fn without_returns(text: &str) -> String {
    let mut plain = text.replace('\r', "");
    plain.truncate(plain.trim_end_matches('\n').len());
    plain
}

#[cfg(test)]
mod tests;
