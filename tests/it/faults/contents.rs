//! Contents of every shape that a ConfigMap can hold: told as what they are, and harmless on every screen and in every report.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use confsplit::report::{self, Charset, Format};
use confsplit::sim::scenario::Scenario;
use serde_json::{Value, json};

use crate::screens;
use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;

/// A workload of two replicas that takes all keys as its environment and one as a file; what is patched two minutes later.
fn scenario(edit: &Value) -> Scenario {
    let container = json!({
        "name": "app", "image": "docker.io/demo/printer:1", "args": ["--every=5", "env:MODE"],
        "envFrom": [{"configMapRef": {"name": "odd"}}],
        "volumeMounts": [{"name": "odd", "mountPath": "/etc/blob", "subPath": "deep/er/blob"}],
    });
    let volume = json!({"name": "odd", "configMap": {"name": "odd", "items": [{"key": "blob", "path": "deep/er/blob"}]}});
    let labels = json!({"app": "worker"});
    let objects = json!([
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "odd"}, "data": {"MODE": "blue", "blob": "plain"}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "worker", "labels": labels},
         "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [container], "volumes": [volume]}}}},
    ]);
    let text = json!({
        "title": "a content of another shape", "namespace": "shop", "looked_at": "5m",
        "happens": [
            {"at": "0s", "do": {"apply": objects}},
            {"at": "2m", "do": {"patch": {"object": "ConfigMap/odd", "with": edit}}},
            {"at": "2m 10s", "do": {"delete_pod": {"app": "worker", "which": "youngest"}}},
        ],
    });
    // YAML takes characters that are not printable as escapes alone.
    let escaped = |c: char| match c {
        ' '..='~' => c.to_string(),
        c => {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units).iter();
            units.map(|unit| format!("\\u{unit:04x}")).collect()
        }
    };
    let text: String = text.to_string().chars().map(escaped).collect();
    Scenario::read(&text).unwrap()
}

/// No character moves the cursor, hides text or turns it round.
fn is_harmless(text: &str) -> bool {
    let harmful = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    !text.contains(harmful)
}

async fn told(what: &str, edit: Value) -> Desk {
    let mut desk = Desk::over(Played::of(scenario(&edit)));
    desk.pass(10).await;
    assert_eq!(desk.app.incidents().len(), 1, "{what}\n{}", desk.screen());
    for tab in ["1", "2", "3", "4", "5", "6", "w", "\u{1b}"] {
        desk.press(tab);
        // Down to the last row, and sideways.
        for key in ["", "G", "n", "l", "x", "g"] {
            desk.press(key);
            for (width, height) in [(80, 24), (160, 45)] {
                let shown = screens::screen(&desk.app, width, height);
                assert!(is_harmless(&shown), "{what}: {tab} {key}\n{shown}");
            }
        }
        desk.press("\u{1b}");
    }
    let (_, diagnosis) = desk.played.diagnose().await;
    for form in [Format::Text, Format::Markdown, Format::Json] {
        let mut written = Vec::new();
        report::write(form, Charset::Unicode, &diagnosis, &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(is_harmless(&written), "{what}\n{written}");
        if form == Format::Json {
            let read: Value = serde_json::from_str(&written).unwrap();
            assert_eq!(read["incidents"].as_array().unwrap().len(), 1, "{what}");
        }
    }
    desk
}

macro_rules! told_and_harmless {
    ($($name:ident: $edit:expr, $shown:expr;)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                let mut desk = told(stringify!($name), $edit).await;
                desk.press("\n1");
                desk.wait_for($shown).await;
            }
        )*
    };
}

/// One key's value.
fn mode(text: &str) -> Value {
    json!({"data": {"MODE": text}})
}

fn many_keys() -> Value {
    let keys = (0..5500).map(|n| (format!("KEY_{n}"), json!(n.to_string())));
    json!({"data": keys.collect::<serde_json::Map<_, _>>()})
}

fn binary() -> Value {
    let bytes: Vec<u8> = (0..=255).collect();
    json!({"data": {"blob": null}, "binaryData": {"blob": STANDARD.encode(bytes)}})
}

told_and_harmless! {
    a_value_of_almost_a_mebibyte: mode(&"x".repeat(1_000_000)), "blue →";
    five_and_a_half_thousand_keys: many_keys(), "KEY_";
    bytes_that_are_no_text: binary(), "blob";
    text_that_is_no_utf8: json!({"data": {"blob": null}, "binaryData": {"blob": STANDARD.encode(b"MODE=gr\xfcn\xff\n")}}), "blob";
    carriage_returns: mode("green\r\nred\r"), "blue →";
    a_carriage_return_alone: mode("blue\r"), "MODE";
    tabs_and_trailing_blanks: mode("blue \t \t"), "MODE";
    newlines_at_the_end_alone: mode("blue\n\n\n"), "MODE";
    an_empty_value: mode(""), "MODE";
    control_sequences: mode("\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{8}"), "MODE";
    text_that_turns_round_or_hides: mode("bl\u{202e}ue\u{200b}\u{feff}\u{2066}"), "MODE";
    values_that_look_like_yaml: mode("- a: [b\n---\n&x *x\n!!python/object:os.system\n"), "blue →";
    values_that_look_like_json: mode("{\"data\": {\"MODE\": [1,2"), "MODE";
    values_that_look_like_markdown: mode("```\n| a |\n<script>alert(1)</script>\n```"), "blue →";
    keys_that_look_like_paths: json!({"data": {"MODE": "green", ".hidden": "x", "a..b": "y", "etc-passwd.-_": "/etc/passwd", "-": "dash"}}), "MODE";
    wide_and_combined_characters: mode("漢字かな👩‍👩‍👧‍👦e\u{301}\u{301}\u{301}"), "MODE";
}
