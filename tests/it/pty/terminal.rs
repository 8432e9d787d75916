//! The program in a pseudo-terminal, whose screen and modes are looked at from outside.

use std::fmt::Debug;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use confsplit::capture;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

use crate::build::partial_restart;

/// So long is waited for anything: much longer than it ever takes.
pub const PATIENCE: Duration = Duration::from_secs(8);
pub const POLL: Duration = Duration::from_millis(5);

/// A capture of an incident, in a folder that goes with it.
pub fn captured() -> (TempDir, PathBuf) {
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
pub struct Terminal {
    pub master: Box<dyn MasterPty + Send>,
    pub keys: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    pub parser: Arc<Mutex<vt100::Parser>>,
    /// How the terminal treated input before the program came: echo, line by line, signals by key.
    pub before: String,
    pub folder: TempDir,
}

impl Terminal {
    /// Opens the capture in a terminal of this size. The terminal answers no question that a program asks it.
    pub fn open(columns: u16, rows: u16) -> Self {
        Self::open_with(columns, rows, "")
    }

    /// The same, with these settings.
    pub fn open_with(columns: u16, rows: u16, settings: &str) -> Self {
        let (folder, file) = captured();
        let file = file.to_string_lossy().into_owned();
        Self::start(folder, (columns, rows), settings, &["open", &file])
    }

    /// Starts it in a folder, on a cluster that does not answer.
    pub fn start(folder: TempDir, size: (u16, u16), settings: &str, args: &[&str]) -> Self {
        let kubeconfig = folder.path().join("kubeconfig");
        std::fs::write(&kubeconfig, NOBODY).unwrap();
        Self::within(folder, size, settings, args, &kubeconfig)
    }

    /// Runs the program with these arguments, on a cluster of its own.
    pub fn run(columns: u16, rows: u16, args: &[&str], kubeconfig: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::within(folder, (columns, rows), "", args, kubeconfig)
    }

    pub fn within(
        folder: TempDir,
        size: (u16, u16),
        settings: &str,
        args: &[&str],
        kubeconfig: &Path,
    ) -> Self {
        let command = CommandBuilder::new(env!("CARGO_BIN_EXE_confsplit"));
        Self::with_command(command, folder, size, settings, args, kubeconfig)
    }

    /// Opens the capture with a limit that the shell sets first, such as `ulimit -n 16`.
    pub fn limited(limit: &str, settings: &str) -> Self {
        let (folder, file) = captured();
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_confsplit"));
        let (args, nowhere) = (
            ["open", &file.to_string_lossy()],
            folder.path().join("none"),
        );
        Self::with_command(command, folder, (100, 30), settings, &args, &nowhere)
    }

    fn with_command(
        mut command: CommandBuilder,
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
    pub fn wait(&self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
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

    pub fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    pub fn shown(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let mut parser = self.parser.lock().unwrap();
        parser.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(columns, rows)).unwrap();
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success(), "{name} was not sent");
    }

    /// Ends it without a key: crossterm may keep one that comes together with a resize until the next key.
    pub fn end(&mut self) {
        self.signal("TERM");
        self.ended();
        self.assert_given_back();
    }

    /// The exit code, once it has ended.
    pub fn ended(&mut self) -> u32 {
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
    pub fn assert_given_back(&self) {
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
pub fn modes(master: &dyn MasterPty) -> String {
    fn text(modes: &impl Debug) -> String {
        format!("{modes:?}")
    }
    text(&master.get_termios().expect("a terminal has modes"))
}
