//! Lines that want to break the screen.

use confsplit::app::App;
use confsplit::app::Msg;
use confsplit::app::keymap::Key;
use ratatui::buffer::Buffer;

use super::{live, press, sheet, with_lines};
use crate::screens::{drawn, screen};

fn lines() -> Vec<String> {
    vec![
        "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mred\u{1b}[0m".into(),
        "\u{202e}gnp.exe \u{2066}\u{200b}".into(),
        "日本語テキスト".repeat(40),
        "a\u{301}\u{301}\u{301} ".repeat(80),
        "\u{301}\u{302}begins with marks".into(),
        "👩‍👩‍👧👍🏽🇳🇵".repeat(40),
        "nul \0 bell \u{7} back \u{8}\u{8}\u{8} del \u{7f} csi \u{9b}31m".into(),
        "10%\r20%\r100%".into(),
        "tab\tand\ttab".into(),
        "\u{fffd}\u{fffd} replaced".into(),
        format!("begin {} the end", "x".repeat(1 << 20)),
        format!(
            r#"{{"level":"error","msg":"\u001b[31m{}\n\t","k":"\u0000"}}"#,
            "日".repeat(300)
        ),
        "level=err\u{1b}or msg=\"a\u{202e}b\"".into(),
        String::new(),
    ]
}

fn app() -> App {
    let lines = lines();
    let lines: Vec<(i64, &str)> = (40..).zip(lines.iter().map(String::as_str)).collect();
    live(&with_lines(&lines, &[(50, "plain")]))
}

fn harmless(buffer: &Buffer) {
    for cell in &buffer.content {
        for c in cell.symbol().chars() {
            assert!(
                !c.is_control()
                    && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'),
                "{c:?} in a cell"
            );
        }
    }
}

#[test]
fn no_line_breaks_any_screen_in_any_form() {
    for (width, height) in [(1, 1), (20, 5), (80, 24), (200, 60)] {
        for keys in [
            "",
            "F",
            "FJ",
            "FW",
            "FWJ",
            "F>>>",
            "FW>",
            "F/a|日|\u{301}\n",
            "F&!zzz\n",
            "FP",
            "Fo",
        ] {
            let mut app = app();
            app.update(Msg::Resize { width, height });
            press(&mut app, keys);
            for key in [
                Key::Home,
                Key::End,
                Key::Up,
                Key::PageUp,
                Key::PageUp,
                Key::Down,
            ] {
                app.update(Msg::Key(key));
                harmless(drawn(&app, width, height).backend().buffer());
            }
        }
    }
}

#[test]
fn the_columns_stay_straight() {
    for (width, height) in [(80, 60), (200, 60)] {
        let mut app = app();
        app.update(Msg::Resize { width, height });
        press(&mut app, "F");
        let terminal = drawn(&app, width, height);
        let buffer = terminal.backend().buffer();
        let row = |y: u16| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
        let named: Vec<String> = (0..height)
            .map(row)
            .filter(|row| row.contains(" kt2jr "))
            .collect();
        let logs: Vec<&String> = named.iter().filter(|row| !row.contains("──")).collect();
        assert!(logs.len() >= lines().len(), "{named:#?}");
        let places: Vec<Option<usize>> = logs.iter().map(|row| row.find(" kt2jr ")).collect();
        assert!(
            places.windows(2).all(|pair| pair[0] == pair[1]),
            "{places:?}"
        );
        // A cell holds one sign of at most its width, so nothing moves what is right of it.
        assert!(
            logs.iter().all(|row| row.contains(" kt2jr A ")),
            "{logs:#?}"
        );
    }
}

#[test]
fn a_line_of_a_megabyte_says_how_much_is_left_and_its_end_can_be_reached() {
    let long = format!("begin {} the end", "x".repeat(1 << 20));
    let mut app = live(&with_lines(&[(140, &long)], &[]));
    let shown = screen(&app, 120, 40);
    assert!(shown.contains("begin xxx"), "{shown}");
    assert!(shown.contains("… +1,048,"), "{shown}");
    let mut presses = 0;
    while !screen(&app, 120, 40).contains("the end") {
        press(&mut app, ">");
        presses += 1;
        assert!(presses < 200, "its end is out of reach");
    }
    assert!(screen(&app, 120, 40).contains("from character 1,0"));
    while sheet(&app).logs.shift > 0 {
        press(&mut app, "<");
        presses += 1;
        assert!(presses < 400, "its beginning is out of reach");
    }
    assert!(screen(&app, 120, 40).contains("begin xxx"));
}

#[test]
fn wrapped_lines_are_whole() {
    let words: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
    let mut app = live(&with_lines(&[(139, &words.join(" ")), (140, "last")], &[]));
    assert!(!screen(&app, 80, 24).contains("word59"));
    press(&mut app, "FW");
    let flat: String = screen(&app, 80, 24)
        .lines()
        .map(|line| line.trim_matches(['"', ' ']))
        .collect();
    for word in ["word0 ", "word30", "word59", "last"] {
        assert!(flat.contains(word), "{word} is missing in {flat}");
    }
}
