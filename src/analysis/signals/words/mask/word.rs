//! One word without what varies in it.

use std::net::{IpAddr, Ipv4Addr};

use super::{Names, VARIES};

/// A longer word is no word.
const LONGEST: usize = 80;
/// Hex digits in a row that are an id, with a digit among them, and without.
const HEX: usize = 6;
const HEX_LETTERS: usize = 8;
/// A word with digits in it that is so long is an id.
const MIXED: usize = 20;
/// Ports of servers; above are those that clients get.
const PORTS: std::ops::Range<u32> = 80..32_768;

/// Writes a word: names of the replicas' own, numbers, ids and addresses masked.
pub(super) fn write_word(word: &str, names: &Names, out: &mut String) {
    if names.own.contains(word) {
        return out.push(VARIES);
    }
    if let Some((host, port)) = port_of(word, names) {
        write_host(host, names, out);
        out.push(':');
        out.push_str(port);
        return;
    }
    let first = word.trim_start_matches(['+', '-', '*', '#', '@', '~', '$', '%', ':']);
    let is_number = first.bytes().next().is_none_or(|b| b.is_ascii_digit());
    if is_number || word.len() > LONGEST || word.contains('@') || is_v6(word) {
        return out.push(VARIES);
    }
    // What stands behind an id in a name belongs to it: `api-76d98597b9-kxzwt`.
    let (mut begin, mut varied) = (0, false);
    let ends = word.match_indices([
        '-', '_', '.', '/', ':', '#', '+', '%', '&', '?', '$', '!', '~',
    ]);
    let ends = ends.map(|(at, _)| at).chain([word.len()]);
    for end in ends {
        let part = word.get(begin..end).unwrap_or_default();
        if varied {
            if !out.ends_with(VARIES) {
                out.push(VARIES);
            }
        } else {
            let suffix = begin > 0 && word.as_bytes().get(begin - 1) == Some(&b'-');
            varied = write_part(part, suffix, names, out);
        }
        if let Some(between) = word.get(end..end + 1) {
            if varied {
                // The masked rest is one.
            } else {
                out.push_str(between);
            }
        }
        begin = end + 1;
    }
}

/// Writes a part of a word; true where it is an id.
fn write_part(part: &str, suffix: bool, names: &Names, out: &mut String) -> bool {
    if part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty() {
        out.push(VARIES);
        return false;
    }
    let hex = part.bytes().all(|b| b.is_ascii_hexdigit());
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    if (names.own.contains(part) && !part.is_empty())
        || (hex && digits > 0 && part.len() >= HEX)
        || (hex && part.len() >= HEX_LETTERS)
        || (digits > 0 && (part.len() >= MIXED || turns(part) > 1))
        || (suffix && is_generated(part))
    {
        out.push(VARIES);
        return true;
    }
    // A version of an interface is a word of its own: v1, v2.
    if matches!(
        part.as_bytes(),
        [b'v', b'1'..=b'9'] | [b'v', b'1'..=b'9', b'0'..=b'9']
    ) {
        out.push_str(part);
        return false;
    }
    let mut was_digit = false;
    for c in part.chars() {
        let is_digit = c.is_ascii_digit();
        match (is_digit, was_digit) {
            (true, false) => out.push(VARIES),
            (true, true) => {}
            _ if c.is_control() => {}
            _ => out.push(c),
        }
        was_digit = is_digit;
    }
    false
}

/// Whether Kubernetes may have made up this end of a name: it has no vowel, and the length of one of a pod's or of a template's.
fn is_generated(part: &str) -> bool {
    const LETTERS: &str = "bcdfghjklmnpqrstvwxz2456789";
    matches!(part.len(), 5 | 8..=10) && part.chars().all(|c| LETTERS.contains(c))
}

/// How often letters and digits take turns.
fn turns(part: &str) -> usize {
    let bytes = part.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    pairs
        .filter(|(a, b)| a.is_ascii_digit() != b.is_ascii_digit())
        .count()
}

/// A host and a server's port: an address, a name with a dot, or one of a Service; else the number might count something.
fn port_of<'w>(word: &'w str, names: &Names) -> Option<(&'w str, &'w str)> {
    let (host, port) = word.rsplit_once(':')?;
    let number: u32 = port.parse().ok()?;
    let plain = port.len() <= 5 && !port.starts_with('0') && PORTS.contains(&number);
    let is_host = host.parse::<Ipv4Addr>().is_ok()
        || names.hosts.contains(host)
        || host == "localhost"
        || (host.contains('.')
            && host.starts_with(|c: char| c.is_ascii_alphabetic())
            && host
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-'));
    (plain && is_host).then_some((host, port))
}

fn write_host(host: &str, names: &Names, out: &mut String) {
    if host.parse::<Ipv4Addr>().is_ok() || names.own.contains(host) {
        return out.push(VARIES);
    }
    let mut masked = String::new();
    write_word(host, names, &mut masked);
    out.push_str(&masked);
}

fn is_v6(word: &str) -> bool {
    word.contains(':')
        && (word.parse::<IpAddr>().is_ok() || {
            let hex = |b: u8| b.is_ascii_hexdigit() || b == b':' || b == b'.';
            word.matches(':').count() > 1 && word.bytes().all(hex)
        })
}
