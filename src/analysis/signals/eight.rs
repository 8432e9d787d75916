//! Looks at eight bytes at a time. What is looked for in a line of an access log is a few bytes away, which a search that is made for
//! long texts takes longer to begin with than to find.

const ONES: u64 = u64::MAX / 0xff;
const HIGHS: u64 = ONES << 7;

/// Where the first of some bytes is.
#[inline(always)]
pub(super) fn first<const N: usize>(text: &[u8], of: [u8; N]) -> Option<usize> {
    position(text, |eight| any(eight, of), |byte| of.contains(&byte))
}

/// Whether a text of at least eight bytes holds one of some bytes; of a shorter one that is said too.
#[inline(always)]
pub(super) fn holds<const N: usize>(text: &[u8], of: [u8; N]) -> bool {
    let marks = |eight: &[u8; 8]| any(u64::from_le_bytes(*eight), of);
    let mut found = text.last_chunk::<8>().map_or(1, marks);
    // The last eight overlap others.
    for eight in text.as_chunks::<8>().0 {
        found |= marks(eight);
    }
    found != 0
}

/// How many digits a text begins with.
#[inline(always)]
pub(super) fn digits(text: &[u8]) -> usize {
    let other = |byte: u8| !byte.is_ascii_digit();
    position(text, |eight| outside(eight, b'0', b'9'), other).unwrap_or(text.len())
}

/// How many capitals a text begins with.
#[inline(always)]
pub(super) fn capitals(text: &[u8]) -> usize {
    let other = |byte: u8| !byte.is_ascii_uppercase();
    position(text, |eight| outside(eight, b'A', b'Z'), other).unwrap_or(text.len())
}

/// Whether two texts are the same, mostly short ones.
#[inline(always)]
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    if let ([a, b, c], [d, e, f]) = (a, b) {
        return (a ^ d) | (b ^ e) | (c ^ f) == 0;
    }
    a == b
}

/// Whether a text begins with another one of at least eight bytes; with a shorter one none does.
#[inline(always)]
pub(super) fn begins(text: &[u8], with: &[u8]) -> bool {
    let (Some(text), Some(end)) = (text.get(..with.len()), with.last_chunk::<8>()) else {
        return false;
    };
    let (a, b) = (text.as_chunks::<8>().0, with.as_chunks::<8>().0);
    // The last eight overlap others.
    a.iter().zip(b).all(|(a, b)| a == b) && text.last_chunk() == Some(end)
}

/// How many bytes two texts have in common at their beginning.
#[inline(always)]
pub(super) fn alike(a: &[u8], b: &[u8]) -> usize {
    let length = a.len().min(b.len());
    let (Some(a), Some(b)) = (a.get(..length), b.get(..length)) else {
        return 0;
    };
    let (mut left, mut right) = (a, b);
    while let (Some((a, more)), Some((b, behind))) = (
        left.split_first_chunk::<8>(),
        right.split_first_chunk::<8>(),
    ) {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return length - left.len() + at(differ);
        }
        (left, right) = (more, behind);
    }
    // The last eight overlap those that are known to be the same.
    if let (Some(a), Some(b)) = (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        return if differ == 0 {
            length
        } else {
            length - 8 + at(differ)
        };
    }
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Where the first marked byte is; the marks of eight bytes are right up to the first one.
#[inline(always)]
fn position(text: &[u8], marks: impl Fn(u64) -> u64, marked: impl Fn(u8) -> bool) -> Option<usize> {
    let mut left = text;
    while let Some((eight, behind)) = left.split_first_chunk::<8>() {
        let marks = marks(u64::from_le_bytes(*eight));
        if marks != 0 {
            return Some(text.len() - left.len() + at(marks));
        }
        left = behind;
    }
    if let Some((four, behind)) = left.split_first_chunk::<4>() {
        let marks = marks(u64::from(u32::from_le_bytes(*four))) & u64::from(u32::MAX);
        if marks != 0 {
            return Some(text.len() - left.len() + at(marks));
        }
        left = behind;
    }
    let at = left.iter().position(|byte| marked(*byte))?;
    Some(text.len() - left.len() + at)
}

const fn all(byte: u8) -> u64 {
    ONES * byte as u64
}

#[inline(always)]
fn at(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Marks some bytes as `zeros` does.
#[inline(always)]
fn any<const N: usize>(eight: u64, of: [u8; N]) -> u64 {
    of.iter()
        .fold(0, |marks, byte| marks | zeros(eight ^ all(*byte)))
}

/// Marks the bytes that are zero. Another one may be marked too, but only behind one that is.
#[inline(always)]
fn zeros(eight: u64) -> u64 {
    eight.wrapping_sub(ONES) & !eight & HIGHS
}

/// Marks the bytes that are not from `low` to `high`, both ASCII.
#[inline(always)]
fn outside(eight: u64, low: u8, high: u8) -> u64 {
    let ascii = eight & !HIGHS;
    let (reach, beyond) = (ascii + all(0x80 - low), ascii + all(0x7f - high));
    (!reach | beyond | eight) & HIGHS
}

#[cfg(test)]
mod tests;
