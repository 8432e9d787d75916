//! nginx's words for what is wrong, and what it does with what is right.

use chrono::DateTime;

use super::*;

fn start(text: &str) -> Result<Nginx, String> {
    let read = |path: &str| (path == "/etc/nginx/conf.d/default.conf").then(|| text.to_owned());
    let list = |path: &str| (path == "/etc/nginx/conf.d").then(|| vec!["default.conf".to_owned()]);
    let resolve = |host: &str| (host == "api").then(|| "10.96.0.8".to_owned());
    let launched = launch(&Setting {
        image: "nginx",
        words: &[],
        env: &[],
        pod: "web-1",
        now: DateTime::from_timestamp(1_790_000_000, 0).unwrap(),
        seed: 0,
        read: &read,
        list: &list,
        resolve: &resolve,
    });
    match launched.program {
        Program::Nginx(nginx) => Ok(*nginx),
        _ => Err(launched.lines.last().cloned().unwrap_or_default()),
    }
}

fn wrong(text: &str) -> String {
    let line = start(text).unwrap_err();
    let line = line.strip_prefix("nginx: [emerg] ").unwrap();
    line.replace("/etc/nginx/conf.d/default.conf", "F")
}

fn get(nginx: &mut Nginx, path: &str) -> Action {
    nginx.answer(
        80,
        &Request {
            client: "10.244.1.2".to_owned(),
            path: path.to_owned(),
            host: "web".to_owned(),
            agent: "curl",
            version: "1.1",
        },
    )
}

#[test]
fn what_is_wrong_is_said_as_nginx_says_it() {
    let cases = [
        (
            "server {\n  locatoin / {}\n}",
            "unknown directive \"locatoin\" in F:2",
        ),
        ("server { listen 80 }", "unexpected \"}\" in F:1"),
        (
            "server {\n listen 80;\n",
            "unexpected end of file, expecting \"}\" in F:2",
        ),
        (
            "server { listen 80;\n location / { return 200 } }",
            "unexpected \"}\" in F:2",
        ),
        ("}", "unexpected \"}\" in F:1"),
        (
            "listen 80;",
            "\"listen\" directive is not allowed here in F:1",
        ),
        (
            "server { listen; }",
            "invalid number of arguments in \"listen\" directive in F:1",
        ),
        (
            "server { listen abc; }",
            "invalid port in \"abc\" of the \"listen\" directive in F:1",
        ),
        (
            "upstream a {\n server none:80;\n}",
            "host not found in upstream \"none:80\" in F:2",
        ),
        (
            "upstream a { server api:80x; }",
            "invalid port in upstream \"api:80x\" in F:1",
        ),
        (
            "server { location / { proxy_pass http://none/; } }",
            "host not found in upstream \"none\" in F:1",
        ),
        (
            "server { location / { proxy_connect_timeout 2x; } }",
            "\"proxy_connect_timeout\" directive invalid value in F:1",
        ),
        (
            "server { location / { return ok; } }",
            "invalid return code \"ok\" in F:1",
        ),
    ];
    for (text, words) in cases {
        assert_eq!(wrong(text), words, "{text}");
    }
}

#[test]
fn the_longest_prefix_counts() {
    let text = "server { listen 80; location / { return 200 \"all\\n\"; } location = /one { return 204; } location /api/ { proxy_pass http://api:81/v1/; } location /raw/ { proxy_pass http://api; } }";
    let mut nginx = start(text).unwrap();
    assert!(
        matches!(get(&mut nginx, "/x"), Action::Answer { status: 200, body } if body == "all\n")
    );
    assert!(matches!(
        get(&mut nginx, "/one"),
        Action::Answer { status: 204, .. }
    ));
    let Action::Pass(pass) = get(&mut nginx, "/api/items?a=1") else {
        panic!("it is passed on");
    };
    assert_eq!(pass.peers, [("10.96.0.8".to_owned(), 81)]);
    assert_eq!(pass.path, "/v1/items?a=1");
    assert_eq!(pass.timeout, CONNECT);
    let Action::Pass(pass) = get(&mut nginx, "/raw/a") else {
        panic!("it is passed on");
    };
    assert_eq!((pass.peers[0].1, pass.path.as_str()), (80, "/raw/a"));
}

#[test]
fn error_pages_are_as_long_as_they_are() {
    assert_eq!(error_page(502).len(), 157);
    assert_eq!(error_page(504).len(), 167);
}
