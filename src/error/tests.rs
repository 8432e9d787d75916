//! How an error is shown.

use std::io;

use super::Error;

#[test]
fn the_chain_and_the_hint_are_shown_harmlessly() {
    let cause = io::Error::other("refused by \u{1b}[31mproxy");
    let error = Error::new("The cluster does not answer.")
        .because(cause)
        .hint("Check the context.");
    let mut out = Vec::new();
    error.print(&mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "error: The cluster does not answer.\ncause: refused by ^[[31mproxy\nhint: Check the context.\n"
    );
}

#[test]
fn without_a_hint_there_is_one_line() {
    let mut out = Vec::new();
    Error::new("No.").print(&mut out).unwrap();
    assert_eq!(out, b"error: No.\n");
}
