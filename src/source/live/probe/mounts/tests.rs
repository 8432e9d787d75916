//! Listings as programs in images print them.

use super::*;
use chrono::TimeZone;

/// `stat -L -c '%Y %s %F %n'` of busybox 1.36.
const BUSYBOX: &str = "1796041250 219 regular file /etc/hosts\n1796041252 340 directory /dev\n\
                       1796041252 0 regular empty file /etc/app/a b\n1796041252 0 fifo /etc/app/pipe\n\
                       1796041252 0 character special file /dev/null\n";
const BUSYBOX_COMPLAINT: &str = "stat: can't stat '/nope': No such file or directory\n";
/// Of GNU coreutils.
const GNU_COMPLAINT: &str = "stat: cannot statx '/nope': No such file or directory\n\
                             stat: cannot statx '/root/x': Permission denied\n";

#[test]
fn stat_tells_kind_size_and_time() {
    let found = stats(BUSYBOX);
    assert_eq!(found.len(), 5);
    let hosts = &found["/etc/hosts"];
    assert_eq!((hosts.bytes, hosts.is_file()), (219, true));
    assert_eq!(hosts.modified, Utc.timestamp_opt(1_796_041_250, 0).single());
    assert!(found["/etc/app/a b"].is_file());
    for other in ["/dev", "/etc/app/pipe", "/dev/null"] {
        assert!(!found[other].is_file(), "{other}");
    }
    assert_eq!(stats("stat: usage\n\n12 x y /z\n"), BTreeMap::new());
}

#[test]
fn what_is_missing_is_told_from_what_may_not_be_read() {
    for complaint in [BUSYBOX_COMPLAINT, GNU_COMPLAINT] {
        assert!(is_missing(complaint, "/nope"));
    }
    assert!(is_missing(
        "cat: can't open '/nope': No such file or directory",
        "/nope"
    ));
    assert!(is_missing("cat: /nope: No such file or directory", "/nope"));
    assert!(!is_missing(GNU_COMPLAINT, "/root/x"));
    assert_eq!(
        complaint_about(GNU_COMPLAINT, "/root/x").as_deref(),
        Some("Permission denied")
    );
    assert_eq!(complaint_about(GNU_COMPLAINT, "/other"), None);
}

#[test]
fn the_swap_is_in_the_name_behind_data() {
    // Of busybox in an nginx image; GNU's differs in its blanks.
    let listing = "total 12\n\
        drwxrwxrwx    3 root     root          4096 Nov 30 12:19 .\n\
        drwxr-xr-x    3 root     root          4096 Jan  1  1970 ..\n\
        drwxr-xr-x    2 root     root          4096 Nov 30 12:19 ..2026_11_30_12_19_06.537876892\n\
        lrwxrwxrwx    1 root     root            31 Nov 30 12:19 ..data -> ..2026_11_30_12_19_06.537876892\n\
        lrwxrwxrwx    1 root     root            19 Nov 30 12:19 default.conf -> ..data/default.conf\n";
    let at = Utc.with_ymd_and_hms(2026, 11, 30, 12, 19, 6).single();
    assert_eq!(swapped(listing).map(|swap| swap.at), at);
    let other = "lrwxrwxrwx 1 root root 10 Nov 30 12:19 ..data -> ..elsewhere\n";
    assert_eq!(swapped(other), None);
    assert_eq!(
        swapped("-rw-r--r-- 1 root root 2 Nov 30 12:19 a.conf\n"),
        None
    );
}
