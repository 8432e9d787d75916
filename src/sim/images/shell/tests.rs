//! What scripts write, and how they end, as busybox 1.36 does.

use super::super::{Beat, Program, Setting};
use super::*;

const ENV: [(&str, &str); 2] = [("MODE", "blue"), ("TWO", " a  b ")];

/// All that a command writes, with `+Ns` for each time that it sleeps; and its end.
fn run(words: &[&str]) -> (Vec<String>, Option<i32>) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    assert!(understands(&words), "{words:?}");
    let env = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let read = |path: &str| (path == "/etc/file").then(|| "of the file\n".to_owned());
    let launched = launch(&Setting {
        image: "busybox",
        words: &words,
        env: &env,
        pod: "pod",
        now: chrono::DateTime::UNIX_EPOCH,
        seed: 1,
        read: &read,
        list: &|_| None,
        resolve: &|_| None,
    });
    let mut all = launched.lines;
    let mut next = launched.tick;
    let mut exit = launched.exit;
    let Program::Shell(mut shell) = launched.program else {
        panic!("no shell");
    };
    for _ in 0..3 {
        let Some(time) = next else { break };
        all.push(format!("+{}s", time.num_milliseconds() as f64 / 1000.0));
        match shell.beat(&read) {
            Beat::Lines(lines, time) => {
                all.extend(lines);
                next = Some(time);
            }
            Beat::End(lines, code) => {
                all.extend(lines);
                exit = Some(code);
                next = None;
            }
            other => panic!("{other:?}"),
        }
    }
    (all, exit)
}

fn script(text: &str) -> (Vec<String>, Option<i32>) {
    run(&["sh", "-c", text])
}

fn says(text: &str, lines: &[&str], exit: i32) {
    let (all, code) = script(text);
    assert_eq!(all, lines, "{text}");
    assert_eq!(code, Some(exit), "{text}");
}

#[test]
fn it_writes_sleeps_and_ends() {
    says("echo one; echo two", &["one", "two"], 0);
    says("echo crashing; exit 3", &["crashing"], 3);
    says(
        "sleep 2; echo first; sleep 0.5",
        &["+2s", "first", "+0.5s"],
        0,
    );
    says(
        "echo a\nsleep 1m # not long\n\necho b\n",
        &["a", "+60s", "b"],
        0,
    );
    says(
        "echo -n a; sleep 1; echo b; echo -n c",
        &["+1s", "ab", "c"],
        0,
    );
    says("", &[], 0);
}

#[test]
fn it_knows_variables_and_quotes() {
    says(
        "echo mode=$MODE ${MODE}s $NONE \"$TWO\" $TWO",
        &["mode=blue blues  a  b  a b"],
        0,
    );
    says(
        "echo 'a  $MODE' \"b  \\$MODE\" c\\ \\ d $ \"\" e",
        &["a  $MODE b  $MODE c  d $  e"],
        0,
    );
    says(
        "false; echo $?; nothing; echo $?",
        &["1", "sh: nothing: not found", "127"],
        0,
    );
}

#[test]
fn it_goes_by_what_commands_come_to() {
    says(
        "true && echo yes || echo no; false && echo yes || echo no",
        &["yes", "no"],
        0,
    );
    says(
        "cat /etc/file /nope && echo there",
        &[
            "of the file",
            "cat: can't open '/nope': No such file or directory",
        ],
        1,
    );
    says("false; exit", &[], 1);
    says("nothing", &["sh: nothing: not found"], 127);
    says(
        "until cat /etc/file; do echo no; done; while false; do echo x; done; echo $?",
        &["of the file", "0"],
        0,
    );
}

#[test]
fn a_loop_goes_on() {
    let (all, exit) = script("while true; do echo x; sleep 2; done");
    assert_eq!(all, ["x", "+2s", "x", "+2s", "x", "+2s", "x"]);
    assert_eq!(exit, None);
    // One that never sleeps does not hang.
    let (all, exit) = script("while true; do true; done");
    assert_eq!(all, ["+1s", "+1s", "+1s"]);
    assert_eq!(exit, None);
}

#[test]
fn what_it_does_not_know_is_said() {
    says(
        "echo a; while true; do",
        &["sh: syntax error: unexpected end of file (expecting \"done\")"],
        2,
    );
    says(
        "echo a\necho b | cat",
        &["a", "sh: syntax error: unexpected \"|\""],
        2,
    );
    says("done", &["sh: syntax error: unexpected \"done\""], 2);
    says(
        "echo 'a",
        &["sh: syntax error: unterminated quoted string"],
        2,
    );
    says("echo ${A:-b}", &["sh: syntax error: bad substitution"], 2);
}

#[test]
fn a_command_needs_no_shell() {
    assert_eq!(run(&["/bin/sleep", "5"]), (vec!["+5s".to_owned()], Some(0)));
    assert_eq!(
        run(&["echo", "$MODE", "; x"]),
        (vec!["$MODE ; x".to_owned()], Some(0))
    );
    assert_eq!(
        run(&["sleep", "x"]),
        (vec!["sleep: invalid number 'x'".to_owned()], Some(1))
    );
    assert_eq!(run(&["sh"]), (vec![], Some(0)));
}
