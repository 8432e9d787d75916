//! The lines of a segment, and how they are read again.

use std::fs::File;
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Entry;
use super::name;
use crate::capture::read::{Line as Came, Lines};
use crate::capture::stored::Stored;
use crate::capture::v1;
use crate::capture::{MAX_LINE, MAX_TOTAL};
use crate::model::ConfigKind;

/// The form that this program writes, and the newest that it reads.
const FORM: u32 = 1;

/// Which cluster a history is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The API server's address.
    pub server: String,
    /// The uid of its namespace kube-system, where that may be read: an address may be another cluster's tomorrow.
    pub uid: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    confsplit_history: u32,
    program: String,
    server: String,
    uid: Option<String>,
    began: <DateTime<Utc> as Stored>::V1,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Kept(Box<v1::Kept>),
    Gone(Gone),
}

#[derive(Serialize, Deserialize)]
struct Gone {
    reference: v1::ConfigRef,
    at: <DateTime<Utc> as Stored>::V1,
}

/// The first line of a segment.
pub(super) fn header(cluster: &Cluster, began: DateTime<Utc>) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(&Header {
        confsplit_history: FORM,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        server: cluster.server.clone(),
        uid: cluster.uid.clone(),
        began: began.store(),
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// An entry's line. Of a Secret there is none, whoever asks.
pub(super) fn write(entry: &Entry, out: &mut Vec<u8>) -> io::Result<()> {
    let line = match entry {
        Entry::Kept(kept) if kept.config.reference.kind != ConfigKind::ConfigMap => return Ok(()),
        Entry::Kept(kept) => {
            let mut stored: Box<v1::Kept> = kept.store();
            // Where it is read from is the reader's to say.
            stored.file = String::new();
            Line::Kept(stored)
        }
        Entry::Gone { reference, at } => Line::Gone(Gone {
            reference: reference.store(),
            at: at.store(),
        }),
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.push(b'\n');
    Ok(())
}

/// What a segment is, and how well it could be read.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) cluster: Cluster,
    pub(super) began: DateTime<Utc>,
    name: String,
    bad: u64,
    broken: Option<String>,
}

impl Head {
    /// What could not be read. A last line without an end is none of it: it was never told to be kept.
    pub(super) fn damage(&self) -> Option<String> {
        let bad = (self.bad > 0).then(|| format!("{} of its lines are damaged", self.bad));
        let parts: Vec<String> = bad.into_iter().chain(self.broken.clone()).collect();
        (!parts.is_empty()).then(|| format!("{}: {}", self.name, parts.join("; ")))
    }
}

/// The first line of a segment; nothing where that is none that this program knows.
pub(super) fn head(path: &Path) -> io::Result<Option<Head>> {
    Ok(open(path)?.map(|(head, _)| head))
}

/// Reads a segment entry by entry: all of a history may be gigabytes.
pub(super) fn scan(path: &Path, each: &mut dyn FnMut(Entry)) -> io::Result<Option<Head>> {
    let Some((mut head, mut lines)) = open(path)? else {
        return Ok(None);
    };
    let file = path.display().to_string();
    loop {
        match lines.next_line() {
            Came::Whole => match serde_json::from_slice::<Line>(&lines.buffer) {
                Ok(line) => each(entry(line, &file)),
                Err(_) => head.bad += 1,
            },
            Came::End | Came::Partial => return Ok(Some(head)),
            Came::TooLong => head.broken = Some("a line is longer than 64 MiB".to_owned()),
            Came::TooMuch => head.broken = Some("it is larger than 2 GiB".to_owned()),
            Came::Failed(error) => head.broken = Some(error.to_string()),
        }
        if head.broken.is_some() {
            return Ok(Some(head));
        }
    }
}

fn open(path: &Path) -> io::Result<Option<(Head, Lines<File>)>> {
    let mut lines = Lines::new(File::open(path)?, MAX_LINE, MAX_TOTAL);
    let Came::Whole = lines.next_line() else {
        return Ok(None);
    };
    let header: Header = match serde_json::from_slice(&lines.buffer) {
        Ok(header) => header,
        Err(_) => return Ok(None),
    };
    if header.confsplit_history != FORM {
        return Ok(None);
    }
    let head = Head {
        cluster: Cluster {
            server: header.server,
            uid: header.uid,
        },
        began: Stored::load(header.began),
        name: name(path),
        bad: 0,
        broken: None,
    };
    Ok(Some((head, lines)))
}

fn entry(line: Line, file: &str) -> Entry {
    match line {
        Line::Kept(mut stored) => {
            file.clone_into(&mut stored.file);
            Entry::Kept(Stored::load(stored))
        }
        Line::Gone(gone) => Entry::Gone {
            reference: Stored::load(gone.reference),
            at: Stored::load(gone.at),
        },
    }
}
