//! What of a line is the program's own word: all before the first thing that a client may have written.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// Where a client's text begins: a named field of a request, a request line, a path with a query.
static CLIENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i-u)(?:request|host|referr?er): ""#,
        r#"|\b(?:[a-z_]*(?:user[-_ ]?agent|referr?er)|x-forwarded-[a-z]+|(?:http_)?request(?:[-_ ]?(?:uri|url|path|target|line))?|path|uri|url|query(?:_string)?|params|headers?|cookies?|body|payload|input|authority|agent|ua)["']?\s?[:=]"#,
        r#"|(?-i:\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)\]? "?(?:/|https?:))"#,
        r#"|(?-i:\b(?:Not Found|Forbidden|Bad Request|Method Not Allowed|Internal Server Error): /)"#,
        r#"|(?-i:message Bad request (?:syntax|version) \()"#,
        r#"|\bMozilla/"#,
    ))
    .ok()
});

/// How many bytes of a text are the program's own.
pub(super) fn own(text: &[u8]) -> usize {
    let clients = CLIENTS.as_ref().and_then(|clients| clients.find(text));
    let named = clients.map_or(text.len(), |found| found.start());
    queried(text.get(..named).unwrap_or_default()).unwrap_or(named)
}

/// Where a word begins that is a path with a query.
fn queried(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'?', text).find_map(|mark| {
        let before = text.get(..mark)?;
        let start = before
            .iter()
            .rposition(|b| b.is_ascii_whitespace() || *b == b'"')
            .map_or(0, |at| at + 1);
        before.get(start..)?.contains(&b'/').then_some(start)
    })
}

/// Whether a line may begin with a date as nginx's error log has it: `2026/11/30 02:49:22 [`.
#[inline(always)]
pub(super) fn is_dated(text: &[u8]) -> bool {
    matches!(text, [_, _, _, _, b'/', _, _, b'/', ..]) && text.get(19..21) == Some(b" [")
}

/// Whether a line is one of nginx's error log, with its date or without: there only its own extractors count, since it also quotes
/// paths of files.
pub(super) fn is_nginx(text: &[u8]) -> bool {
    let text = match text {
        [
            _,
            _,
            _,
            _,
            b'/',
            _,
            _,
            b'/',
            _,
            _,
            b' ',
            _,
            _,
            b':',
            _,
            _,
            b':',
            _,
            _,
            b' ',
            rest @ ..,
        ] => rest,
        _ => text,
    };
    let Some(end) = text
        .get(1..8.min(text.len()))
        .and_then(|level| level.iter().position(|b| *b == b']'))
    else {
        return false;
    };
    let (level, behind) = (
        text.get(1..end + 1),
        text.get(end + 2..).unwrap_or_default(),
    );
    let known = matches!(
        level,
        Some(b"debug" | b"info" | b"notice" | b"warn" | b"error" | b"crit" | b"alert" | b"emerg")
    );
    let of_nginx = matches!(behind, [b' ', b'*', digit, ..] if digit.is_ascii_digit())
        || behind
            .iter()
            .take(24)
            .skip(1)
            .take_while(|b| **b != b' ')
            .any(|b| *b == b'#');
    text.first() == Some(&b'[') && known && of_nginx
}

#[cfg(test)]
mod tests;
