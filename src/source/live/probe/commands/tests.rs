//! What is on the list, and what looks like it and is not.

use super::*;

#[test]
fn all_that_is_made_is_listed() {
    let many: Vec<u32> = (1..=64).collect();
    for argv in environment().into_iter().chain([
        stat(&["/etc/app/a.yaml", "/etc/app/b c.yaml"]),
        file("/etc/nginx/conf.d/default.conf"),
        folder("/etc/nginx/conf.d"),
        pids(),
        boot(),
        stats(&[1]),
        stats(&many),
        handles(&[1, 7, 4_000_000_000]),
        sockets(),
    ]) {
        assert!(is_listed(&argv), "{argv:?}");
    }
}

#[test]
fn all_else_is_not() {
    for words in [
        &[][..],
        &["cat"],
        &["sh", "-c", "cat /proc/self/environ"],
        &["cat", "/proc/self/environ", "/etc/passwd"],
        &["cat", "-", "/etc/passwd"],
        &["cat", "/etc/a", "/etc/b"],
        &["cat", "etc/passwd"],
        &["cat", "/etc/../proc/kcore"],
        &["cat", "/etc/./x"],
        &["cat", "/proc/kmsg"],
        &["cat", "//proc/kmsg"],
        &["cat", "/proc/1/environ"],
        &["cat", "/proc/1/stat", "/proc/1/environ"],
        &["cat", "/proc/1/../stat"],
        &["cat", "/proc/self/stat"],
        &["cat", "/proc//stat"],
        &["cat", "/dev/zero"],
        &["cat", "/sys/kernel/debug"],
        &["cat", "/etc/a\n"],
        &["cat", "/"],
        &["cat", ""],
        &["env"],
        &["env", "-0", "sh"],
        &["printenv"],
        &["ls", "-la", "-R", "/"],
        &["ls", "-la", "/a", "/b"],
        &["ls", "-l", "/etc"],
        &["ls", "-l", "/proc/1/fd", "/root"],
        &["ls", "-l", "/proc/1/fd/3"],
        &["stat", "-L", "-c", "%Y %s %F %n"],
        &["stat", "-L", "-c", "%n", "/etc/a"],
        &["stat", "-L", "-c", "%Y %s %F %n", "--help"],
        &["rm", "-rf", "/etc/a"],
        &["/bin/cat", "/etc/a"],
        &["cat ", "/etc/a"],
    ] {
        assert!(!is_listed(&argv(words)), "{words:?}");
    }
    let files: Vec<String> = (0..33).map(|n| format!("/etc/{n}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert!(!is_listed(&stat(&files)));
    assert!(!is_listed(&stats(&(1..=65).collect::<Vec<_>>())));
}

#[test]
fn the_list_reads_as_it_is_run() {
    let shown = in_words();
    assert_eq!(shown.len(), LIST.len());
    assert!(
        shown
            .iter()
            .any(|(line, _)| line == "cat /proc/self/environ")
    );
    assert!(
        shown
            .iter()
            .any(|(line, _)| line == "stat -L -c '%Y %s %F %n' PATH...")
    );
    assert!(
        shown
            .iter()
            .any(|(line, _)| line == "cat /proc/PID/stat...")
    );
}
