//! The diff on screen: what is compared in words, what nobody would see otherwise, and nothing that harms or hangs.

use std::collections::BTreeMap;

use confsplit::analysis::{ContentSource, Grade, Incident};
use confsplit::app::keymap::Key;
use confsplit::app::{App, Effect, Msg, News};
use confsplit::model::{Content, Fingerprint, Interval};

use crate::incidents::{at, diagnosis, partial_restart, reading, revision};
use crate::screens::{press, screen};

/// The incident with these two contents.
fn between(old: Option<Content>, new: Option<Content>) -> Incident {
    let mut incident = partial_restart();
    let edited = Interval::second(at("20:35:26"));
    let mut a = revision("A", old, Interval::second(at("20:35:25")), false);
    a.hash = a.content.as_ref().map(|_| "0a0a0a0a0a0a".into());
    a.source = a.content.as_ref().map(|_| ContentSource::Exact {
        resource_version: "14417".into(),
    });
    a.until = edited;
    let mut b = revision("B", new, edited, true);
    b.hash = Some("0b0b0b0b0b0b".into());
    incident.revisions = vec![a, b];
    incident
}

fn texts(old: &str, new: &str) -> Incident {
    let content = |text: &str| Some(Content::text([("app.conf", text)]));
    between(content(old), content(new))
}

fn open(incident: Incident, width: u16, height: u16, keys: &str) -> App {
    let mut app = reading(diagnosis(vec![incident]), width, height);
    press(&mut app, "3");
    press(&mut app, keys);
    app
}

/// The screen below the tabs: what is above is tested elsewhere.
fn below_tabs(app: &App, width: u16, height: u16) -> String {
    let shown = screen(app, width, height);
    let lines = shown.lines().skip_while(|line| !line.contains("[3 Diff]"));
    lines.skip(1).collect::<Vec<_>>().join("\n")
}

fn snapshot(name: &str, incident: &Incident, keys: &str) {
    for (width, height) in [(80, 24), (120, 40)] {
        let app = open(incident.clone(), width, height, keys);
        let name = format!("{name}__{width}x{height}");
        insta::assert_snapshot!(name, below_tabs(&app, width, height));
    }
}

fn many_keys(changed: &[usize]) -> Incident {
    let content = |edited: bool| {
        let data = (0..500).map(|n| {
            let value = if edited && changed.contains(&n) {
                "new"
            } else {
                "old"
            };
            (format!("setting-{n:03}"), format!("value: {value}\n"))
        });
        Some(Content::Plain {
            data: data.collect(),
            binary: BTreeMap::new(),
        })
    };
    between(content(false), content(true))
}

#[test]
fn what_nobody_sees_is_seen() {
    snapshot(
        "diff_blanks",
        &texts("a: 1\nb:\t2\nc: 3\n", "a: 1  \nb: 2\nc:\u{a0}3\n"),
        "",
    );
    snapshot(
        "diff_line_ends",
        &texts("a: 1\r\nb: 2\r\n", "a: 1\nb: 2"),
        "",
    );
    let hidden = texts("host: api\n", "host: a\u{200b}p\u{202e}i\n");
    snapshot("diff_hidden", &hidden, "");
}

#[test]
fn what_is_no_text_is_told_by_size_and_hash() {
    let content = |bytes: Vec<u8>| {
        Some(Content::Plain {
            data: BTreeMap::new(),
            binary: BTreeMap::from([("logo.png".to_owned(), bytes)]),
        })
    };
    snapshot(
        "diff_binary",
        &between(content(vec![0; 1024]), content(vec![1; 980])),
        "",
    );
}

#[test]
fn of_a_secret_only_keys_are_told() {
    let content = |hash: &str| {
        let print = |hash: &str| Fingerprint(hash.to_owned());
        let keys = [("password", print(hash)), ("user", print("ee"))];
        Some(Content::Hashed(keys.map(|(k, v)| (k.to_owned(), v)).into()))
    };
    snapshot("diff_secret", &between(content("aa"), content("bb")), "");
    let app = open(between(content("aa"), content("bb")), 80, 24, "Kj");
    assert!(screen(&app, 80, 24).contains("> · unchanged  user".replace('·', " ").as_str()));
}

#[test]
fn an_unknown_content_says_why_and_shows_no_side() {
    let incident = between(
        None,
        Some(Content::text([("app.conf", "only the new side\n")])),
    );
    snapshot("diff_unknown", &incident, "");
    let mut incident = partial_restart();
    incident.replicas[1].loaded = None;
    incident.replicas[1].live = None;
    incident.replicas[1].uses.clear();
    incident.replicas[1].grade = Grade::Unknown;
    incident.replicas[1].why = "Its clock is 3 s off.".into();
    let app = open(incident, 120, 24, "SS");
    let shown = screen(&app, 120, 24);
    assert!(shown.contains("- ?  loaded by kt2jr (unknown)"), "{shown}");
    assert!(
        shown.contains("is not known: Its clock is 3 s off."),
        "{shown}"
    );
    assert!(!shown.contains("server api:8000;"), "{shown}");
}

#[test]
fn one_changed_key_of_five_hundred() {
    snapshot("diff_500", &many_keys(&[7, 250, 400]), "n");
    snapshot("diff_500_list", &many_keys(&[7, 250, 400]), "Kjj");
    let mut app = open(many_keys(&[7, 250, 400]), 80, 24, "nn");
    assert!(screen(&app, 80, 24).contains("setting-400 (3 of 3)"));
    press(&mut app, "n");
    assert!(screen(&app, 80, 24).contains("That is the last change."));
    press(&mut app, "pp");
    assert!(screen(&app, 80, 24).contains("setting-007 (1 of 3)"));
    press(&mut app, "KG");
    app.update(Msg::Key(Key::Enter));
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("setting-499"), "{shown}");
    assert!(shown.contains("unchanged"), "{shown}");
}

#[test]
fn keys_that_came_and_went() {
    let old = Content::text([("gone.conf", "was: here\n"), ("same", "1")]);
    let new = Content::text([("came.conf", "is: here\n"), ("empty", ""), ("same", "1")]);
    let mut app = open(between(Some(old), Some(new)), 80, 24, "");
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("3 of 4 keys changed: came.conf (1 of 3)  added"),
        "{shown}"
    );
    assert!(shown.contains("1 + is: here"), "{shown}");
    press(&mut app, "n");
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("only in B, where it is empty; in A it is absent"),
        "{shown}"
    );
    press(&mut app, "n");
    assert!(screen(&app, 80, 24).contains("1 - was: here"));
}

#[test]
fn equal_content_says_so() {
    snapshot("diff_equal", &texts("a: 1\n", "a: 1\n"), "");
}

#[test]
fn the_change_in_a_long_line_is_on_screen_at_once() {
    let long = |value: &str| format!("{}{value}{}", "x=1, ".repeat(1000), ", y=2".repeat(1000));
    let incident = texts(&long("timeout=30"), &long("timeout=300"));
    snapshot("diff_long", &incident, "");
    let app = open(incident.clone(), 80, 24, "<");
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("from column"), "{shown}");
    assert!(!below_tabs(&app, 80, 24).contains("timeout=300"), "{shown}");
    let app = open(incident, 80, 24, "<>");
    assert!(below_tabs(&app, 80, 24).contains("timeout=300"));
}

#[test]
fn each_side_is_chosen_by_itself() {
    let mut incident = partial_restart();
    let mut c = incident.revisions[1].clone();
    let middle = Content::text([("default.conf", "in between\n")]);
    incident.revisions[1].live = false;
    incident.revisions[1].content = Some(middle);
    incident.revisions[1].hash = Some("0b0b0b0b0b0b".into());
    c.name = "C".into();
    incident.revisions.push(c);
    let mut app = open(incident.clone(), 120, 40, "");
    let shown = |app: &App| below_tabs(app, 120, 40);
    assert!(
        shown(&app).contains("- A  loaded by kt2jr (shown)"),
        "{}",
        shown(&app)
    );
    assert!(shown(&app).contains("+ C  "), "{}", shown(&app));
    press(&mut app, "{");
    assert!(shown(&app).contains("+ B  "), "{}", shown(&app));
    assert!(shown(&app).contains("+ in between"), "{}", shown(&app));
    press(&mut app, "x");
    assert!(shown(&app).contains("- in between"), "{}", shown(&app));
    press(&mut app, "[[");
    assert!(
        shown(&app).contains("A is the oldest revision"),
        "{}",
        shown(&app)
    );
    press(&mut app, "]]");
    assert!(shown(&app).contains("- C  "), "{}", shown(&app));
    // What was chosen stays chosen when it is read again.
    let before = shown(&app);
    app.update(Msg::News(News::of(diagnosis(vec![incident]))));
    assert_eq!(shown(&app), before);
}

#[test]
fn what_becomes_live_is_compared_when_it_is_read() {
    let mut app = open(texts("a: 1\n", "a: 2\n"), 80, 24, "");
    let mut newer = texts("a: 1\n", "a: 3\n");
    newer.revisions[1].hash = Some("0c0c0c0c0c0c".into());
    app.update(Msg::News(News::of(diagnosis(vec![newer]))));
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("+ a: 3"), "{shown}");
    assert!(!shown.contains("a: 2"), "{shown}");
}

#[test]
fn the_diff_of_a_key_is_copied() {
    let mut app = open(texts("a: 1\nb\u{1b}\r\n", "a: 2\nb\u{1b}\n"), 80, 24, "");
    let copied = |app: &mut App, key: char| match app.update(Msg::Key(Key::Char(key))).pop() {
        Some(Effect::Copy(text)) => text,
        other => panic!("not copied: {other:?}"),
    };
    let expected = "--- ConfigMap/frontend-nginx app.conf (revision A, 0a0a0a0a0a0a)\n\
         +++ ConfigMap/frontend-nginx app.conf (revision B, live, 0b0b0b0b0b0b)\n\
         @@ -1,2 +1,2 @@\n-a: 1\n-b^[^M\n+a: 2\n+b^[";
    assert_eq!(copied(&mut app, 'y'), expected);
    let commands = copied(&mut app, 'Y');
    assert!(commands.starts_with("kubectl -n shop get configmap frontend-nginx"));
    let mut app = open(between(None, Some(Content::text([("a", "1")]))), 80, 24, "");
    assert!(copied(&mut app, 'y').starts_with("kubectl "));
}

#[test]
fn no_content_harms_the_terminal() {
    let nasty =
        "\u{1b}]0;x\u{7}\u{202e}日本\u{301}\u{301}\u{301}\u{301}\u{301}\t👩‍👩‍👧\u{9b}\r\0 ".repeat(9);
    let old = [
        (
            "a\u{1b}[2J",
            format!("{nasty}\n{}\u{301}", "x".repeat(1 << 20)),
        ),
        ("b", format!("\u{301}{nasty}\r\n")),
    ];
    let new = [
        (
            "a\u{1b}[2J",
            format!("{nasty}!\n{}\u{301}!", "x".repeat(1 << 20)),
        ),
        (
            "b",
            format!("\u{301}\u{301}{nasty}\n{}", "\n".repeat(5_000)),
        ),
    ];
    let content =
        |pairs: &[(&str, String)]| Some(Content::text(pairs.iter().map(|(k, v)| (*k, v.as_str()))));
    for (width, height) in [(1, 1), (20, 5), (80, 24), (200, 60)] {
        let mut app = open(between(content(&old), content(&new)), width, height, "");
        for keys in ["", ">", ">", "n", "<", "n", "n", "c", "G", "x", "K", "j"] {
            press(&mut app, keys);
            let shown = screen(&app, width, height);
            for bad in [
                '\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{200d}', '\r', '\t', '\0',
            ] {
                assert!(!shown.contains(bad), "{bad:?} after {keys:?} in\n{shown}");
            }
        }
    }
}
