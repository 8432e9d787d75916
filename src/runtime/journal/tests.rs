//! A journal is read as it was written, whatever cut it off.

use super::*;
use crate::model::{ConfigKind, ConfigRef, PodRef, WorkloadRef};
use crate::remedy::PlanKind;

fn heading() -> Heading {
    let mut target = Content::text([("nginx.conf", "server api:8080;\r\n\u{1b}[31m")]);
    if let Content::Plain { binary, .. } = &mut target {
        binary.insert("blob".to_owned(), vec![0, 159, 146, 150]);
    }
    Heading {
        context: "lab".to_owned(),
        server: "https://one:6443".to_owned(),
        kind: PlanKind::RevertThenRestart,
        config: ConfigRef::new(ConfigKind::ConfigMap, "shop", "frontend-nginx"),
        workload: WorkloadRef::new("Deployment", "shop", "frontend"),
        meant: "revision A".to_owned(),
        target,
        before: Content::text([("nginx.conf", "server api:8000;")]),
        saved: r#"{"data":{"nginx.conf":"server api:8000;"},"kind":"ConfigMap"}"#.to_owned(),
    }
}

fn evict() -> Write {
    Write::Evict {
        pod: PodRef {
            namespace: "shop".to_owned(),
            name: "frontend-1".to_owned(),
            uid: "u".to_owned(),
        },
    }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).expect("a time")
}

#[test]
fn what_was_left_is_found_until_it_comes_to_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::at(Some(folder.path().to_owned()));
    journal.begin(&heading(), now()).expect("begun");
    journal.sent(&evict(), now()).expect("a line");
    let found = left(folder.path(), "https://one:6443");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].heading, heading());
    assert!(
        found[0].last.contains("no answer was written down"),
        "{}",
        found[0].last
    );
    assert_eq!(left(folder.path(), "https://other:6443"), []);
    let error = Err(WriteError::Refused("no".to_owned()));
    journal.came_to(&evict(), &error, now()).expect("a line");
    journal.end("closed", "", now()).expect("a line");
    assert_eq!(left(folder.path(), "https://one:6443"), []);
    let again = find(folder.path(), None, "https://one:6443").expect("the journal");
    assert_eq!(again.heading, heading());
}

/// One that writes no content has no object that is saved.
#[test]
fn a_journal_without_an_object_is_found_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::at(Some(folder.path().to_owned()));
    let heading = Heading {
        kind: PlanKind::RollForward,
        saved: "null".to_owned(),
        ..heading()
    };
    journal.begin(&heading, now()).expect("begun");
    journal.sent(&evict(), now()).expect("a line");
    let found = left(folder.path(), "https://one:6443");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].heading, heading);
}

#[test]
fn cut_at_any_byte_it_is_whole_or_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::at(Some(folder.path().to_owned()));
    journal.begin(&heading(), now()).expect("begun");
    let head = fs::metadata(path(folder.path())).expect("a file").len();
    journal.sent(&evict(), now()).expect("a line");
    let whole = fs::read(path(folder.path())).expect("a file");
    for cut in 0..whole.len() {
        fs::write(path(folder.path()), &whole[..cut]).expect("written");
        let found = left(folder.path(), "https://one:6443");
        // Its line break is not needed.
        let expected = usize::from(cut as u64 + 1 >= head);
        assert_eq!(found.len(), expected, "cut at {cut}");
        assert!(found.iter().all(|left| left.heading == heading()));
    }
}

#[test]
fn without_a_folder_nothing_is_kept_and_nothing_fails() {
    let journal = Journal::at(None);
    journal.begin(&heading(), now()).expect("fine");
    journal.sent(&evict(), now()).expect("fine");
    journal.end("closed", "", now()).expect("fine");
}

#[test]
fn what_cannot_be_kept_is_an_error() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let journal = Journal::at(Some(file.path().join("below")));
    assert!(matches!(
        journal.begin(&heading(), now()),
        Err(WriteError::Journal(_))
    ));
}

fn path(folder: &Path) -> PathBuf {
    let mut all = fs::read_dir(folder).expect("a folder");
    all.next().expect("a file").expect("an entry").path()
}
