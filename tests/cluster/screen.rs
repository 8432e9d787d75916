//! The dashboard in a terminal, and what a person sees of it and presses.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::program::kubeconfig;

/// Containers take their time on a busy machine; the screen does not.
const PATIENCE: Duration = Duration::from_secs(90);

/// The dashboard.
pub(crate) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
    keys: Box<dyn Write + Send>,
    /// The terminal is there as long as this is.
    _master: Box<dyn MasterPty + Send>,
}

impl Screen {
    /// With these arguments, and this folder for what it keeps.
    pub(crate) fn open(arguments: &[&str], state: &Path) -> Self {
        let (rows, cols) = (40, 120);
        let size = PtySize {
            rows,
            cols,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_confsplit"));
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("KUBECONFIG", kubeconfig());
        command.env("CONFSPLIT_CONFIG", "/dev/null");
        command.env("XDG_STATE_HOME", state);
        let child = pair.slave.spawn_command(command).expect("the program runs");
        let parser = Arc::new(Mutex::new(vt100::Parser::new(
            NonZero::new(rows).expect("rows"),
            NonZero::new(cols).expect("columns"),
            0,
        )));
        let mut output = pair.master.try_clone_reader().expect("its output");
        let screen = parser.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                let mut parser = screen.lock().expect("no panic while it is drawn");
                parser.process(&bytes[..read]);
            }
        });
        Self {
            child,
            parser,
            keys: pair.master.take_writer().expect("its keys"),
            _master: pair.master,
        }
    }

    /// Presses one key after the other.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys
            .write_all(keys.as_bytes())
            .and_then(|()| self.keys.flush())
            .expect("the terminal takes keys");
    }

    pub(crate) fn shown(&self) -> String {
        let parser = self.parser.lock().expect("no panic while it is drawn");
        parser.screen().contents()
    }

    pub(crate) fn wait_for(&self, what: &str) {
        self.wait_so_long(PATIENCE, what);
    }

    pub(crate) fn wait_so_long(&self, patience: Duration, what: &str) {
        let deadline = Instant::now() + patience;
        while !self.shown().contains(what) {
            assert!(
                Instant::now() < deadline,
                "{what:?} never came; the screen is:\n{}",
                self.shown()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// As `kill -9` ends it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        drop(self.child.wait());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
    }
}
