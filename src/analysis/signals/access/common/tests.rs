//! What is behind the size is told by its quotes, and a line never reads the next one.

use super::{Last, of_line, probed, quoted};

fn common(text: &[u8]) -> Option<super::Common<'_>> {
    super::common(text, &mut Last::default())
}

const FRONT: &str = r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1" 502 157"#;

#[test]
fn a_tail_of_quoted_texts_is_told_as_a_search_would() {
    for (tail, expected) in [
        ("", Some(false)),
        (r#" "-""#, Some(false)),
        (r#" "-" "curl/8.5.0" "-""#, Some(false)),
        (r#" "-" """#, Some(false)),
        (r#" "-" "kube-probe/1.37""#, Some(true)),
        (r#" "-" "kube-probe/1.37" "-""#, Some(true)),
        (r#" "-" "a kube-probe/1.37""#, Some(false)),
        (r#" "-" "kube-probe""#, Some(false)),
        (
            r#" "https://shop.example.com/items?sort=price" "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101""#,
            Some(false),
        ),
        // A client's, since it is within quotes.
        (r#" "-" "upstream_addr=10.0.0.1:80""#, Some(false)),
        (r#" "-" "x" upstream_addr="10.0.0.1:80""#, None),
        (r#" "-" upstream_addr=10.0.0.1:80 "x""#, None),
        (r#" "-" "a \"b\" c""#, None),
        (r#" "-" "a \"kube-probe/1.37""#, None),
        (r#" "-" "x" 0.003"#, None),
        (r#" "-"  "x""#, None),
        (r#" "-" "x" "#, None),
        (r#" "-""x""#, None),
        (r#" "-" "x"#, None),
        (r#" "-" ""#, None),
    ] {
        for end in ["", "\n", "\r\n", "\r", "\nnext \"line\"\n"] {
            let text = format!("{tail}{end}");
            let found = quoted(text.as_bytes());
            assert_eq!(found.map(|(probe, _)| probe), expected, "{text:?}");
            assert!(found.is_none_or(|(_, left)| left == end.as_bytes()));
        }
        if let Some(probe) = expected {
            assert_eq!(probed(tail.as_bytes()), Some(probe), "{tail}");
        }
        let whole = format!("{FRONT}{tail}");
        let (reply, rest) = of_line(whole.as_bytes()).expect("a request");
        assert_eq!((reply.status, rest), (502, tail.as_bytes()));
    }
}

#[test]
fn a_line_that_is_cut_takes_nothing_of_the_next() {
    let line = format!(r#"{FRONT} "-" "curl/8.5.0" "-""#);
    for cut in 0..line.len() {
        let (line, behind) = line.split_at(cut);
        for next in [
            behind,
            line,
            r#"" 200 1 "-""#,
            r#"[30/Nov/2026:02:49:22 +0000] "GET / HTTP/1.1" 200 1"#,
        ] {
            let text = format!("{line}\n{next}");
            let alone = common(line.as_bytes()).map(|found| (found.reply.status, found.inside));
            let among = common(text.as_bytes()).map(|found| (found.reply.status, found.inside));
            assert_eq!(among, alone, "{text}");
        }
    }
}

#[test]
fn whoever_asked_and_however_it_is_a_request() {
    for front in [
        r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1""#,
        r#"2001:db8:85a3:8d3:1319:8a2e:370:7348 - alice [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1""#,
        r#"shop.example.com 10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "OPTIONS /x HTTP/2.0""#,
        r#"a "b [c" [30/Nov/2026:02:49:22.123 +0000] "PROPFIND /x HTTP/1.0""#,
        r#"1 2 [30/Nov/2026:02:49:22 +0000] "ABCDEFGHIJ /x""#,
    ] {
        let line = format!("{front} 200 -");
        let found = common(line.as_bytes()).expect(&line);
        assert_eq!((found.reply.status, found.reply.target), (200, &b"/x"[..]));
        assert!(found.behind.is_empty());
    }
    for front in [
        r#"alone [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1""#,
        r#"1 2 [30/Nov/2026:02:49:22 +0000] "GE /x""#,
        r#"1 2 [30/Nov/2026:02:49:22 +0000] "ABCDEFGHIJK /x""#,
        r#"1 2 [30/Nov/2026:02:49:22 +0000] "Get /x""#,
        r#"1 2 [30/Nov/2026:02:]9:22 +0000] "GET /x""#,
    ] {
        let line = format!("{front} 200 -");
        assert!(common(line.as_bytes()).is_none(), "{line}");
    }
}
