//! Lines of access logs as servers write them.

use super::answer;

fn read(line: &str) -> Option<(String, u16)> {
    answer(line, None).map(|a| (a.route, a.status))
}

#[test]
fn nginx_combined_and_main() {
    assert_eq!(
        read(
            r#"127.0.0.1 - - [30/Nov/2026:02:49:22 +0000] "GET /one HTTP/1.1" 502 157 "-" "curl/7.88.1""#
        ),
        Some(("GET /one".to_owned(), 502))
    );
    assert_eq!(
        read(
            r#"10.244.1.43 - - [02/Oct/2026:20:35:48 +0000] "GET /api/items?page=2 HTTP/1.1" 504 167 "-" "Wget" "-""#
        ),
        Some(("GET /api/items".to_owned(), 504))
    );
}

#[test]
fn ids_are_masked_so_that_counts_come_together() {
    assert_eq!(
        read(
            r#"1.2.3.4 - - [30/Nov/2026:02:49:22 +0000] "PUT /users/42/7c9e6679-7425-40de-944b-e07fc1f90ae7 HTTP/2.0" 200 -"#
        ),
        Some(("PUT /users/*/*".to_owned(), 200))
    );
}

#[test]
fn the_kubelets_probes_are_no_route() {
    let probe = r#"10.244.1.1 - - [30/Nov/2026:06:15:14 +0000] "GET /healthz HTTP/1.1" 200 3 "-" "kube-probe/1.37" "-""#;
    assert_eq!(read(probe), Some((String::new(), 200)));
}

#[test]
fn other_lines_are_none() {
    assert_eq!(
        read(r#"2026/11/30 06:15:14 [notice] 1#1: nginx/1.22.1"#),
        None
    );
    assert_eq!(read(r#"level=info request="[x] \"GET / 200""#), None);
}
