//! Probes: what is run and what becomes of it, and how each failure is told.

mod swaps;

use std::collections::BTreeSet;
use std::time::Duration;

use confsplit::model::{
    Gap, GapReason, Held, PodRef, Probe, ProbeReads, Snapshot, ToldVersion, Want,
};
use confsplit::source::live::{Consent, Live};
use confsplit::source::{Probing, Source};
use serde_json::{Value, json};

use super::fake::{self, Answer, Fake, answer, list, list_path};
use super::sockets::{Does, Server, prints};
use crate::build::{NS, config_ref, t};

const RUN: &str = "containerd://run-2";

fn pod_ref() -> PodRef {
    PodRef {
        namespace: NS.to_owned(),
        name: "web-1".to_owned(),
        uid: "uid-web-1".to_owned(),
    }
}

fn pod(run: &str, os: &str) -> Value {
    json!({
        "metadata": {"name": "web-1", "namespace": NS, "uid": "uid-web-1", "creationTimestamp": "2026-10-02T20:35:00Z"},
        "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}], "os": {"name": os}},
        "status": {"phase": "Running", "containerStatuses": [{
            "name": "web", "containerID": run, "ready": true, "restartCount": 1, "image": "nginx:1.27",
            "imageID": "x", "state": {"running": {"startedAt": "2026-10-02T20:35:05Z"}}
        }]}
    })
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn want(reads: ProbeReads) -> Want {
    want_at("14598", reads)
}

fn want_at(resource_version: &str, reads: ProbeReads) -> Want {
    Want::Probe {
        pod: pod_ref(),
        container: "web".to_owned(),
        run: RUN.to_owned(),
        config: config_ref("app"),
        resource_version: resource_version.to_owned(),
        reads: Box::new(reads),
    }
}

fn variable() -> ProbeReads {
    ProbeReads {
        env: names(&["MODE"]),
        ..ProbeReads::default()
    }
}

fn agreed() -> Probing {
    Probing {
        exec: true,
        version_at: None,
    }
}

fn live(server: &Server, within: Duration) -> Live {
    server.fake.holds("pods", &[pod(RUN, "linux")]);
    Live::over(
        Consent::default(),
        server.clone(),
        fake::cluster(),
        within,
        || t(150),
    )
}

/// What a want came to, with consent.
async fn probed(server: &Server, within: Duration, want: Want) -> Snapshot {
    let live = live(server, within);
    live.permit(agreed());
    fake::read(&live, vec![want]).await
}

fn gap(reason: GapReason) -> Gap {
    Gap {
        verb: "create".to_owned(),
        resource: "pods/exec".to_owned(),
        namespace: Some(NS.to_owned()),
        name: Some("web-1".to_owned()),
        reason,
    }
}

fn bounded(why: &str) -> Gap {
    gap(GapReason::Bounded(why.to_owned()))
}

const SOON: Duration = Duration::from_secs(30);

/// A container of which everything can be read.
fn container(argv: &[&str]) -> Does {
    match argv {
        ["cat", "/proc/self/environ"] => prints("MODE=blue\0DB=hunter2-secret\0OTHER=left-alone\0"),
        ["stat", "-L", "-c", _, files @ ..] => {
            assert_eq!(
                files,
                [
                    "/etc/app/a.yaml",
                    "/etc/app/none",
                    "/etc/db/pass",
                    "/run/pipe"
                ]
            );
            Does::Ends(
                b"1790000000 8 regular file /etc/app/a.yaml\n1790000001 14 regular file /etc/db/pass\n\
                  1790000001 0 fifo /run/pipe\n"
                    .to_vec(),
                "stat: can't stat '/etc/app/none': No such file or directory\n".to_owned(),
                1,
            )
        }
        ["cat", "/etc/app/a.yaml"] => prints("mode: a\n"),
        ["cat", "/etc/db/pass"] => prints("hunter2-secret"),
        ["ls", "-la", "/etc/app"] => {
            prints("lrwxrwxrwx 1 root root 31 Nov 30 12:19 ..data -> ..2026_10_02_20_36_00.53\n")
        }
        ["ls", "/proc"] => prints("1\n7\nversion\n"),
        ["cat", "/proc/stat"] => prints("btime 1790000000\n"),
        ["cat", "/proc/1/stat", "/proc/7/stat"] => Does::Ends(
            b"1 (nginx) S 0 1 1 0 -1 64 0 0 0 0 1 0 0 0 20 0 1 0 500 1\n".to_vec(),
            "cat: /proc/7/stat: No such file or directory\n".to_owned(),
            1,
        ),
        ["ls", "-l", "/proc/1/fd", "/proc/7/fd"] => prints(
            "/proc/1/fd:\ntotal 0\nlrwx------ 1 root root 64 Nov 30 12:20 0 -> anon_inode:inotify\n",
        ),
        ["cat", "/proc/net/tcp", "/proc/net/tcp6"] => {
            prints("   0: 0C01F40A:D2F4 8B006B0A:1F90 02 00000000:00000000\n")
        }
        other => panic!("{other:?}"),
    }
}

fn everything() -> ProbeReads {
    ProbeReads {
        env: names(&["MODE", "NOT_SET"]),
        secret_env: names(&["DB"]),
        files: names(&["/etc/app/a.yaml", "/etc/app/none", "/run/pipe"]),
        secret_files: names(&["/etc/db/pass"]),
        folders: names(&["/etc/app"]),
        processes: true,
        sockets: true,
    }
}

#[tokio::test]
async fn what_a_container_holds_is_read_and_no_more_kept() {
    let server = Server::new(container);
    let snapshot = probed(&server, SOON, want(everything())).await;
    let [probe] = &snapshot.probes[..] else {
        panic!("{:?}", snapshot.gaps);
    };
    assert_eq!(
        (probe.pod.name.as_str(), probe.run.as_str()),
        ("web-1", RUN)
    );
    assert_eq!(probe.read_at, t(150));
    let env = probe.env.as_ref().unwrap();
    assert_eq!(env["MODE"], Some(Held::Text("blue".to_owned())));
    assert_eq!(env["NOT_SET"], None);
    let paths: Vec<&str> = probe.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["/etc/app/a.yaml", "/etc/db/pass"]);
    assert_eq!(env["DB"].as_ref(), Some(&probe.files[1].held));
    assert!(matches!(probe.files[1].held, Held::Hashed(_)));
    assert_eq!(probe.files[0].modified.unwrap().timestamp(), 1_790_000_000);
    assert_eq!(probe.missing, ["/etc/app/none"]);
    assert_eq!(probe.swapped["/etc/app"], t(60));
    let processes = probe.processes.as_ref().unwrap();
    assert_eq!(processes.len(), 1);
    assert_eq!(processes[0].started_at.timestamp(), 1_790_000_005);
    assert_eq!(processes[0].watches, Some(true));
    assert_eq!(probe.sockets.as_ref().unwrap()[0].port, 8080);
    let pipe = bounded("container web: /run/pipe: it is no file, but: fifo");
    assert_eq!(snapshot.gaps, [pipe]);
    let shown = format!("{snapshot:?}");
    for value in ["hunter2", "left-alone"] {
        assert!(!shown.contains(value), "{value} in {shown}");
    }
}

#[tokio::test]
async fn nothing_is_run_without_consent_or_after_it_was_taken_back() {
    let server = Server::new(container);
    let live = live(&server, SOON);
    let wants = || vec![want(variable())];
    let not_agreed = bounded("nobody agreed to probing");
    assert!(!live.permits(&wants()[0]));
    assert_eq!(
        fake::read(&live, wants()).await.gaps,
        std::slice::from_ref(&not_agreed)
    );
    live.permit(agreed());
    assert!(live.permits(&wants()[0]));
    assert_eq!(fake::read(&live, wants()).await.probes.len(), 1);
    live.permit(Probing::default());
    assert_eq!(fake::read(&live, wants()).await.gaps, [not_agreed]);
    assert_eq!(server.ran(), ["cat /proc/self/environ"]);
}

#[tokio::test]
async fn a_value_that_was_read_is_taken_out_of_logs() {
    let server = Server::new(container);
    let live = live(&server, SOON);
    live.permit(agreed());
    let path = format!("{}/web-1/log", list_path("pods"));
    server.fake.answers(
        &path,
        Answer::text("2026-10-02T20:35:06.1Z login hunter2-secret failed\n"),
    );
    let log = Want::Log {
        pod: pod_ref(),
        container: "web".to_owned(),
        previous: false,
    };
    let secret = ProbeReads {
        secret_env: names(&["DB"]),
        ..ProbeReads::default()
    };
    let snapshot = fake::read(&live, vec![log, want(secret)]).await;
    let text: String = snapshot.logs[0]
        .text
        .pieces()
        .iter()
        .map(|p| p.to_string())
        .collect();
    assert!(text.contains("login [Secret in DB] failed"), "{text}");
}

#[tokio::test]
async fn a_right_that_is_missing_is_told_once_and_ends_it() {
    let server = Server::new(container);
    let path = format!("{}/web-1/exec", list_path("pods"));
    server
        .fake
        .answers(&path, Answer::failure(403, "forbidden"));
    let snapshot = probed(&server, SOON, want(everything())).await;
    assert_eq!(snapshot.gaps, [gap(GapReason::Forbidden)]);
    let execs = server
        .fake
        .urls()
        .iter()
        .filter(|url| url.contains("/exec"))
        .count();
    assert_eq!(execs, 1, "it was asked again");
}

#[tokio::test]
async fn what_is_not_in_the_image_is_told_by_its_name() {
    let server = Server::new(|argv| match argv {
        ["env", "-0"] => prints("MODE=blue\0"),
        _ => Does::Absent,
    });
    let snapshot = probed(&server, SOON, want(everything())).await;
    let probe = &snapshot.probes[0];
    assert_eq!(
        probe.env.as_ref().unwrap()["MODE"],
        Some(Held::Text("blue".to_owned()))
    );
    assert_eq!((probe.files.len(), probe.missing.len()), (0, 0));
    assert_eq!((&probe.processes, &probe.sockets), (&None, &None));
    assert_eq!(
        snapshot.gaps,
        [
            bounded(
                "container web: /etc/app/a.yaml, /etc/app/none, /etc/db/pass and /run/pipe: the image has no `stat`"
            ),
            bounded("container web: its connections and its processes: the image has no `cat`"),
            bounded(
                "container web: its processes and when /etc/app was swapped: the image has no `ls`"
            ),
        ]
    );
    let empty = Server::new(|_| Does::Absent);
    let snapshot = probed(&empty, SOON, want(variable())).await;
    assert_eq!(
        snapshot.gaps,
        [bounded(
            "container web: its environment: the image has no `cat`, no `env` and no `printenv`"
        )]
    );
    assert_eq!(
        empty.ran(),
        ["cat /proc/self/environ", "env -0", "printenv -0"]
    );
}

#[tokio::test(start_paused = true)]
async fn what_hangs_costs_five_seconds_and_what_came_before_is_kept() {
    let hangs = Server::new(|_| Does::Hangs(b"MODE=bl".to_vec()));
    let began = tokio::time::Instant::now();
    let snapshot = probed(&hangs, SOON, want(everything())).await;
    assert_eq!(snapshot.gaps, [gap(GapReason::TimedOut { seconds: 5 })]);
    assert_eq!(snapshot.probes, []);
    assert_eq!(began.elapsed().as_secs(), 5);
    let server = Server::new(|argv| match argv {
        ["cat", "/etc/app/a.yaml"] => Does::Hangs(Vec::new()),
        argv => container(argv),
    });
    let snapshot = probed(&server, SOON, want(everything())).await;
    let probe = &snapshot.probes[0];
    assert!(probe.env.is_some() && probe.processes.is_some() && probe.sockets.is_some());
    assert_eq!(probe.files.len(), 1);
    assert!(
        probe
            .gaps
            .contains(&gap(GapReason::TimedOut { seconds: 5 }))
    );
}

#[tokio::test]
async fn too_much_and_too_many_are_bounded() {
    let server = Server::new(|argv| match argv {
        ["stat", "-L", "-c", _, files @ ..] => {
            assert_eq!(files.len(), 32);
            let line = |file: &&str| format!("1790000000 2000000 regular file {file}\n");
            let rest = files.iter().skip(1).map(line).collect::<String>();
            // It grows between the look and the reading, or lies.
            prints(&format!("1790000000 5 regular file {}\n{rest}", files[0]))
        }
        ["cat", "/proc/stat"] => prints("btime 1790000000\n"),
        ["ls", "/proc"] => prints(&(1..=70).map(|pid| format!("{pid}\n")).collect::<String>()),
        ["cat", first, ..] if first.starts_with("/etc") => Does::Hangs(vec![b'x'; 3_000_000]),
        [_, .., last] => {
            assert!(["/proc/64/stat", "/proc/64/fd"].contains(last), "{last}");
            prints("")
        }
        other => panic!("{other:?}"),
    });
    let files: Vec<String> = (10..50).map(|n| format!("/etc/{n}")).collect();
    let reads = ProbeReads {
        files: files
            .into_iter()
            .chain(["/proc/kcore".to_owned(), "etc/x".to_owned()])
            .collect(),
        processes: true,
        ..ProbeReads::default()
    };
    let snapshot = probed(&server, SOON, want(reads)).await;
    let probe = &snapshot.probes[0];
    assert_eq!((probe.files.len(), probe.missing.len()), (0, 0));
    let whys: Vec<String> = snapshot
        .gaps
        .iter()
        .map(|gap| format!("{:?}", gap.reason))
        .collect();
    let all = whys.join("\n");
    for part in [
        "8 of its files: 32 at most are read",
        "6 of its processes: 64 at most are read",
        "/etc/41: it is longer than 1 MiB",
        "/proc/kcore and etc/x: it is no path of a mount",
    ] {
        assert!(all.contains(part), "{part} is not in {all}");
    }
}

#[tokio::test]
async fn another_run_windows_and_a_lost_connection_are_gaps() {
    let server = Server::new(container);
    let live = live(&server, SOON);
    live.permit(agreed());
    let mut snapshot = fake::lists(&live).await.unwrap();
    // It restarts between the first look at it and the second.
    let seen = std::sync::atomic::AtomicUsize::new(0);
    server.fake.on(&list_path("pods"), move |_| {
        let before = seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        list(
            20_001,
            &[pod(
                if before { RUN } else { "containerd://run-3" },
                "linux",
            )],
        )
    });
    answer(&live, &mut snapshot, vec![want(variable())]).await;
    assert_eq!(
        snapshot.gaps,
        [bounded("container web was started anew since")]
    );
    assert_eq!((server.ran().len(), snapshot.probes.len()), (1, 0));
    snapshot.gaps.clear();
    server.fake.holds("pods", &[]);
    answer(&live, &mut snapshot, vec![want(variable())]).await;
    assert_eq!(snapshot.gaps, [gap(GapReason::NotFound)]);

    let windows = Server::new(container);
    let reads = super::probing::live(&windows, SOON);
    windows.fake.holds("pods", &[pod(RUN, "windows")]);
    reads.permit(agreed());
    let snapshot = fake::read(&reads, vec![want(everything())]).await;
    assert_eq!(
        snapshot.gaps,
        [bounded(
            "it runs on Windows, where none of what is read inside is there"
        )]
    );
    assert_eq!(windows.ran(), [""; 0]);

    let broken = Server::new(|_| Does::Breaks(b"MODE=blue".to_vec()));
    let snapshot = probed(&broken, SOON, want(variable())).await;
    let [Gap { reason, .. }] = &snapshot.gaps[..] else {
        panic!("{:?}", snapshot.gaps);
    };
    assert!(matches!(reason, GapReason::Connection(_)), "{reason:?}");
    assert_eq!(snapshot.probes, []);
}

#[tokio::test]
async fn a_newer_reading_takes_the_place_of_the_older() {
    let server = Server::new(container);
    let live = live(&server, SOON);
    live.permit(agreed());
    let mut snapshot = fake::read(&live, vec![want_at("14417", everything())]).await;
    assert_eq!((snapshot.probes.len(), snapshot.gaps.len()), (1, 1));
    // What another config asked for stands beside it.
    let mut other = want_at("14598", variable());
    if let Want::Probe { config, .. } = &mut other {
        *config = config_ref("other");
    }
    answer(&live, &mut snapshot, vec![other.clone()]).await;
    assert_eq!((snapshot.probes.len(), snapshot.gaps.len()), (2, 1));
    let sockets = ProbeReads {
        sockets: true,
        ..ProbeReads::default()
    };
    answer(&live, &mut snapshot, vec![want_at("14650", sockets)]).await;
    assert_eq!((snapshot.probes.len(), snapshot.gaps.len()), (2, 0));
    // Within a run the environment stays what it was.
    assert!(snapshot.probes.iter().all(|probe| probe.env.is_some()));
    answer(&live, &mut snapshot, vec![want_at("14700", everything())]).await;
    assert_eq!((snapshot.probes.len(), snapshot.gaps.len()), (2, 1));
    let asked: Vec<&Want> = snapshot.asked.iter().filter(|want| want.probes()).collect();
    assert_eq!(asked, [&want_at("14700", everything()), &other]);
    let other = Probe {
        run: "containerd://run-3".to_owned(),
        gaps: Vec::new(),
        read_at: t(160),
        ..snapshot.probes[0].clone()
    };
    let answers = vec![(want(variable()), confsplit::source::Answer::Probe(other))];
    confsplit::source::Answers(answers).into_snapshot(&mut snapshot);
    let runs: Vec<&str> = snapshot.probes.iter().map(|p| p.run.as_str()).collect();
    assert_eq!((runs, snapshot.gaps.len()), (vec!["containerd://run-3"], 0));
}

#[tokio::test]
async fn a_version_is_asked_where_it_was_said_and_nowhere_else() {
    const AT: &str = ":8080/info#config.version";
    let fake = Fake::default();
    let live = fake.live();
    let told = |asked: &str| Want::ToldVersion {
        pod: pod_ref(),
        asked: asked.to_owned(),
        resource_version: "14598".to_owned(),
    };
    let path = format!("{}/web-1:8080/proxy/info", list_path("pods"));
    fake.answers(
        &path,
        Answer::Json(json!({"config": {"version": "42\u{1b}[m"}})),
    );
    let proxied = |reason| Gap {
        verb: "get".to_owned(),
        resource: "pods/proxy".to_owned(),
        ..gap(reason)
    };
    live.permit(Probing {
        exec: false,
        version_at: Some(AT.parse().unwrap()),
    });
    assert!(live.permits(&told(AT)) && !live.permits(&told(":8080/admin")));
    let snapshot = fake::read(&live, vec![told(AT)]).await;
    assert_eq!(
        snapshot.told,
        [ToldVersion {
            pod: pod_ref(),
            asked: AT.to_owned(),
            version: "42^[[m".to_owned(),
            read_at: t(150),
        }]
    );
    let snapshot = fake::read(&live, vec![told(":8080/admin")]).await;
    let not_agreed = GapReason::Bounded("nobody agreed to probing".to_owned());
    assert_eq!(snapshot.gaps, [proxied(not_agreed)]);
    assert!(!fake.urls().iter().any(|url| url.contains("admin")));
    for (body, reason) in [
        (
            Answer::text("<html>"),
            GapReason::Unreadable(format!(
                "{AT}: it is neither JSON nor metrics; it begins with `<html>`"
            )),
        ),
        (Answer::failure(403, "forbidden"), GapReason::Forbidden),
        (
            Answer::Raw(200, vec![b'x'; 2 << 20]),
            GapReason::Bounded("the answer is longer than 1048576 bytes".to_owned()),
        ),
    ] {
        fake.answers(&path, body);
        assert_eq!(
            fake::read(&live, vec![told(AT)]).await.gaps,
            [proxied(reason)]
        );
    }
}
