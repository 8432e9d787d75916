//! A disk that is full, at any byte: what was whole before stays whole, and what comes after follows it.

use std::path::PathBuf;

use chrono::DateTime;

use super::{Disk, Segment, begin, resume, whole};
use crate::capture::history::Cluster;

/// A disk with so much room, that may also fail to give back what was half written.
#[derive(Debug, Default)]
struct Small {
    bytes: Vec<u8>,
    room: usize,
    stuck: bool,
    unsynced: bool,
}

impl Disk for Small {
    fn add(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let fits = bytes.len().min(self.room - self.bytes.len().min(self.room));
        self.bytes.extend_from_slice(&bytes[..fits]);
        if fits < bytes.len() {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        if self.unsynced {
            return Err(std::io::Error::other("the disk is gone"));
        }
        Ok(())
    }

    fn cut(&mut self, len: u64) -> std::io::Result<()> {
        if self.stuck {
            return Err(std::io::Error::other("stuck"));
        }
        self.bytes.truncate(usize::try_from(len).expect("small"));
        Ok(())
    }
}

fn segment(disk: Small) -> Segment<Small> {
    Segment::new(disk, PathBuf::from("x"), 0, DateTime::UNIX_EPOCH)
}

#[test]
fn no_byte_of_a_line_that_did_not_fit_stays() {
    for room in 0..12 {
        let mut small = segment(Small {
            room,
            ..Small::default()
        });
        let mut expected = Vec::new();
        for line in [b"one\n".as_slice(), b"two22\n", b"3\n"] {
            if small.append(line).is_ok() {
                expected.extend_from_slice(line);
            }
            assert_eq!(small.disk.bytes, expected, "room for {room}");
        }
        small.disk.room = 100;
        small.append(b"four\n").expect("there is room");
        expected.extend_from_slice(b"four\n");
        assert_eq!(
            (small.disk.bytes, small.len),
            (expected.clone(), expected.len() as u64)
        );
    }
}

#[test]
fn what_could_not_be_taken_back_is_before_the_next_line() {
    let mut small = segment(Small {
        room: 6,
        stuck: true,
        ..Small::default()
    });
    small.append(b"one\n").expect("there is room");
    small.append(b"two\n").expect_err("there is none");
    assert_eq!(small.disk.bytes, b"one\ntw");
    small.append(b"3\n").expect_err("it is still torn");
    small.disk.stuck = false;
    small.append(b"3\n").expect("there is room");
    assert_eq!(small.disk.bytes, b"one\n3\n");
}

#[test]
fn what_is_not_on_disk_does_not_count() {
    let mut small = segment(Small {
        room: 100,
        unsynced: true,
        ..Small::default()
    });
    small.append(b"one\n").expect_err("nobody knows");
    assert_eq!(
        (small.len, small.disk.bytes.as_slice()),
        (0, b"".as_slice())
    );
}

#[test]
fn whoever_goes_on_cuts_what_was_left_and_only_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster {
        server: "https://127.0.0.1:6443".to_owned(),
        uid: None,
    };
    let now = DateTime::UNIX_EPOCH;
    let mut first = begin(folder.path(), &cluster, now).expect("a segment");
    first.append(b"{\"a\":1}\n").expect("written");
    let path = first.path.clone();
    // Somebody holds it.
    assert!(resume(&path, now).expect("it is there").is_none());
    drop(first);
    let len = whole(&path).expect("read");
    for torn in ["{", "{\"kept\":{\"config\"", &"x".repeat(200_000)] {
        let mut bytes = std::fs::read(&path).expect("read");
        bytes.truncate(usize::try_from(len).expect("small"));
        bytes.extend_from_slice(torn.as_bytes());
        std::fs::write(&path, bytes).expect("written");
        let segment = resume(&path, now)
            .expect("it is there")
            .expect("nobody holds it");
        assert_eq!(
            (segment.len, std::fs::metadata(&path).expect("there").len()),
            (len, len)
        );
    }
    let mut again = resume(&path, now)
        .expect("it is there")
        .expect("nobody holds it");
    again.append(b"{\"b\":2}\n").expect("written");
    let text = std::fs::read_to_string(&path).expect("read");
    assert_eq!(
        text.lines().skip(1).collect::<Vec<_>>(),
        ["{\"a\":1}", "{\"b\":2}"]
    );
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster {
        server: String::new(),
        uid: None,
    };
    let segment = begin(folder.path(), &cluster, DateTime::UNIX_EPOCH).expect("a segment");
    let mode = std::fs::metadata(&segment.path)
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
