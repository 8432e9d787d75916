//! Files that the kubelet swaps while they are read: neither they nor the time of a swap are told as what they are not.

use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};
use confsplit::model::{Gap, Held, ProbeReads};

use super::{SOON, bounded, container, names, probed, want};
use crate::build::t;
use crate::live::sockets::{Server, prints};

/// A container whose kubelet swaps `/etc/app` while it is read: it leads to these one after the other, and then to the last.
fn swapping(names: &'static [&'static str]) -> Server {
    let looks = AtomicUsize::new(0);
    Server::new(move |argv| match argv {
        ["ls", "-la", "/etc/app"] => {
            let look = looks.fetch_add(1, Ordering::Relaxed);
            let name = names.get(look).or(names.last()).unwrap();
            prints(&format!(
                "lrwxrwxrwx 1 root root 31 Nov 30 12:19 ..data -> ..{name}\n"
            ))
        }
        ["stat", "-L", ..] => prints("1790000000 8 regular file /etc/app/a.yaml\n"),
        ["cat", "/etc/app/a.yaml"] => {
            let read = looks.load(Ordering::Relaxed);
            prints(&format!("after {read} looks\n"))
        }
        argv => container(argv),
    })
}

fn a_file() -> ProbeReads {
    ProbeReads {
        files: names(&["/etc/app/a.yaml"]),
        folders: names(&["/etc/app"]),
        ..ProbeReads::default()
    }
}

/// The files that were kept, the times of swaps, and the gaps.
async fn read_while(swaps: &'static [&'static str]) -> (Vec<Held>, Vec<DateTime<Utc>>, Vec<Gap>) {
    let snapshot = probed(&swapping(swaps), SOON, want(a_file())).await;
    let [probe] = &snapshot.probes[..] else {
        panic!("{:?}", snapshot.gaps);
    };
    let files = probe.files.iter().map(|file| file.held.clone()).collect();
    (
        files,
        probe.swapped.values().copied().collect(),
        snapshot.gaps,
    )
}

const FIRST: &str = "2026_10_02_20_36_00.53";
const SECOND: &str = "2026_10_02_20_37_00.1";
const THIRD: &str = "2026_10_02_20_37_00.2";

#[tokio::test]
async fn files_that_are_swapped_while_they_are_read_are_read_again() {
    let after = |looks: usize| vec![Held::Text(format!("after {looks} looks\n"))];
    let (files, swapped, gaps) = read_while(&[FIRST]).await;
    assert_eq!((files, swapped, gaps), (after(1), vec![t(60)], vec![]));
    let (files, swapped, gaps) = read_while(&[FIRST, SECOND]).await;
    assert_eq!((files, swapped, gaps), (after(2), vec![t(120)], vec![]));
    // Two swaps in one second are two.
    let (files, swapped, gaps) = read_while(&[SECOND, THIRD]).await;
    assert_eq!((files, swapped, gaps), (after(2), vec![t(120)], vec![]));
}

#[tokio::test]
async fn files_that_are_swapped_all_the_time_are_not_told() {
    let (files, swapped, gaps) = read_while(&[FIRST, SECOND, THIRD]).await;
    let why = "container web: the files in /etc/app: they were swapped while they were read";
    assert_eq!((files, swapped, gaps), (vec![], vec![], vec![bounded(why)]));
}

#[tokio::test]
async fn a_process_that_may_have_started_after_a_later_swap_dates_nothing() {
    let reads = ProbeReads {
        processes: true,
        ..a_file()
    };
    // The third look, or the second, is the one after the processes: either way one of them has seen another swap twice.
    let server = swapping(&[FIRST, FIRST, SECOND, SECOND, THIRD, THIRD]);
    let snapshot = probed(&server, SOON, want(reads)).await;
    let [probe] = &snapshot.probes[..] else {
        panic!("{:?}", snapshot.gaps);
    };
    assert!(probe.processes.is_some());
    assert_eq!(probe.swapped.len(), 0, "{:?}", probe.swapped);
}
