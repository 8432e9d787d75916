//! Processes as containers show them.

use super::*;

const REST: &str = "64 0 0 0 0 1 0 0 0 20 0 1 0";

fn boot() -> DateTime<Utc> {
    DateTime::from_timestamp(1_796_014_650, 0).expect("a moment")
}

#[test]
fn numbers_of_processes_are_found_among_the_rest() {
    let listing = "1\n29\n7\n8\nacpi\nbuddyinfo\nself\nthread-self\nversion\n";
    assert_eq!(pids(listing), [1, 7, 8, 29]);
    assert_eq!(pids(""), [0; 0]);
}

#[test]
fn the_boot_is_in_stat() {
    let stat = "cpu  2073321 73442 371862 2983213 16312 0 7627 1707 0 0\nintr 1 2 3\nctxt 5\n\
                btime 1796014650\nprocesses 12\n";
    assert_eq!(booted(stat), Some(boot()));
    assert_eq!(booted("cpu 1\n"), None);
}

#[test]
fn a_start_is_counted_from_the_boot() {
    // Of a container of nginx:1.27-alpine.
    let stats = "1 (nginx) S 0 1 1 0 -1 4194560 1134 0 0 0 1 0 0 0 20 0 1 0 2660271 10506240 1717 18446744073709551615 \
        93964533157888 93964533941361 140726189840192 0 0 0 0 1073745920 402745863 1 0 0 17 1 0 0 0 0 0 93964534175824 \
        93964534276896 93965118914560 140726189841536 140726189841557 140726189841557 140726189842408 0\n";
    let found = parse(stats, boot(), &BTreeMap::from([(1, false)]));
    let process = Process {
        pid: 1,
        name: "nginx".to_owned(),
        started_at: boot() + TimeDelta::milliseconds(26_602_710),
        watches: Some(false),
    };
    assert_eq!(found, [process]);
}

#[test]
fn names_may_hold_anything() {
    let stats = format!(
        "7 (a) b (c) S 1 1 1 0 -1 {REST} 500 1\n8 (x\ny) S 1 1 1 0 -1 {REST} 600 1\n9 (short) S 1\nno process\n\
         10 (gone) Z 1 1 1 0 -1 {REST} 700 0\n"
    );
    let found = parse(&stats, boot(), &BTreeMap::new());
    let names: Vec<&str> = found.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a) b (c"]);
    assert_eq!(found[0].started_at, boot() + TimeDelta::seconds(5));
}

#[test]
fn what_the_probe_itself_runs_is_left_out() {
    let line = |pid: u32, name: &str, parent: u32| {
        format!("{pid} ({name}) S {parent} 1 1 0 -1 {REST} 500 1\n")
    };
    let stats = [
        line(1, "cat", 0),
        line(12, "cat", 1),
        line(30, "cat", 0),
        line(31, "ls", 0),
        line(32, "bash", 0),
    ]
    .concat();
    let found = parse(&stats, boot(), &BTreeMap::new());
    let pids: Vec<u32> = found.iter().map(|p| p.pid).collect();
    assert_eq!(pids, [1, 12, 32]);
}

#[test]
fn an_inotify_instance_is_seen_among_the_handles() {
    // Of busybox; GNU's has the same but for the blanks.
    let listing = "/proc/1/fd:\ntotal 0\n\
        lrwx------    1 root     root            64 Nov 30 12:20 0 -> /dev/null\n\
        lr-x------    1 root     root            64 Nov 30 12:20 5 -> anon_inode:inotify\n\n\
        /proc/7/fd:\ntotal 0\n\
        lrwx------    1 root     root            64 Nov 30 12:41 8 -> anon_inode:[eventpoll]\n\n\
        /proc/9/fd:\ntotal 0\n\n\
        /proc/10/fd:\ntotal 0\n\
        lrwx------    1 root     root            64 Nov 30 12:41 0\n\
        lrwx------    1 root     root            64 Nov 30 12:41 1 -> /dev/null\n";
    assert_eq!(
        watches(listing, &[1, 7, 8, 9, 10]),
        BTreeMap::from([(1, true), (7, false)])
    );
    let one = "total 0\nlrwx------ 1 root root 64 Nov 30 12:20 0 -> /dev/null\n";
    assert_eq!(watches(one, &[4]), BTreeMap::from([(4, false)]));
    assert_eq!(watches("", &[4]), BTreeMap::new());
}
