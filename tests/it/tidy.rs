//! The rules of the house that no lint knows: rooms kept apart, first lines, sizes, nothing forgotten.

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file below a folder, with its path from the root and its text.
fn files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let name = path.strip_prefix(root).expect("below the root");
                found.push((name.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    assert!(!found.is_empty(), "no file below {folder}");
    found.sort();
    found
}

/// The code of a file: no comments, so that a word in prose breaks no rule.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

/// Fails for each file outside these places whose code holds one of the words.
fn only_in(words: &[&str], places: &[&str]) {
    let mut wrong = Vec::new();
    for (name, text) in files("src") {
        if places.iter().any(|place| name.starts_with(place)) {
            continue;
        }
        for word in words {
            if code(&text).any(|line| line.contains(word)) {
                wrong.push(format!("{name} uses {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "allowed only in {places:?}: {wrong:#?}");
}

/// Fails for each file of a room that uses another room than those.
fn room(name: &str, may_use: &[&str]) {
    const ROOMS: [&str; 10] = [
        "model", "analysis", "remedy", "capture", "source", "app", "ui", "report", "runtime", "sim",
    ];
    let mut wrong = Vec::new();
    for (file, text) in files("src") {
        let inside = file.starts_with(&format!("src/{name}/")) || file == format!("src/{name}.rs");
        if !inside {
            continue;
        }
        for other in ROOMS.iter().filter(|r| **r != name && !may_use.contains(r)) {
            if code(&text).any(|line| line.contains(&format!("crate::{other}"))) {
                wrong.push(format!("{file} uses {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{name} may use {may_use:?}: {wrong:#?}");
}

#[test]
fn the_rooms_are_kept_apart() {
    room("model", &[]);
    room("analysis", &["model"]);
    room("remedy", &["analysis", "model"]);
    room("capture", &["model"]);
    room("source", &["capture", "remedy", "model"]);
    room("app", &["remedy", "analysis", "model", "source"]);
    room("ui", &["app", "remedy", "analysis", "model", "source"]);
    room("report", &["remedy", "analysis", "model"]);
    room("sim", &[]);
}

#[test]
fn libraries_stay_in_their_rooms() {
    only_in(&["kube::", "k8s_openapi::"], &["src/source"]);
    only_in(&["axum::", "hyper::"], &["src/sim"]);
    only_in(&["ratatui::"], &["src/ui", "src/runtime"]);
    only_in(&["crossterm::"], &["src/runtime", "src/app/keymap"]);
    only_in(
        &["Utc::now", "Local::now", "SystemTime::now"],
        &["src/runtime/clock.rs"],
    );
    only_in(
        &["std::fs", "std::env"],
        &[
            "src/source",
            "src/runtime",
            "src/capture",
            "src/main.rs",
            "src/cli",
        ],
    );
    only_in(
        &[
            "derive(Serialize",
            "derive(Deserialize",
            "Serialize)]",
            "Deserialize)]",
        ],
        &[
            "src/source",
            "src/capture",
            "src/report/json",
            "src/cli",
            "src/sim",
        ],
    );
}

#[test]
fn every_module_says_what_it_is_for() {
    for folder in ["src", "tests"] {
        for (name, text) in files(folder) {
            let first = text.lines().next().unwrap_or_default();
            assert!(
                first.starts_with("//! ") && first.len() > 12,
                "{name} begins with {first:?}"
            );
            assert!(
                !name.ends_with("/mod.rs"),
                "{name}: write foo.rs beside foo/"
            );
        }
    }
}

#[test]
fn files_stay_readable() {
    const LINES: usize = 450;
    for (name, text) in files("src") {
        let lines = text.lines().count();
        assert!(lines <= LINES, "{name} has {lines} lines; split it");
    }
}

#[test]
fn nothing_is_left_over() {
    for folder in ["src", "tests"] {
        for (name, text) in files(folder) {
            if name == "tests/it/tidy.rs" {
                continue;
            }
            for word in ["TODO", "FIXME", "XXX", "#[ignore", "dbg!("] {
                assert!(!text.contains(word), "{name} holds {word}");
            }
        }
    }
}

#[test]
fn no_test_file_is_forgotten() {
    let main = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/main.rs"))
        .expect("main.rs");
    for (name, _) in files("tests/it") {
        let Some(module) = name
            .strip_prefix("tests/it/")
            .and_then(|n| n.strip_suffix(".rs"))
        else {
            continue;
        };
        if module != "main" && !module.contains('/') {
            assert!(
                main.contains(&format!("mod {module};")),
                "{name} is in no test binary"
            );
        }
    }
}

#[test]
fn the_documents_name_every_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(root.join("assets/report.schema.json")).expect("the schema");
    for code in confsplit::analysis::Code::ALL {
        assert!(
            schema.contains(&format!("\"{code}\"")),
            "the schema lacks {code}"
        );
    }
}

#[test]
fn the_rules_reference_has_every_rule_and_what_to_do_in_their_order() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md")).unwrap();
    let told: Vec<&str> = page
        .lines()
        .filter_map(|l| l.strip_prefix("### "))
        .collect();
    let codes: Vec<&str> = confsplit::analysis::Code::ALL
        .iter()
        .map(|c| c.as_str())
        .collect();
    assert_eq!(told, codes);
    for rule in page.split("\n### ").skip(1) {
        assert!(rule.contains("**What to do:**"), "{rule}");
    }
}
