//! Logs as nodes keep them.

use super::{Wrapped, Wrapping};

fn unwrapped(lines: &str) -> (Wrapping, usize, String) {
    let mut wrapped = Wrapped::default();
    let text = String::from_utf8(wrapped.unwrap(lines.as_bytes()).into_owned()).expect("UTF-8");
    (wrapped.wrapping, wrapped.joined, text)
}

#[test]
fn lines_of_cri_are_joined_where_they_were_cut() {
    let lines = "2026-11-30T02:49:22.1Z stdout F one\n2026-11-30T02:49:23.1Z stderr P tw\n2026-11-30T02:49:23.2Z stderr F o\n2026-11-30T02:49:24Z stdout F \n";
    assert_eq!(
        unwrapped(lines),
        (
            Wrapping::Cri,
            1,
            "2026-11-30T02:49:22.1Z one\n2026-11-30T02:49:23.1Z two\n2026-11-30T02:49:24Z \n"
                .to_owned()
        )
    );
}

#[test]
fn lines_of_docker_are_unwrapped() {
    let lines = "{\"log\":\"one \\\"x\\\"\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-30T02:49:22.1Z\"}\nodd\n";
    assert_eq!(
        unwrapped(lines),
        (
            Wrapping::Docker,
            0,
            "2026-11-30T02:49:22.1Z one \"x\"\nodd\n".to_owned()
        )
    );
}

#[test]
fn other_lines_are_left_alone() {
    for lines in [
        "2026-11-30T02:49:22Z stdout is full\n",
        "{\"log\":1}\n",
        "{\"log\":\"x\"}\n",
        "plain\n",
    ] {
        assert_eq!(unwrapped(lines), (Wrapping::None, 0, lines.to_owned()));
    }
}
