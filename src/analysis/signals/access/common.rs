//! The common and combined formats (nginx, Apache, Traefik, Werkzeug, Django), by hand: most logs are nothing but these.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2};

use super::{Reply, Side};
use crate::analysis::signals::eight::{begins, capitals, digits, first, holds};
use crate::analysis::signals::own::{is_dated, is_nginx};

static PROBE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"kube-probe/"));

/// What a line in one of these formats holds, but for what is behind the size.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::signals) struct Common<'a> {
    /// Whether the kubelet asked is told by what is behind.
    pub(crate) reply: Reply<'a>,
    /// Where the time between the brackets begins and ends.
    pub(crate) inside: (usize, usize),
    /// What follows the size, and the lines that follow.
    pub(crate) behind: &'a [u8],
}

/// What the last lines of a log held, since the next one mostly holds the same. Only looks that were paid for once are spared.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::signals) struct Last<'a> {
    /// `[30/Nov/2026:02:49:22 +0000] "`, which neither a bracket nor a line's end cuts.
    time: [u8; 30],
    /// What was behind the size, up to the line's end, and what it tells.
    ending: &'a [u8],
    tail: Tail,
}

impl Default for Last<'_> {
    fn default() -> Self {
        Self {
            time: [0; 30],
            ending: b"",
            tail: Tail::default(),
        }
    }
}

/// `%h %l %u [%t] "%r" %>s %b ...`. A quote within the request is escaped by the server, so the first one ends it.
/// The text begins with the line and may go on behind it: its end is met on the way, not looked for.
#[inline(always)]
pub(in crate::analysis::signals) fn common<'a>(
    text: &'a [u8],
    last: &mut Last<'_>,
) -> Option<Common<'a>> {
    let (open, close) = brackets(text, last)?;
    let request = text.get(close + 3..)?;
    let space = match request.first_chunk() {
        Some(b"GET ") => 3,
        // No method is as long as what a stranger may send.
        _ => capitals(request.get(..16.min(request.len()))?),
    };
    let (method, behind) = request.split_at_checked(space)?;
    let [b' ', rest @ ..] = behind else {
        return None;
    };
    if !(3..=10).contains(&space) {
        return None;
    }
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
    let size = digits(tail);
    let size = if size == 0 {
        usize::from(tail.first() == Some(&b'-'))
    } else {
        size
    };
    let behind = tail.get(size..)?;
    if size == 0 {
        return None;
    }
    let reply = Reply {
        by: "common",
        side: Side::Server,
        method,
        target,
        status,
        probe: false,
    };
    Some(Common {
        reply,
        inside: (open + 1, close),
        behind,
    })
}

/// The same of a line whose end is known, and what is behind the size.
pub(super) fn of_line(line: &[u8]) -> Option<(Reply<'_>, &[u8])> {
    let Common {
        mut reply, behind, ..
    } = common(line, &mut Last::default())?;
    reply.probe = probed(behind)?;
    Some((reply, behind))
}

/// Whether a line is one of an access log, even where no request can be read in it: what stands between quotes behind the time is a
/// client's then, and it may have sent anything.
pub(in crate::analysis::signals) fn is_logged(line: &[u8]) -> bool {
    brackets(line, &mut Last::default()).is_some_and(|(open, _)| {
        let time = line.get(open + 1..).unwrap_or_default();
        matches!(time, [_, _, b'/', _, _, _, b'/', ..])
    })
}

/// Whether the kubelet asked, if this can be behind the size.
pub(in crate::analysis::signals) fn probed(behind: &[u8]) -> Option<bool> {
    matches!(behind.first(), None | Some(b' ')).then(|| PROBE.find(behind).is_some())
}

/// Whether the kubelet asked, and what begins with the line's end, where nothing but quoted texts is behind the size:
/// `"-" "curl/8.5.0" "-"`. They are a client's, and what names an upstream stands outside of them, so nothing else has to be
/// looked for. An escaped quote makes it another tail.
fn quoted(behind: &[u8]) -> Option<(bool, &[u8])> {
    let (mut probe, mut left) = (false, behind);
    loop {
        // Mostly a client left it out.
        if let Some((br#" "-""#, behind)) = left.split_first_chunk::<4>() {
            left = behind;
            continue;
        }
        let [b' ', b'"', text @ ..] = left else {
            let ends = matches!(left, [] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..]);
            return ends.then_some((probe, left));
        };
        probe |= text.starts_with(b"kube-probe/");
        let [b'"', behind @ ..] = text.get(near(text, b'"')?..)? else {
            return None;
        };
        left = behind;
    }
}

/// What is behind the size, where that is nothing but quoted texts.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::analysis::signals) struct Tail {
    /// Whether the kubelet asked.
    pub(crate) probe: bool,
    /// How long it is without the line's end.
    pub(crate) length: usize,
    /// Where the line ends, if that is as near.
    pub(crate) newline: Option<usize>,
}

/// The same as `quoted` tells, which is not asked where the last line ended in this way.
#[inline(always)]
pub(in crate::analysis::signals) fn ending<'a>(
    behind: &'a [u8],
    last: &mut Last<'a>,
) -> Option<Tail> {
    if begins(behind, last.ending) {
        return Some(last.tail);
    }
    other_ending(behind, last)
}

#[inline(never)]
fn other_ending<'a>(behind: &'a [u8], last: &mut Last<'a>) -> Option<Tail> {
    let (probe, left) = quoted(behind)?;
    let length = behind.len() - left.len();
    let newline = match left {
        [b'\n', ..] => Some(length),
        [b'\r', b'\n', ..] => Some(length + 1),
        _ => None,
    };
    let tail = Tail {
        probe,
        length,
        newline,
    };
    if let Some(newline) = newline {
        last.ending = behind.get(..=newline)?;
        last.tail = tail;
    }
    Some(tail)
}

/// Where a byte is, which is mostly near, or the line's end.
#[inline(always)]
fn near(text: &[u8], byte: u8) -> Option<usize> {
    let Some((near, far)) = text.split_at_checked(24) else {
        return first(text, [byte, b'\n']);
    };
    first(near, [byte, b'\n']).or_else(|| memchr2(byte, b'\n', far).map(|at| 24 + at))
}

/// The text up to the line's end.
fn line(text: &[u8]) -> &[u8] {
    let end = memchr(b'\n', text).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Where the target ends, and the request.
#[inline(always)]
fn ends(request: &[u8]) -> Option<(usize, usize)> {
    let end = first(request, [b' ', b'"', b'\n'])?;
    let behind = request.get(end..).unwrap_or_default();
    if let Some((b" HTTP/", [b'0'..=b'9', b'.', b'0'..=b'9', b'"', ..])) =
        behind.split_first_chunk()
    {
        return Some((end, end + b" HTTP/1.1".len()));
    }
    let request = line(request);
    let quote = closing(request)?;
    Some((memchr(b' ', request.get(..quote)?).unwrap_or(quote), quote))
}

/// The first quote that is not escaped (Apache writes one within the request as `\"`).
pub(super) fn closing(text: &[u8]) -> Option<usize> {
    let escaped = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
    };
    memchr::memchr_iter(b'"', text).find(|at| !escaped(*at))
}

/// Where `[time] "` opens and closes, after at least two words.
#[inline(always)]
fn brackets(text: &[u8], last: &mut Last<'_>) -> Option<(usize, usize)> {
    // `10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "`
    let open = near(text, b'[')?;
    let (before, behind) = text.split_at(open);
    if let ([host, middle @ .., word, b' '], Some(time)) = (before, behind.first_chunk::<30>())
        && *host != b' '
        && *word != b' '
        && (middle.ends_with(b" ") || middle.contains(&b' '))
        && (*time == last.time || is_time(time, last))
    {
        return Some((open, open + 27));
    }
    if behind.first() == Some(&b'\n') {
        return None;
    }
    // What nginx says of an error quotes its client, who may have sent a whole line.
    if is_dated(text) && is_nginx(text) {
        return None;
    }
    bracketed(line(text))
}

/// Whether this is a time in brackets before a request; then it is the last one.
#[inline(never)]
fn is_time(time: &[u8; 30], last: &mut Last<'_>) -> bool {
    let found =
        matches!(time, [b'[', inside @ .., b']', b' ', b'"'] if !holds(inside, [b']', b'\n']));
    if found {
        last.time = *time;
    }
    found
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

#[cfg(test)]
mod tests;
