//! The question whether containers may be read: told once, never in the way, answered No unless somebody says Yes.

use confsplit::app::keymap::{Context, Key};
use confsplit::app::screen::Overlay;
use confsplit::app::{App, Effect, Msg, Origin, Probe};
use confsplit::model::PodRef;
use confsplit::source::Probing;

use crate::incidents::{diagnosis, partial_restart, reading};
use crate::screens::{press, screen};

fn containers(pods: &[&str]) -> Vec<(PodRef, String)> {
    let pod = |name: &&str| PodRef {
        namespace: "shop".to_owned(),
        name: (*name).to_owned(),
        uid: format!("uid-{name}"),
    };
    pods.iter()
        .map(|name| (pod(name), "nginx".to_owned()))
        .collect()
}

const PODS: [&str; 2] = ["frontend-76d98597b9-g5zrg", "frontend-76d98597b9-kt2jr"];

/// A live incident of which two containers could tell more.
fn app(probe: Probe) -> App {
    let mut app = reading(diagnosis(vec![partial_restart()]), 80, 24);
    app.options.preferences.probe = probe;
    app.update(Msg::Probeable(containers(&PODS)));
    app
}

fn key(app: &mut App, key: Key) -> Vec<Effect> {
    app.update(Msg::Key(key))
}

fn permit(exec: bool) -> Effect {
    Effect::Permit(Probing {
        exec,
        version_at: None,
    })
}

fn asks(app: &App) -> bool {
    app.context() == Context::Consent
}

#[test]
fn it_is_told_once_and_opens_nothing() {
    let mut app = app(Probe::Ask);
    let said = "2 containers could be probed: i shows what would run.";
    assert_eq!(app.notice.as_deref(), Some(said));
    assert!(screen(&app, 80, 24).contains("2 containers could be probed"));
    assert!(app.overlay.is_none() && !app.consent().exec);
    assert!(screen(&app, 80, 24).contains("  read-only  "));
    press(&mut app, "j");
    app.update(Msg::Probeable(containers(&PODS[..1])));
    assert_eq!(app.notice, None);
}

#[test]
fn the_question_shows_every_command() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut app = app(Probe::Ask);
        press(&mut app, "i");
        assert!(asks(&app));
        insta::assert_snapshot!(
            format!("consent__{width}x{height}"),
            screen(&app, width, height)
        );
    }
    let mut app = app(Probe::Ask);
    press(&mut app, "i");
    let shown: Vec<String> = app
        .filtered_notes(Overlay::Probe)
        .iter()
        .map(|n| n.text())
        .collect();
    for (line, _) in confsplit::source::live::probe_commands() {
        assert!(
            shown.iter().any(|note| note.starts_with(&line)),
            "{line} in {shown:?}"
        );
    }
    // The question stays where there is no room for all of it.
    for (width, height) in [(20, 5), (80, 6), (1, 1)] {
        drop(screen(&app, width, height));
    }
}

#[test]
fn no_is_the_answer_unless_somebody_says_yes() {
    for no in [Key::Enter, Key::Esc, Key::Char('n')] {
        let mut app = app(Probe::Ask);
        press(&mut app, "i");
        assert_eq!(key(&mut app, no), [permit(false)], "{no:?}");
        assert!(!asks(&app) && !app.consent().exec);
    }
    for yes in [
        &[Key::Char('y')][..],
        &[Key::Tab, Key::Enter],
        &[Key::Right, Key::Enter],
    ] {
        let mut app = app(Probe::Ask);
        press(&mut app, "i");
        let effects: Vec<Effect> = yes.iter().flat_map(|k| key(&mut app, *k)).collect();
        assert_eq!(effects, [permit(true)], "{yes:?}");
        assert!(!asks(&app) && app.consent().exec);
        assert!(screen(&app, 80, 24).contains("read-only, probe  "));
    }
    let mut app = app(Probe::Ask);
    press(&mut app, "i");
    let both = [Key::Tab, Key::Left, Key::Enter];
    let effects: Vec<Effect> = both.iter().flat_map(|k| key(&mut app, *k)).collect();
    assert_eq!(effects, [permit(false)]);
    // It is not told again: the answer is of the session.
    app.notice = None;
    app.update(Msg::Probeable(containers(&PODS[..1])));
    assert_eq!(app.notice, None);
}

#[test]
fn a_mind_can_be_changed() {
    let mut app = app(Probe::Ask);
    // Nobody agrees by name to what was never on screen.
    press(&mut app, ":probe allow");
    assert_eq!(key(&mut app, Key::Enter), []);
    assert!(asks(&app));
    assert_eq!(key(&mut app, Key::Char('y')), [permit(true)]);
    // To look at it again and leave changes nothing.
    press(&mut app, "i");
    assert_eq!(key(&mut app, Key::Esc), []);
    assert!(app.consent().exec);
    press(&mut app, ":probe forbid");
    assert_eq!(key(&mut app, Key::Enter), [permit(false)]);
    press(&mut app, ":probe allow");
    assert_eq!(key(&mut app, Key::Enter), [permit(true)]);
    press(&mut app, ":probe maybe");
    assert_eq!(key(&mut app, Key::Enter), []);
    let note = app.prompt.as_ref().and_then(|prompt| prompt.note.clone());
    assert_eq!(note.as_deref(), Some("expected one of: allow, forbid"));
}

#[test]
fn flags_and_settings_answer_beforehand() {
    let mut always = app(Probe::Always);
    assert_eq!(always.notice, None);
    assert!(always.consent().exec && screen(&always, 80, 24).contains("read-only, probe  "));
    press(&mut always, "i");
    assert_eq!(key(&mut always, Key::Esc), [permit(true)]);
    let mut never = app(Probe::Never);
    assert_eq!(never.notice, None);
    press(&mut never, "i");
    assert!(!asks(&never) && !never.consent().exec);
    assert!(
        never
            .notice
            .as_deref()
            .is_some_and(|n| n.contains("--no-probe"))
    );
    press(&mut never, ":probe allow");
    assert_eq!(key(&mut never, Key::Enter), []);
    assert!(never.prompt.is_some() && !never.consent().exec);
}

#[test]
fn a_capture_asks_nothing() {
    let mut app = app(Probe::Always);
    app.options.origin = Origin::Capture {
        file: "shop.capture".into(),
    };
    assert!(!app.consent().exec);
    app.options.preferences.probe = Probe::Ask;
    app.update(Msg::Probeable(containers(&PODS)));
    assert_eq!(app.notice, None);
    press(&mut app, "i");
    assert!(!asks(&app));
    assert!(
        app.notice
            .as_deref()
            .is_some_and(|n| n.starts_with("A capture holds"))
    );
}

#[test]
fn a_version_is_asked_with_or_without_probes() {
    let mut app = app(Probe::Never);
    app.options.scope.version_at = Some(":8080/info#v".to_owned());
    assert_eq!(app.consent().version_at.map(|at| at.port), Some(8080));
}
