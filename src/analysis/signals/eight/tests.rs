//! Eight bytes at a time find what one at a time does.

use super::{alike, begins, capitals, digits, first};

/// Texts of all lengths up to some, with a byte that matters at each place and its neighbours all around.
fn texts() -> impl Iterator<Item = Vec<u8>> {
    let bytes = [
        0, 1, b'!', b'"', b'#', b'/', b'0', b'9', b':', b'@', b'A', b'Z', b'[', 0x7f, 0x80, 0xa2,
        0xb0, 0xc1, 0xff,
    ];
    (0..28_usize).flat_map(move |length| {
        bytes.into_iter().flat_map(move |around| {
            bytes.into_iter().flat_map(move |byte| {
                (0..length.max(1)).map(move |at| {
                    let mut text = vec![around; length];
                    if let Some(place) = text.get_mut(at) {
                        *place = byte;
                    }
                    text
                })
            })
        })
    })
}

#[test]
fn the_first_byte_is_found_wherever_it_is() {
    for text in texts() {
        let one = text.iter().position(|b| *b == b'"');
        assert_eq!(first(&text, [b'"']), one, "{text:?}");
        let of = [b'"', 0x80, b'0'];
        let one = text.iter().position(|b| of.contains(b));
        assert_eq!(first(&text, of), one, "{text:?}");
    }
}

#[test]
fn digits_and_capitals_are_counted_up_to_the_first_other() {
    for text in texts() {
        let one = text.iter().take_while(|b| b.is_ascii_digit()).count();
        assert_eq!(digits(&text), one, "{text:?}");
        let one = text.iter().take_while(|b| b.is_ascii_uppercase()).count();
        assert_eq!(capitals(&text), one, "{text:?}");
    }
}

#[test]
fn texts_are_alike_up_to_the_first_byte_that_differs() {
    for text in texts() {
        let around = vec![text.last().copied().unwrap_or_default(); 20];
        let one = text.iter().zip(&around).take_while(|(a, b)| a == b).count();
        assert_eq!(alike(&text, &around), one, "{text:?}");
        assert_eq!(alike(&around, &text), one, "{text:?}");
        assert_eq!(alike(&text, &text), text.len());
    }
}

#[test]
fn a_text_begins_with_another_of_eight_bytes_and_more() {
    let text = b"0123456789abcdefghijklmnopqrstuvwxyz";
    for length in 0..=text.len() {
        let with = &text[..length];
        assert_eq!(begins(text, with), length >= 8, "{length}");
        assert_eq!(begins(with, with), length >= 8, "{length}");
        assert!(!begins(&text[..length.saturating_sub(1)], with));
        for at in 0..length {
            let mut other = with.to_vec();
            other[at] ^= 1;
            assert!(!begins(text, &other), "{length} {at}");
        }
    }
}
