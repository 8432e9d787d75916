//! `confsplit demo` where there is no dashboard: signals, flags, and no terminal.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::served::Served;
use crate::pty::terminal::{PATIENCE, POLL};

impl Served {
    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success(), "{name} was not sent");
    }

    /// Whether the system says that it is stopped.
    fn is_stopped(&self) -> bool {
        let id = self.child.id().to_string();
        let told = Command::new("ps")
            .args(["-o", "state=", "-p", &id])
            .output();
        told.unwrap().stdout.starts_with(b"T")
    }

    fn answers(&self) -> bool {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = "GET /version HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.starts_with("HTTP/1.1 200")
    }

    fn ended(&mut self) -> Option<i32> {
        let mut status = None;
        wait("its end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap().code()
    }
}

fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::sleep(POLL);
    }
}

#[test]
fn every_signal_that_ends_a_served_demo_takes_its_kubeconfig_along() {
    for name in ["TERM", "INT", "HUP", "QUIT"] {
        let mut served = Served::start();
        assert!(served.kubeconfig.exists(), "{name}");
        served.signal(name);
        assert_eq!(served.ended(), Some(0), "{name}");
        assert!(!served.kubeconfig.exists(), "{name}");
    }
}

#[test]
fn a_served_demo_stops_at_ctrl_z_and_serves_again_when_it_is_continued() {
    let mut served = Served::start();
    assert!(served.answers());
    for _ in 0..2 {
        served.signal("TSTP");
        wait("a stop", || served.is_stopped());
        served.signal("CONT");
        assert!(served.answers());
    }
    served.signal("TERM");
    assert_eq!(served.ended(), Some(0));
}

fn refused(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{args:?}");
    assert_eq!(output.stdout, b"", "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn flags_of_a_dashboard_are_refused_where_none_is_opened() {
    for (given, named) in [
        (&["--ascii"][..], "--ascii"),
        (&["--theme", "dark"], "--theme"),
        (&["--route", "GET /x"], "--route"),
        (&["--client", "deploy/a"], "--client"),
        (&["--probe"], "--probe"),
        (&["--no-probe"], "--no-probe"),
        (&["--version-at", ":8080/info#v"], "--version-at"),
        (&["-n", "shop"], "--namespace"),
        (&["-A"], "--all-namespaces"),
        (&["--request-timeout", "1s"], "--request-timeout"),
        (&["crash-new", "deploy/web"], "TYPE/NAME"),
    ] {
        let said = refused(&[&["demo", "--serve", "127.0.0.1:0"], given].concat());
        let expected =
            format!("demo --serve opens no dashboard, so {named} cannot be used with it");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn a_demo_without_a_terminal_names_what_needs_none() {
    let said = refused(&["demo"]);
    assert!(said.contains("needs a terminal"), "{said}");
    assert!(
        said.contains("`confsplit demo --serve 127.0.0.1:0`"),
        "{said}"
    );
    assert!(
        !said.contains("diagnose"),
        "a report of another cluster: {said}"
    );
}
