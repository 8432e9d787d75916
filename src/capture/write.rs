//! Writes a snapshot down, record by record, and keeps back what must not leave this machine.

use std::borrow::Cow;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::stored::Stored;
use super::v1::{self, Record};
use super::{MAX_LINE, VERSION};
use crate::model::{Clocks, Config, ConfigKind, ConfigRef, Content, Namesake, Outside, Snapshot};

/// What a capture leaves out on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    pub what: String,
    pub why: String,
}

/// Writes the snapshot as a capture and says what it left out. Flushing `out` is the caller's business.
pub fn write<W: Write>(snapshot: &Snapshot, out: W) -> io::Result<Vec<Withheld>> {
    let withheld = withheld(snapshot);
    let mut lines = Lines {
        out: GzEncoder::new(out, Compression::default()),
        sum: Sha256::new(),
        buffer: Vec::new(),
    };
    lines.put(&v1::Header {
        confsplit_capture: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        taken_at: snapshot.taken_at.store(),
        cluster: snapshot.cluster.store(),
        scope: snapshot.scope.store(),
        withheld: withheld
            .iter()
            .map(|w| v1::Withheld {
                what: w.what.clone(),
                why: w.why.clone(),
            })
            .collect(),
    })?;
    let mut records = 0;
    for record in records_of(snapshot) {
        lines.put(&record)?;
        records += 1;
    }
    let sha256 = hex(&lines.sum.clone().finalize());
    lines.put(&v1::EndLine {
        end: v1::End { records, sha256 },
    })?;
    lines.out.finish()?;
    Ok(withheld)
}

/// One line at a time, summed up before it is compressed.
struct Lines<W: Write> {
    out: GzEncoder<W>,
    sum: Sha256,
    buffer: Vec<u8>,
}

impl<W: Write> Lines<W> {
    fn put(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, line)?;
        self.buffer.push(b'\n');
        if self.buffer.len() as u64 > MAX_LINE {
            // A reader would have to refuse the file.
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "one record is larger than a capture may hold (64 MiB)",
            ));
        }
        self.sum.update(&self.buffer);
        self.out.write_all(&self.buffer)
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything after the header, each made only when its turn comes.
fn records_of(snapshot: &Snapshot) -> impl Iterator<Item = Record> {
    let earlier = snapshot.earlier.iter().flat_map(|chain| {
        let head = Record::Earlier(v1::Earlier {
            reference: chain.reference.store(),
            end: chain.end.store(),
            read_at: chain.read_at.store(),
        });
        let versions = chain
            .versions
            .iter()
            .map(|config| Record::EarlierVersion(without_secrets(config).store()));
        std::iter::once(head).chain(versions)
    });
    let pods_at = snapshot.pods_at.iter().flat_map(|at| {
        let head = Record::PodsAt(v1::PodsAt {
            namespace: at.namespace.clone(),
            resource_version: at.resource_version.clone(),
            read_at: at.read_at.store(),
        });
        std::iter::once(head).chain(at.pods.iter().map(|pod| Record::PodThen(pod.store())))
    });
    let clocks =
        (snapshot.clocks != Clocks::default()).then(|| Record::Clocks(snapshot.clocks.store()));
    let configs = snapshot.configs.iter();
    let configs = configs.map(|config| Record::Config(without_secrets(config).store()));
    configs
        .chain(earlier)
        .chain(
            snapshot
                .workloads
                .iter()
                .map(|x| Record::Workload(x.store())),
        )
        .chain(snapshot.pods.iter().map(|x| Record::Pod(x.store())))
        .chain(pods_at)
        .chain(snapshot.services.iter().map(|x| Record::Service(x.store())))
        .chain(
            snapshot
                .endpoints
                .iter()
                .map(|x| Record::Endpoint(x.store())),
        )
        .chain(snapshot.events.iter().map(|x| Record::Event(x.store())))
        .chain(snapshot.logs.iter().map(|x| Record::Log(x.store())))
        .chain(snapshot.probes.iter().map(|x| Record::Probe(x.store())))
        .chain(snapshot.told.iter().map(|x| Record::ToldVersion(x.store())))
        .chain(outside(&snapshot.outside))
        .chain(namesakes(snapshot))
        .chain(clocks)
        .chain(snapshot.one_counter.map(Record::OneCounter))
        .chain(snapshot.gaps.iter().map(|x| Record::Gap(x.store())))
        .chain(snapshot.asked.iter().map(|x| Record::Asked(x.store())))
}

/// What came from outside the API, without the content of any Secret.
fn outside(outside: &Outside) -> impl Iterator<Item = Record> {
    let plain = |config: &ConfigRef| config.kind == ConfigKind::ConfigMap;
    let found = outside.found.iter().filter(move |x| plain(&x.config));
    let audited = outside.audited.iter().map(move |x| {
        let mut write = x.clone();
        write.content = write.content.filter(|_| plain(&x.config));
        Record::Audited(write.store())
    });
    let kept = outside
        .kept
        .iter()
        .filter(move |x| plain(&x.config.reference));
    found
        .map(|x| Record::Found(x.store()))
        .chain(audited)
        .chain(kept.map(|x| Record::Kept(x.store())))
}

fn namesakes(snapshot: &Snapshot) -> impl Iterator<Item = Record> {
    snapshot.namesakes.iter().map(|x| {
        Record::Namesake(
            Namesake {
                config: without_secrets(&x.config).into_owned(),
                takers: x.takers,
            }
            .store(),
        )
    })
}

/// The reader of a cluster hashes Secrets before anything else sees them. Should one slip through in clear, it stops here.
fn without_secrets(config: &Config) -> Cow<'_, Config> {
    if !holds_secret_in_clear(config) {
        return Cow::Borrowed(config);
    }
    let mut bare = config.clone();
    bare.content = bare.content.filter(|content| !in_clear(content));
    bare.last_applied = bare.last_applied.filter(|last| !in_clear(&last.content));
    Cow::Owned(bare)
}

fn holds_secret_in_clear(config: &Config) -> bool {
    let last_applied = config.last_applied.as_ref().map(|last| &last.content);
    config.reference.kind == ConfigKind::Secret
        && (config.content.as_ref().is_some_and(in_clear) || last_applied.is_some_and(in_clear))
}

fn in_clear(content: &Content) -> bool {
    matches!(content, Content::Plain { .. })
}

fn withheld(snapshot: &Snapshot) -> Vec<Withheld> {
    let mut all = vec![
        Withheld {
            what: "values of Secrets".to_owned(),
            why: "only salted fingerprints of them are ever kept".to_owned(),
        },
        Withheld {
            what: "literal values of environment variables".to_owned(),
            why: "they often hold passwords, and no conclusion needs them".to_owned(),
        },
    ];
    if !snapshot.probes.is_empty() {
        all.push(Withheld {
            what: "all else that was seen inside containers".to_owned(),
            why: "only what was asked for is kept: variables and files of ConfigMaps as they are, those of Secrets as salted \
                  fingerprints, names and starts of processes, and addresses"
                .to_owned(),
        });
    }
    let earlier = snapshot.earlier.iter().flat_map(|chain| &chain.versions);
    let mut named: Vec<&ConfigRef> = snapshot
        .configs
        .iter()
        .map(|config| &**config)
        .chain(earlier)
        .filter(|config| holds_secret_in_clear(config))
        .map(|config| &config.reference)
        .collect();
    named.sort();
    named.dedup();
    all.extend(named.into_iter().map(|secret| Withheld {
        what: format!("content of {secret} in namespace {}", secret.namespace),
        why: "it was read in clear, and a capture holds no Secret".to_owned(),
    }));
    all
}
