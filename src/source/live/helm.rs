//! What a Helm release applied, out of the Secret or ConfigMap in which Helm keeps it. A release holds the manifests of Secrets
//! and the chart's values, too: they stay in here, and are wiped.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::Live;
use crate::model::{ConfigKind, ConfigRef, Found, GapReason, Origin};
use crate::source::convert::time;
use crate::source::outside::manifest;

/// No release unpacks to more: what it is packed in has a megabyte at most.
const LARGEST: usize = 64 << 20;

/// The Secret's type, which nothing else has.
const TYPE: &str = "helm.sh/release.v1";

#[derive(Deserialize)]
struct Holder {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    release: Option<Zeroizing<String>>,
}

#[derive(Deserialize)]
struct Release<'a> {
    name: String,
    #[serde(default)]
    namespace: String,
    version: u32,
    #[serde(default)]
    info: Info,
    /// A string as JSON writes it, still in the buffer that is wiped: most of it is nobody's business.
    #[serde(borrow, default)]
    manifest: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Info {
    last_deployed: Option<String>,
    status: String,
}

/// What the release applied for a config; nothing where it has none of that name.
pub(super) async fn release(
    live: &Live,
    config: &ConfigRef,
    holder: &ConfigRef,
) -> Result<Vec<Found>, GapReason> {
    let path = format!(
        "/api/v1/namespaces/{}/{}/{}",
        holder.namespace,
        holder.kind.resource(),
        holder.name
    );
    let body = Zeroizing::new(live.api.get(&path).await?);
    applied(&body, config, holder)
}

fn unreadable<T>(why: &str) -> Result<T, GapReason> {
    Err(GapReason::Unreadable(why.to_owned()))
}

/// The same from the object's JSON. No error of a parser is repeated: it may quote what nobody should see.
fn applied(body: &[u8], config: &ConfigRef, holder: &ConfigRef) -> Result<Vec<Found>, GapReason> {
    // Of Secrets nothing is taken, whoever keeps them.
    if config.kind == ConfigKind::Secret {
        return Ok(Vec::new());
    }
    let Ok(object) = serde_json::from_slice::<Holder>(body) else {
        return unreadable("it is no Helm release");
    };
    let is_secret = holder.kind == ConfigKind::Secret;
    if is_secret && object.kind.as_deref() != Some(TYPE) {
        return unreadable("the Secret is not of Helm's type");
    }
    let Some(text) = object.data.and_then(|data| data.release) else {
        return unreadable("it holds no release");
    };
    // The API has a Secret's values in base64, whatever they are.
    let text = if is_secret {
        decoded(text.as_bytes())?
    } else {
        Zeroizing::new(text.as_bytes().to_vec())
    };
    let release = unpacked(decoded(&text)?)?;
    let Ok(release) = serde_json::from_slice::<Release<'_>>(&release) else {
        return unreadable("the release is not in Helm's form");
    };
    match release.info.status.as_str() {
        "deployed" | "superseded" | "uninstalling" | "uninstalled" => {}
        status => {
            let told: String = status.chars().take(40).collect();
            return Err(GapReason::Bounded(format!(
                "its status is {told:?}: how far it was applied is not known"
            )));
        }
    }
    found(&release, config)
}

fn decoded(text: &[u8]) -> Result<Zeroizing<Vec<u8>>, GapReason> {
    let decoded = STANDARD.decode(text.trim_ascii());
    decoded.map_or_else(
        |_| unreadable("the release is no base64"),
        |b| Ok(Zeroizing::new(b)),
    )
}

/// The release's JSON, which Helm packs with gzip, and did not always. It is unpacked into a buffer of the length that the
/// packed form states, so that none is left behind unwiped where a smaller one grew.
fn unpacked(packed: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, GapReason> {
    if !packed.starts_with(&[0x1f, 0x8b]) {
        return Ok(packed);
    }
    let Some(stated) = packed
        .last_chunk::<4>()
        .map(|last| u32::from_le_bytes(*last))
    else {
        return unreadable("the release is cut");
    };
    let stated = usize::try_from(stated).unwrap_or(usize::MAX);
    if stated > LARGEST {
        return Err(GapReason::Bounded(
            "the release unpacks to more than 64 MiB".to_owned(),
        ));
    }
    let mut bytes = Zeroizing::new(vec![0; stated]);
    let mut decoder = GzDecoder::new(&packed[..]);
    let whole = decoder.read_exact(&mut bytes);
    // One byte more would belie the length; reading on checks the sum, too.
    let ended = decoder.read(&mut [0]);
    match (whole, ended) {
        (Ok(()), Ok(0)) => Ok(bytes),
        _ => unreadable("the release is damaged"),
    }
}

/// The ConfigMap of that name in the release's manifest. Other documents are not even unescaped: some are Secrets.
fn found(release: &Release<'_>, config: &ConfigRef) -> Result<Vec<Found>, GapReason> {
    let mut found = Vec::new();
    let manifest = release.manifest.map_or("\"\"", RawValue::get);
    let escaped = manifest.strip_prefix('"').and_then(|m| m.strip_suffix('"'));
    for document in config_maps(escaped.unwrap_or_default()) {
        let text = serde_json::from_str::<String>(&format!("\"{document}\""));
        let named = text.map(|text| manifest::rendered(&text));
        let Ok(Ok(named)) = named else {
            return unreadable("a ConfigMap of its manifest");
        };
        let here = named.into_iter().filter(|named| {
            let namespace = named.namespace.as_deref().unwrap_or(&release.namespace);
            named.name == config.name && namespace == config.namespace
        });
        found.extend(here.map(|named| Found {
            config: config.clone(),
            content: named.content,
            origin: Origin::Helm {
                release: release.name.clone(),
                revision: release.version,
            },
            at: time(release.info.last_deployed.as_deref()),
        }));
    }
    Ok(found)
}

/// The documents of a stream of YAML whose own kind is ConfigMap, still as JSON escapes them.
fn config_maps(escaped: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut begin, mut wanted) = (0, false);
    for (start, line) in lines(escaped) {
        // No text inside a document begins a line so.
        if line.starts_with("---") {
            found.extend(escaped.get(begin..start).filter(|_| wanted));
            (begin, wanted) = (start, false);
        }
        wanted |= is_kind(line);
    }
    found.extend(escaped.get(begin..).filter(|_| wanted));
    found
}

/// Each line with where it begins. A backslash that is text is escaped itself.
fn lines(escaped: &str) -> Vec<(usize, &str)> {
    let bytes = escaped.as_bytes();
    let mut found = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(next) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        let slash = at + next;
        at = slash + 2;
        if bytes.get(slash + 1) == Some(&b'n') {
            found.extend(escaped.get(begin..slash).map(|line| (begin, line)));
            begin = at;
        }
    }
    found.extend(escaped.get(begin..).map(|line| (begin, line)));
    found
}

/// Whether a line that begins at the left edge says that the document is a ConfigMap.
fn is_kind(line: &str) -> bool {
    let kind = line.strip_prefix("kind:").map(str::trim_start);
    let kind = kind.map(|kind| kind.trim_start_matches(['"', '\'', '\\']));
    let rest = kind.and_then(|kind| kind.strip_prefix("ConfigMap"));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests;
