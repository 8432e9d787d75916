//! Chance that is the same each time: names, addresses and delays come from a seed.

use chrono::TimeDelta;

/// The letters of generated names, as Kubernetes chooses them: no vowels, nothing that looks like another.
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below a bound; 0 where there is no room.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    /// Between two numbers of milliseconds.
    pub(crate) fn millis(&mut self, from: i64, to: i64) -> TimeDelta {
        let room = usize::try_from(to - from).unwrap_or_default();
        let more = i64::try_from(self.below(room)).unwrap_or_default();
        TimeDelta::milliseconds(from + more)
    }

    /// The end of a generated name.
    pub(crate) fn suffix(&mut self) -> String {
        (0..5)
            .map(|_| char::from(LETTERS[self.below(LETTERS.len())]))
            .collect()
    }

    /// So many hexadecimal digits.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.next()));
        }
        text.truncate(digits);
        text
    }
}

/// The hash of a text in letters that names allow, as `pod-template-hash` is written.
pub(crate) fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let letter = |digit: u8| char::from(LETTERS[usize::from(digit) % LETTERS.len()]);
    hash.to_string().bytes().map(letter).collect()
}
