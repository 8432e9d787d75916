//! Start-up lines, images and reloads.

use super::{Program, is_reload, of_line, reads_once};

#[test]
fn image_and_start_up_line_and_path_must_agree() {
    let logged = of_line("2026/11/30 06:15:14 [notice] 1#1: nginx/1.22.1");
    assert_eq!(logged, Some(Program::Nginx));
    let path = "/etc/nginx/conf.d";
    assert_eq!(
        reads_once("docker.io/library/nginx:1.27-alpine", logged, path),
        Some(Program::Nginx)
    );
    assert_eq!(
        reads_once(
            "registry.example:5000/ingress-nginx/controller:v1",
            logged,
            path
        ),
        None
    );
    assert_eq!(reads_once("nginx", None, path), None);
    assert_eq!(
        reads_once("nginx@sha256:abc", logged, "/usr/share/nginx/html"),
        None
    );
}

#[test]
fn reloads_are_seen() {
    assert!(is_reload(
        "2026/11/30 06:15:14 [notice] 1#1: signal 1 (SIGHUP) received from 30, reconfiguring"
    ));
    assert!(!is_reload(
        "2026/11/30 06:15:14 [notice] 1#1: start worker processes"
    ));
}

#[test]
fn other_programs_tell_themselves() {
    assert_eq!(
        of_line(
            "[Mon Nov 30 06:15:14 2026] [mpm_event:notice] AH00489: Apache/2.4.62 (Unix) configured -- resuming normal operations"
        ),
        Some(Program::Httpd)
    );
    assert_eq!(
        of_line("[NOTICE]   (1) : New worker (8) forked"),
        Some(Program::HaProxy)
    );
    assert_eq!(
        of_line(
            "2026-11-30 06:15:14.123 UTC [1] LOG:  starting PostgreSQL 16.1 (Debian 16.1-1.pgdg120+1) on x86_64-pc-linux-gnu"
        ),
        Some(Program::Postgres)
    );
    assert!(is_reload(
        "2026-11-30 06:16:14.123 UTC [1] LOG:  received SIGHUP, reloading configuration files"
    ));
    assert_eq!(
        of_line("1:C 30 Nov 2026 06:15:14.123 * oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo"),
        Some(Program::Redis)
    );
    assert_eq!(Program::of_process("redis-server"), Some(Program::Redis));
}

#[test]
fn every_program_is_in_the_table_once() {
    for known in &super::TABLE {
        assert_eq!(known.program.as_str(), known.name);
        let same = super::TABLE.iter().filter(|k| k.program == known.program);
        assert_eq!(same.count(), 1, "{}", known.name);
    }
}
