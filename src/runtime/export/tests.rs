//! Names of files, and that none is written over.

use std::fs;

use chrono::DateTime;

use super::*;
use crate::analysis;
use crate::model::{Cluster, Scope, Snapshot};

fn snapshot(namespace: Option<&str>) -> Snapshot {
    let cluster = Cluster {
        context: Some("lab".into()),
        flags: None,
        server: "https://127.0.0.1:6443".into(),
        version: None,
    };
    let scope = Scope {
        namespace: namespace.map(str::to_owned),
        ..Scope::default()
    };
    let at = DateTime::from_timestamp(1_796_029_920, 0).expect("a time");
    Snapshot::empty(cluster, scope, at)
}

fn run(what: Export, snapshot: &Snapshot, directory: &Path) -> Result<Exported, String> {
    let job = Job {
        what,
        diagnosis: &analysis::diagnose(snapshot),
        incident: None,
        facts: &Facts::of(snapshot.clone()),
        directory,
    };
    job.run()
}

#[test]
fn a_name_that_is_taken_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let shop = snapshot(Some("shop"));
    let mut names = Vec::new();
    for what in [
        Export::Markdown,
        Export::Markdown,
        Export::Json,
        Export::Capture,
        Export::Capture,
    ] {
        let Ok(Exported::File(path)) = run(what, &shop, folder.path()) else {
            panic!("{what:?} was not written");
        };
        let name = Path::new(&path).file_name().expect("a name");
        names.push(name.to_string_lossy().into_owned());
    }
    let stem = "confsplit-shop-20261130T0912Z";
    let ends = [".md", "-2.md", ".json", ".capture", "-2.capture"];
    assert_eq!(names, ends.map(|end| format!("{stem}{end}")));
    // Nothing half written is left beside them.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 5);
}

#[test]
fn a_report_is_the_same_as_that_of_diagnose() {
    let folder = tempfile::tempdir().expect("a folder");
    let shop = snapshot(Some("shop"));
    let Ok(Exported::File(path)) = run(Export::Json, &shop, folder.path()) else {
        panic!("it was not written");
    };
    let mut expected = Vec::new();
    let diagnosis = analysis::diagnose(&shop);
    report::write(Format::Json, Charset::Unicode, &diagnosis, &mut expected).expect("a vector");
    assert_eq!(fs::read(path).expect("the file"), expected);
}

#[cfg(unix)]
#[test]
fn what_is_exported_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    for what in [Export::Capture, Export::Markdown] {
        let Ok(Exported::File(path)) = run(what, &snapshot(None), folder.path()) else {
            panic!("{what:?} was not written");
        };
        let mode = fs::metadata(path).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let gone = folder.path().join("gone");
    for what in [Export::Capture, Export::Markdown] {
        let why = run(what, &snapshot(Some("shop")), &gone).expect_err("no such directory");
        let expected = format!(
            "there is no directory {}; the setting `export` names another.",
            gone.display()
        );
        assert_eq!(why, expected);
    }
}

#[test]
fn no_name_of_a_capture_leaves_the_directory() {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = snapshot(Some("../..\u{1b}[31m/\u{202e}etc/passwd"));
    let Ok(Exported::File(path)) = run(Export::Markdown, &hostile, folder.path()) else {
        panic!("it was not written");
    };
    assert_eq!(Path::new(&path).parent(), Some(folder.path()));
    let name = path.rsplit('/').next().unwrap_or_default();
    assert!(name.is_ascii() && !name.contains('\u{1b}'), "{name}");
}
