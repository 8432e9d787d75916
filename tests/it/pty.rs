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

/// The program in a terminal.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
    /// How the terminal treated input before the program came: echo, line by line, signals by key.
    before: String,
    _folder: Option<TempDir>,
}

impl Terminal {
    /// Opens the capture in a terminal of this size. The terminal answers no question that a program asks it.
    fn open(columns: u16, rows: u16) -> Self {
        let (folder, file) = captured();
        let args = ["open", file.to_str().unwrap()];
        let mut terminal = Self::run(columns, rows, &args, Path::new("/nonexistent/kubeconfig"));
        terminal._folder = Some(folder);
        terminal
    }

    /// Runs the program with these arguments.
    fn run(columns: u16, rows: u16, args: &[&str], kubeconfig: &Path) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let before = modes(&*pair.master);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_confsplit"));
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.env("KUBECONFIG", kubeconfig);
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
            _folder: None,
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
        assert_eq!(self.shown().trim(), "", "something was left behind");
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
    terminal.wait_for("R reads again, q quits.");
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
