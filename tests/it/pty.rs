//! The dashboard in a terminal of its own: a pseudo-terminal, whose screen and state are looked at from outside.

pub mod terminal;

use std::process::{Command, Stdio};

use self::terminal::{Terminal, captured, modes};
use crate::connect::network::ApiServer;
use crate::connect::{Kube, config, plugin};

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
    for name in ["TERM", "INT", "HUP", "QUIT"] {
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
