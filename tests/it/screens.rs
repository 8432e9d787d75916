//! What the screens look like, as text: signs and words must tell everything, since colours are not in it.

use chrono::TimeDelta;
use confsplit::analysis::{Code, Diagnosis};
use confsplit::app::keymap::Key;
use confsplit::app::{App, Msg, News, Origin, Theme};
use confsplit::model::{Content, Fingerprint, Interval};
use confsplit::source::{Progress, SourceError};
use confsplit::ui;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};

use crate::incidents::{self, at, diagnosis, partial_restart, reading, revision};

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

pub(crate) fn drawn(app: &App, width: u16, height: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
    terminal
        .draw(|frame| drop(ui::draw(app, frame)))
        .expect("a test terminal draws");
    terminal
}

pub(crate) fn screen(app: &App, width: u16, height: u16) -> String {
    drawn(app, width, height).backend().to_string()
}

pub(crate) fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        app.update(Msg::Key(Key::Char(key)));
    }
}

/// A snapshot of what these keys lead to, at each size.
fn snapshot(name: &str, diagnosis: &Diagnosis, keys: &str) {
    for (width, height) in SIZES {
        let mut app = reading(diagnosis.clone(), width, height);
        press(&mut app, keys);
        insta::assert_snapshot!(
            format!("{name}__{width}x{height}"),
            screen(&app, width, height)
        );
    }
}

#[test]
fn each_tab_of_an_incident() {
    let one = diagnosis(vec![partial_restart()]);
    for (name, keys) in [
        ("timeline", "1jjj"),
        ("replicas", "2j"),
        ("diff", "3"),
        ("evidence", "5jj"),
        ("plan", "6"),
        ("keys", "?"),
        ("not_checked", "w"),
    ] {
        snapshot(name, &one, keys);
    }
}

#[test]
fn the_list_of_incidents() {
    let mut other = incidents::many();
    other.config.name = "settings-of-a-service-with-a-long-name".into();
    other.workload.name = "checkout-and-payment-processing".into();
    other.findings[0].code = Code::StaleEverywhere;
    snapshot("triage", &diagnosis(vec![partial_restart(), other]), "j");
}

#[test]
fn nothing_found() {
    snapshot("nothing", &diagnosis(Vec::new()), "");
}

#[test]
fn many_replicas() {
    let many = diagnosis(vec![incidents::many()]);
    snapshot("many_timeline", &many, "1");
    snapshot("many_replicas", &many, "2G");
}

#[test]
fn while_it_reads_and_when_it_cannot() {
    let mut app = incidents::app();
    for progress in [
        Progress::Listed {
            resource: "pods",
            count: 9,
        },
        Progress::Failed { resource: "events" },
        Progress::Answered { done: 3, of: 8 },
    ] {
        app.update(Msg::Progress(progress));
    }
    insta::assert_snapshot!("loading", screen(&app, 80, 24));
    app.update(Msg::Failed(SourceError {
        message: "The API server at https://10.0.0.1:6443 does not answer.".into(),
        hint: Some("Check the network, or choose another context with --context.".into()),
    }));
    insta::assert_snapshot!("failed", screen(&app, 80, 24));
}

#[test]
fn a_failed_second_reading_keeps_the_first_on_screen() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    press(&mut app, "R");
    app.update(Msg::Failed(SourceError {
        message: "The login has expired.".into(),
        hint: None,
    }));
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("READING FAILED, as of 20:38:34"), "{shown}");
    assert!(
        shown.contains("The login has expired. R reads again, ! logs in."),
        "{shown}"
    );
    assert!(shown.contains("1 of 2 frontend replicas"), "{shown}");
}

#[test]
fn a_capture_says_so_and_its_ages_stand_still() {
    let origin = Origin::Capture {
        file: "incident.capture.gz".into(),
    };
    let mut app = App::new(incidents::options(origin), at("23:59:59"));
    let incidents = vec![partial_restart(), incidents::many()];
    app.update(Msg::News(News::of(diagnosis(incidents))));
    let shown = screen(&app, 120, 24);
    assert!(
        shown.contains("capture taken 2026-10-02 20:38:34"),
        "{shown}"
    );
    assert!(shown.contains("3 min ago"), "{shown}");
    assert!(!app.shows_age());
}

#[test]
fn too_small_says_so() {
    let app = reading(diagnosis(vec![partial_restart()]), 60, 10);
    let shown = screen(&app, 60, 10);
    assert!(shown.contains("needs 80×24, this is 60×10"), "{shown}");
}

#[test]
fn the_cause_cost_and_next_step_are_whole_at_the_smallest_size() {
    let app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    let shown = screen(&app, 80, 24);
    for part in ["no longer in the API", "kt2jr 0 of 40", "SPREADS"] {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
}

#[test]
fn a_cause_that_does_not_fit_says_how_to_read_on() {
    let mut incident = partial_restart();
    incident.findings[0].sentence = "many words of a cause ".repeat(60);
    incident.impact.as_mut().expect("an impact").sentence = "much harm ".repeat(60);
    let mut app = reading(diagnosis(vec![incident]), 80, 24);
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("… more: Enter"), "{shown}");
    assert!(
        shown.contains("IMPACT") && shown.contains("NEXT"),
        "{shown}"
    );
    app.update(Msg::Key(Key::Enter));
    assert!(!screen(&app, 80, 60).contains("… more: Enter"));
}

#[test]
fn ascii_means_ascii() {
    let mut options = incidents::options(Origin::Live);
    options.ascii = true;
    for incident in [partial_restart(), incidents::hostile(), incidents::many()] {
        let mut app = App::new(options.clone(), at("20:38:38"));
        app.update(Msg::News(News::of(diagnosis(vec![incident]))));
        for key in "123456?w".chars() {
            press(&mut app, &key.to_string());
            let terminal = drawn(&app, 120, 40);
            let buffer = terminal.backend().buffer();
            assert!(
                buffer.content.iter().all(|cell| cell.symbol().is_ascii()),
                "{}",
                terminal.backend()
            );
        }
    }
}

#[test]
fn ascii_has_a_likeness_of_every_sign_that_is_our_own() {
    // Nothing of these texts is beyond ASCII, so whatever is on screen is a sign of the program.
    let mut other = partial_restart();
    other.config.name = "other".into();
    for finding in &mut other.findings {
        finding.sentence = "plain".into();
    }
    let mut ascii = incidents::options(Origin::Live);
    ascii.ascii = true;
    for keys in [
        "", "1", "2", "3", "3n", "4", "5", "?", "?G", "w", "e", "/x", "2/x", ":", ":theme x", "m",
        "u", "s",
    ] {
        let mut apps = [incidents::options(Origin::Live), ascii.clone()]
            .map(|options| App::new(options, at("20:38:38")));
        for app in &mut apps {
            let read = diagnosis(vec![partial_restart(), incidents::many(), other.clone()]);
            app.update(Msg::News(News::of(read)));
            app.update(Msg::Key(Key::Enter));
            press(app, keys);
        }
        let [signs, likenesses] = apps.map(|app| drawn(&app, 120, 40).backend().buffer().clone());
        for (sign, likeness) in signs.content.iter().zip(&likenesses.content) {
            assert!(likeness.symbol().is_ascii());
            let replaced = sign.symbol() != likeness.symbol();
            assert!(
                !replaced || likeness.symbol() != "?",
                "{} has no likeness",
                sign.symbol()
            );
        }
    }
}

#[test]
fn each_theme_has_its_accent_and_no_color_beats_them() {
    let with = |theme: Theme, no_color: bool| {
        let mut options = incidents::options(Origin::Live);
        options.preferences.theme = theme;
        options.no_color = no_color;
        let mut app = App::new(options, at("20:38:38"));
        app.update(Msg::News(News::of(diagnosis(vec![partial_restart()]))));
        let buffer = drawn(&app, 80, 24).backend().buffer().clone();
        let mut colors: Vec<Color> = buffer.content.iter().map(|cell| cell.fg).collect();
        colors.dedup();
        colors.retain(|color| *color != Color::Reset && *color != Color::Red);
        colors.sort_by_key(|color| format!("{color:?}"));
        colors.dedup();
        let dim = buffer
            .content
            .iter()
            .any(|cell| cell.modifier.contains(Modifier::DIM));
        (colors, dim)
    };
    assert_eq!(with(Theme::Dark, false), (vec![Color::Cyan], true));
    assert_eq!(with(Theme::Light, false), (vec![Color::Blue], false));
    assert_eq!(with(Theme::Auto, false), (vec![Color::Magenta], true));
    assert_eq!(with(Theme::Mono, false).0, vec![]);
    assert_eq!(with(Theme::Dark, true).0, vec![]);
}

#[test]
fn no_color_means_none_and_the_cursor_is_still_seen() {
    let mut options = incidents::options(Origin::Live);
    options.no_color = true;
    let mut app = App::new(options, at("20:38:38"));
    app.update(Msg::News(News::of(diagnosis(vec![partial_restart()]))));
    let terminal = drawn(&app, 80, 24);
    let cells = &terminal.backend().buffer().content;
    assert!(
        cells
            .iter()
            .all(|c| (c.fg, c.bg) == (Color::Reset, Color::Reset))
    );
    assert!(
        cells
            .iter()
            .any(|c| c.modifier.contains(Modifier::REVERSED))
    );
}

#[test]
fn only_failures_are_red() {
    let app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    let terminal = drawn(&app, 80, 24);
    let cells = &terminal.backend().buffer().content;
    let red: String = cells
        .iter()
        .filter(|cell| cell.fg == Color::Red)
        .map(|cell| cell.symbol())
        .collect();
    assert!(red.contains("504"), "{red}");
    assert!(!red.contains("200"), "{red}");
}

#[test]
fn hostile_text_reaches_no_terminal() {
    let hostile = diagnosis(vec![incidents::hostile(), incidents::hostile()]);
    for keys in ["", "\u{20}", "1", "2", "3", "4", "5", "6"] {
        let mut app = reading(hostile.clone(), 120, 40);
        app.update(Msg::Key(Key::Enter));
        press(&mut app, keys);
        let shown = screen(&app, 120, 40);
        for bad in ['\u{1b}', '\u{7}', '\u{202e}', '\r', '\t', '\0'] {
            assert!(!shown.contains(bad), "{bad:?} after {keys:?}");
        }
    }
}

#[test]
fn the_value_of_a_secret_is_not_there_to_be_shown() {
    let mut incident = partial_restart();
    let hashed = |hash: &str| {
        let print = Fingerprint(hash.into());
        Some(Content::Hashed([("password".to_owned(), print)].into()))
    };
    incident.revisions = vec![
        revision("A", hashed("0a"), Interval::UNKNOWN, false),
        revision("B", hashed("0b"), Interval::UNKNOWN, true),
    ];
    let mut app = reading(diagnosis(vec![incident]), 80, 24);
    press(&mut app, "3");
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("password"), "{shown}");
    assert!(shown.contains("Values of Secrets are not shown"), "{shown}");
}

#[test]
fn starts_days_apart_share_one_axis_with_their_dates() {
    let mut incident = partial_restart();
    incident.timeline[1].at = Interval::second(at("20:35:25") - TimeDelta::days(3));
    incident.replicas[1].started_at = Some(at("20:35:25") - TimeDelta::days(3));
    let app = reading(diagnosis(vec![incident]), 80, 24);
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("09-29 20:35:25"), "{shown}");
    assert!(shown.contains("not to scale"), "{shown}");
    insta::assert_snapshot!("days_apart", shown);
}
