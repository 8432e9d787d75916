//! A line without what varies from one to the next: times, numbers, ids, addresses, and text that a client supplies.
//!
//! What is left are its words, a blank between them. A setting and its value are one word, `feature=off`; a port stays with its host.

mod scan;
mod word;

use std::collections::BTreeSet;

use scan::{
    METHODS, after_brackets, after_escape, ends_chunk, ends_url, is_name, is_request, is_single,
    quoted, target_len,
};
use word::write_word;

/// Stands for a time, a number, an id or an address.
pub(super) const VARIES: char = '\u{1}';
/// Stands for text of a client's: what it asked for, whence, and as whom.
pub(super) const CLIENT: char = '\u{2}';
/// Ends a run of words.
pub(super) const BREAK: &str = "\u{3}";

/// So much of a line is looked at, and so much is kept of it.
const LOOKED_AT: usize = 2 << 10;
const KEPT: usize = 400;
/// Lines in lines: JSON in a string of JSON.
const DEPTH: usize = 3;

/// Names under which programs log what a client supplied, or who it is. Compared in small letters, with `_` for `-`, and without what
/// stands before a dot.
const CLIENTS: [&str; 78] = [
    "account",
    "agent",
    "args",
    "auth",
    "authority",
    "authorization",
    "body",
    "caller",
    "city",
    "client",
    "client_addr",
    "client_ip",
    "client_port",
    "clientip",
    "cookie",
    "cookies",
    "country",
    "customer",
    "device",
    "domain",
    "email",
    "form",
    "forwarded",
    "forwarded_for",
    "headers",
    "host",
    "hostname",
    "http_host",
    "id",
    "input",
    "ip",
    "ip_address",
    "login",
    "method",
    "origin",
    "page",
    "params",
    "path",
    "payload",
    "peer",
    "q",
    "query",
    "query_string",
    "queryparams",
    "referer",
    "referrer",
    "remote",
    "remote_addr",
    "remote_address",
    "remote_ip",
    "remoteaddr",
    "remoteip",
    "req",
    "request",
    "request_line",
    "request_uri",
    "requesturi",
    "route",
    "session",
    "sid",
    "source",
    "source_ip",
    "src",
    "subject",
    "tenant",
    "token",
    "ua",
    "uid",
    "uri",
    "url",
    "user",
    "user_agent",
    "user_id",
    "user_name",
    "useragent",
    "username",
    "verb",
    "xff",
];

/// Names that are known from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// Of the replicas, and of where they run: each logs its own.
    pub(crate) own: BTreeSet<String>,
    /// Of Services: what stands behind one of them and a colon is a port, and no counter.
    pub(crate) hosts: BTreeSet<String>,
}

/// Whether a setting of this name holds a client's text.
fn is_clients(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or(key);
    let plain: String = last
        .chars()
        .map(|c| {
            if c == '-' {
                '_'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect();
    CLIENTS.binary_search(&plain.as_str()).is_ok()
        || plain.starts_with("x_")
        || plain.ends_with("_id")
        || plain.ends_with("_ip")
}

/// Writes the masked line; empty where nothing is left of it.
pub(super) fn mask(line: &str, names: &Names, out: &mut String) {
    out.clear();
    let mut end = line.len().min(LOOKED_AT);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut masker = Masker {
        names,
        out,
        request: false,
    };
    masker.text(line.get(..end).unwrap_or_default(), 0);
    let trimmed = out.trim_end_matches([' ', '\u{3}']).len();
    out.truncate(trimmed);
    let bare = |c: char| c == ' ' || c == VARIES || c == CLIENT || c == '\u{3}';
    if out.chars().all(bare) {
        out.clear();
    }
}

struct Masker<'a> {
    names: &'a Names,
    out: &'a mut String,
    /// A client's request stood in the line: text in quotes that follows without a name is the client's as well.
    request: bool,
}

/// The name before a value.
#[derive(Clone, Copy)]
struct Key<'t> {
    name: &'t str,
    clients: bool,
    /// The name belongs to its value, and is no word of a sentence.
    joined: bool,
}

impl<'t> Key<'t> {
    fn of(name: &'t str, joined: bool) -> Self {
        Self {
            name,
            clients: is_clients(name),
            joined,
        }
    }
}

impl Masker<'_> {
    fn text(&mut self, text: &str, depth: usize) {
        let bytes = text.as_bytes();
        let (mut at, mut key) = (0, None::<Key<'_>>);
        while let Some(&byte) = bytes.get(at) {
            if self.out.len() >= KEPT {
                return;
            }
            match byte {
                0x1b => at = after_escape(bytes, at),
                b'\\' => at += 2,
                0..=b' ' | 0x7f | b'=' | b'`' => at += 1,
                b'"' | b'\'' => match quoted(text, at) {
                    Some(inner) => {
                        at += inner.len() + 2;
                        at = self.string(text, inner, at, &mut key, depth);
                    }
                    None => at += 1,
                },
                b'[' | b'{' | b'(' if key.is_some_and(|key| key.clients) => {
                    at = after_brackets(bytes, at);
                    self.put(CLIENT);
                    key = None;
                }
                b',' | b';' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'<' | b'>' | b'|' => {
                    self.end_run();
                    key = None;
                    at += 1;
                }
                _ => at = self.chunk(text, at, &mut key),
            }
        }
    }

    /// Text in quotes that ends before `at`: a name, or a value.
    fn string<'t>(
        &mut self,
        text: &'t str,
        inner: &'t str,
        at: usize,
        key: &mut Option<Key<'t>>,
        depth: usize,
    ) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start().len();
        if rest.trim_start().starts_with(':') && is_name(inner) {
            *key = Some(Key::of(inner, true));
            return at + blanks + 1;
        }
        let asks = key.is_none_or(|key| !key.joined) && is_request(inner);
        if key.is_some_and(|key| key.clients) || asks || (key.is_none() && self.request) {
            self.request |= asks;
            self.put(CLIENT);
        } else if let Some(key) = key.filter(|key| key.joined && is_single(inner)) {
            self.value(key, inner);
        } else if depth < DEPTH {
            self.end_run();
            if inner.contains("\\\"") {
                self.text(&inner.replace("\\\"", "\""), depth + 1);
            } else {
                self.text(inner, depth + 1);
            }
            self.end_run();
        }
        *key = None;
        at
    }

    /// A piece up to the next blank, quote or bracket.
    fn chunk<'t>(&mut self, text: &'t str, from: usize, key: &mut Option<Key<'t>>) -> usize {
        let rest = text.get(from..).unwrap_or_default();
        let len = rest.find(ends_chunk).unwrap_or(rest.len());
        let chunk = rest.get(..len).unwrap_or_default();
        let next = rest.as_bytes().get(len).copied();
        if len == 0 {
            // Half a character cannot be; whatever it is, it is passed over.
            return from + rest.chars().next().map_or(1, char::len_utf8);
        }
        // A path or a URL goes on to the next blank: in its query there may be anything.
        if chunk.starts_with('/') || chunk.contains("://") {
            let end = rest.find(ends_url).unwrap_or(rest.len());
            let url = rest.get(..end).unwrap_or_default();
            self.url(url, key.take());
            return from + end;
        }
        if next == Some(b'=') && is_name(chunk) {
            *key = Some(Key::of(chunk, true));
            return from + len + 1;
        }
        if METHODS.contains(&chunk)
            && key.is_none_or(|key| !key.joined)
            && let Some(len) = target_len(rest.get(len..).unwrap_or_default())
        {
            self.request = true;
            self.put(CLIENT);
            return from + chunk.len() + len;
        }
        if let Some(name) = chunk.strip_suffix(':').filter(|name| is_name(name)) {
            let named = Key::of(name, false);
            self.word(name);
            self.end_run();
            *key = Some(named);
            return from + len;
        }
        match key.take() {
            Some(key) if key.clients => self.put(CLIENT),
            Some(key) if key.joined => self.value(key, chunk),
            _ => self.word(chunk),
        }
        from + len
    }

    /// Of a URL its host and port, unless it is a client's; of a path nothing.
    fn url(&mut self, url: &str, key: Option<Key<'_>>) {
        let host = url.split_once("://").map(|(_, rest)| rest);
        let host = host.and_then(|rest| rest.split(['/', '?', '#', ',', ')']).next());
        // Who may log in there is no word of the program's.
        let host = host.map(|host| host.rsplit('@').next().unwrap_or(host));
        match (host, key) {
            (Some(host), None) => self.word(host),
            (Some(host), Some(key)) if !key.clients => self.value(key, host),
            _ => self.put(CLIENT),
        }
    }

    fn value(&mut self, key: Key<'_>, value: &str) {
        self.blank();
        write_word(key.name, self.names, self.out);
        self.out.push('=');
        write_word(value, self.names, self.out);
    }

    fn word(&mut self, word: &str) {
        let word = word.trim_matches(['.', ':', '!', '?', '-', '*', '#', '~', '&', '\'']);
        if !word.is_empty() {
            self.blank();
            write_word(word, self.names, self.out);
        }
    }

    fn put(&mut self, mark: char) {
        self.blank();
        self.out.push(mark);
    }

    fn end_run(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with(BREAK) {
            self.blank();
            self.out.push_str(BREAK);
        }
    }

    fn blank(&mut self) {
        if !self.out.is_empty() {
            self.out.push(' ');
        }
    }
}

#[cfg(test)]
mod tests;
