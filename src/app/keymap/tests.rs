//! The table of keys holds together.

use super::*;

fn contexts() -> impl Iterator<Item = Context> {
    Tab::ALL.into_iter().map(Context::Sheet).chain([
        Context::Triage,
        Context::Keys,
        Context::Overlay,
    ])
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
    for context in contexts() {
        assert_eq!(lookup(context, Key::Char('q')), Some(Command::Quit));
        assert_eq!(lookup(context, Key::Ctrl('c')), Some(Command::Quit));
        assert_eq!(lookup(context, Key::Char('?')), Some(Command::Help));
        assert_eq!(lookup(context, Key::Esc), Some(Command::Back));
    }
}

#[test]
fn a_release_is_no_press() {
    let mut event = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
    assert_eq!(Key::from_event(event), Some(Key::Char('q')));
    event.kind = KeyEventKind::Release;
    assert_eq!(Key::from_event(event), None);
}

#[test]
fn control_is_told_from_the_letter() {
    let event = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(Key::from_event(event), Some(Key::Ctrl('c')));
}
