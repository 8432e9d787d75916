//! Logs as a node keeps them: CRI's lines and Docker's JSON, brought into the form in which the kubelet hands them out.

use std::borrow::Cow;

use memchr::memchr;

use super::stamp::kubelet;
use super::tally::Tally;

/// How a container runtime wrapped the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wrapping {
    /// They are not wrapped, or not yet known to be.
    #[default]
    None,
    /// `TIME stdout F text`
    Cri,
    /// `{"log":"text\n","stream":"stdout","time":"TIME"}`
    Docker,
}

impl Wrapping {
    fn of(line: &[u8]) -> Self {
        if cri(line).is_some() {
            Self::Cri
        } else if line.starts_with(b"{\"log\":\"") && docker(line).is_some() {
            Self::Docker
        } else {
            Self::None
        }
    }
}

/// Unwraps lines, and joins those that the runtime cut.
#[derive(Debug, Default)]
pub struct Wrapped {
    pub wrapping: Wrapping,
    /// Lines that were put together from parts.
    pub joined: usize,
    known: bool,
    /// The parts so far of a line that goes on, of standard output and of standard error: the two are written in turns.
    parts: [Vec<u8>; 2],
    out: Vec<u8>,
}

impl Wrapped {
    /// Whole lines as the kubelet would hand them out. What does not look like the first line is left as it is.
    pub fn unwrap<'a>(&'a mut self, lines: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.known && !lines.is_empty() {
            let first = lines.get(..memchr(b'\n', lines).unwrap_or(lines.len()));
            self.wrapping = Wrapping::of(first.unwrap_or_default());
            self.known = true;
        }
        if self.wrapping == Wrapping::None {
            return Cow::Borrowed(lines);
        }
        self.out.clear();
        for line in lines.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            self.line(line);
        }
        Cow::Borrowed(&self.out)
    }

    /// The parts of a line whose end never came.
    pub fn rest(&mut self) -> Vec<u8> {
        let [mut out, err] = std::mem::take(&mut self.parts);
        if !out.is_empty() && !err.is_empty() {
            out.push(b'\n');
        }
        out.extend_from_slice(&err);
        out
    }

    fn line(&mut self, line: &[u8]) {
        let docked;
        let (time, errors, ends, text) = match self.wrapping {
            Wrapping::Cri => match cri(line) {
                Some(read) => read,
                None => return self.push(line),
            },
            _ => match docker(line) {
                Some(read) => {
                    docked = read;
                    let text = docked.log.as_bytes();
                    let cut = text.strip_suffix(b"\n");
                    let errors = docked.stream == "stderr";
                    (
                        docked.time.as_bytes(),
                        errors,
                        cut.is_some(),
                        cut.unwrap_or(text),
                    )
                }
                None => return self.push(line),
            },
        };
        let parts = match errors {
            true => &mut self.parts[1],
            false => &mut self.parts[0],
        };
        let first = parts.is_empty();
        if first && ends {
            self.out.extend_from_slice(time);
            self.out.push(b' ');
            return self.push(text);
        }
        if first {
            parts.extend_from_slice(time);
            parts.push(b' ');
        }
        // What is too long to be read is not kept.
        let room = Tally::LONGEST_LINE.saturating_sub(parts.len());
        parts.extend_from_slice(text.get(..room.min(text.len())).unwrap_or_default());
        if ends {
            self.joined += 1;
            let whole = std::mem::take(parts);
            self.push(&whole);
        }
    }

    fn push(&mut self, line: &[u8]) {
        self.out.extend_from_slice(line);
        self.out.push(b'\n');
    }
}

/// Time, whether it is of standard error, whether the line ends here, and text.
fn cri(line: &[u8]) -> Option<(&[u8], bool, bool, &[u8])> {
    let (time, rest) = kubelet(line)?;
    let errors = rest.starts_with(b"stderr ");
    let rest = rest
        .strip_prefix(b"stdout ")
        .or_else(|| rest.strip_prefix(b"stderr "))?;
    let (tag, text) = rest.split_at(memchr(b' ', rest).unwrap_or(rest.len()));
    let ends = match tag.split(|b| *b == b':').next()? {
        b"F" => true,
        b"P" => false,
        _ => return None,
    };
    Some((time, errors, ends, text.get(1..).unwrap_or_default()))
}

struct Docked {
    log: String,
    time: String,
    stream: String,
}

fn docker(line: &[u8]) -> Option<Docked> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(Docked {
        log: text("log")?,
        time: text("time")?,
        stream: text("stream").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests;
