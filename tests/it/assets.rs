//! What ships with the project: the capture that README.md opens, and README.md itself.

use std::path::{Path, PathBuf};

use confsplit::analysis::{Code, Diagnosis, diagnose};
use confsplit::capture;
use confsplit::report::{self, Charset, Format};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> PathBuf {
    root().join("assets/partial-restart.capture")
}

fn report_of_it() -> Diagnosis {
    let opened = capture::open(&shipped()).expect("the capture opens");
    assert!(
        opened.snapshot.gaps.is_empty(),
        "{:?}",
        opened.snapshot.gaps
    );
    diagnose(&opened.snapshot)
}

#[test]
fn the_capture_shows_the_incident_as_it_was() {
    let report = report_of_it();
    let codes: Vec<Code> = report.incidents[0]
        .findings
        .iter()
        .map(|f| f.code)
        .collect();
    assert_eq!(
        codes,
        [Code::SplitReplicas, Code::PortMismatch, Code::InPlaceEdit]
    );
    let mut page = Vec::new();
    report::write(Format::Text, Charset::Unicode, &report, &mut page).unwrap();
    insta::assert_snapshot!("shipped_capture", String::from_utf8(page).unwrap());
}

#[test]
fn its_report_keeps_to_the_schema() {
    let schema = std::fs::read_to_string(root().join("assets/report.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let mut page = Vec::new();
    report::write(Format::Json, Charset::Unicode, &report_of_it(), &mut page).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&page).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn the_readmes_commands_are_those_that_are_tested() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("\ncargo run -- demo\ncargo test\n"));
    assert!(readme.contains("`cargo run -- open assets/partial-restart.capture`"));
    // The pictures are those that the keys of the tape draw.
    let tape = std::fs::read_to_string(root().join("demo.tape")).unwrap();
    let drawn = tape
        .lines()
        .filter_map(|line| line.strip_prefix("Screenshot "));
    let mut pictures = 0;
    for picture in drawn {
        let picture = picture.replace(".png", ".svg");
        assert!(readme.contains(&picture), "{picture} is not shown");
        assert!(root().join(&picture).exists(), "{picture} is not there");
        pictures += 1;
    }
    assert!(pictures > 1, "{pictures} pictures");
}
