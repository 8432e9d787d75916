//! Captures: everything that was read, in one file that anybody can open again, and that holds no value of a Secret.
//!
//! The file is gzip over lines of JSON, so `zcat FILE | jq` shows it. The first line says what it is and what was left
//! out, each further line is one record, and the last counts and sums up all the lines before it. The types on disk are
//! our own (`v1`), so that the model may change while old files stay readable.

mod file;
pub mod history;
mod read;
mod stored;
mod v1;
mod write;

pub use file::{SaveError, ensure_free, save};
pub use read::{OpenError, Opened, open, read};
pub use write::{Withheld, write};

/// The version of the format that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// No line of a capture is longer: the longest log, with every byte escaped, stays below it.
const MAX_LINE: u64 = 64 << 20;

/// No capture unpacks to more than this, whatever its compressed size promises.
const MAX_TOTAL: u64 = 2 << 30;

#[cfg(test)]
mod tests;
