//! The logs tab: from facts that grow, through keys, to the screen.

use std::sync::Arc;

use confsplit::analysis::diagnose;
use confsplit::app::keymap::Key;
use confsplit::app::screen::{Screen, Sheet, Tab};
use confsplit::app::{App, Effect, Msg, News, Origin};
use confsplit::model::{
    Facts, FollowState, Followed, Following, Gap, GapReason, Log, LogText, Snapshot,
};
use ratatui::style::Modifier;

use crate::build::{self, NS, log, t};
use crate::incidents;
use crate::screens::{drawn, screen};

mod hostile;

/// Tells a dashboard what is known now: the incident stays the same, whatever the logs hold.
fn tell(app: &mut App, snapshot: &Snapshot, following: Following) {
    let mut diagnosis = diagnose(&build::partial_restart());
    diagnosis.incidents[0].replicas.retain(|replica| {
        let pod = snapshot.pods.iter().find(|p| p.reference == replica.pod);
        pod.is_some_and(|pod| !pod.terminating)
    });
    let facts = Facts {
        following: Arc::new(following),
        ..Facts::of(snapshot.clone())
    };
    app.update(Msg::News(News {
        diagnosis: Arc::new(diagnosis),
        watched: None,
        facts,
        complete: true,
    }));
}

/// A dashboard on the logs of this, at 20:37:30.
fn open(snapshot: &Snapshot, origin: Origin, following: Following) -> App {
    let mut app = App::new(incidents::options(origin), t(150));
    app.update(Msg::Resize {
        width: 120,
        height: 40,
    });
    tell(&mut app, snapshot, following);
    press(&mut app, "4");
    assert_eq!(sheet(&app).tab, Tab::Logs);
    app
}

fn live(snapshot: &Snapshot) -> App {
    open(
        snapshot,
        Origin::Live,
        following(snapshot, FollowState::Open),
    )
}

fn following(snapshot: &Snapshot, state: FollowState) -> Following {
    let followed = |log: &Log| Followed {
        pod: log.pod.clone(),
        container: log.container.clone(),
        state: state.clone(),
        dropped: 0,
    };
    Following {
        logs: snapshot.logs.iter().map(followed).collect(),
    }
}

fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        let key = match key {
            '\n' => Key::Enter,
            key => Key::Char(key),
        };
        app.update(Msg::Key(key));
    }
}

fn sheet(app: &App) -> &Sheet {
    match &app.screen {
        Screen::Sheet(sheet) => sheet,
        Screen::Triage | Screen::Object(_) | Screen::Remedy(_) => panic!("no sheet is open"),
    }
}

/// The texts of the lines that are shown.
fn texts(app: &App) -> Vec<String> {
    let logs = &sheet(app).logs;
    (0..logs.len())
        .filter_map(|at| Some(logs.row(at)?.text.to_owned()))
        .collect()
}

/// The line under the cursor.
fn selected(app: &App) -> String {
    let logs = &sheet(app).logs;
    logs.row(logs.cursor).expect("a line").text.to_owned()
}

fn shows(app: &App, part: &str) {
    let shown = screen(app, 120, 40);
    assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
}

fn hides(app: &App, part: &str) {
    let shown = screen(app, 120, 40);
    assert!(!shown.contains(part), "{part:?} is in\n{shown}");
}

/// The incident with these lines of the two pods (the older one first) instead.
fn with_lines(old: &[(i64, &str)], young: &[(i64, &str)]) -> Snapshot {
    let mut snapshot = build::partial_restart();
    snapshot.logs = vec![log(&snapshot.pods[0], old), log(&snapshot.pods[1], young)];
    snapshot
}

/// Adds lines to the log of a pod, as a follower does.
fn grow(snapshot: &mut Snapshot, pod: usize, lines: &[(i64, &str)]) {
    let more = log(&snapshot.pods[pod], lines).text;
    for piece in more.pieces() {
        snapshot.logs[pod].text.push(piece);
    }
}

#[test]
fn the_tab_at_both_sizes() {
    let snapshot = build::partial_restart();
    for (width, height) in [(80, 24), (120, 40)] {
        let mut app = live(&snapshot);
        app.update(Msg::Resize { width, height });
        press(&mut app, "[[");
        insta::assert_snapshot!(
            format!("logs__{width}x{height}"),
            screen(&app, width, height)
        );
    }
}

#[test]
fn structured_lines_restarts_and_former_runs_at_both_sizes() {
    let mut snapshot = with_lines(
        &[
            (26, "plain line"),
            (60, r#"{"foo":["bar"]}"#),
            (70, "[::]:80"),
        ],
        &[
            (
                61,
                r#"{"time":"2026-10-02T20:36:01Z","level":"error","msg":"no answer","upstream":"api:8000","try":{"n":3}}"#,
            ),
            (
                62,
                "time=2026-10-02T20:36:02Z level=info msg=\"two words\" key=value",
            ),
        ],
    );
    let young = snapshot.pods[1].clone();
    *snapshot.pods[1] = build::restarted((*young).clone(), 60, 1);
    let mut before = log(&young, &[(35, "starting"), (59, "dying")]);
    before.previous = true;
    snapshot.logs.push(before);
    for (width, height) in [(80, 24), (120, 40)] {
        let mut app = live(&snapshot);
        app.update(Msg::Resize { width, height });
        press(&mut app, "PF");
        insta::assert_snapshot!(
            format!("logs_structured__{width}x{height}"),
            screen(&app, width, height)
        );
    }
}

#[test]
fn lines_of_all_replicas_are_in_order_of_time() {
    let app = live(&with_lines(
        &[(40, "a"), (42, "c")],
        &[(41, "b"), (43, "d")],
    ));
    let lines = texts(&app);
    let logs: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|l| l.len() == 1)
        .collect();
    assert_eq!(logs, ["a", "b", "c", "d"]);
}

#[test]
fn new_lines_are_followed_until_the_reader_moves_up() {
    let mut snapshot = with_lines(&[(40, "first")], &[(41, "second")]);
    let mut app = live(&snapshot);
    shows(&app, "following 2 of 2 replicas");
    grow(&mut snapshot, 0, &[(43, "third")]);
    tell(&mut app, &snapshot, following(&snapshot, FollowState::Open));
    assert_eq!(selected(&app), "third");
    press(&mut app, "k");
    assert_eq!(selected(&app), "second");
    // A late line too is below only where it is in order of time.
    grow(&mut snapshot, 1, &[(44, "fourth"), (45, "fifth")]);
    grow(&mut snapshot, 0, &[(42, "late"), (46, "sixth")]);
    tell(&mut app, &snapshot, following(&snapshot, FollowState::Open));
    assert_eq!(selected(&app), "second");
    shows(&app, "paused, 4 new lines below");
    press(&mut app, "G");
    assert_eq!(selected(&app), "sixth");
    shows(&app, "following 2 of 2 replicas");
    let lines = texts(&app);
    let late = lines.iter().position(|line| line == "late").expect("late");
    assert_eq!(lines[late + 1], "third");
}

#[test]
fn silence_is_told_with_its_time() {
    let mut app = live(&with_lines(&[(40, "a")], &[(60, "b")]));
    shows(&app, "no lines since 20:36:00 (1 min)");
    app.update(Msg::Tick(t(65)));
    hides(&app, "no lines since");
}

#[test]
fn what_is_not_known_of_a_log_is_said_for_whom() {
    let mut snapshot = with_lines(&[(40, "a")], &[(41, "b")]);
    let (old, young) = (
        snapshot.pods[0].reference.clone(),
        snapshot.logs.remove(1).pod,
    );
    snapshot.gaps.push(Gap {
        verb: "get".into(),
        resource: "pods/log".into(),
        namespace: Some(NS.into()),
        name: Some(young.name),
        reason: GapReason::Forbidden,
    });
    snapshot.logs[0].complete = false;
    snapshot.logs[0].missing = Some("begins late".into());
    let mut app = live(&snapshot);
    shows(&app, "following 1 of 2 replicas");
    shows(&app, "g5zrg: not read: no permission: get pods/log");
    shows(&app, "kt2jr: begins late");
    let mut ended = following(&snapshot, FollowState::Retrying("reset by peer".into()));
    ended.logs[0].dropped = 1204;
    tell(&mut app, &snapshot, ended);
    shows(
        &app,
        "kt2jr: not followed now, and tried again: reset by peer",
    );
    shows(&app, "kt2jr: 1,204 earlier lines dropped");
    // Alone, only its own troubles are told.
    press(&mut app, "G");
    let alone = (0..3).any(|_| {
        press(&mut app, "S");
        sheet(&app).logs.only().map(|source| &source.pod) == Some(&old)
    });
    assert!(alone, "no key shows one replica alone");
    hides(&app, "g5zrg: not read");
    shows(&app, "only kt2jr: not followed");
}

#[test]
fn lines_that_are_dropped_while_it_looks_are_counted() {
    let mut snapshot = with_lines(&[(40, "a")], &[(41, "b")]);
    for n in 0..10 {
        grow(&mut snapshot, 0, &[(50 + n, "more"), (50 + n, "and more")]);
    }
    let mut app = live(&snapshot);
    let gone = snapshot.logs[0].text.keep_last(300);
    assert!(gone > 2 && gone < 20, "{gone}");
    tell(&mut app, &snapshot, following(&snapshot, FollowState::Open));
    shows(&app, &format!("kt2jr: {gone} earlier lines dropped"));
    assert!(!texts(&app).contains(&"a".to_owned()));
}

#[test]
fn nothing_is_followed_in_a_capture() {
    let origin = Origin::Capture {
        file: "shop.capture".into(),
    };
    let app = open(
        &with_lines(&[(40, "a")], &[(41, "b")]),
        origin,
        Following::default(),
    );
    shows(&app, "capture: ended at 20:35:41");
    hides(&app, "following");
    hides(&app, "not followed");
}

#[test]
fn a_restart_stands_between_the_runs_and_the_former_one_is_a_key_away() {
    let mut snapshot = with_lines(&[(40, "a")], &[(61, "new run")]);
    let young = snapshot.pods[1].clone();
    *snapshot.pods[1] = build::restarted((*young).clone(), 60, 1);
    let mut before = log(&young, &[(35, "old run"), (60, "its last words")]);
    before.previous = true;
    snapshot.logs.push(before);
    let mut app = live(&snapshot);
    let mark = "── container app of g5zrg restarted (exit 137, Error) ──";
    assert!(!texts(&app).contains(&"old run".to_owned()));
    press(&mut app, "P");
    let lines = texts(&app);
    let at = |text: &str| lines.iter().position(|line| line == text).expect(text);
    assert!(at("old run") < at("its last words"));
    assert_eq!(at("its last words") + 1, at(mark));
    assert_eq!(at(mark) + 1, at("new run"));
    shows(&app, "g5zrg prev old run");
    press(&mut app, "P");
    assert!(!texts(&app).contains(&"old run".to_owned()));
}

#[test]
fn a_pod_that_goes_stays_readable_and_is_marked() {
    let mut snapshot = with_lines(&[(40, "a")], &[(41, "b")]);
    let mut app = live(&snapshot);
    snapshot.pods[0].terminating = true;
    snapshot.taken_at = t(160);
    tell(&mut app, &snapshot, Following::default());
    assert!(texts(&app).contains(&"a".to_owned()));
    assert_eq!(
        texts(&app).last().map(String::as_str),
        Some("── pod kt2jr is gone ──")
    );
    shows(&app, "kt2jr: gone");
}

#[test]
fn the_edit_stands_among_the_lines() {
    let app = live(&with_lines(&[(30, "before")], &[(40, "after")]));
    let lines = texts(&app);
    let edit = lines
        .iter()
        .position(|line| line.starts_with("── frontend-nginx: edited by"))
        .expect("the edit");
    let at = |text: &str| lines.iter().position(|line| line == text).expect(text);
    assert!(at("before") < edit && edit < at("after"), "{lines:?}");
}

#[test]
fn a_search_jumps_and_a_kept_pattern_leaves_the_rest_out() {
    let lines = [
        (40, "upstream a"),
        (41, "no Upstream"),
        (42, "upstream b"),
        (43, "end"),
    ];
    let mut app = live(&with_lines(&lines, &[]));
    press(&mut app, "/^upstream\n");
    assert_eq!(selected(&app), "upstream b");
    shows(&app, "searching /^upstream/");
    press(&mut app, "N");
    assert_eq!(selected(&app), "upstream a");
    press(&mut app, "N");
    shows(&app, "No match further up.");
    press(&mut app, "n");
    assert_eq!(selected(&app), "upstream b");
    // Found words are marked beyond the cursor's line.
    press(&mut app, "j");
    let buffer = drawn(&app, 120, 40).backend().buffer().clone();
    let marked: String = buffer
        .content
        .iter()
        .filter(|cell| {
            cell.modifier
                .contains(Modifier::REVERSED | Modifier::UNDERLINED)
        })
        .map(|cell| cell.symbol())
        .collect();
    assert_eq!(marked, "upstreamupstream");
    press(&mut app, "&UPSTREAM\n");
    assert!(texts(&app).is_empty(), "a capital letter makes case count");
    shows(&app, "No line is kept; Esc shows all again.");
    for _ in 0.."UPSTREAM".len() {
        press(&mut app, "&");
        app.update(Msg::Key(Key::Backspace));
        press(&mut app, "\n");
    }
    press(&mut app, "&upstream\n");
    assert_eq!(texts(&app), ["upstream a", "no Upstream", "upstream b"]);
    press(&mut app, "&");
    app.update(Msg::Key(Key::Home));
    press(&mut app, "!\n");
    assert_eq!(texts(&app), ["end"]);
    shows(&app, "without /upstream/");
    // Escape ends one thing after the other, and then leaves.
    app.update(Msg::Key(Key::Esc));
    assert!(texts(&app).len() >= 4);
    app.update(Msg::Key(Key::Esc));
    hides(&app, "searching");
    app.update(Msg::Key(Key::Esc));
    assert!(matches!(app.screen, Screen::Triage));
}

#[test]
fn lines_that_come_are_searched_and_kept_too() {
    let mut snapshot = with_lines(&[(40, "yes 1")], &[(41, "no 1")]);
    let mut app = live(&snapshot);
    press(&mut app, "&yes\n");
    grow(&mut snapshot, 0, &[(50, "yes 2"), (51, "no 2")]);
    grow(&mut snapshot, 1, &[(49, "yes 3")]);
    tell(&mut app, &snapshot, following(&snapshot, FollowState::Open));
    assert_eq!(texts(&app), ["yes 1", "yes 3", "yes 2"]);
    assert_eq!(selected(&app), "yes 2");
}

#[test]
fn what_is_typed_is_text_whatever_the_keys_mean_elsewhere() {
    let mut app = live(&with_lines(&[(40, "q5?uR")], &[]));
    press(&mut app, "/q5?uR");
    assert_eq!(sheet(&app).tab, Tab::Logs);
    assert!(app.overlay.is_none());
    shows(&app, "/ q5?uR");
    hides(&app, "q quit");
    app.update(Msg::Key(Key::Esc));
    assert!(sheet(&app).logs.search().is_none());
    press(&mut app, "/q5?uR");
    assert_eq!(app.update(Msg::Key(Key::Ctrl('c'))), vec![Effect::Quit]);
}

#[test]
fn a_pattern_that_is_none_is_taken_as_it_stands() {
    let mut app = live(&with_lines(&[(40, "on [::]:80 (tcp"), (41, "end")], &[]));
    press(&mut app, "/:80 (");
    shows(&app, "no regular expression: taken as it stands");
    press(&mut app, "\n");
    assert_eq!(selected(&app), "on [::]:80 (tcp");
    shows(&app, "searching /:80 (/ as it stands");
}

#[test]
fn the_raw_line_is_a_key_away() {
    let raw = r#"{"level":"info","msg":"up","time":"2026-10-02T20:35:40Z","port":80}"#;
    let mut app = live(&with_lines(&[(40, raw)], &[]));
    shows(&app, "info up port=80");
    press(&mut app, "J");
    shows(&app, raw);
    for line in [
        r#"{"foo":["bar"]}"#,
        "[YELLOW]",
        "[::]:80",
        "<<<",
        r#"{"msg":"cut"#,
    ] {
        shows(&live(&with_lines(&[(40, line)], &[])), line);
    }
}

#[test]
fn lines_that_tell_the_replicas_apart_are_counted_and_led_to() {
    let mut app = live(&build::partial_restart());
    shows(&app, "! upstream 10.96.10.144:8000: A 0, B 35");
    shows(&app, "! 5xx of GET /api/items: A 0, B 35");
    press(&mut app, "g]");
    assert_eq!(selected(&app), build::timed_out(8000));
    press(&mut app, "]");
    assert_eq!(selected(&app), build::access(504));
    // The words that tell are on screen though they are far right in the line, and stand out.
    let buffer = drawn(&app, 80, 24).backend().buffer().clone();
    let emphasised: String = buffer
        .content
        .iter()
        .filter(|cell| {
            cell.modifier
                .contains(Modifier::BOLD | Modifier::UNDERLINED)
        })
        .map(|cell| cell.symbol())
        .collect();
    assert!(emphasised.contains("10.96.10.144:8000504"), "{emphasised}");
    // Behind wide signs too.
    let wide = build::timed_out(8000).replace("[error]", &"日".repeat(90));
    let app = live(&with_lines(&[], &[(60, &wide)]));
    assert!(screen(&app, 80, 24).contains("\"http://10.96.10.144:8000"));
}

#[test]
fn beyond_the_last_mark_nothing_moves() {
    let mut app = live(&build::partial_restart());
    press(&mut app, "g[");
    shows(&app, "No marked line further up.");
}

#[test]
fn a_line_and_its_command_are_copied_harmlessly() {
    let mut app = live(&with_lines(&[(40, "a\u{1b}]0;x\u{7}b")], &[]));
    let copied = app.update(Msg::Key(Key::Char('y')));
    assert_eq!(copied, vec![Effect::Copy("a^[]0;x^Gb".into())]);
    let copied = app.update(Msg::Key(Key::Char('Y')));
    let command =
        "kubectl --context kind-a -n shop logs frontend-76d98597b9-kt2jr -c app --timestamps";
    assert_eq!(copied, vec![Effect::Copy(command.into())]);
}

#[test]
fn one_replica_alone_and_all_again() {
    let mut app = live(&with_lines(&[(40, "a")], &[(41, "b")]));
    press(&mut app, "s");
    let only: Vec<String> = texts(&app)
        .into_iter()
        .filter(|line| line.len() == 1)
        .collect();
    assert_eq!(only, ["b"]);
    shows(&app, "only g5zrg: followed");
    press(&mut app, "s");
    assert!(texts(&app).contains(&"a".to_owned()));
}

#[test]
fn the_place_is_kept_when_everything_is_read_again() {
    let read = || with_lines(&[(40, "a"), (42, "c")], &[(41, "b"), (43, "d")]);
    let mut app = live(&read());
    press(&mut app, "kk");
    let before = selected(&app);
    tell(&mut app, &read(), Following::default());
    assert_eq!(selected(&app), before);
    assert_eq!(texts(&app).iter().filter(|line| *line == "a").count(), 1);
}

#[test]
fn a_text_without_an_end_of_line_is_a_line() {
    let mut snapshot = with_lines(&[(40, "a")], &[]);
    snapshot.logs[0].text = LogText::from("2026-10-02T20:35:40Z no end".to_owned());
    assert!(texts(&live(&snapshot)).contains(&"no end".to_owned()));
}

#[test]
fn a_crash_loop_shows_its_last_run_once() {
    let mut snapshot = with_lines(&[(40, "a")], &[(61, "cannot start")]);
    *snapshot.pods[1] = build::crashing((*snapshot.pods[1]).clone(), 62);
    let mut before = snapshot.logs[1].clone();
    before.previous = true;
    snapshot.logs.push(before);
    let mut app = live(&snapshot);
    press(&mut app, "P");
    let lines = texts(&app);
    let same = lines.iter().filter(|line| *line == "cannot start");
    assert_eq!(same.count(), 1, "{lines:?}");
    let end = "── container app of g5zrg ended and is not running (exit 1, Error) ──";
    assert!(lines.contains(&end.to_owned()), "{lines:?}");
}
