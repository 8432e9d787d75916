//! Log lines without the escape sequences that only colour them.

use std::borrow::Cow;

/// The text without complete sequences that set colours or erase to the end of a line. Any other escape stays, to be shown as
/// what it is.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.as_bytes().contains(&0x1b) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        match length(escape) {
            Some(length) => rest = &escape[length..],
            None => {
                out.push('\u{1b}');
                rest = &escape[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// How long a sequence is that ends in `m` (colours) or `K` (erase the line's end).
fn length(escape: &str) -> Option<usize> {
    let inner = escape.strip_prefix("\u{1b}[")?;
    let end = inner.find(|c: char| !matches!(c, '0'..='9' | ';' | ':'))?;
    inner[end..].starts_with(['m', 'K']).then_some(2 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn colours_go_and_other_escapes_stay() {
        for (text, shown) in [
            ("\u{1b}[31merror\u{1b}[0m: x", "error: x"),
            ("\u{1b}[38;5;196mred\u{1b}[m\u{1b}[K", "red"),
            ("\u{1b}]0;title\u{7}", "\u{1b}]0;title\u{7}"),
            ("\u{1b}[2J", "\u{1b}[2J"),
            ("cut \u{1b}[3", "cut \u{1b}[3"),
            ("\u{1b}", "\u{1b}"),
            ("[31m", "[31m"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }
}
