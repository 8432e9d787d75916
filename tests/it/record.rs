//! `confsplit record` as it is run: it keeps every revision, and survives what ends programs and fills disks.

mod server;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use confsplit::capture;
use confsplit::capture::history::{self, Bounds, Cluster};
use confsplit::model::{Content, Kept, Target};
use confsplit::source::live::Recording;
use confsplit::source::outside::Loaded;
use confsplit::source::{Change, Source, Told};
use tempfile::TempDir;

use crate::build::NS;
use crate::connect::config;
use server::Server;

/// What a test waits for comes in this time, or never.
const DEADLINE: Duration = Duration::from_secs(20);

struct Place {
    folder: TempDir,
    server: Server,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            server: Server::start(),
        };
        let server = format!("{{server: \"{}\"}}", place.url());
        std::fs::write(place.path("config"), config(&server, "{token: a}")).unwrap();
        place
    }

    fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> PathBuf {
        self.path("state/confsplit/history")
    }

    /// The program, which knows nothing but this place.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("XDG_STATE_HOME", self.path("state"))
            .env("KUBECONFIG", self.path("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_confsplit"));
        command.args(args).output().unwrap()
    }

    fn record(&self, args: &[&str]) -> Running {
        let mut command = self.command(env!("CARGO_BIN_EXE_confsplit"));
        command.arg("record").args(args);
        Running::of(command.spawn().unwrap())
    }

    fn kept(&self) -> Vec<Kept> {
        self.kept_in(&self.store())
    }

    fn kept_in(&self, store: &Path) -> Vec<Kept> {
        let cluster = Cluster {
            server: self.url(),
            uid: Some("the-cluster".to_owned()),
        };
        let (kept, notes) = history::read(store, &cluster, None);
        assert_eq!(notes, Vec::<String>::new());
        kept
    }
}

/// A program that records.
struct Running {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
    /// What was said already.
    said: Vec<String>,
}

impl Running {
    fn of(mut child: Child) -> Self {
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let (sender, errors) = channel();
        let err = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || {
            for line in err.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            lines,
            errors,
            said: Vec::new(),
        }
    }

    /// The next line with this in it, its columns parted by one blank.
    fn line(&self, with: &str) -> String {
        let end = Instant::now() + DEADLINE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("no line with {with:?} came"));
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            if line.contains(with) {
                return line;
            }
        }
    }

    /// Waits until this is said on standard error.
    fn says(&mut self, what: &str) {
        while !self.said.last().is_some_and(|line| line.contains(what)) {
            let line = self.errors.recv_timeout(DEADLINE);
            self.said
                .push(line.unwrap_or_else(|_| panic!("{what:?} was never said")));
        }
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends it with a signal; its code, what it still printed, and what it said.
    fn end(mut self, signal: &str) -> (Option<i32>, Vec<String>, String) {
        self.signal(signal);
        let status = self.child.wait().unwrap();
        let mut said: Vec<String> = std::mem::take(&mut self.said);
        said.extend(self.errors.iter());
        let said: String = said.into_iter().map(|line| line + "\n").collect();
        (status.code(), self.lines.iter().collect(), said)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Nothing of it is left to wait for.
        self.server.forbid();
    }
}

fn told(kept: &[Kept]) -> Vec<(String, String, Option<String>)> {
    kept.iter()
        .map(|kept| {
            let Some(Content::Plain { data, .. }) = &kept.config.content else {
                panic!("a ConfigMap")
            };
            let name = kept.config.reference.name.clone();
            (name, data["mode"].clone(), kept.follows.clone())
        })
        .collect()
}

fn line(name: &str, mode: &str, follows: Option<u64>) -> (String, String, Option<String>) {
    (
        name.to_owned(),
        mode.to_owned(),
        follows.map(|v| v.to_string()),
    )
}

#[test]
fn every_revision_is_kept_and_a_second_run_goes_on() {
    let place = Place::new();
    let a = place.server.put("a", "blue");
    place.server.put("b", "on");
    let recording = place.record(&[]);
    assert_eq!(recording.line("NAMESPACE"), "NAMESPACE NAME VERSION SEEN");
    let first = recording.line(" a ");
    assert!(
        first.starts_with(&format!("{NS} a {a} 20")) && first.ends_with("Z first seen"),
        "{first}"
    );
    recording.line(" b ");
    let green = place.server.put("a", "green");
    let line_of_it = recording.line(" a ");
    assert!(
        line_of_it.ends_with(&format!("Z follows {a}")),
        "{line_of_it}"
    );
    place.server.delete("b");
    assert_eq!(recording.line(" b "), format!("{NS} b - - deleted"));
    let (code, rest, said) = recording.end("-TERM");
    assert_eq!((code, rest), (Some(0), Vec::new()), "{said}");
    assert!(
        said.starts_with("Recording the ConfigMaps of namespace shop in "),
        "{said}"
    );
    assert!(
        said.ends_with("\nKept 3 versions of 2 ConfigMaps.\n"),
        "{said}"
    );

    // Nothing happened meanwhile to a; then something did.
    let again = place.record(&[]);
    place.server.put("a", "red");
    let line_of_it = again.line(" a ");
    // Whether it was listed or watched, it was not seen to replace anything but what was kept.
    let (_, _, said) = again.end("-INT");
    assert!(
        said.ends_with("\nKept 1 version of 1 ConfigMap.\n"),
        "{said}"
    );
    let follows = line_of_it
        .ends_with(&format!("follows {green}"))
        .then_some(green);
    assert!(follows.is_some() || line_of_it.ends_with("what was between is not known"));
    assert_eq!(
        told(&place.kept()),
        [
            line("a", "blue", None),
            line("a", "green", Some(a)),
            line("a", "red", follows),
            line("b", "on", None)
        ]
    );
    place.server.put("a", "black");
    let third = place.record(&[]);
    assert!(third.line(" a ").ends_with("what was between is not known"));
    drop(third.end("-TERM"));
}

#[cfg(unix)]
#[test]
fn only_their_owner_may_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.server.put("a", "blue");
    let recording = place.record(&[]);
    recording.line(" a ");
    drop(recording.end("-TERM"));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let kept = place.kept();
    let file = Path::new(&kept[0].file);
    assert_eq!(mode(file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert_eq!(mode(&place.store()), 0o700);
}

#[test]
fn after_a_gap_in_the_watch_nothing_is_said_to_follow() {
    let place = Place::new();
    let a = place.server.put("a", "blue");
    let recording = place.record(&[]);
    recording.line(" a ");
    place.server.put("a", "green");
    assert!(recording.line(" a ").ends_with(&format!("follows {a}")));
    let mut unseen = 0;
    place.server.expire(|server| {
        server.put("a", "lost");
        unseen = server.put("a", "red");
    });
    let after = recording.line(" a ");
    assert!(
        after.contains(&format!(" {unseen} ")) && after.ends_with("is not known"),
        "{after}"
    );
    place.server.put("a", "white");
    assert!(
        recording
            .line(" a ")
            .ends_with(&format!("follows {unseen}"))
    );
    drop(recording.end("-TERM"));
    let modes: Vec<String> = told(&place.kept())
        .into_iter()
        .map(|(_, mode, _)| mode)
        .collect();
    assert_eq!(modes, ["blue", "green", "red", "white"]);
}

#[test]
fn killed_in_the_middle_of_writing_it_loses_nothing_that_it_told() {
    let place = Place::new();
    place.server.put("a", "0");
    let server = place.server.clone();
    let (stop, stopped) = channel::<()>();
    let writer = thread::spawn(move || {
        let mut number = 0;
        while stopped.try_recv().is_err() {
            number += 1;
            server.put("a", &format!("{number} {}", "x".repeat(20_000)));
            // As fast as a disk takes it, and no faster: the server keeps it all.
            thread::park_timeout(Duration::from_millis(2));
        }
    });
    let mut printed: Vec<String> = Vec::new();
    let version = |line: &str| line.split_whitespace().nth(2).unwrap().to_owned();
    for run in 0..6 {
        let recording = place.record(&[]);
        for _ in 0..(5 + 7 * run) {
            printed.push(version(&recording.line(" a ")));
        }
        let (code, rest, _) = recording.end("-KILL");
        assert_eq!(code, None, "it was killed");
        // The last may have been cut within; one that is whole was on disk before it was printed.
        let whole = rest
            .iter()
            .filter(|line| line.split_whitespace().count() > 4);
        printed.extend(whole.map(|line| version(line)));
        let kept = place.kept();
        let known = |version: &String| kept.iter().any(|k| k.config.resource_version == *version);
        let lost: Vec<&String> = printed.iter().filter(|version| !known(version)).collect();
        assert_eq!(lost, Vec::<&String>::new(), "run {run}");
        // A chain leads only to what was kept.
        for kept in &kept {
            assert!(
                kept.follows.as_ref().is_none_or(known),
                "{:?}",
                kept.follows
            );
        }
    }
    stop.send(()).unwrap();
    writer.join().unwrap();
    assert!(printed.len() > 100, "{}", printed.len());
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_it_says_so_goes_on_and_spoils_nothing() {
    let place = Place::new();
    let a = place.server.put("a", "small");
    // No file may be longer than 32 KiB: writing fails in the middle of a line, as on a full disk.
    let mut command = place.command("sh");
    let script = "trap '' XFSZ; ulimit -S -f 64; exec \"$0\" record";
    command.args(["-c", script, env!("CARGO_BIN_EXE_confsplit")]);
    let mut recording = Running::of(command.spawn().unwrap());
    recording.line(" a ");
    let large = "x".repeat(20_000);
    place.server.put("a", &format!("1 {large}"));
    assert!(recording.line(" a ").ends_with(&format!("follows {a}")));
    place.server.put("a", &format!("2 {large}"));
    recording.says("The history cannot be written");
    place.server.put("a", &format!("3 {large}"));
    let (code, _, said) = recording.end("-TERM");
    assert_eq!(code, Some(3), "{said}");
    assert_eq!(
        said.matches("The history cannot be written (File too large")
            .count(),
        1,
        "{said}"
    );
    assert!(
        said.contains("error: The newest versions could not be written to the end."),
        "{said}"
    );
    let first = |mode: &str| mode.chars().next().unwrap();
    let modes: Vec<char> = told(&place.kept())
        .iter()
        .map(|(_, mode, _)| first(mode))
        .collect();
    assert_eq!(modes, ['s', '1']);

    let again = place.record(&[]);
    assert!(again.line(" a ").ends_with("what was between is not known"));
    drop(again.end("-TERM"));
    let modes: Vec<char> = told(&place.kept())
        .iter()
        .map(|(_, mode, _)| first(mode))
        .collect();
    assert_eq!(modes, ['s', '1', '3'], "the newest, and nothing half");
}

#[test]
fn two_on_one_store_keep_each_version_once() {
    let place = Place::new();
    let (one, two) = (place.record(&[]), place.record(&["cm/a"]));
    // Whoever begins later finds what is kept already, and does not keep it again.
    place.server.watched(2);
    let a = place.server.put("a", "blue");
    one.line(" a ");
    two.line(" a ");
    place.server.put("a", "green");
    place.server.put("b", "on");
    one.line(" b ");
    two.line(&format!("follows {a}"));
    let (_, rest, _) = two.end("-TERM");
    assert!(
        rest.iter().all(|line| !line.contains(" b ")),
        "it was asked for a alone: {rest:?}"
    );
    drop(one.end("-TERM"));
    assert_eq!(
        told(&place.kept()),
        [
            line("a", "blue", None),
            line("a", "green", Some(a)),
            line("b", "on", None)
        ]
    );
}

#[test]
fn what_was_recorded_is_among_the_facts_and_in_the_capture_of_a_later_run() {
    let place = Place::new();
    let store = place.path("elsewhere");
    let named = store.to_str().unwrap();
    let a = place.server.put("a", "blue");
    let recording = place.record(&["--store", named, "--keep", "2MiB", "--keep", "3d"]);
    recording.line(" a ");
    place.server.put("a", "green");
    recording.line(" a ");
    drop(recording.end("-TERM"));
    assert!(!place.store().exists());
    let file = place.path("x.capture");
    let report = place.run(&[
        "diagnose",
        "--store",
        named,
        "--capture",
        file.to_str().unwrap(),
    ]);
    assert!(
        report.status.code().is_some_and(|code| code < 3),
        "{report:?}"
    );
    let opened = capture::open(&file).unwrap();
    assert_eq!(
        told(&opened.snapshot.outside.kept),
        [line("a", "blue", None), line("a", "green", Some(a))]
    );
    assert_eq!(opened.snapshot.gaps, []);
    // The same report from the capture, which needs no store.
    let replayed = place.run(&["diagnose", "--from", file.to_str().unwrap()]);
    assert_eq!(
        String::from_utf8(report.stdout).unwrap(),
        String::from_utf8(replayed.stdout).unwrap()
    );
    // Without the flag there is no history, and nothing is made where it would be.
    place.run(&["diagnose", "--capture", file.to_str().unwrap(), "--force"]);
    assert_eq!(capture::open(&file).unwrap().snapshot.outside.kept, []);
    assert!(!place.path("state").exists());
}

#[test]
fn what_cannot_be_done_is_said_at_once() {
    let place = Place::new();
    place.server.put("a", "blue");
    let file = place.path("config");
    for (args, said) in [
        (
            vec!["record", "secret/db"],
            "error: Secrets are never recorded.",
        ),
        (
            vec!["record", "--keep", "10"],
            "expected a size (16MiB to 100GiB) or a time",
        ),
        (vec!["record", "--audit", "x"], "cannot be used with it"),
        (
            vec!["record", "--store", file.to_str().unwrap()],
            "could not be begun: ",
        ),
        (
            vec!["open", "x", "--store", "y"],
            "so --store cannot be used with it",
        ),
    ] {
        let output = place.run(&args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{args:?}: {text}");
        assert!(text.contains(said), "{args:?}: {text}");
        assert!(output.stdout.is_empty());
    }
    place.server.forbid();
    let output = place.run(&["record"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("error: The configmaps cannot be read: no permission"),
        "{text}"
    );
    assert!(
        text.contains("hint: Recording needs the rights to list and to watch configmaps here."),
        "{text}"
    );
}

#[test]
fn whoever_closes_its_output_ends_it() {
    let place = Place::new();
    place.server.put("a", "blue");
    let mut command = place.command(env!("CARGO_BIN_EXE_confsplit"));
    let mut child = command.arg("record").spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.ends_with("Kept 1 version of 1 ConfigMap.\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_keeps_what_it_sees_only_where_that_was_asked_for() {
    use crate::live::fake::{Fake, scope};
    for keeps in [false, true] {
        let store = tempfile::tempdir().unwrap();
        let fake = Fake::default();
        let map = crate::live::objects::config_map("flags", 7, &[("mode", "blue")], 25, None);
        fake.holds("configmaps", &[map]);
        let live = fake
            .live()
            .with_outside(Loaded::default(), Some(store.path().to_owned()))
            .keeping(keeps.then(Bounds::default));
        let (sender, mut changes) = tokio::sync::mpsc::channel(64);
        let watching = tokio::spawn(async move { live.watch(&scope(), sender).await });
        let cluster = Cluster {
            server: crate::live::fake::SERVER.to_owned(),
            uid: None,
        };
        let kept = || history::read(store.path(), &cluster, None).0;
        let passed = |change: &Change| matches!(change, Change::Listed { kind, .. } if kind.resource() == "configmaps");
        while !passed(&changes.recv().await.unwrap()) {}
        let end = Instant::now()
            + if keeps {
                DEADLINE
            } else {
                Duration::from_millis(300)
            };
        while keeps && kept().is_empty() {
            assert!(Instant::now() < end, "nothing was kept");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        if keeps {
            assert_eq!(told(&kept()), [line("flags", "blue", None)]);
        } else {
            tokio::time::sleep_until(end.into()).await;
            assert!(!history::exists(store.path(), &cluster.server));
        }
        watching.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_workload_or_a_service_the_configs_that_it_names_are_kept() {
    use crate::live::fake::{Fake, list_path, scope};
    use crate::live::objects;
    let mut set = objects::replica_set();
    set["spec"]["template"] = serde_json::json!({"spec": {
        "containers": [{"name": "nginx", "envFrom": [{"secretRef": {"name": "db"}}]}],
        "volumes": [{"name": "conf", "configMap": {"name": "frontend-nginx"}}]
    }});
    let fake = Fake::default();
    let map = |name: &str| objects::config_map(name, 7, &[("mode", "blue")], 25, None);
    fake.holds("configmaps", &[map("frontend-nginx"), map("other")])
        .holds("replicasets", &[set])
        .holds("pods", &[objects::pod("kt2jr", 25)])
        .holds("services", &[objects::service("frontend", "10.96.1.1", 80)]);
    let workload = |kind: &str, name: &str| Target::Workload {
        kind: kind.to_owned(),
        name: name.to_owned(),
    };
    for target in [
        workload("Deployment", "frontend"),
        workload("ReplicaSet", "frontend-76d98597b9"),
        workload("Pod", "frontend-76d98597b9-kt2jr"),
        Target::Service {
            name: "frontend".to_owned(),
        },
    ] {
        let store = tempfile::tempdir().unwrap();
        let recording = Recording {
            scope: scope(),
            target: Some(target.clone()),
            store: store.path().to_owned(),
            bounds: Bounds::default(),
        };
        let live = fake.live();
        let (told, mut tells) = tokio::sync::mpsc::channel(64);
        let recorded = tokio::spawn(async move { live.record(recording, told).await });
        let kept = tokio::time::timeout(DEADLINE, async {
            loop {
                if let Told::Kept { kept, .. } = tells.recv().await.unwrap() {
                    return kept;
                }
            }
        });
        let kept = kept
            .await
            .unwrap_or_else(|_| panic!("nothing of {target:?}"));
        assert_eq!(kept.config.reference.name, "frontend-nginx", "{target:?}");
        recorded.abort();
        let cluster = Cluster {
            server: crate::live::fake::SERVER.to_owned(),
            uid: None,
        };
        let (all, _) = history::read(store.path(), &cluster, None);
        assert_eq!(told_names(&all), ["frontend-nginx"]);
    }
    // Only what is needed to know is asked for.
    let lists = fake.urls();
    for unasked in ["secrets", "events", "endpointslices", "deployments"] {
        let path = list_path(unasked);
        assert!(lists.iter().all(|url| !url.starts_with(&path)), "{unasked}");
    }
}

fn told_names(kept: &[Kept]) -> Vec<&str> {
    kept.iter()
        .map(|kept| kept.config.reference.name.as_str())
        .collect()
}
