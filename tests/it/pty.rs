//! The dashboard in a terminal of its own: a pseudo-terminal, whose screen and state are looked at from outside.

use std::fmt::Debug;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use confsplit::capture;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

use crate::build::partial_restart;
use crate::connect::network::ApiServer;
use crate::connect::{Kube, config, plugin};

/// So long is waited for anything: much longer than it ever takes.
const PATIENCE: Duration = Duration::from_secs(8);
const POLL: Duration = Duration::from_millis(5);

/// A capture of an incident, in a folder that goes with it.
fn captured() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.capture");
    capture::save(&partial_restart(), &path, false).unwrap();
    (folder, path)
}

/// A cluster at a port where nothing listens.
const NOBODY: &str = r#"
apiVersion: v1
kind: Config
current-context: nobody
clusters: [{name: nobody, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: nobody, user: {}}]
contexts: [{name: nobody, context: {cluster: nobody, user: nobody, namespace: shop}}]
"#;

/// The program in a terminal.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
    /// How the terminal treated input before the program came: echo, line by line, signals by key.
    before: String,
    folder: TempDir,
}

impl Terminal {
    /// Opens the capture in a terminal of this size. The terminal answers no question that a program asks it.
    fn open(columns: u16, rows: u16) -> Self {
        Self::open_with(columns, rows, "")
    }

    /// The same, with these settings.
    fn open_with(columns: u16, rows: u16, settings: &str) -> Self {
        let (folder, file) = captured();
        let file = file.to_string_lossy().into_owned();
        Self::start(folder, (columns, rows), settings, &["open", &file])
    }

    /// Starts it in a folder, on a cluster that does not answer.
    fn start(folder: TempDir, size: (u16, u16), settings: &str, args: &[&str]) -> Self {
        let kubeconfig = folder.path().join("kubeconfig");
        std::fs::write(&kubeconfig, NOBODY).unwrap();
        Self::within(folder, size, settings, args, &kubeconfig)
    }

    /// Runs the program with these arguments, on a cluster of its own.
    fn run(columns: u16, rows: u16, args: &[&str], kubeconfig: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::within(folder, (columns, rows), "", args, kubeconfig)
    }

    fn within(
        folder: TempDir,
        (columns, rows): (u16, u16),
        settings: &str,
        args: &[&str],
        kubeconfig: &Path,
    ) -> Self {
        let own = folder.path().join("settings.toml");
        std::fs::write(&own, settings).unwrap();
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let before = modes(&*pair.master);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_confsplit"));
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("SHELL", "/bin/sh");
        command.env("KUBECONFIG", kubeconfig);
        command.env("CONFSPLIT_CONFIG", &own);
        command.cwd(folder.path());
        command.args(args);
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(
            cells(rows),
            cells(columns),
            0,
        )));
        let mut output = pair.master.try_clone_reader().unwrap();
        let screen = parser.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The reading ends with the terminal.
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                screen.lock().unwrap().process(&bytes[..read]);
            }
        });
        Self {
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            parser,
            before,
            folder,
        }
    }

    /// Waits until the screen is as it should be; else fails with what is on it.
    fn wait(&self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self.parser.lock().unwrap().screen()) {
            assert!(
                Instant::now() < deadline,
                "{what} never came; the screen is:\n{}",
                self.shown()
            );
            std::thread::sleep(POLL);
        }
    }

    fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    fn shown(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn resize(&self, columns: u16, rows: u16) {
        let mut parser = self.parser.lock().unwrap();
        parser.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(columns, rows)).unwrap();
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success(), "{name} was not sent");
    }

    /// Ends it without a key: crossterm may keep one that comes together with a resize until the next key.
    fn end(&mut self) {
        self.signal("TERM");
        self.ended();
        self.assert_given_back();
    }

    /// The exit code, once it has ended.
    fn ended(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(
                Instant::now() < deadline,
                "it did not end; the screen is:\n{}",
                self.shown()
            );
            std::thread::sleep(POLL);
        }
    }

    /// The terminal is as it was: the main screen, empty, with a cursor, and input as before.
    fn assert_given_back(&self) {
        self.wait("the main screen with its cursor", |screen| {
            !screen.alternate_screen() && !screen.hide_cursor()
        });
        {
            let parser = self.parser.lock().unwrap();
            let screen = parser.screen();
            assert!(!screen.bracketed_paste(), "bracketed paste is still on");
            let mouse = screen.mouse_protocol_mode();
            assert_eq!(
                mouse,
                vt100::MouseProtocolMode::None,
                "the mouse is still taken"
            );
        }
        assert_eq!(self.shown().trim(), "", "something was left behind");
        // They are given back after the screen is.
        let deadline = Instant::now() + PATIENCE;
        while modes(&*self.master) != self.before && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
        assert_eq!(modes(&*self.master), self.before, "the input's modes");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only a failed test leaves it running.
        if matches!(self.child.try_wait(), Ok(None)) {
            drop(self.child.kill());
        }
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// The terminal's input modes, to be compared.
fn modes(master: &dyn MasterPty) -> String {
    fn text(modes: &impl Debug) -> String {
        format!("{modes:?}")
    }
    text(&master.get_termios().expect("a terminal has modes"))
}

#[test]
fn it_opens_on_the_cause_and_q_gives_the_terminal_back() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("CAUSE   1 of 2 frontend replicas runs the edited config.");
    terminal.wait_for("IMPACT  GET /api/items since the edit at 20:35:33 UTC: g5zrg 35 of 35");
    terminal.wait_for("capture taken 2026-10-02 20:37:30");
    terminal.wait("the alternate screen without a cursor", |screen| {
        screen.alternate_screen() && screen.hide_cursor()
    });
    assert_ne!(modes(&*terminal.master), terminal.before, "raw input");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}

#[test]
fn signals_give_the_terminal_back() {
    for name in ["TERM", "INT", "HUP"] {
        let mut terminal = Terminal::open(80, 24);
        terminal.wait_for("CAUSE");
        terminal.signal(name);
        assert_eq!(terminal.ended(), 0, "{name}");
        terminal.assert_given_back();
    }
}

#[test]
fn it_stops_and_comes_back_as_a_shell_expects() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("CAUSE");
    // Ctrl-Z as the key: in raw mode the program itself must stop.
    terminal.press("\u{1a}");
    terminal.assert_given_back();
    terminal.signal("CONT");
    terminal.wait_for("CAUSE");
    terminal.wait_for("? keys");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}

#[test]
fn what_is_pasted_is_a_filter_and_no_command() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("[1 Timeline]");
    terminal.wait("bracketed paste", vt100::Screen::bracketed_paste);
    // Outside of a line it is nothing, or the `q` in it would quit.
    terminal.press("\u{1b}[200~q\nq\u{1b}[201~");
    terminal.press("2/");
    terminal.wait("a line that is typed", |screen| !screen.hide_cursor());
    terminal.press("\u{1b}[200~g5zrg\u{1b}[201~");
    terminal.wait_for("/g5zrg");
    terminal.wait_for("1 of 2 replicas");
    terminal.press("\r");
    terminal.wait_for("Esc clears");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}

#[test]
fn the_mouse_is_taken_only_when_asked_for_and_given_back() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("[1 Timeline]");
    let taken =
        |screen: &vt100::Screen| screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
    assert!(!taken(terminal.parser.lock().unwrap().screen()));
    terminal.press("m");
    terminal.wait("the mouse", taken);
    let row = terminal
        .shown()
        .lines()
        .position(|line| line.contains("2 Replicas"))
        .unwrap();
    let column = terminal
        .shown()
        .lines()
        .nth(row)
        .unwrap()
        .find("2 Replicas")
        .unwrap();
    terminal.press(&format!("\u{1b}[<0;{};{}M", column + 1, row + 1));
    terminal.wait_for("[2 Replicas]");
    terminal.press("\u{1a}");
    terminal.assert_given_back();
    terminal.signal("CONT");
    terminal.wait_for("[2 Replicas]");
    terminal.wait("the mouse again", taken);
    terminal.end();
}

#[test]
fn what_is_exported_is_what_diagnose_writes() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("[1 Timeline]");
    terminal.press("e3");
    terminal.wait_for("Written: confsplit-shop-frontend-nginx-20261002T2037Z.json");
    terminal.press("e4");
    terminal.wait_for("Written: confsplit-shop-frontend-nginx-20261002T2037Z.capture");
    let stem = terminal
        .folder
        .path()
        .join("confsplit-shop-frontend-nginx-20261002T2037Z");
    let report = |from: &std::path::Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_confsplit"));
        command.args(["diagnose", "-o", "json", "--from"]).arg(from);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let written = std::fs::read_to_string(stem.with_extension("json")).unwrap();
    assert!(!written.is_empty());
    for from in [
        terminal.folder.path().join("shop.capture"),
        stem.with_extension("capture"),
    ] {
        let report = report(&from);
        let differ = written.lines().zip(report.lines()).find(|(a, b)| a != b);
        assert_eq!(differ, None, "{}", from.display());
        assert!(written == report);
    }
    terminal.end();
}

#[test]
fn settings_decide_how_it_starts() {
    let mut terminal = Terminal::open_with(80, 24, "ascii = true\nmouse = true\n");
    terminal.wait_for("CAUSE");
    assert!(terminal.shown().is_ascii(), "{}", terminal.shown());
    terminal.wait("the mouse", |screen| {
        screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
    });
    terminal.end();
}

/// On a cluster that does not answer, with this login command.
fn locked_out(settings: &str) -> Terminal {
    let folder = tempfile::tempdir().unwrap();
    let terminal = Terminal::start(folder, (80, 24), settings, &[]);
    terminal.wait_for("Nothing could be read.");
    terminal
}

#[test]
fn the_login_command_has_the_terminal_and_then_it_reads_again() {
    let mut terminal = locked_out("login = \"read code; echo got $code > answer\"\n");
    terminal.press("!");
    terminal.wait("the main screen", |screen| !screen.alternate_screen());
    terminal.wait_for("confsplit runs `read code; echo got $code > answer` and comes back.");
    // Each key is the command's now, also those that mean something on the dashboard.
    terminal.press("qR!12\r");
    terminal.wait("the dashboard", vt100::Screen::alternate_screen);
    terminal.wait_for("Nothing could be read.");
    let answer = std::fs::read_to_string(terminal.folder.path().join("answer")).unwrap();
    assert_eq!(answer, "got qR!12\n");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn a_login_that_is_interrupted_ends_by_itself_alone() {
    // What is waited for is told by the very program that Ctrl-C ends: a shell that is about to start one may lose the key.
    let mut terminal = locked_out("login = \"echo waiting > said; tail -f said\"\n");
    terminal.press("!");
    terminal.wait_for("\nwaiting");
    terminal.press("\u{3}");
    terminal.wait_for("Enter goes back.");
    terminal.press("\r");
    terminal.wait("the dashboard", vt100::Screen::alternate_screen);
    terminal.wait_for("The login failed");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn without_a_login_command_it_opens_a_shell() {
    let mut terminal = locked_out("");
    terminal.press("!");
    terminal.wait_for("log in, then `exit` to come back");
    terminal.press("echo in > answer; exit 3\r");
    terminal.wait("the dashboard", vt100::Screen::alternate_screen);
    terminal.wait_for("Nothing could be read.");
    assert!(terminal.folder.path().join("answer").exists());
    // The shell's text is on the main screen, as it should be.
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn another_size_is_drawn_afresh() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("CAUSE");
    terminal.resize(120, 40);
    terminal.wait("the keys in the last row of 40", |screen| {
        screen
            .rows(0, 120)
            .nth(39)
            .is_some_and(|r| r.contains("? keys"))
    });
    terminal.wait("one cause", |screen| {
        screen.contents().matches("CAUSE").count() == 1
    });
    terminal.resize(80, 24);
    terminal.wait("the keys in the last row of 24", |screen| {
        screen
            .rows(0, 80)
            .nth(23)
            .is_some_and(|r| r.contains("? keys"))
    });
    terminal.end();
}

#[test]
fn a_terminal_that_is_too_small_is_told_so_until_it_grows() {
    let mut terminal = Terminal::open(40, 10);
    terminal.wait_for("confsplit needs 80×24, this is 40×10.");
    terminal.resize(80, 24);
    terminal.wait_for("CAUSE");
    assert!(!terminal.shown().contains("this is 40×10"));
    terminal.end();
}

#[test]
fn without_a_terminal_it_says_what_to_do_and_ends_with_3() {
    let (_folder, file) = captured();
    let output = Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .arg("open")
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"", "nothing is drawn");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: "), "{said}");
    assert!(said.contains("needs a terminal"), "{said}");
    assert!(said.contains("`confsplit diagnose`"), "{said}");
}

#[test]
fn a_login_plugin_that_asks_and_hangs_neither_smears_the_screen_nor_takes_a_key() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{}");
    let script = kube.script(
        "login",
        "echo 'MFA code on stderr:' >&2\n(echo 'MFA code on the terminal:' >/dev/tty) 2>/dev/null\n\
         (read key </dev/tty) 2>/dev/null\nread key\nexec sleep 600",
    );
    let server = format!("{{server: \"{}\"}}", api.url());
    let kubeconfig = kube.write("config", config(&server, &plugin(&script)));
    let args = ["--request-timeout", "1s"];
    let mut terminal = Terminal::run(100, 30, &args, &kubeconfig);
    terminal.wait_for("no answer in 1 s");
    terminal.wait_for("log in there first");
    terminal.wait_for("R reads again, ");
    assert!(
        !terminal.shown().contains("MFA code"),
        "{}",
        terminal.shown()
    );
    // Logged in at last, from another terminal.
    kube.write("config", config(&server, "{token: a}"));
    terminal.press("R");
    terminal.wait_for("No replica in namespace shop takes a ConfigMap or Secret.");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}

#[test]
fn q_does_not_wait_for_a_login_plugin() {
    let api = ApiServer::start();
    let kube = Kube::new(&api.url(), "{}");
    let script = kube.script("login", "exec sleep 600");
    let server = format!("{{server: \"{}\"}}", api.url());
    let kubeconfig = kube.write("config", config(&server, &plugin(&script)));
    let mut terminal = Terminal::run(80, 24, &["--request-timeout", "0"], &kubeconfig);
    terminal.wait_for("Reading the cluster");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}

#[test]
fn a_server_that_cannot_be_reached_is_told_and_asked_again_by_r() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let kube = Kube::new(&format!("http://127.0.0.1:{port}"), "{token: a}");
    let mut terminal = Terminal::run(100, 30, &[], &kube.path("config"));
    terminal.wait_for("Nothing could be read.");
    terminal.wait_for("refused");
    let _api = ApiServer::at(port);
    terminal.press("R");
    terminal.wait_for("No replica in namespace shop takes a ConfigMap or Secret.");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.assert_given_back();
}
