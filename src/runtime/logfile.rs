//! Reads a log of any size, from a file or standard input, a chunk at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use memchr::{memchr, memchr_iter, memrchr};

use crate::analysis::{Tally, Wrapped};
use crate::cli::signals::{Output, Signals};
use crate::error::Error;
use crate::report::Charset;
use crate::report::signals::{self, Log};

use super::commands::{Outcome, quiet_when_closed};

const CHUNK: usize = 1 << 20;

/// Runs `confsplit signals`.
pub(super) fn signals(args: &Signals, ascii: bool) -> Result<Outcome, Error> {
    let charset = if ascii {
        Charset::Ascii
    } else {
        Charset::Unicode
    };
    let json = args.output == Output::Json;
    let mut out = BufWriter::new(io::stdout().lock());
    if args.list {
        quiet_when_closed(signals::list(json, &mut out).and_then(|()| out.flush()))?;
        return Ok(Outcome::Clear);
    }
    let (input, name) = open(args.file.as_deref())?;
    let mut log = Log {
        name,
        ..Log::default()
    };
    let mut tally = Tally::default();
    let read = unzipped(input, &mut log).and_then(|input| take_all(input, &mut tally, &mut log));
    if let Err(error) = &read {
        if log.bytes == 0 {
            return Err(unreadable(&log.name, read.err()));
        }
        log.broken = Some(error.to_string());
    }
    quiet_when_closed(
        signals::write(json, charset, &log, &tally, &mut out).and_then(|()| out.flush()),
    )?;
    match read {
        Ok(()) => Ok(Outcome::Clear),
        // What was read before it is printed, and is not all.
        Err(error) => Err(unreadable(&log.name, Some(error))),
    }
}

fn unreadable(name: &str, error: Option<io::Error>) -> Error {
    let said = Error::new(format!("{name} could not be read to its end."));
    let said = match error {
        Some(error) => said.because(error),
        None => said,
    };
    said.hint("Name a log, plain or gzip, or send one through a pipe: `kubectl logs POD | confsplit signals`.")
}

type Input = BufReader<Box<dyn Read>>;

fn open(file: Option<&Path>) -> Result<(Input, String), Error> {
    let boxed = |input: Box<dyn Read>| BufReader::with_capacity(CHUNK / 4, input);
    match file.filter(|file| file.as_os_str() != "-") {
        Some(path) => {
            let name = path.display().to_string();
            let opened = File::open(path).and_then(|file| {
                let folder = file.metadata()?.is_dir();
                if folder {
                    Err(io::ErrorKind::IsADirectory.into())
                } else {
                    Ok(file)
                }
            });
            let file = opened.map_err(|error| {
                Error::new(format!("{name} could not be opened."))
                    .because(error)
                    .hint("Name a log, or `-` for standard input.")
            })?;
            Ok((boxed(Box::new(file)), name))
        }
        None if io::stdin().is_terminal() => Err(Error::new(
            "No log was named, and standard input is a terminal.",
        )
        .hint(
            "Name a file, or send a log through a pipe: `kubectl logs POD | confsplit signals`.",
        )),
        None => Ok((
            boxed(Box::new(io::stdin().lock())),
            "standard input".to_owned(),
        )),
    }
}

/// By its first bytes, as a rotated log may have any name.
fn unzipped(mut input: Input, log: &mut Log) -> io::Result<Box<dyn Read>> {
    if input.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        log.gzip = true;
        return Ok(Box::new(MultiGzDecoder::new(input)));
    }
    Ok(Box::new(input))
}

/// Reads to the end. No more than a chunk is kept, however long a line is.
fn take_all(mut input: Box<dyn Read>, tally: &mut Tally, log: &mut Log) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    let mut wrapped = Wrapped::default();
    let mut filled = 0;
    // Within a line whose head was read and whose end has not come yet.
    let mut skipping = false;
    let ended = loop {
        let room = buffer.get_mut(filled..).unwrap_or_default();
        let read = match input.read(room) {
            Ok(0) => break Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break Err(error),
        };
        log.bytes += read as u64;
        let before = filled;
        filled += read;
        if skipping {
            let Some(end) = memchr(b'\n', buffer.get(..filled).unwrap_or_default()) else {
                filled = 0;
                continue;
            };
            buffer.copy_within(end + 1..filled, 0);
            filled -= end + 1;
            skipping = false;
        }
        let fresh = buffer.get(before.min(filled)..filled).unwrap_or_default();
        let whole = match memrchr(b'\n', fresh) {
            Some(end) => before.min(filled) + end + 1,
            None => match memrchr(b'\n', buffer.get(..filled).unwrap_or_default()) {
                Some(end) => end + 1,
                None if filled < buffer.len() => continue,
                // A line that fills the buffer: its head tells what it tells.
                None => {
                    skipping = true;
                    filled
                }
            },
        };
        take(
            buffer.get(..whole).unwrap_or_default(),
            tally,
            &mut wrapped,
            log,
        );
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
    };
    take(
        buffer.get(..filled).unwrap_or_default(),
        tally,
        &mut wrapped,
        log,
    );
    let rest = wrapped.rest();
    tally.take(&rest);
    log.wrapping = wrapped.wrapping;
    log.joined = wrapped.joined;
    ended
}

/// Takes in whole lines, and counts what is not read of them.
fn take(lines: &[u8], tally: &mut Tally, wrapped: &mut Wrapped, log: &mut Log) {
    if lines.is_empty() {
        return;
    }
    let mut from = 0;
    for end in memchr_iter(b'\n', lines).chain((!lines.ends_with(b"\n")).then_some(lines.len())) {
        log.lines += 1;
        log.cut += usize::from(end - from > Tally::LONGEST_LINE);
        from = end + 1;
    }
    if !lines.is_ascii() && std::str::from_utf8(lines).is_err() {
        let bad = lines
            .split(|b| *b == b'\n')
            .filter(|line| std::str::from_utf8(line).is_err());
        log.invalid += bad.count();
    }
    tally.take(&wrapped.unwrap(lines));
}

#[cfg(test)]
mod tests;
