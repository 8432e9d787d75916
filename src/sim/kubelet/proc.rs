//! The part of `/proc` that is looked at in a container: processes with their starts, the boot, connections.

use std::fmt::Write;

use chrono::{DateTime, Utc};

use super::{Container, PodRun, State};

/// What stands in `/proc` besides processes, shortened.
const REST: &str = "cmdline\ncpuinfo\nfilesystems\nloadavg\nmeminfo\nmounts\nnet\nself\nstat\nsys\nuptime\nversion\n";
/// The exec'd process itself.
const READER: u32 = 48;

/// Number, parent and name of each process.
fn processes(container: &Container) -> Vec<(u32, u32, &'static str)> {
    container
        .program
        .as_ref()
        .map_or_else(Vec::new, super::Program::processes)
}

/// `ls /proc`.
pub(super) fn listing(container: &Container) -> String {
    let mut text = String::new();
    for (pid, _, _) in processes(container) {
        let _ = writeln!(text, "{pid}");
    }
    let _ = writeln!(text, "{READER}");
    text + REST
}

/// `/proc/PID/stat`.
pub(super) fn stat(
    container: &Container,
    pid: u32,
    booted: DateTime<Utc>,
    reader: &str,
) -> Option<String> {
    let State::Running(started) = container.state else {
        return None;
    };
    let all = processes(container);
    let found = all.into_iter().find(|(known, _, _)| *known == pid);
    let (pid, parent, name) = found.or((pid == READER).then_some((READER, 0, reader)))?;
    let ticks = (started - booted).num_milliseconds() / 10;
    Some(format!(
        "{pid} ({name}) S {parent} {pid} {pid} 0 -1 4194560 1023 0 0 0 0 2 0 0 20 0 1 0 {ticks} 10506240 1770 18446744073709551615 1 1 0 0 0 0 0 1073745920 402745863 1 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    ))
}

/// `/proc/stat`.
pub(super) fn boot(booted: DateTime<Utc>) -> String {
    format!(
        "cpu  4745961 244599 961663 4754789 29975 0 19364 3603 0 0\nintr 0\nctxt 274126666\nbtime {}\nprocesses 2436355\nprocs_running 2\nprocs_blocked 0\n",
        booted.timestamp()
    )
}

/// `ls -l /proc/PID/fd`: output pipes, sockets; none of these programs watches files.
pub(super) fn handles(container: &Container, pid: u32) -> Option<String> {
    let known = processes(container)
        .iter()
        .any(|(known, _, _)| *known == pid);
    let mut text = "total 0\n".to_owned();
    let mut handle = |number: usize, mode: &str, what: &str| {
        let _ = writeln!(
            text,
            "{mode}    1 root     root            64 Nov 30 20:00 {number} -> {what}"
        );
    };
    handle(0, "lrwx------", "/dev/null");
    handle(1, "l-wx------", "pipe:[8814398]");
    handle(2, "l-wx------", "pipe:[8814399]");
    let ports = container.program.as_ref().map_or(0, |p| p.ports().len());
    for at in 0..ports {
        handle(
            3 + at,
            "lrwx------",
            &format!("socket:[{}]", 8_811_435 + at),
        );
    }
    known.then_some(text)
}

/// `/proc/PID/environ`: nginx writes its title over its own.
pub(super) fn environ(container: &Container, own: bool) -> Vec<u8> {
    if !own && matches!(container.program, Some(super::Program::Nginx(_))) {
        let mut bytes = b"nginx: master process nginx -g daemon off;".to_vec();
        bytes.resize(bytes.len() + 200, 0);
        return bytes;
    }
    let mut bytes = Vec::new();
    for (name, value) in &container.env {
        bytes.extend_from_slice(format!("{name}={value}").as_bytes());
        bytes.push(0);
    }
    bytes
}

/// `/proc/net/tcp`: ports that are listened on, and connections that wait for an answer.
pub(super) fn sockets(run: &PodRun, waiting: &[(String, u16)]) -> String {
    let mut text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n".to_owned();
    let mut rows = 0;
    let mut row = |local: String, remote: String, state: &str| {
        let _ = writeln!(
            text,
            "{rows:4}: {local} {remote} {state} 00000000:00000000 00:00000000 00000000     0        0 {} 1 0000000000000000 100 0 0 10 0",
            8_811_435 + rows
        );
        rows += 1;
    };
    let ports = run
        .all()
        .filter_map(|c| c.program.as_ref())
        .flat_map(super::Program::ports);
    for port in ports {
        row(
            format!("00000000:{port:04X}"),
            "00000000:0000".to_owned(),
            "0A",
        );
    }
    let own = run.ip.as_deref().unwrap_or("127.0.0.1");
    for (at, (ip, port)) in (0_u16..).zip(waiting) {
        let local = format!("{}:{:04X}", word(own), 40_000 + at);
        row(local, format!("{}:{port:04X}", word(ip)), "02");
    }
    text
}

/// An IPv4 address as a little-endian machine prints it.
fn word(ip: &str) -> String {
    let address: std::net::Ipv4Addr = ip.parse().unwrap_or(std::net::Ipv4Addr::LOCALHOST);
    format!("{:08X}", u32::from_le_bytes(address.octets()))
}
