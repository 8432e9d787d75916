//! Reads a line as a request in a common format. Its end is met on the way, so that most lines are gone through once.

use super::{LONGEST_LINE, Line, Sink, line_end};
use crate::analysis::signals::access::{self, Common, Last, common, ending, probed};
use crate::analysis::signals::eight::holds;
use crate::analysis::signals::stamp::kubelet;

/// Reads the line as a request in a common format; where it ends, if it is one.
#[inline(always)]
pub(super) fn request<'a>(
    text: &'a [u8],
    from: usize,
    last: &mut Last<'a>,
    sink: &mut impl Sink,
) -> Option<usize> {
    let cut = text.get(from..text.len().min(from + LONGEST_LINE))?;
    let (kubelet, body) = kubelet(cut).unwrap_or((b"", cut));
    if !kubelet.is_empty() && holds(kubelet, [b'\n']) {
        return None;
    }
    let Common {
        mut reply,
        inside,
        behind,
    } = common(body, last)?;
    let place = from + cut.len() - behind.len();
    let known = ending(behind, last);
    let (probe, length, end) = match known {
        Some(tail) => {
            let end = match tail.newline {
                Some(newline) => place + newline,
                None => line_end(text, place + tail.length),
            };
            (tail.probe, tail.length, end)
        }
        None => ended(text, place, from + LONGEST_LINE)?,
    };
    reply.probe = probe;
    let line = Line {
        at: from,
        kubelet,
        inside,
        text: body.get(..body.len() - behind.len() + length)?,
    };
    sink.telling(&line);
    sink.answer(&line, reply);
    if known.is_none() {
        tail(line, behind.get(..length)?, reply.status, sink);
    }
    Some(end)
}

/// Whether the kubelet asked, how long the rest is that is read of a line, and where the line ends.
#[inline(never)]
fn ended(text: &[u8], place: usize, most: usize) -> Option<(bool, usize, usize)> {
    let end = line_end(text, place);
    let rest = text.get(place..end.min(most))?;
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    Some((probed(rest)?, rest.len(), end))
}

/// What more than quoted texts behind the size tells.
#[inline(never)]
fn tail(line: Line<'_>, rest: &[u8], status: u16, sink: &mut impl Sink) {
    for fact in access::tail(rest, status) {
        sink.fact(&line, fact);
    }
}
