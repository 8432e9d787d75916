//! What is typed, pasted, clicked, copied and exported, and what the screen says of it.

use confsplit::analysis::{Code, Incident};
use confsplit::app::keymap::{Context, Export, Key};
use confsplit::app::lists::Sort;
use confsplit::app::screen::{Overlay, Screen, Tab};
use confsplit::app::{App, Effect, Exported, Hit, Msg, News, Origin, Theme};
use confsplit::ui::{self, Clickable};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::incidents::{self, at, diagnosis, partial_restart, reading};
use crate::screens::screen;

fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    keys.chars()
        .flat_map(|c| app.update(Msg::Key(Key::Char(c))))
        .collect()
}

fn key(app: &mut App, key: Key) -> Vec<Effect> {
    app.update(Msg::Key(key))
}

fn named(config: &str, workload: &str) -> Incident {
    let mut incident = partial_restart();
    incident.config.name = config.into();
    incident.workload.name = workload.into();
    incident
}

/// The list of three incidents.
fn three() -> App {
    let mut quiet = named("beta", "checkout");
    quiet.findings[0].code = Code::StaleEverywhere;
    for replica in &mut quiet.replicas {
        replica.traffic.clear();
    }
    let mut newest = named("alpha", "cart");
    newest.revisions[1].from = confsplit::model::Interval::second(at("20:38:00"));
    newest.replicas[0].traffic.clear();
    reading(
        diagnosis(vec![quiet, named("gamma", "frontend"), newest]),
        80,
        24,
    )
}

fn listed(app: &App) -> Vec<String> {
    let rows = app.triage_rows();
    let incidents = app.incidents();
    let names = rows
        .places
        .iter()
        .map(|at| incidents[*at].config.name.clone());
    names.collect()
}

#[test]
fn a_filter_narrows_the_list_while_it_is_typed() {
    let mut app = three();
    press(&mut app, "/");
    assert_eq!(app.context(), Context::Filter);
    press(&mut app, "STALE-");
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("/STALE-"), "{shown}");
    assert!(shown.contains("1 of 3 incidents"), "{shown}");
    assert_eq!(listed(&app), ["beta"]);
    // Letters that are commands elsewhere were text.
    assert!(matches!(app.screen, Screen::Triage) && app.overlay.is_none());
    key(&mut app, Key::Enter);
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("/STALE-  1 of 3 incidents, Esc clears"),
        "{shown}"
    );
    assert!(shown.contains("? keys  q quit"), "{shown}");
    key(&mut app, Key::Enter);
    assert!(matches!(app.screen, Screen::Sheet(_)));
}

#[test]
fn escape_goes_back_one_step_at_a_time_and_never_quits() {
    let mut app = three();
    press(&mut app, "/gamma");
    key(&mut app, Key::Enter);
    key(&mut app, Key::Enter);
    press(&mut app, "2/g5");
    key(&mut app, Key::Enter);
    press(&mut app, "w/event");
    let mut steps = Vec::new();
    for _ in 0..8 {
        let screen = matches!(app.screen, Screen::Sheet(_));
        steps.push((
            app.prompt.is_some(),
            !app.filter().is_empty(),
            app.overlay.is_some(),
            screen,
        ));
        // Leaving a sheet tells the reader that nothing is open any more, and is all that is asked for.
        let effects = key(&mut app, Key::Esc);
        assert!(
            effects.is_empty() || effects == [Effect::Focus(None)],
            "{effects:?}"
        );
    }
    assert_eq!(
        steps,
        [
            (true, true, true, true),     // typing a filter of what was not checked
            (false, false, true, true),   // the filter went with the line
            (false, true, false, true),   // the overlay closed: the replicas' filter is there
            (false, false, false, true),  // and gone
            (false, true, false, false),  // the list, with its own filter
            (false, false, false, false), // and gone
            (false, false, false, false),
            (false, false, false, false),
        ]
    );
}

#[test]
fn a_filter_that_was_kept_is_cleared_before_its_overlay_closes() {
    let mut app = three();
    press(&mut app, "?/quit");
    key(&mut app, Key::Enter);
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("Ctrl-C") && !shown.contains("Ctrl-F"),
        "{shown}"
    );
    key(&mut app, Key::Esc);
    assert!(app.overlay.is_some());
    assert!(screen(&app, 80, 24).contains("Ctrl-F"));
    key(&mut app, Key::Esc);
    assert!(app.overlay.is_none());
}

#[test]
fn each_list_is_filtered_by_what_is_on_screen() {
    for (tab, typed, left, of) in [
        ("1", "^20:35:4", 1, 7),
        ("2", "35 of 35", 1, 2),
        ("2", "≠LIVE", 1, 2),
        ("5", "service/api", 1, 5),
        ("6", "revert.*Restart", 0, 0),
    ] {
        let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
        press(&mut app, tab);
        let before = app.top().expect("a list").0;
        press(&mut app, "/");
        press(&mut app, typed);
        let (rows, _) = app.top().expect("a list");
        if of > 0 {
            assert_eq!((rows.places.len(), rows.of), (left, of), "{typed}");
        }
        assert_eq!(rows.of, before.of);
        assert!(
            rows.places.len() < before.places.len(),
            "{typed} narrows nothing"
        );
    }
}

#[test]
fn the_line_is_edited_as_lines_are() {
    let mut app = three();
    press(&mut app, "/one two");
    key(&mut app, Key::Ctrl('w'));
    assert_eq!(app.filter().text(), "one ");
    key(&mut app, Key::Backspace);
    key(&mut app, Key::Left);
    press(&mut app, "q");
    assert_eq!(app.filter().text(), "onqe");
    key(&mut app, Key::Home);
    key(&mut app, Key::Delete);
    assert_eq!(app.filter().text(), "nqe");
    key(&mut app, Key::End);
    key(&mut app, Key::Ctrl('u'));
    assert_eq!(app.filter().text(), "");
}

#[test]
fn what_is_pasted_is_text_and_never_a_command() {
    let mut app = three();
    assert_eq!(app.update(Msg::Paste("q\nR!".into())), vec![]);
    assert!(matches!(app.screen, Screen::Triage) && app.prompt.is_none());
    press(&mut app, "/");
    app.update(Msg::Paste("ga\u{1b}[31m\u{202e}m\nma\u{7}".into()));
    assert_eq!(app.filter().text(), "ga[31mm ma");
    app.update(Msg::Paste("x".repeat(10_000)));
    assert_eq!(app.filter().text().chars().count(), 200);
    assert!(!screen(&app, 80, 24).is_empty());
}

#[test]
fn what_is_no_expression_is_said_beside_the_line() {
    let mut app = three();
    press(&mut app, "/(ga");
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("as plain text: unclosed group"), "{shown}");
    assert!(
        shown.contains("Nothing here has `(ga`; Esc takes the filter away."),
        "{shown}"
    );
    // With no row on screen there is nothing to open or to copy.
    key(&mut app, Key::Enter);
    let shown = screen(&app, 80, 24);
    assert!(
        !shown.contains("Enter open") && !shown.contains("y copy"),
        "{shown}"
    );
    assert_eq!(key(&mut app, Key::Enter), vec![]);
    assert!(matches!(app.screen, Screen::Triage));
    assert_eq!(press(&mut app, "y"), vec![]);
}

#[test]
fn an_empty_list_offers_nothing_to_open() {
    let app = reading(diagnosis(Vec::new()), 80, 24);
    let shown = screen(&app, 80, 24);
    assert!(
        !shown.contains("open") && shown.contains("? keys  q quit"),
        "{shown}"
    );
}

#[test]
fn each_order_is_in_the_heading_and_the_selected_incident_stays() {
    let mut app = three();
    key(&mut app, Key::Down);
    let orders = [
        ("worst first", ["beta", "gamma", "alpha"]),
        ("by name", ["alpha", "beta", "gamma"]),
        ("newest edit first", ["alpha", "beta", "gamma"]),
        ("most failing requests first", ["gamma", "alpha", "beta"]),
        ("worst first", ["beta", "gamma", "alpha"]),
    ];
    for (words, names) in orders {
        let shown = screen(&app, 80, 24);
        assert!(shown.contains(&format!("3 incidents, {words}")), "{shown}");
        assert_eq!(listed(&app), names, "{words}");
        let (selected, _) = app.incident().expect("a selected incident");
        assert_eq!(selected.config.name, "gamma");
        press(&mut app, "s");
    }
}

#[test]
fn new_data_moves_neither_the_selection_nor_rows_that_it_does_not_concern() {
    let mut app = three();
    press(&mut app, "s");
    assert_eq!(app.sort, Sort::Name);
    key(&mut app, Key::Down);
    let mut incidents = app.incidents().to_vec();
    incidents.reverse();
    incidents.push(named("aaa", "new"));
    app.update(Msg::News(News::of(diagnosis(incidents))));
    assert_eq!(listed(&app), ["aaa", "alpha", "beta", "gamma"]);
    let (selected, _) = app.incident().expect("a selected incident");
    assert_eq!(selected.config.name, "gamma");
}

#[test]
fn a_command_is_found_by_what_it_does() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    press(&mut app, ":evid");
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("> Evidence: each item with the command"),
        "{shown}"
    );
    key(&mut app, Key::Enter);
    assert!(matches!(&app.screen, Screen::Sheet(sheet) if sheet.tab == Tab::Evidence));
    press(&mut app, ":");
    key(&mut app, Key::Esc);
    assert!(app.prompt.is_none() && matches!(app.screen, Screen::Sheet(_)));
    press(&mut app, ":q");
    assert_eq!(key(&mut app, Key::Enter), vec![Effect::Quit]);
}

#[test]
fn a_command_is_chosen_with_the_arrows_and_completed_with_tab() {
    let mut app = three();
    press(&mut app, ":th");
    key(&mut app, Key::Tab);
    assert_eq!(
        app.prompt.as_ref().map(|p| p.text().to_owned()),
        Some("theme ".into())
    );
    key(&mut app, Key::Down);
    key(&mut app, Key::Down);
    key(&mut app, Key::Down);
    key(&mut app, Key::Enter);
    assert_eq!(app.options.preferences.theme, Theme::Light);
    press(&mut app, ":theme drak");
    key(&mut app, Key::Enter);
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("Not run: expected one of: auto, dark, light, mono"),
        "{shown}"
    );
    key(&mut app, Key::Backspace);
    assert!(!screen(&app, 80, 24).contains("Not run"));
}

#[test]
fn another_namespace_begins_anew_and_news_of_the_one_before_is_dropped() {
    let mut app = three();
    press(&mut app, ":ns Wrong_");
    assert_eq!(key(&mut app, Key::Enter), vec![]);
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("Not run: a namespace has a-z, 0-9 and -"),
        "{shown}"
    );
    key(&mut app, Key::Ctrl('u'));
    press(&mut app, "ns other");
    let effects = key(&mut app, Key::Enter);
    assert_eq!(effects, vec![Effect::Namespace(Some("other".into()))]);
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("confsplit  other") && shown.contains("Reading the cluster"),
        "{shown}"
    );
    assert!(!shown.contains("gamma"), "{shown}");
    app.update(Msg::News(News::of(diagnosis(vec![partial_restart()]))));
    assert!(app.incidents().is_empty(), "that was of shop");
    press(&mut app, ":all");
    assert_eq!(key(&mut app, Key::Enter), vec![Effect::Namespace(None)]);
    press(&mut app, ":ns");
    assert_eq!(key(&mut app, Key::Enter), vec![]);
    assert!(screen(&app, 80, 24).contains("Not run: it needs a name"));
}

#[test]
fn a_capture_has_no_other_namespace_and_no_login() {
    let origin = Origin::Capture {
        file: "x.capture".into(),
    };
    let mut app = App::new(incidents::options(origin), at("20:38:38"));
    app.update(Msg::News(News::of(diagnosis(vec![partial_restart()]))));
    press(&mut app, ":all");
    assert_eq!(key(&mut app, Key::Enter), vec![]);
    assert!(screen(&app, 80, 24).contains("Not run: a capture holds what was read then"));
    key(&mut app, Key::Esc);
    assert_eq!(press(&mut app, "!"), vec![]);
    assert!(screen(&app, 80, 24).contains("nothing to log in to"));
}

#[test]
fn after_the_login_it_reads_again() {
    let mut app = three();
    assert_eq!(press(&mut app, "!"), vec![Effect::LogIn]);
    let why = "The login failed: `aws sso login` ended with 1.";
    assert_eq!(
        app.update(Msg::LoggedIn(Err(why.into()))),
        vec![Effect::Read]
    );
    assert!(screen(&app, 80, 24).contains(why));
}

#[test]
fn every_tab_copies_what_is_selected_and_says_what_it_was() {
    for (keys, copied, said) in [
        (
            "1",
            "2026-10-02 20:35:26–2026-10-02 20:35:33 UTC frontend-nginx: edited",
            "the entry",
        ),
        (
            "2",
            "kubectl --context kind-a -n shop describe pod frontend-76d98597b9-",
            "kubectl describe pod",
        ),
        (
            "5",
            "kubectl -n shop get configmap frontend-nginx",
            "the command of [1]",
        ),
        ("6", "kubectl ", "the command of step 1"),
        ("w", "events before 20:34:00", "this text"),
    ] {
        let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
        let effects = press(&mut app, &format!("{keys}y"));
        let [Effect::Copy(text)] = &effects[..] else {
            panic!("{keys}: {effects:?}");
        };
        assert!(text.starts_with(copied), "{keys}: {text}");
        app.update(Msg::Copied(Ok(())));
        let shown = screen(&app, 80, 24);
        assert!(
            shown.contains(&format!("Copied by OSC 52: {said}")),
            "{shown}"
        );
    }
    let mut app = three();
    let effects = press(&mut app, "y");
    assert!(
        matches!(&effects[..], [Effect::Copy(text)] if text.starts_with("ConfigMap/beta → Deployment/checkout: "))
    );
    app.update(Msg::Copied(Err(
        "this terminal (TERM=dumb) has no clipboard".into(),
    )));
    assert!(
        screen(&app, 80, 24).contains("Not copied: this terminal (TERM=dumb) has no clipboard.")
    );
}

#[test]
fn what_is_copied_holds_no_escape() {
    let mut app = reading(diagnosis(vec![incidents::hostile()]), 80, 24);
    for keys in ["1y", "2y", "4y", "5y", "6y", "wy"] {
        for effect in press(&mut app, keys) {
            let Effect::Copy(text) = effect else { continue };
            let controls = text.chars().filter(|c| c.is_control() && *c != '\n');
            assert_eq!(controls.count(), 0, "{keys}: {text:?}");
        }
    }
}

#[test]
fn the_menu_of_exports_asks_for_what_is_chosen() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    press(&mut app, "e");
    assert_eq!(app.context(), Context::Menu);
    insta::assert_snapshot!("export_menu", screen(&app, 80, 24));
    press(&mut app, "j");
    assert_eq!(
        key(&mut app, Key::Enter),
        vec![Effect::Export(Export::Markdown)]
    );
    assert!(app.overlay.is_none());
    assert_eq!(press(&mut app, "e4"), vec![Effect::Export(Export::Capture)]);
    press(&mut app, ":export json");
    assert_eq!(
        key(&mut app, Key::Enter),
        vec![Effect::Export(Export::Json)]
    );
    app.update(Msg::Exported(Ok(Exported::File("x.json".into()))));
    assert!(screen(&app, 80, 24).contains("Written: x.json"));
    app.update(Msg::Exported(Err("No space left on device".into())));
    assert!(screen(&app, 80, 24).contains("Not written: No space left on device"));
}

#[test]
fn the_summary_is_copied_and_shown_to_be_selected() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    assert_eq!(press(&mut app, "e1"), vec![Effect::Export(Export::Summary)]);
    let (incident, _) = app.incident().expect("an incident");
    let text = confsplit::report::summary(app.diagnosis().expect("read"), Some(incident));
    let effects = app.update(Msg::Exported(Ok(Exported::Summary(text.clone()))));
    assert_eq!(effects, vec![Effect::Copy(text.trim_end().to_owned())]);
    app.update(Msg::Copied(Ok(())));
    assert!(matches!(app.overlay, Some((Overlay::Summary, _))));
    insta::assert_snapshot!("summary", screen(&app, 80, 24));
}

#[test]
fn nothing_is_exported_before_anything_was_read() {
    let mut app = incidents::app();
    assert_eq!(press(&mut app, "e2"), vec![]);
    assert!(screen(&app, 80, 24).contains("Nothing has been read yet"));
}

/// What a click meets where this text stands.
fn hit(app: &App, text: &str) -> Option<Hit> {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a test terminal");
    let mut clickable = Clickable::default();
    terminal
        .draw(|frame| clickable = ui::draw(app, frame))
        .expect("a test terminal draws");
    let shown = terminal.backend().to_string();
    let (row, line) = shown
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(text))?;
    let column = line[..line.find(text)?].chars().count();
    // The first character of each line is a quote.
    clickable.at(u16::try_from(column).ok()? - 1, u16::try_from(row).ok()?)
}

#[test]
fn a_click_selects_what_lies_there() {
    let mut app = three();
    assert_eq!(press(&mut app, "m"), vec![Effect::Mouse(true)]);
    assert!(screen(&app, 80, 24).contains("mouse  UTC"));
    press(&mut app, "s");
    assert_eq!(hit(&app, "cm/gamma"), Some(Hit::Row(1)));
    assert_eq!(hit(&app, "3 incidents"), None);
    app.update(Msg::Click(Hit::Row(1)));
    assert_eq!(app.incident().expect("one").0.config.name, "gamma");
    app.update(Msg::Click(Hit::Row(1)));
    assert!(
        matches!(app.screen, Screen::Sheet(_)),
        "a second click opens it"
    );
    let tab = hit(&app, "2 Replicas").expect("a tab");
    assert_eq!(tab, Hit::Tab(Tab::Replicas));
    app.update(Msg::Click(tab));
    let row = hit(&app, "g5zrg   B").expect("a row");
    app.update(Msg::Click(row));
    assert!(matches!(&app.screen, Screen::Sheet(sheet) if Hit::Row(sheet.replica) == row));
    app.update(Msg::Wheel { down: false });
    assert!(matches!(&app.screen, Screen::Sheet(sheet) if sheet.replica == 0));
    press(&mut app, "e");
    let choice = hit(&app, "the report as JSON").expect("a choice");
    assert_eq!(
        app.update(Msg::Click(choice)),
        vec![Effect::Export(Export::Json)]
    );
    assert_eq!(press(&mut app, ":mouse"), vec![]);
    assert_eq!(key(&mut app, Key::Enter), vec![Effect::Mouse(false)]);
}

#[test]
fn what_is_typed_has_its_picture() {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    press(&mut app, "2/g5");
    insta::assert_snapshot!("filter_typed", screen(&app, 80, 24));
    key(&mut app, Key::Enter);
    insta::assert_snapshot!("filter_kept", screen(&app, 80, 24));
    press(&mut app, ":");
    insta::assert_snapshot!("palette", screen(&app, 80, 24));
}

#[test]
fn every_key_of_every_screen_is_in_its_help() {
    use confsplit::app::keymap;
    for keys in ["", "1", "2", "3", "4", "5", "6"] {
        let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
        match keys {
            "" => drop(key(&mut app, Key::Esc)),
            keys => drop(press(&mut app, keys)),
        }
        let below = app.context();
        press(&mut app, "?");
        let notes = app.filtered_notes(Overlay::Help);
        let help: Vec<String> = notes
            .iter()
            .map(confsplit::app::shown::Note::text)
            .collect();
        for context in [
            below,
            Context::Overlay,
            Context::Menu,
            Context::Filter,
            Context::Palette,
        ] {
            for binding in keymap::bindings(context) {
                let row = format!("{} {}", binding.keys(), binding.help);
                assert!(
                    help.contains(&row),
                    "{row} of {context:?} is not in {below:?}'s help"
                );
            }
        }
    }
}

#[test]
fn the_way_out_and_the_help_are_in_every_footer() {
    for keys in [
        "1", "2", "3", "4", "5", "6", "?", "w", "e", "2/g\n", "w/a\n",
    ] {
        let mut app = reading(
            diagnosis(vec![partial_restart(), incidents::many()]),
            80,
            24,
        );
        key(&mut app, Key::Enter);
        for c in keys.chars() {
            key(&mut app, if c == '\n' { Key::Enter } else { Key::Char(c) });
        }
        let shown = screen(&app, 80, 24);
        let last = shown.lines().last().unwrap_or_default();
        assert!(last.contains("? keys  q quit"), "{keys}: {last}");
    }
}
