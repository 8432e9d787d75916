//! Cuts the items out of a list's JSON as its bytes arrive, so that no list is ever held as a whole.

use memchr::{memchr2, memchr3};

/// etcd takes objects of 1.5 MiB, and their JSON may be several times as long.
const LONGEST: usize = 32 << 20;

/// The cutter. It follows strings and braces alone: whether an item is good JSON its parser finds out.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// What is not yet done with: the beginning before the items, then the part of an item that has come.
    held: Vec<u8>,
    /// What stands around the items: the list's own kind and metadata.
    around: Vec<u8>,
    place: Place,
    /// How far `held` has been looked through.
    seen: usize,
    depth: usize,
    in_string: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Within,
    After,
}

impl Items {
    /// Takes bytes in and gives out each item that is whole now.
    pub(super) fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(&[u8])) {
        if self.place == Place::After {
            self.around.extend_from_slice(bytes);
            return;
        }
        self.held.extend_from_slice(bytes);
        if self.place == Place::Before {
            let Some(begin) = items_at(&self.held) else {
                return;
            };
            self.around.extend_from_slice(&self.held[..begin]);
            self.held.drain(..begin);
            self.place = Place::Within;
            self.seen = 0;
        }
        self.cut(each);
    }

    /// The JSON around the items, with no item in it. Where no items were found it is all that came.
    pub(super) fn into_rest(mut self) -> Vec<u8> {
        if self.place == Place::Before {
            return self.held;
        }
        self.around.append(&mut self.held);
        self.around
    }

    /// Whether the end of the items was reached: a body that broke off before has not told all.
    pub(super) fn ended(&self) -> bool {
        self.place == Place::After
    }

    /// Whether more came without an end than any list of a cluster holds between two items, and of one.
    pub(super) fn is_too_long(&self) -> bool {
        self.held.len().max(self.around.len()) > LONGEST
    }

    /// Bytes of an item that is not whole yet.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    fn cut(&mut self, each: &mut dyn FnMut(&[u8])) {
        let mut begin = 0;
        let mut at = self.seen;
        while let Some(rest) = self.held.get(at..).filter(|rest| !rest.is_empty()) {
            if self.in_string {
                match memchr2(b'"', b'\\', rest) {
                    // The escaped character may not have come yet.
                    Some(found) if rest[found] == b'\\' && found + 1 == rest.len() => {
                        at += found;
                        break;
                    }
                    Some(found) if rest[found] == b'\\' => at += found + 2,
                    Some(found) => {
                        self.in_string = false;
                        at += found + 1;
                    }
                    None => at += rest.len(),
                }
                continue;
            }
            if self.depth == 0 {
                match rest[0] {
                    b'{' => {
                        begin = at;
                        self.depth = 1;
                    }
                    b']' => {
                        self.place = Place::After;
                        self.around.extend_from_slice(rest);
                        self.held.clear();
                        return;
                    }
                    // Blanks and commas.
                    _ => begin = at + 1,
                }
                at += 1;
                continue;
            }
            match memchr3(b'"', b'{', b'}', rest) {
                None => at += rest.len(),
                Some(found) => {
                    match rest[found] {
                        b'"' => self.in_string = true,
                        b'{' => self.depth += 1,
                        _ => self.depth -= 1,
                    }
                    at += found + 1;
                    if self.depth == 0 {
                        each(&self.held[begin..at]);
                        begin = at;
                    }
                }
            }
        }
        self.held.drain(..begin);
        self.seen = at - begin;
    }
}

/// Where the value of the first `"items"` that is an array begins, after its bracket.
fn items_at(bytes: &[u8]) -> Option<usize> {
    const KEY: &[u8] = b"\"items\"";
    let key = memchr::memmem::find(bytes, KEY)? + KEY.len();
    let mut rest = bytes.iter().enumerate().skip(key);
    let mut next = || rest.find(|(_, b)| !b.is_ascii_whitespace());
    let colon = next().is_some_and(|(_, b)| *b == b':');
    let (at, bracket) = next()?;
    (colon && *bracket == b'[').then_some(at + 1)
}

#[cfg(test)]
mod tests;
