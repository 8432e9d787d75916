//! Reads a capture back. What is damaged or cut is opened as far as it goes, and what is missing becomes a gap.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::stored::Stored;
use super::v1::{self, Record};
use super::write::{Withheld, hex};
use super::{MAX_LINE, MAX_TOTAL, VERSION};
use crate::model::{
    Cluster, Config, EarlierConfig, Gap, GapReason, Pod, PodsAt, Scope, Snapshot, Want,
};

/// A capture that could be opened.
#[derive(Debug)]
pub struct Opened {
    /// Holds a gap of reason [`GapReason::Capture`] where the file is not whole.
    pub snapshot: Snapshot,
    /// The version of the program that wrote it.
    pub program: String,
    pub withheld: Vec<Withheld>,
}

/// Nothing of the file could be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("The capture could not be read: {0}.")]
    Io(#[from] io::Error),
    #[error("The file is not a capture: it is not compressed with gzip.")]
    NotGzip,
    #[error("The file is not a capture: its first line is not the header of one.")]
    NotCapture,
    #[error("The capture ends before its first line is complete.")]
    Empty,
    #[error("The capture has format version {found}; this program reads versions up to {VERSION}.")]
    Newer { found: u64 },
    #[error("The header of the capture could not be understood: {0}.")]
    Header(String),
}

impl OpenError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io(_) => "Check the path and that you may read the file.",
            Self::NotGzip | Self::NotCapture => {
                "Give a file that `confsplit capture -o FILE` wrote; if it was unpacked, compress it again with gzip."
            }
            Self::Empty | Self::Header(_) => {
                "The file was cut or damaged on its way; copy it again from where it was taken."
            }
            Self::Newer { .. } => "Open it with a newer confsplit.",
        }
    }
}

/// Opens the capture in a file.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    read(BufReader::new(File::open(path)?))
}

/// Reads a capture from anything that gives bytes.
pub fn read(mut input: impl BufRead) -> Result<Opened, OpenError> {
    let magic = input.fill_buf()?;
    if magic.is_empty() {
        return Err(OpenError::Empty);
    }
    if magic[0] != 0x1f {
        return Err(OpenError::NotGzip);
    }
    let mut lines = Lines::new(MultiGzDecoder::new(input), MAX_LINE, MAX_TOTAL);
    let header = match lines.next_line() {
        Line::Whole => header(&lines.buffer)?,
        Line::End | Line::Partial => return Err(OpenError::Empty),
        Line::TooLong | Line::TooMuch => return Err(OpenError::NotCapture),
        Line::Failed(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(OpenError::Empty);
        }
        Line::Failed(_) => return Err(OpenError::NotGzip),
    };
    let empty = Snapshot::empty(
        Cluster::load(header.cluster),
        Scope::load(header.scope),
        Stored::load(header.taken_at),
    );
    let mut body = Body::new(empty);
    let stopped = body.read(&mut lines);
    Ok(Opened {
        snapshot: body.finish(stopped),
        program: header.program,
        withheld: header
            .withheld
            .into_iter()
            .map(|w| Withheld {
                what: w.what,
                why: w.why,
            })
            .collect(),
    })
}

/// The version is looked at first, so that a file of a newer program is named as such whatever else its header holds.
fn header(line: &[u8]) -> Result<v1::Header, OpenError> {
    #[derive(Deserialize)]
    struct Version {
        confsplit_capture: u64,
    }
    let Ok(Version { confsplit_capture }) = serde_json::from_slice(line) else {
        return Err(OpenError::NotCapture);
    };
    if confsplit_capture > u64::from(VERSION) {
        return Err(OpenError::Newer {
            found: confsplit_capture,
        });
    }
    serde_json::from_slice(line).map_err(|error| OpenError::Header(short(&error)))
}

/// Why a line could not be understood. The parser quotes the file, which may be long.
fn short(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Bounded lines, each summed up when the next is asked for: the sum at the last line is that of all before it.
pub(super) struct Lines<R> {
    input: BufReader<io::Take<R>>,
    max_line: u64,
    pub(super) buffer: Vec<u8>,
    sum: Sha256,
}

pub(super) enum Line {
    /// It is in the buffer.
    Whole,
    /// The input ends within it.
    Partial,
    End,
    TooLong,
    TooMuch,
    Failed(io::Error),
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, max_line: u64, max_total: u64) -> Self {
        Self {
            input: BufReader::with_capacity(64 << 10, input.take(max_total)),
            max_line,
            buffer: Vec::new(),
            sum: Sha256::new(),
        }
    }

    pub(super) fn next_line(&mut self) -> Line {
        self.sum.update(&self.buffer);
        self.buffer.clear();
        let mut bounded = (&mut self.input).take(self.max_line);
        let read = bounded.read_until(b'\n', &mut self.buffer);
        match read {
            Err(error) => Line::Failed(error),
            Ok(_) if self.buffer.ends_with(b"\n") => Line::Whole,
            Ok(n) if n as u64 == self.max_line => Line::TooLong,
            Ok(_) if self.input.get_ref().limit() == 0 => Line::TooMuch,
            Ok(0) => Line::End,
            Ok(_) => Line::Partial,
        }
    }
}

/// The records as they come, and what went wrong among them.
struct Body {
    snapshot: Snapshot,
    records: u64,
    bad: u64,
    first_bad: Option<String>,
}

/// How the reading of the records ended.
enum Stopped {
    AtEnd { records: u64, intact: bool },
    Short(String),
}

impl Body {
    fn new(snapshot: Snapshot) -> Self {
        Self {
            snapshot,
            records: 0,
            bad: 0,
            first_bad: None,
        }
    }

    fn read<R: Read>(&mut self, lines: &mut Lines<R>) -> Stopped {
        loop {
            match lines.next_line() {
                Line::Whole => {}
                Line::End => return Stopped::Short("its last line is missing".to_owned()),
                Line::Partial => return Stopped::Short("it is cut within a line".to_owned()),
                Line::TooLong => return Stopped::Short("a line is longer than 64 MiB".to_owned()),
                Line::TooMuch => return Stopped::Short("it unpacks to more than 2 GiB".to_owned()),
                Line::Failed(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Stopped::Short("it is cut".to_owned());
                }
                Line::Failed(error) => {
                    return Stopped::Short(format!("its compressed data is damaged ({error})"));
                }
            }
            match serde_json::from_slice::<Record>(&lines.buffer) {
                Ok(record) => self.take(record),
                Err(error) => {
                    if let Ok(last) = serde_json::from_slice::<v1::EndLine>(&lines.buffer) {
                        return at_end(last.end, lines);
                    }
                    self.skip(&short(&error));
                }
            }
        }
    }

    fn skip(&mut self, why: &str) {
        self.bad += 1;
        if self.first_bad.is_none() {
            // The header is line 1.
            let line = self.records + self.bad + 1;
            self.first_bad = Some(format!("line {line}: {why}"));
        }
    }

    fn take(&mut self, record: Record) {
        let s = &mut self.snapshot;
        match record {
            Record::Config(x) => s.configs.push(Stored::load(x)),
            Record::Earlier(x) => s.earlier.push(EarlierConfig {
                reference: Stored::load(x.reference),
                versions: Vec::new(),
                end: Stored::load(x.end),
                read_at: Stored::load(x.read_at),
            }),
            Record::EarlierVersion(x) => {
                let config = Config::load(x);
                match s.earlier.last_mut() {
                    // After a lost line a version must not end up in another config's history.
                    Some(chain) if chain.reference == config.reference => {
                        chain.versions.push(config);
                    }
                    _ => return self.skip("an earlier version without its beginning"),
                }
            }
            Record::Workload(x) => s.workloads.push(Stored::load(x)),
            Record::Pod(x) => s.pods.push(Stored::load(x)),
            Record::PodsAt(x) => s.pods_at.push(PodsAt {
                namespace: x.namespace,
                resource_version: x.resource_version,
                pods: Vec::new(),
                read_at: Stored::load(x.read_at),
            }),
            Record::PodThen(x) => {
                let pod = Pod::load(x);
                match s.pods_at.last_mut() {
                    Some(at) if at.namespace == pod.reference.namespace => at.pods.push(pod),
                    _ => return self.skip("an earlier pod without its beginning"),
                }
            }
            Record::Service(x) => s.services.push(Stored::load(x)),
            Record::Endpoint(x) => s.endpoints.push(Stored::load(x)),
            Record::Event(x) => s.events.push(Stored::load(x)),
            Record::Log(x) => s.logs.push(Stored::load(x)),
            Record::Probe(x) => s.probes.push(Stored::load(x)),
            Record::ToldVersion(x) => s.told.push(Stored::load(x)),
            Record::Found(x) => s.outside.found.push(Stored::load(x)),
            Record::Audited(x) => s.outside.audited.push(Stored::load(x)),
            Record::Kept(x) => s.outside.kept.push(Stored::load(x)),
            Record::Namesake(x) => s.namesakes.push(Stored::load(x)),
            Record::Clocks(x) => s.clocks = Stored::load(x),
            Record::OneCounter(x) => s.one_counter = Some(x),
            Record::Gap(x) => s.gaps.push(Stored::load(x)),
            Record::Asked(x) => {
                s.asked.insert(Want::load(x));
            }
        }
        self.records += 1;
    }

    /// The snapshot, with a gap where the file was not whole.
    fn finish(mut self, stopped: Stopped) -> Snapshot {
        let read = self.records;
        let mut wrong = Vec::new();
        if let Some(first) = &self.first_bad {
            let (bad, lines) = (self.bad, if self.bad == 1 { "line" } else { "lines" });
            wrong.push(format!("{bad} {lines} could not be understood ({first})"));
        }
        let of = match stopped {
            Stopped::AtEnd { records, intact } => {
                if !intact && wrong.is_empty() {
                    wrong.push("its checksum does not match".to_owned());
                }
                format!("{read} of {records} records were read")
            }
            Stopped::Short(why) => {
                wrong.push(why);
                format!("{read} records were read, and how many are missing is not known")
            }
        };
        if !wrong.is_empty() {
            self.snapshot.gaps.push(Gap {
                verb: "read".to_owned(),
                resource: "capture".to_owned(),
                namespace: None,
                name: None,
                reason: GapReason::Capture(format!("{}; {of}", wrong.join(", "))),
            });
        }
        self.snapshot
    }
}

/// The last line was found: does it fit what came before, and does nothing come after?
fn at_end<R: Read>(end: v1::End, lines: &mut Lines<R>) -> Stopped {
    let sum = hex(&lines.sum.clone().finalize());
    // Reading on also makes the decoder check its own sum.
    let nothing_follows = matches!(lines.next_line(), Line::End);
    Stopped::AtEnd {
        records: end.records,
        intact: sum == end.sha256 && nothing_follows,
    }
}
