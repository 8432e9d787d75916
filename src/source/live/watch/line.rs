//! The lines of a watch, and what one holds as far as watching needs it.

use futures::io::AsyncBufReadExt;
use memchr::memchr;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::GapReason;
use crate::source::live::connect::chain;
use crate::source::live::request::Body;

/// No object is longer: etcd takes 1.5 MiB, and its JSON may be several times as long.
const LONGEST: usize = 32 << 20;

/// Cuts a body into lines. What came of one is kept where its reading is given up.
#[derive(Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    /// The next line, or what is left at the end of the body.
    pub(super) async fn next(&mut self, body: &mut Body) -> Result<Option<Vec<u8>>, GapReason> {
        loop {
            let piece = body.fill_buf().await;
            let piece = piece.map_err(|error| GapReason::Connection(chain(&error)))?;
            if piece.is_empty() {
                let rest = std::mem::take(&mut self.0);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            let end = memchr(b'\n', piece);
            let len = end.map_or(piece.len(), |end| end + 1);
            self.0.extend_from_slice(&piece[..len]);
            body.consume_unpin(len);
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.0)));
            }
            if self.0.len() > LONGEST {
                let why = "what the watch tells has no end".to_owned();
                return Err(GapReason::Unreadable(why));
            }
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'a str,
    #[serde(borrow)]
    pub(super) object: &'a RawValue,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Status {
    pub(super) code: u16,
    pub(super) message: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Named {
    pub(super) kind: Option<String>,
    pub(super) metadata: NamedMeta,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NamedMeta {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) resource_version: String,
}
