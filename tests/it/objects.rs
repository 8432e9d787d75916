//! A whole config on screen: what it holds, who uses it, who wrote it, and nothing that may not be seen.

use confsplit::analysis::diagnose;
use confsplit::app::keymap::{Context, Key};
use confsplit::app::{App, Effect, Msg, News};
use confsplit::model::{
    ConfigKind, ConfigRef, ContainerKind, Content, EnvFrom, EnvSource, EnvVar, Facts, Fingerprint,
    Snapshot,
};

use crate::build;
use crate::incidents;
use crate::screens::{press, screen};

fn reading(snapshot: Snapshot, width: u16, height: u16) -> App {
    let mut app = incidents::app();
    app.update(Msg::Resize { width, height });
    app.update(Msg::News(News {
        diagnosis: diagnose(&snapshot).into(),
        watched: None,
        facts: Facts::of(snapshot),
        complete: true,
    }));
    app
}

/// The incident, in which one pod's container also takes a Secret, and an init container the ConfigMap's other keys.
fn facts() -> Snapshot {
    let mut snapshot = build::partial_restart();
    let secret = ConfigRef::new(ConfigKind::Secret, build::NS, "token");
    let config = &mut snapshot.configs[0];
    if let Some(Content::Plain { data, binary }) = &mut config.content {
        data.insert("LEVEL".into(), "info".into());
        binary.insert("logo.png".into(), vec![0; 1024]);
    }
    config.immutable = true;
    config
        .owner_marks
        .insert("app.kubernetes.io/managed-by".into(), "Helm".into());
    let mut hashed = config.clone();
    hashed.reference = secret.clone();
    hashed.last_applied = None;
    let print = Fingerprint("5f0123456789abcdef".into());
    hashed.content = Some(Content::Hashed([("password".to_owned(), print)].into()));
    snapshot.configs.push(hashed);
    let pod = &mut snapshot.pods[0];
    pod.containers[0].env.push(EnvVar {
        name: "PW".into(),
        source: EnvSource::Key {
            config: secret,
            key: "passwd".into(),
            optional: true,
        },
    });
    let mut init = pod.containers[0].clone();
    init.name = "prepare".into();
    init.kind = ContainerKind::Init;
    init.mounts.clear();
    init.env = vec![EnvVar {
        name: "CONF_LEVEL".into(),
        source: EnvSource::Literal {
            expands: Vec::new(),
        },
    }];
    init.env_from = vec![EnvFrom {
        config: build::config_ref("frontend-nginx"),
        prefix: "CONF_".into(),
        optional: false,
    }];
    pod.containers.push(init);
    snapshot
}

#[test]
fn a_config_and_who_uses_it() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut app = reading(facts(), width, height);
        press(&mut app, "o");
        assert_eq!(app.context(), Context::Object);
        insta::assert_snapshot!(
            format!("object__{width}x{height}"),
            screen(&app, width, height)
        );
    }
}

#[test]
fn of_a_secret_only_its_keys_are_shown() {
    let mut app = reading(facts(), 120, 40);
    press(&mut app, "o]");
    let shown = screen(&app, 120, 40);
    assert!(
        shown.contains("Secret/token in shop   config 2 of 2"),
        "{shown}"
    );
    assert!(shown.contains("   password: "), "{shown}");
    assert!(!shown.contains("5f01"), "{shown}");
    assert!(
        shown.contains("env PW, key passwd (MISSING here: passwd); optional; in 1 of 2"),
        "{shown}"
    );
    let Some(Effect::Copy(command)) = app.update(Msg::Key(Key::Char('y'))).pop() else {
        panic!("nothing copied");
    };
    assert!(
        command.ends_with("get secret token -o jsonpath='{.metadata}'"),
        "{command}"
    );
}

#[test]
fn the_command_is_copied_and_escape_goes_back_to_where_it_was_opened() {
    let mut app = reading(facts(), 80, 24);
    press(&mut app, "3o");
    let copied = app.update(Msg::Key(Key::Char('y')));
    let command = "kubectl --context kind-a -n shop get configmap frontend-nginx -o yaml --show-managed-fields";
    assert_eq!(copied, vec![Effect::Copy(command.into())]);
    app.update(Msg::Key(Key::Esc));
    assert!(screen(&app, 80, 24).contains("[3 Diff]"));
    press(&mut app, "\u{20}");
    app.update(Msg::Key(Key::Esc));
    press(&mut app, "o");
    app.update(Msg::Key(Key::Esc));
    assert_eq!(app.context(), Context::Triage);
}

#[test]
fn n_leads_from_key_to_key() {
    let mut app = reading(facts(), 80, 24);
    press(&mut app, "onnn");
    let shown = screen(&app, 80, 24);
    let first = shown.lines().nth(2).unwrap_or_default();
    assert!(first.contains("LEVEL:  4 bytes"), "{shown}");
}

#[test]
fn what_is_in_no_facts_says_so() {
    let diagnosis = incidents::diagnosis(vec![incidents::partial_restart()]);
    let mut app = incidents::reading(diagnosis, 80, 24);
    press(&mut app, "o]");
    let shown = screen(&app, 80, 24);
    assert!(
        shown.contains("ConfigMap/frontend-nginx is in no facts"),
        "{shown}"
    );
    assert!(shown.contains("is known to use no other config"), "{shown}");
    let mut snapshot = facts();
    let diagnosis = diagnose(&snapshot);
    snapshot.configs.clear();
    app.update(Msg::News(News {
        diagnosis: diagnosis.into(),
        watched: None,
        facts: Facts::of(snapshot),
        complete: true,
    }));
    let shown = screen(&app, 80, 24);
    assert!(shown.contains("was not among what was read"), "{shown}");
    assert!(shown.contains("volume at /etc/nginx/conf.d"), "{shown}");
}

#[test]
fn another_reading_shows_what_the_object_holds_now() {
    let mut app = reading(facts(), 120, 40);
    press(&mut app, "o");
    let mut newer = facts();
    newer.configs[0].resource_version = "20000".into();
    app.update(Msg::News(News {
        diagnosis: diagnose(&newer).into(),
        watched: None,
        facts: Facts::of(newer),
        complete: true,
    }));
    assert!(screen(&app, 120, 40).contains("resourceVersion   20000"));
}

#[test]
fn no_object_harms_the_terminal() {
    let nasty = "\u{1b}]0;x\u{7}\u{202e}日本\u{301}\t👩‍👩‍👧\u{9b}\r\0 ";
    let mut snapshot = facts();
    let config = &mut snapshot.configs[0];
    if let Some(Content::Plain { data, binary }) = &mut config.content {
        data.insert(
            nasty.repeat(9),
            format!("{}\n{}", nasty.repeat(99), "x".repeat(1 << 20)),
        );
        data.insert("lines".into(), "\n".repeat(9_000));
        binary.insert(nasty.into(), nasty.into());
    }
    config
        .owner_marks
        .insert(nasty.repeat(30), nasty.repeat(300));
    config.managed[0].manager = nasty.repeat(30);
    config.managed[0].data_keys = (0..5_500).map(|n| format!("{nasty}{n}")).collect();
    for (width, height) in [(1, 1), (20, 5), (80, 24), (200, 60)] {
        let mut app = reading(snapshot.clone(), width, height);
        for keys in [
            "o", "j", "j", "n", "n", "n", ">", ">", "<", "G", "]", "[", "?",
        ] {
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
