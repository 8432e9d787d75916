//! What lines become, and which are left alone.

use super::readable;

fn text(line: &str) -> Option<String> {
    readable(line).map(|readable| readable.text)
}

#[test]
fn the_message_comes_first_and_the_time_goes() {
    for (line, shown) in [
        (
            r#"{"time":"2026-10-02T20:35:48.1Z","level":"error","msg":"no answer","upstream":"api:8000","try":3}"#,
            "error no answer upstream=api:8000 try=3",
        ),
        (
            r#"{"level":30,"time":1790000000000,"pid":1,"msg":"up"}"#,
            "info up pid=1",
        ),
        (
            r#"{"event":"up","http":{"request":{"path":"/a b"},"codes":[1, 2]},"empty":{}}"#,
            r#"up http.request.path="/a b" http.codes=[1, 2] empty={}"#,
        ),
        (
            r#"time=2026-10-02T20:35:48Z level=warn msg="two words" key=value q="a \"b\"""#,
            r#"warn two words key=value q="a \"b\"""#,
        ),
        // A duration is no moment.
        (r#"{"msg":"done","time":35}"#, "done time=35"),
        (r#"msg=done time=35ms"#, "done time=35ms"),
        // Numbers keep every digit, names that come twice come twice.
        (
            r#"{"message":"n","a":1.0,"b":12345678901234567890123,"a":2}"#,
            "n a=1.0 b=12345678901234567890123 a=2",
        ),
        // What is no level stays where it was.
        (r#"{"msg":"x","level":{"a":1}}"#, "x level.a=1"),
        (r#"{"msg":"x","level":7}"#, "x level=7"),
    ] {
        assert_eq!(text(line).as_deref(), Some(shown), "{line}");
    }
}

#[test]
fn lines_without_a_message_stay_as_they_are() {
    for line in [
        r#"{"foo":["bar"]}"#,
        "[YELLOW]",
        "[::]:80",
        "<<<",
        "{",
        "{}",
        "",
        r#"{"msg":"cut off"#,
        r#"{"msg":"two"} {"msg":"objects"}"#,
        r#"{"msg":5}"#,
        "a=b",
        "msg=hello there",
        r#"msg="never ends"#,
        r#"msg="a"b=c"#,
        "GET /a?msg=x HTTP/1.1",
        "=msg",
    ] {
        assert_eq!(text(line), None, "{line}");
    }
}

#[test]
fn levels_of_failure_are_known() {
    let level = |line: &str| readable(line).map(|readable| readable.level);
    assert_eq!(level(r#"{"level":"ERROR","msg":"x"}"#), Some((5, true)));
    assert_eq!(level("lvl=info msg=x"), Some((4, false)));
    assert_eq!(level("msg=x"), Some((0, false)));
}

#[test]
fn deep_nesting_ends() {
    let line = format!(
        r#"{{"msg":"x","a":{}1{}}}"#,
        r#"{"a":"#.repeat(100),
        "}".repeat(100)
    );
    let shown = text(&line).expect("readable");
    assert!(shown.starts_with(r#"x a.a.a.a={"a":"#), "{shown}");
}
