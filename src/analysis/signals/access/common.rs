//! The common and combined formats (nginx, Apache, Traefik, Werkzeug, Django), by hand: most logs are nothing but these.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use super::{Seen, Side};

static PROBE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"kube-probe/"));

/// `%h %l %u [%t] "%r" %>s %b ...`, and where the time between the brackets begins and ends. A quote within the request is escaped by the server, so
/// the first one ends it. The line's end is not looked for: what follows the size is the rest.
#[inline]
pub(in crate::analysis::signals) fn common(line: &[u8]) -> Option<(Seen<'_>, (usize, usize))> {
    let (open, close) = brackets(line)?;
    let request = line.get(close + 3..)?;
    let space = request
        .get(..12.min(request.len()))?
        .iter()
        .position(|b| *b == b' ')?;
    let method = request.get(..space)?;
    if !(3..=10).contains(&space) || !method.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let rest = request.get(space + 1..)?;
    let (end, quote) = ends(rest)?;
    let target = rest.get(..end)?;
    // ` 502 157 `
    let after = rest.get(quote + 1..)?;
    let [b' ', a @ b'1'..=b'5', b, c, b' ', tail @ ..] = after else {
        return None;
    };
    if target.is_empty() || !b.is_ascii_digit() || !c.is_ascii_digit() {
        return None;
    }
    let status = u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0');
    let size = tail.iter().take_while(|b| b.is_ascii_digit()).count();
    let size = if size == 0 {
        usize::from(tail.first() == Some(&b'-'))
    } else {
        size
    };
    let rest = tail.get(size..)?;
    if size == 0 || !matches!(rest.first(), None | Some(b' ')) {
        return None;
    }
    let seen = Seen {
        by: "common",
        side: Side::Server,
        method: Cow::Borrowed(method),
        target: Cow::Borrowed(target),
        status,
        probe: PROBE.find(rest).is_some(),
        rest,
    };
    Some((seen, (open + 1, close)))
}

/// Where the target ends, and the request.
#[inline]
fn ends(request: &[u8]) -> Option<(usize, usize)> {
    let end = request.iter().position(|b| matches!(b, b' ' | b'"'))?;
    let behind = request.get(end..).unwrap_or_default();
    let version = behind.strip_prefix(b" HTTP/");
    if let Some([b'0'..=b'9', b'.', b'0'..=b'9', b'"', ..]) = version {
        return Some((end, end + b" HTTP/1.1".len()));
    }
    let quote = closing(request)?;
    Some((memchr(b' ', request.get(..quote)?).unwrap_or(quote), quote))
}

/// The first quote that is not escaped (Apache writes one within the request as `\"`).
fn closing(text: &[u8]) -> Option<usize> {
    let escaped = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
    };
    memchr::memchr_iter(b'"', text).find(|at| !escaped(*at))
}

/// Where `[time] "` opens and closes, after at least two words.
fn brackets(line: &[u8]) -> Option<(usize, usize)> {
    // `10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "`
    let open = memchr(b'[', line)?;
    let (before, behind) = line.split_at(open);
    if let ([first, .., b' ', b'-', b' '], Some([_, time @ .., b']', b' ', b'"'])) =
        (before, behind.first_chunk::<30>())
        && *first != b' '
        && time.iter().filter(|b| **b == b']').count() == 0
    {
        return Some((open, open + 27));
    }
    bracketed(line)
}

/// The same, for whatever else stands before or in it.
fn bracketed(line: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let open = from + memchr(b'[', line.get(from..)?)?;
        let close = open
            + 1
            + memchr(
                b']',
                line.get(open + 1..)?.get(..33.min(line.len() - open - 1))?,
            )
            .unwrap_or(0);
        let length = close.saturating_sub(open + 1);
        if (20..=32).contains(&length) && line.get(close + 1..close + 3) == Some(b" \"") {
            let before = line.get(..open)?;
            let words = before.split(|b| *b == b' ').filter(|word| !word.is_empty());
            return (words.take(2).count() == 2).then_some((open, close));
        }
        from = open + 1;
        // A user's name may hold a bracket; no name holds many.
        if from > 512 {
            return None;
        }
    }
}
