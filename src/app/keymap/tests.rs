//! The table of keys holds together.

use super::*;

fn commanding() -> impl Iterator<Item = Context> {
    Tab::ALL.into_iter().map(Context::Sheet).chain([
        Context::Triage,
        Context::Keys,
        Context::Object,
        Context::Overlay,
        Context::Menu,
        Context::Consent,
        Context::Remedy,
    ])
}

fn contexts() -> impl Iterator<Item = Context> {
    commanding().chain([Context::Filter, Context::Palette, Context::Confirm])
}

#[test]
fn no_key_is_bound_twice_in_one_context() {
    for context in contexts() {
        let mut seen = Vec::new();
        for binding in bindings(context) {
            for key in binding.keys {
                assert!(!seen.contains(key), "{key:?} twice in {context:?}");
                seen.push(*key);
            }
        }
    }
}

#[test]
fn quit_help_and_back_are_everywhere() {
    for context in commanding() {
        assert_eq!(lookup(context, Key::Char('q')), Some(Command::Quit));
        assert_eq!(lookup(context, Key::Char('?')), Some(Command::Help));
    }
    for context in contexts() {
        assert_eq!(lookup(context, Key::Ctrl('c')), Some(Command::Quit));
        assert_eq!(lookup(context, Key::Esc), Some(Command::Back));
    }
}

#[test]
fn no_character_is_a_command_where_it_is_text() {
    for c in ' '..='~' {
        assert_eq!(lookup(Context::Filter, Key::Char(c)), None, "{c}");
        assert_eq!(lookup(Context::Palette, Key::Char(c)), None, "{c}");
        assert_eq!(lookup(Context::Confirm, Key::Char(c)), None, "{c}");
    }
}

#[test]
fn every_binding_has_a_place_and_a_sentence() {
    for binding in BINDINGS {
        let somewhere = contexts().any(|context| binding.on.holds(context));
        assert!(somewhere, "{binding:?} holds nowhere");
        assert!(!binding.help.is_empty() && !binding.keys.is_empty());
    }
}

#[test]
fn a_press_and_its_repeats_are_keys_and_a_release_is_none() {
    let mut event = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
    assert_eq!(Key::from_event(event), Some(Key::Char('q')));
    event.kind = KeyEventKind::Repeat;
    assert_eq!(Key::from_event(event), Some(Key::Char('q')));
    // Windows tells of press and release: together they are one key.
    event.kind = KeyEventKind::Release;
    assert_eq!(Key::from_event(event), None);
}

#[test]
fn alt_is_no_letter_but_alt_gr_is_what_it_types() {
    let alt = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::ALT);
    assert_eq!(Key::from_event(alt), None);
    let both = KeyModifiers::ALT | KeyModifiers::CONTROL;
    let alt_gr = KeyEvent::new(KeyCode::Char('['), both);
    assert_eq!(Key::from_event(alt_gr), Some(Key::Char('[')));
}

#[test]
fn control_is_told_from_the_letter() {
    let event = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(Key::from_event(event), Some(Key::Ctrl('c')));
}
