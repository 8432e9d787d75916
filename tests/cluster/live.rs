//! The dashboard in a terminal while the cluster moves: what happens is on screen without a key pressed.

use std::io::Read;
use std::num::NonZero;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::json;

use crate::manifests::{deployment, env_from, pod, shell};
use crate::place::{Place, some_seconds_pass};
use crate::program::kubeconfig;

const NAMESPACE: &str = "confsplit-live";
/// Containers take their time on a busy machine; the screen does not.
const PATIENCE: Duration = Duration::from_secs(90);

/// The dashboard, and what a person sees of it.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
    /// The terminal is there as long as this is.
    _master: Box<dyn MasterPty + Send>,
}

impl Screen {
    fn open() -> Self {
        let (rows, cols) = (40, 120);
        let size = PtySize {
            rows,
            cols,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_confsplit"));
        command.args(["-n", NAMESPACE]);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("KUBECONFIG", kubeconfig());
        command.env("CONFSPLIT_CONFIG", "/dev/null");
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
            _master: pair.master,
        }
    }

    fn shown(&self) -> String {
        let parser = self.parser.lock().expect("no panic while it is drawn");
        parser.screen().contents()
    }

    fn wait_for(&self, what: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.shown().contains(what) {
            assert!(
                Instant::now() < deadline,
                "{what:?} never came; the screen is:\n{}",
                self.shown()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
    }
}

#[test]
fn an_edit_a_kill_and_a_new_pod_appear_without_a_key() {
    let place = Place::new(NAMESPACE);
    place.kubectl(&["create", "configmap", "flags", "--from-literal=MODE=blue"]);
    let screen = Screen::open();
    screen.wait_for("● live");
    let container = shell("echo mode=$MODE; exec sleep 3600", env_from("flags"));
    place.apply(&[deployment("app", 2, pod(json!([container])))]);
    place.kubectl(&["rollout", "status", "deployment/app", "--timeout=80s"]);
    screen.wait_for("No config split in namespace confsplit-live: of 2 replicas");
    some_seconds_pass();
    place.patch("flags", &json!({"MODE": "green"}));
    screen.wait_for("stale-everywhere");
    screen.wait_for("blue → green");
    some_seconds_pass();
    let first = place.oldest("app");
    place.kubectl(&["delete", "pod", &first, "--wait=false"]);
    screen.wait_for("split-replicas");
    screen.wait_for("1 of 2 app replicas runs the edited config");
    screen.wait_for("killed");
}
