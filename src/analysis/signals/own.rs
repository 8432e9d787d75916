//! What of a line is the program's own word: all before the first thing that a client may have written.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// Where a client's text begins: a named field of a request, a request line, a path with a query.
static CLIENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i-u)(?:request|host|referr?er): ""#,
        r#"|\b(?:[a-z_]*(?:user[-_ ]?agent|referr?er)|x-forwarded-[a-z]+|(?:http_)?request(?:[-_ ]?(?:uri|url|path|target|line))?|path|uri|url|query(?:_string)?|params|headers?|cookies?|body|payload|input|authority|agent|ua)["']?\s?[:=]"#,
        r#"|(?-i:\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) (?:/|https?:))"#,
        r#"|[^\s"]{0,512}/[^\s"]{0,512}\?"#,
        r#"|\bMozilla/"#,
    ))
    .ok()
});

/// How many bytes of a text are the program's own.
pub(super) fn own(text: &[u8]) -> usize {
    let clients = CLIENTS.as_ref().and_then(|clients| clients.find(text));
    clients.map_or(text.len(), |found| found.start())
}

/// The head of a line of nginx's error log, up to its message.
static NGINX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?-u)(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d )?\[(?:debug|info|notice|warn|error|crit|alert|emerg)\] (?:\d+#\d+: |\*\d+ )").ok()
});

/// Whether a line is one of nginx's error log: there only its own extractors count, since it also quotes paths of files.
pub(super) fn is_nginx(text: &[u8]) -> bool {
    let near = text.get(..60.min(text.len())).unwrap_or_default();
    NGINX.as_ref().is_some_and(|nginx| nginx.is_match(near))
}

#[cfg(test)]
mod tests;
