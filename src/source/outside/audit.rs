//! `--audit FILE`: who wrote a config, from where and with what, and often what it held then, from the API server's audit log.
//!
//! Such logs are gigabytes: a line is looked at before it is parsed, and none is held longer than that.

mod event;
mod writes;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use memchr::memmem::Finder;
use zeroize::Zeroizing;

use self::event::{Read as Told, Skipped};
use self::writes::Writes;
use super::{About, Loaded, gap, unreadable};
use crate::model::Outside;
use crate::source::SourceError;
use crate::source::items::Items;

/// No event about a config is longer: the object twice, with its managed fields.
const LONGEST: usize = 16 << 20;
/// How much of a file tells what it is.
const HEAD: usize = 64 << 10;

/// Reads the files in the order in which they are given, as rotation leaves them.
pub(super) fn read(paths: &[PathBuf], about: &About) -> Result<Loaded, SourceError> {
    let mut writes = Writes::default();
    let mut gaps = Vec::new();
    for path in paths {
        let tally = read_file(path, about, &mut writes)?;
        gaps.extend(tally.told().map(|why| gap("audit log", path, about, why)));
    }
    let (audited, dropped) = writes.into_sorted();
    if let (Some(why), Some(path)) = (dropped, paths.last()) {
        gaps.push(gap("audit log", path, about, why));
    }
    Ok(Loaded {
        outside: Outside {
            audited,
            ..Outside::default()
        },
        gaps,
    })
}

/// What stood in a file.
#[derive(Debug, Default)]
struct Tally {
    /// Lines, or items of a list.
    number: u64,
    events: u64,
    written: u64,
    /// How many could not be used, by why, with the first of them.
    torn: Lost,
    foreign: Lost,
    version: Lost,
    long: Lost,
    /// What ended the reading before the file's end.
    broken: Option<String>,
}

#[derive(Debug, Default)]
struct Lost {
    count: u64,
    first: u64,
}

impl Lost {
    fn note(&mut self, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
    }

    fn told(&self, what: &str) -> Option<String> {
        let plural = if self.count == 1 { "line" } else { "lines" };
        (self.count > 0).then(|| {
            format!(
                "{} {plural} {what} (the first is line {})",
                self.count, self.first
            )
        })
    }
}

impl Tally {
    fn told(&self) -> Option<String> {
        let lost = [
            self.torn.told("cut or damaged"),
            self.foreign.told("that are no audit events"),
            self.version
                .told("of an apiVersion other than audit.k8s.io/v1"),
            self.long.told("longer than 16 MiB"),
            self.broken.clone(),
        ];
        let mut parts: Vec<String> = lost.into_iter().flatten().collect();
        if self.written == 0 {
            let events = self.events;
            parts.insert(
                0,
                format!("of its {events} events none is a write to a config in scope"),
            );
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Takes one event in, if it is one.
    fn take(
        &mut self,
        line: &[u8],
        file: &str,
        about: &About,
        finders: &Finders,
        writes: &mut Writes,
    ) {
        self.number += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        if !line.ends_with(b"}") {
            return self.torn.note(self.number);
        }
        if finders.api.find(line).is_none() {
            return self.foreign.note(self.number);
        }
        self.events += 1;
        if finders.config_maps.find(line).is_none() && finders.secrets.find(line).is_none() {
            return;
        }
        match event::read(line, file, about) {
            Ok(Told { id, writes: told }) => {
                self.written += told.len() as u64;
                writes.take(&id, told);
            }
            Err(Skipped::NoWrite) => {}
            Err(Skipped::Damaged) => self.torn.note(self.number),
            Err(Skipped::NoEvent) => {
                self.events -= 1;
                self.foreign.note(self.number);
            }
            Err(Skipped::Version) => self.version.note(self.number),
        }
    }
}

/// Most events are of leases, pods and nodes: they are told by these words not being in them.
struct Finders {
    api: Finder<'static>,
    config_maps: Finder<'static>,
    secrets: Finder<'static>,
}

fn read_file(path: &Path, about: &About, writes: &mut Writes) -> Result<Tally, SourceError> {
    let failed = |error: &io::Error| unreadable(path, error);
    let file = File::open(path).map_err(|error| failed(&error))?;
    // A folder opens, and cannot be read.
    let mut input = BufReader::with_capacity(256 << 10, file);
    let magic = input.fill_buf().map_err(|error| failed(&error))?;
    let packed = magic.starts_with(&[0x1f, 0x8b]);
    let mut input: Box<dyn BufRead> = if packed {
        Box::new(BufReader::with_capacity(
            256 << 10,
            MultiGzDecoder::new(input),
        ))
    } else {
        Box::new(input)
    };
    let name = path.display().to_string();
    let mut tally = Tally::default();
    let finders = Finders {
        api: Finder::new("\"audit.k8s.io/"),
        config_maps: Finder::new("configmaps"),
        secrets: Finder::new("secrets"),
    };
    let mut each =
        |line: &[u8], tally: &mut Tally| tally.take(line, &name, about, &finders, writes);
    let ended = if is_list(&mut *input).map_err(|error| failed(&error))? {
        items(&mut *input, &mut tally, &mut each)
    } else {
        lines(&mut *input, &mut tally, &mut each)
    };
    if let Err(error) = ended {
        tally.broken = Some(format!(
            "it broke off after {} lines ({error})",
            tally.number
        ));
    }
    if tally.number > 0 && tally.events == 0 {
        return Err(no_log(path, &tally));
    }
    Ok(tally)
}

fn no_log(path: &Path, tally: &Tally) -> SourceError {
    let why = tally.told().unwrap_or_default();
    SourceError {
        message: format!("{} is no audit log: {why}.", path.display()),
        hint: Some(
            "Give what the API server writes to --audit-log-path: one audit.k8s.io/v1 event a line, also gzipped, or an EventList."
                .to_owned(),
        ),
    }
}

/// Whether it is one list, as webhooks get them, rather than an event a line.
fn is_list(input: &mut dyn BufRead) -> io::Result<bool> {
    let head = input.fill_buf()?;
    let head = head.get(..HEAD.min(head.len())).unwrap_or_default();
    let kind = memchr::memmem::find(head, b"\"EventList\"");
    let event = memchr::memmem::find(head, b"\"auditID\"");
    Ok(kind.is_some_and(|kind| event.is_none_or(|event| kind < event)))
}

type Each<'a> = dyn FnMut(&[u8], &mut Tally) + 'a;

fn items(input: &mut dyn BufRead, tally: &mut Tally, each: &mut Each<'_>) -> io::Result<()> {
    let mut items = Items::default();
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let len = bytes.len();
        // An item of a list has its kind and version from the list.
        items.feed(bytes, &mut |item| each(&as_event(item), tally));
        input.consume(len);
        if items.held() > LONGEST {
            tally.long.note(tally.number + 1);
            return Err(io::Error::other("an event is longer than 16 MiB"));
        }
    }
    if !items.ended() {
        return Err(io::Error::other("the list is cut"));
    }
    Ok(())
}

/// The item as it would stand in a line of its own.
fn as_event(item: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut event = Zeroizing::new(Vec::with_capacity(item.len() + 64));
    let inner = item.strip_prefix(b"{").unwrap_or_default();
    if !event::names_itself(item) {
        event.extend_from_slice(b"{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\"");
        if inner.trim_ascii() != b"}" {
            event.push(b',');
        }
        event.extend_from_slice(inner);
    } else {
        event.extend_from_slice(item);
    }
    event
}

fn lines(input: &mut dyn BufRead, tally: &mut Tally, each: &mut Each<'_>) -> io::Result<()> {
    // It may hold a Secret, where somebody logs those: it is wiped at the end.
    let mut line = Zeroizing::new(Vec::with_capacity(HEAD));
    loop {
        line.clear();
        let mut bounded = (&mut *input).take(LONGEST as u64 + 1);
        if bounded.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() > LONGEST && !line.ends_with(b"\n") {
            tally.number += 1;
            tally.long.note(tally.number);
            if !skip_line(input)? {
                return Ok(());
            }
            continue;
        }
        each(&line, tally);
    }
}

/// Goes to the next line; false where there is none.
fn skip_line(input: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        match memchr::memchr(b'\n', bytes) {
            Some(end) => {
                input.consume(end + 1);
                return Ok(true);
            }
            None => {
                let len = bytes.len();
                input.consume(len);
            }
        }
    }
}

#[cfg(test)]
mod tests;
