//! Keys on every screen: where they lead, and that none of them breaks anything at any size.

use confsplit::analysis::Diagnosis;
use confsplit::app::keymap::Key;
use confsplit::app::screen::{Screen, Tab};
use confsplit::app::{App, Msg, News};
use confsplit::ui;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::incidents::{self, diagnosis, partial_restart, reading};
use crate::screens::screen;

const KEYS: [Key; 14] = [
    Key::Enter,
    Key::Tab,
    Key::BackTab,
    Key::Backspace,
    Key::Delete,
    Key::Up,
    Key::Down,
    Key::Left,
    Key::Right,
    Key::PageUp,
    Key::PageDown,
    Key::Home,
    Key::End,
    Key::Esc,
];

fn every_key() -> Vec<Key> {
    let printable = (' '..='~').map(Key::Char);
    let control = ('a'..='z').map(Key::Ctrl);
    KEYS.into_iter().chain(printable).chain(control).collect()
}

fn nothing() -> Diagnosis {
    diagnosis(Vec::new())
}

fn one() -> Diagnosis {
    diagnosis(vec![partial_restart()])
}

fn several() -> Diagnosis {
    diagnosis(vec![incidents::hostile(), incidents::many()])
}

/// A screen of this size. One is drawn on again and again: of a frame only what differs is written.
fn blank(width: u16, height: u16) -> Terminal<TestBackend> {
    Terminal::new(TestBackend::new(width, height)).expect("a test terminal")
}

/// Fails where something of a hostile text reached a cell, or a line is broken.
fn assert_whole(app: &App, terminal: &mut Terminal<TestBackend>) {
    terminal
        .draw(|frame| drop(ui::draw(app, frame)))
        .expect("a test terminal draws");
    let buffer = terminal.backend().buffer();
    for cell in &buffer.content {
        let symbol = cell.symbol();
        // Most are blank.
        if symbol == " " {
            continue;
        }
        let bad = |c: char| {
            c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        };
        assert!(!symbol.chars().any(bad), "{symbol:?}");
    }
    for row in buffer.content.chunks(usize::from(buffer.area.width)) {
        if row[0].symbol() == "─" {
            assert_eq!(row[row.len() - 1].symbol(), "─", "a line ends early");
        }
    }
}

fn every_key_on_every_screen_at((width, height): (u16, u16), read: &Diagnosis) {
    let mut terminal = blank(width, height);
    for first in ["", "1", "2", "3", "4", "5", "6", "?", "w"] {
        let mut app = reading(read.clone(), width, height);
        app.update(Msg::Key(Key::Enter));
        for key in first.chars() {
            app.update(Msg::Key(Key::Char(key)));
        }
        for key in every_key() {
            app.update(Msg::Key(key));
            app.update(Msg::Key(key));
            assert_whole(&app, &mut terminal);
        }
    }
}

fn every_key_while_something_is_typed_at((width, height): (u16, u16), read: &Diagnosis) {
    const NASTY: &str = "\u{1b}[31m日本語e\u{301}\u{202e}gnp\n👩‍👩‍👧(";
    let mut terminal = blank(width, height);
    for first in ["/", "2/", "w/", "?/", ":", ":ns ", ":theme x", "e", "3:"] {
        let mut app = reading(read.clone(), width, height);
        // Text is text at every size; where all is in its place, every key is tried.
        let every = if (width, height) == (80, 24) { 1 } else { 6 };
        for key in every_key().into_iter().step_by(every) {
            // Whatever the last key led to, it is typed here again.
            for _ in 0..6 {
                app.update(Msg::Key(Key::Esc));
            }
            app.update(Msg::Key(Key::Enter));
            for first in first.chars() {
                app.update(Msg::Key(Key::Char(first)));
            }
            app.update(Msg::Paste(NASTY.repeat(if key == Key::Esc {
                30
            } else {
                1
            })));
            app.update(Msg::Key(key));
            app.update(Msg::Key(key));
            assert_whole(&app, &mut terminal);
        }
    }
}

/// Each size and each reading is a test of its own, so that they run beside each other.
macro_rules! at_each_size {
    ($($name:ident: $size:expr,)*) => {
        mod every_key_on_every_screen {
            $(mod $name {
                use crate::flows::{every_key_on_every_screen_at as every_key, nothing, one, several};

                #[test] fn with_nothing() { every_key($size, &nothing()); }
                #[test] fn with_one() { every_key($size, &one()); }
                #[test] fn with_several() { every_key($size, &several()); }
            })*
        }
        mod every_key_while_something_is_typed_or_chosen {
            $(mod $name {
                use crate::flows::{every_key_while_something_is_typed_at as every_key, nothing, one, several};

                #[test] fn with_nothing() { every_key($size, &nothing()); }
                #[test] fn with_one() { every_key($size, &one()); }
                #[test] fn with_several() { every_key($size, &several()); }
            })*
        }
    };
}

at_each_size! {
    at_1x1: (1, 1),
    at_20x5: (20, 5),
    at_80x24: (80, 24),
    at_200x60: (200, 60),
}

fn tab(app: &App) -> Option<Tab> {
    match &app.screen {
        Screen::Sheet(sheet) => Some(sheet.tab),
        Screen::Triage | Screen::Object(_) | Screen::Remedy(_) => None,
    }
}

#[test]
fn one_incident_opens_by_itself_and_escape_leads_to_the_list() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    assert_eq!(tab(&app), Some(Tab::Timeline));
    app.update(Msg::Key(Key::Esc));
    assert_eq!(tab(&app), None);
    assert_eq!(app.update(Msg::Key(Key::Esc)), vec![]);
}

#[test]
fn nothing_opens_by_itself_after_a_key() {
    let mut app = incidents::app();
    app.update(Msg::Key(Key::Char('u')));
    app.update(Msg::News(News::of(diagnosis(vec![partial_restart()]))));
    assert_eq!(tab(&app), None);
}

#[test]
fn what_is_still_being_read_is_listed_but_not_opened() {
    let mut app = incidents::app();
    let read = News::of(diagnosis(vec![partial_restart()]));
    app.update(Msg::News(News {
        complete: false,
        ..read.clone()
    }));
    assert_eq!(tab(&app), None);
    assert!(screen(&app, 80, 24).contains("split-replicas"));
    app.update(Msg::News(read));
    assert_eq!(tab(&app), Some(Tab::Timeline));
}

#[test]
fn a_second_reading_keeps_the_open_incident_though_it_moved() {
    let mut other = incidents::many();
    other.config.name = "other".into();
    let mut app = reading(diagnosis(vec![partial_restart(), other.clone()]), 80, 24);
    app.update(Msg::Key(Key::Enter));
    app.update(Msg::Key(Key::Char('5')));
    app.update(Msg::News(News::of(diagnosis(vec![
        other,
        partial_restart(),
    ]))));
    let (incident, _) = app.incident().expect("an open incident");
    assert_eq!(incident.config, incidents::config());
    assert_eq!(tab(&app), Some(Tab::Evidence));
}

#[test]
fn a_second_reading_keeps_the_place_in_the_diff() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    for key in "3jj".chars() {
        app.update(Msg::Key(Key::Char(key)));
    }
    let before = screen(&app, 80, 24);
    app.update(Msg::News(News::of(diagnosis(vec![partial_restart()]))));
    assert_eq!(screen(&app, 80, 24), before);
}

#[test]
fn an_incident_that_is_gone_closes_and_says_so() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    app.update(Msg::News(News::of(diagnosis(Vec::new()))));
    assert_eq!(tab(&app), None);
    let notice = app.notice.expect("a notice");
    assert!(notice.contains("no longer among the incidents"), "{notice}");
}

#[test]
fn times_turn_local_with_the_offset_shown() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    assert!(screen(&app, 80, 24).contains("20:35:26–20:35:33"));
    app.update(Msg::Key(Key::Char('u')));
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("UTC+05:45"), "{shown}");
    assert!(shown.contains("02:20:26–02:20:33"), "{shown}");
}

#[test]
fn the_list_keeps_its_cursor_over_a_visit() {
    let mut other = incidents::many();
    other.config.name = "other".into();
    let mut app = reading(diagnosis(vec![partial_restart(), other]), 80, 24);
    app.update(Msg::Key(Key::Down));
    app.update(Msg::Key(Key::Enter));
    app.update(Msg::Key(Key::Esc));
    assert_eq!(app.triage, 1);
}
