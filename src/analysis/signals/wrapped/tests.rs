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

#[test]
fn parts_of_the_two_streams_are_never_joined_with_each_other() {
    let lines = b"2026-11-30T02:49:22Z stderr P connect ECONNREFUSED 10.96.0.7:80\n\
2026-11-30T02:49:22Z stdout F hello\n\
2026-11-30T02:49:22Z stdout P 9\n\
2026-11-30T02:49:23Z stderr F 02\n\
2026-11-30T02:49:23Z stdout F 9\n";
    let mut wrapped = Wrapped::default();
    let text = String::from_utf8(wrapped.unwrap(lines).into_owned()).unwrap();
    assert_eq!(
        text,
        "2026-11-30T02:49:22Z hello\n2026-11-30T02:49:22Z connect ECONNREFUSED 10.96.0.7:8002\n2026-11-30T02:49:22Z 99\n"
    );
}
