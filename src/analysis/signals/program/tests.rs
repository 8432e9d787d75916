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
}
