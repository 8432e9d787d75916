//! Where the pieces of a line begin and end, and what they are by their form.

/// Text in single quotes is no longer, or one was an apostrophe.
const SINGLE: usize = 200;

pub(super) const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
];

pub(super) fn ends_chunk(c: char) -> bool {
    c <= ' '
        || matches!(
            c,
            '"' | '\\'
                | '`'
                | ','
                | ';'
                | '['
                | ']'
                | '('
                | ')'
                | '{'
                | '}'
                | '<'
                | '>'
                | '|'
                | '='
                | '\u{7f}'
        )
}

pub(super) fn ends_url(c: char) -> bool {
    c <= ' ' || matches!(c, '"' | '\'' | '<' | '>' | '\u{7f}')
}

pub(super) fn is_name(text: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '@';
    text.len() <= 64
        && text.starts_with(starts)
        && text
            .chars()
            .all(|c| starts(c) || c.is_ascii_digit() || c == '.' || c == '-')
}

/// One value, and no sentence.
pub(super) fn is_single(text: &str) -> bool {
    !text.is_empty() && text.len() <= 80 && !text.contains([' ', '\t', '\\', '{', '['])
}

/// `GET /api/items HTTP/1.1`, and what clients send instead of one.
pub(super) fn is_request(text: &str) -> bool {
    let (method, rest) = text.split_once(' ').unwrap_or((text, ""));
    METHODS.contains(&method)
        || rest
            .rsplit(' ')
            .next()
            .is_some_and(|last| last.starts_with("HTTP/"))
}

/// How long a request's target is, with the blank before it, and the protocol behind it.
pub(super) fn target_len(rest: &str) -> Option<usize> {
    let target = rest.strip_prefix(' ')?;
    let is_target =
        target.starts_with('/') || target.starts_with('*') || target.starts_with("http");
    if !is_target {
        return None;
    }
    let end = target.find(ends_url).unwrap_or(target.len());
    let after = target.get(end..).unwrap_or_default();
    let protocol = after.strip_prefix(" HTTP/");
    let protocol = protocol.map_or(0, |rest| 6 + rest.find(ends_url).unwrap_or(rest.len()));
    Some(1 + end + protocol)
}

/// What stands between a quote and the next of its kind that is not escaped. An apostrophe within a word is none.
pub(super) fn quoted(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(at)?;
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    if quote == b'\'' && before.is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let most = if quote == b'\'' {
        at + SINGLE
    } else {
        bytes.len()
    };
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end).filter(|_| end < most) {
        match byte {
            b'\\' => end += 2,
            byte if byte == quote => {
                let after = bytes.get(end + 1);
                let apostrophe = quote == b'\'' && after.is_some_and(u8::is_ascii_alphanumeric);
                if !apostrophe {
                    return text.get(at + 1..end);
                }
                end += 1;
            }
            _ => end += 1,
        }
    }
    None
}

/// Behind an escape sequence, or what is left of one.
pub(super) fn after_escape(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at + 1) != Some(&b'[') {
        return at + 1;
    }
    let mut end = at + 2;
    while bytes
        .get(end)
        .is_some_and(|byte| (0x20..0x40).contains(byte))
    {
        end += 1;
    }
    end + usize::from(
        bytes
            .get(end)
            .is_some_and(|byte| (0x40..0x7f).contains(byte)),
    )
}

/// Behind the bracket that closes this one, or the end.
pub(super) fn after_brackets(bytes: &[u8], from: usize) -> usize {
    let mut open = 0usize;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            b'[' | b'{' | b'(' => open += 1,
            b']' | b'}' | b')' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return at + 1;
        }
    }
    bytes.len()
}
