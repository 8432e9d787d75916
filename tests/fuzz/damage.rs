//! Damages real text: what is nearly right goes deeper into a parser than what is random.

use crate::chance::Chance;

/// What parsers trip over: brackets, ends of lines, numbers that fit nowhere, times that are none, text that is none.
const TOKENS: [&[u8]; 26] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"'",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\n",
    b"\r\n",
    b"\t",
    b"\0",
    b"\x1b]52;c;aGk=\x07",
    b"\x1b[2J",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x91\xa9",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"1e999",
    b"null",
    b"9999-99-99T99:99:99Z",
    b"+292277026596-12-04T15:30:08Z",
    b"&a [*a,*a]",
    b"!!binary ",
];
/// No input is longer; deep nesting fits in it.
const LONGEST: usize = 256 << 10;

/// One of the samples, damaged one to eight times.
pub fn damaged(samples: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut text = samples[chance.below(samples.len())].clone();
    for _ in 0..=chance.below(8) {
        let at = chance.below(text.len() + 1);
        let end = (at + chance.below(64)).min(text.len());
        match chance.below(9) {
            0 if at < text.len() => text[at] ^= 1 << chance.below(8),
            1 => text.truncate(at),
            2 => drop(text.drain(at..end)),
            3 => {
                let other = &samples[chance.below(samples.len())];
                let from = chance.below(other.len() + 1);
                let part = other[from..(from + chance.below(512)).min(other.len())].to_vec();
                drop(text.splice(at..end, part));
            }
            4 => {
                let part = text[at..end].repeat(1 + chance.below(200));
                drop(text.splice(at..at, part));
            }
            5 => {
                let token = TOKENS[chance.below(TOKENS.len())];
                let times = [1, 1, 1, 40, 20_000][chance.below(5)];
                drop(text.splice(at..at, token.repeat(times)));
            }
            6 => huge_number(&mut text, at, chance),
            7 if at < text.len() => text[at] = u8::try_from(chance.below(256)).unwrap(),
            _ => drop(text.splice(at..end, TOKENS[chance.below(TOKENS.len())].to_vec())),
        }
        text.truncate(LONGEST);
    }
    text
}

/// Makes the next number after a place one that is too large for its type, or has a thousand digits.
fn huge_number(text: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    let Some(start) = text[at..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = at + start;
    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit());
    let end = start + digits.count();
    let number = b"9".repeat([5, 10, 20, 40, 1000][chance.below(5)]);
    drop(text.splice(start..end, number));
}
