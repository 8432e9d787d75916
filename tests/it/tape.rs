//! `demo.tape`: its keys are pressed on the program, so that it cannot rot, and its pictures are drawn where that is asked for.

mod picture;

use std::path::Path;

use regex::Regex;

use crate::pty::terminal::Terminal;

/// A line of a tape, of those that ours has. (vhs knows more: its README lists them.)
#[derive(Debug, PartialEq)]
enum Line {
    Type(String),
    Key(&'static str),
    /// Until the screen holds what this finds.
    Wait(String),
    Screenshot(String),
    /// For who watches; nothing for a test.
    Passing,
}

fn line(text: &str) -> Line {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    match word {
        "Type" => {
            let quoted = rest.strip_prefix('"').and_then(|r| r.strip_suffix('"'));
            Line::Type(quoted.expect("what is typed is quoted").to_owned())
        }
        "Enter" => Line::Key("\r"),
        "Escape" => Line::Key("\x1b"),
        "Down" => Line::Key("\x1b[B"),
        "Tab" => Line::Key("\t"),
        "Wait+Screen" => {
            let pattern = rest.strip_prefix('/').and_then(|r| r.strip_suffix('/'));
            Line::Wait(pattern.expect("a pattern between slashes").to_owned())
        }
        "Screenshot" => Line::Screenshot(rest.to_owned()),
        "" | "#" | "Sleep" | "Set" | "Output" => Line::Passing,
        other => panic!("{other:?} is no word that this reader of tapes knows"),
    }
}

fn tape() -> Vec<Line> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("demo.tape")).unwrap();
    text.lines()
        .map(line)
        .filter(|line| *line != Line::Passing)
        .collect()
}

/// The keys of the tape lead where it says, and its last one ends the program and gives the terminal back.
#[test]
fn the_keys_of_the_tape_lead_where_it_says() {
    let mut lines = tape().into_iter();
    let Some(Line::Type(command)) = lines.next() else {
        panic!("the tape begins with the command");
    };
    assert_eq!(lines.next(), Some(Line::Key("\r")));
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("confsplit"));
    let args: Vec<&str> = words.collect();
    let mut terminal = Terminal::start(tempfile::tempdir().unwrap(), (120, 34), "", &args);
    let mut waited = 0;
    for line in lines {
        match line {
            Line::Type(keys) => terminal.press(&keys),
            Line::Key(key) => terminal.press(key),
            Line::Wait(pattern) => {
                let found = Regex::new(&pattern).unwrap();
                // A text that is wrapped is found as well.
                terminal.wait(&pattern, |screen| {
                    let shown = screen.contents();
                    let words: Vec<&str> = shown.split_whitespace().collect();
                    found.is_match(&words.join(" "))
                });
                waited += 1;
            }
            Line::Screenshot(to) => draw(&terminal, &to),
            Line::Passing => {}
        }
    }
    assert!(waited > 3, "the tape waits for {waited} screens");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}

/// Draws the screen beside where the tape wants it, as SVG, where `CONFSPLIT_PICTURES` is set.
fn draw(terminal: &Terminal, to: &str) {
    if std::env::var_os("CONFSPLIT_PICTURES").is_none() {
        return;
    }
    let to = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(to)
        .with_extension("svg");
    let parser = terminal.parser.lock().unwrap();
    std::fs::write(to, picture::svg(parser.screen())).unwrap();
}
