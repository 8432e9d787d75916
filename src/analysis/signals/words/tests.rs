//! What separates two groups of replicas, by lines as programs write them; and that nothing does that is none of the groups'.

use chrono::TimeDelta;

use super::*;
use crate::model::{ConfigKind, LogText};

/// The lines of one replica: one or several each second.
type Lines<'a> = &'a dyn Fn(usize) -> Vec<String>;

fn at(second: usize) -> DateTime<Utc> {
    let base: DateTime<Utc> = "2026-10-02T20:36:00Z".parse().unwrap();
    base + TimeDelta::seconds(second.try_into().unwrap())
}

fn log(name: &str, seconds: usize, lines: Lines<'_>) -> Log {
    let mut text = LogText::default();
    for second in 0..seconds {
        for line in lines(second) {
            text.push(&format!("{} {line}\n", at(second).to_rfc3339()));
        }
    }
    Log {
        pod: PodRef {
            namespace: "shop".to_owned(),
            name: name.to_owned(),
            uid: name.to_owned(),
        },
        container: "app".to_owned(),
        previous: false,
        text,
        complete: true,
        missing: None,
        read_at: at(seconds),
        from: None,
    }
}

fn names() -> Arc<Names> {
    let hosts = ["api"].map(str::to_owned).into();
    Arc::new(Names {
        own: ["web-a1", "web-b1", "web-b2"].map(str::to_owned).into(),
        hosts,
    })
}

fn sides(groups: &[&[Log]]) -> Vec<Side> {
    let mut words = Words::default();
    let config = ConfigRef::new(ConfigKind::ConfigMap, "shop", "web");
    let names = names();
    let mut side = |logs: &&[Log]| Side {
        digests: logs
            .iter()
            .map(|log| words.digest(&config, log, at(0), &names))
            .collect(),
    };
    groups.iter().map(&mut side).collect()
}

fn found(groups: &[&[Log]]) -> Vec<Found> {
    separating(&sides(groups), &[])
}

/// Two replicas of one group beside one of the other, a minute long.
fn between(a: Lines<'_>, b: Lines<'_>) -> Vec<Found> {
    found(&[
        &[log("web-a1", 60, a)],
        &[log("web-b1", 60, b), log("web-b2", 60, b)],
    ])
}

fn texts(found: &[Found], side: usize) -> Vec<&str> {
    let of = found.iter().filter(|found| found.side == side);
    of.map(|found| found.text.as_str()).collect()
}

fn access(second: usize, status: u16) -> String {
    format!(
        r#"10.244.1.{} - - [02/Oct/2026:20:36:{:02} +0000] "GET /api/items?page={second} HTTP/1.1" {status} 38 "-" "Wget" "-""#,
        second % 250,
        second % 60
    )
}

#[test]
fn nginx_says_by_its_errors_what_only_one_group_asks() {
    let good = |second: usize| vec![access(second, 200)];
    let bad = |second: usize| {
        vec![
            format!(
                r#"2026/10/02 20:36:{:02} [error] 29#29: *{second} upstream timed out (110: Operation timed out) while connecting to upstream, client: 10.244.1.{}, server: , request: "GET /api/items?page={second} HTTP/1.1", upstream: "http://10.96.10.144:8000/items", host: "frontend""#,
                second % 60,
                second % 250
            ),
            access(second, 504),
        ]
    };
    let all = between(&good, &bad);
    assert_eq!((texts(&all, 0), texts(&all, 1)), (vec![], vec!["*:8000"]));
    let first = &all[0];
    assert_eq!(
        (first.lines, first.with.len(), first.other_lines),
        (120, 2, 60)
    );
    // Where the address is known as a signal already, its lines are told apart by that.
    let warns = |second: usize| {
        let mut lines = bad(second);
        lines.push(format!(
            "2026/10/02 20:36:00 [warn] 29#29: *{second} a client request body is buffered to a temporary file"
        ));
        lines
    };
    let known = separating(
        &sides(&[
            &[log("web-a1", 60, &good)],
            &[log("web-b1", 60, &warns), log("web-b2", 60, &warns)],
        ]),
        &["10.96.10.144:8000"],
    );
    assert_eq!(texts(&known, 1), ["a client request body is buffered to a"]);
}

#[test]
fn go_by_a_setting_in_its_own_lines() {
    let line = |second: usize, recs: &str| {
        vec![format!(
            r#"time=2026-10-02T20:36:{:02}.123Z level=INFO msg="page built" recs={recs} user=user{second} took={}.2ms"#,
            second % 60,
            second * 7 % 90
        )]
    };
    let all = between(&|s| line(s, "on"), &|s| line(s, "off"));
    assert_eq!(
        (texts(&all, 0), texts(&all, 1)),
        (vec!["recs=on"], vec!["recs=off"])
    );
    assert_eq!(all[1].lines, 120);
}

#[test]
fn java_by_the_words_of_a_message_and_its_stack() {
    let usual = |second: usize| {
        format!(
            "2026-10-02 20:36:00,1{second:02} INFO [http-nio-8080-exec-{}] c.e.shop.OrderService : Order {} placed",
            second % 12,
            4000 + second
        )
    };
    let a = |second: usize| vec![usual(second)];
    let b = |second: usize| {
        vec![
            usual(second),
            format!(
                "2026-10-02 20:36:00,1{second:02} WARN [http-nio-8080-exec-{}] c.e.shop.OrderService : Falling back to the legacy price list for order {}",
                second % 12,
                4000 + second
            ),
            "\tat com.example.shop.prices.LegacyPrices.read(LegacyPrices.java:57)".to_owned(),
        ]
    };
    let all = between(&a, &b);
    assert_eq!(texts(&all, 0), [] as [&str; 0]);
    let told = texts(&all, 1);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.contains(&"c.e.shop.OrderService Falling back to the legacy price list"),
        "{told:?}"
    );
}

#[test]
fn node_in_json_by_a_value_and_python_by_an_exception() {
    let node = |second: usize, backend: &str| {
        vec![format!(
            r#"{{"level":30,"time":17909733{second:02}123,"pid":7,"hostname":"web-b1","reqId":"req-{second}","req":{{"url":"/api/items?u={second}"}},"backend":"{backend}","msg":"proxied"}}"#
        )]
    };
    let all = between(&|s| node(s, "api:8080"), &|s| node(s, "api:8000"));
    assert_eq!(
        (texts(&all, 0), texts(&all, 1)),
        (vec!["backend=api:8080"], vec!["backend=api:8000"])
    );
    let usual = |second: usize| {
        format!("2026-10-02 20:36:00,{second:03} - shop - INFO - handled request {second}")
    };
    let all = between(&|s| vec![usual(s)], &|s| {
        vec![
            usual(s),
            "Traceback (most recent call last):".to_owned(),
            format!("  File \"/app/recs.py\", line {s}, in load"),
            "shop.errors.FeatureDisabled: recommendations are off".to_owned(),
        ]
    });
    let told = texts(&all, 1);
    assert!(told.contains(&"recommendations are off"), "{told:?}");
    assert!(told.iter().all(|text| !text.contains("/app")), "{told:?}");
}

#[test]
fn logs_that_say_the_same_separate_nothing() {
    let line = |second: usize| {
        vec![
            format!("INFO handled {second} in {}ms", second * 13 % 97),
            access(second, 200),
            format!("cache=warm size={second} host=web-a1 worker-{}", second % 7),
        ]
    };
    assert_eq!(between(&line, &line), []);
    // Nor where one has ten times as many.
    let more = |second: usize| (0..10).flat_map(|_| line(second)).collect();
    assert_eq!(between(&line, &more), []);
    assert_eq!(between(&more, &line), []);
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20
    }
}

#[test]
fn times_ids_counters_addresses_and_clients_never_separate() {
    let lines = |seed: u64, own: &'static str| {
        move |second: usize| {
            let mut random = Random(seed + second as u64 * 7919);
            let mut n = || random.next();
            // Each group has values of its own that come all the time, as one replica's do.
            vec![
                format!(
                    "started at {} for {seed} runs, total={seed} gauge:{seed} [{seed}] #{seed}",
                    1_790_973_000 + seed
                ),
                format!(
                    "id {:08x}-{:04x}-4a55-9a40-{:012x} span {:016x}",
                    seed * 65_537,
                    seed,
                    seed * 7,
                    seed * 1_000_003
                ),
                format!(
                    "conn 10.244.{}.{}:{} up for {}s",
                    seed % 200,
                    n() % 250,
                    40_000 + n() % 9_000,
                    n() % 900
                ),
                format!(
                    "on {own}: worker-{seed} pool{seed} 0x{:x} v1.{seed}.{}",
                    seed * 9,
                    n() % 9
                ),
                format!(
                    "user=u{seed} tenant=\"acme{seed}\" path=/x{seed} \"GET /only{seed}?q=word{seed} HTTP/1.1\" \"agent{seed}\""
                ),
                format!(
                    "2026-10-0{}T20:0{}:00.{seed}Z done in {}.{}ms",
                    seed % 9 + 1,
                    seed % 9,
                    n() % 90,
                    n() % 9
                ),
                format!(
                    "peer api-{:010x}-bcd{}f joined",
                    seed * 1_000_003,
                    seed % 8 + 2
                ),
            ]
        }
    };
    for (a, b) in [(3, 4), (17, 9_001), (100, 101), (5, 77)] {
        let all = between(&lines(a, "web-a1"), &lines(b, "web-b1"));
        assert_eq!(all, [], "{a} {b}");
    }
}

#[test]
fn a_client_that_asks_one_group_for_something_of_its_own_separates_nothing() {
    let usual = |second: usize| format!("tick {second} of the clock");
    let attack = |second: usize| {
        vec![
            usual(second),
            r#"10.0.0.9 - - [02/Oct/2026:20:36:00 +0000] "GET /upstream:8000/feature=off HTTP/1.1" 404 9 "http://evil feature=off" "sqlmap feature=off""#.to_owned(),
            r#"{"msg":"served","request":"feature=off","user_agent":"feature=off now","headers":{"x":"feature=off"},"path":"/feature=off"}"#.to_owned(),
            r#"level=info msg=served uri=/a?feature=off,b referer="feature off" ua='feature off'"#.to_owned(),
            "POST /a?x=feature=off 200".to_owned(),
        ]
    };
    let all = between(&|s| vec![usual(s), "served 1".to_owned()], &attack);
    let told = texts(&all, 1);
    for word in ["feature", "off", "evil", "sqlmap", "8000"] {
        assert!(told.iter().all(|text| !text.contains(word)), "{told:?}");
    }
}

#[test]
fn what_may_be_chance_is_not_told() {
    let usual = |second: usize| vec![format!("tick {second} of the clock")];
    // Three times in a minute, in a burst of many lines.
    let rare = |second: usize| {
        let mut lines = usual(second);
        if second.is_multiple_of(20) {
            lines.extend((0..50).map(|_| "retrying the queue".to_owned()));
        }
        lines
    };
    assert_eq!(between(&usual, &rare), []);
    // Only one of the group's two.
    let often = |second: usize| {
        let mut lines = usual(second);
        lines.push("retrying the queue".to_owned());
        lines
    };
    let all = found(&[
        &[log("web-a1", 60, &usual)],
        &[log("web-b1", 60, &often), log("web-b2", 60, &usual)],
    ]);
    assert_eq!(all, []);
    assert_eq!(texts(&between(&usual, &often), 1), ["retrying the queue"]);
    // The others say next to nothing: what they do not say means little.
    let silent = |_: usize| Vec::new();
    assert_eq!(between(&silent, &often), []);
    let once = |second: usize| {
        (second == 3)
            .then(|| "hello".to_owned())
            .into_iter()
            .collect()
    };
    assert_eq!(texts(&between(&once, &often), 1), [] as [&str; 0]);
}

#[test]
fn of_three_groups_each_is_compared_with_all_others() {
    let line =
        |text: &'static str| move |second: usize| vec![format!("{text} mode, round {second}")];
    let all = found(&[
        &[log("web-a1", 60, &line("slow"))],
        &[log("web-b1", 60, &line("fast"))],
        &[log("web-b2", 60, &line("fast"))],
    ]);
    assert_eq!(texts(&all, 0), ["slow mode"]);
    assert_eq!((texts(&all, 1).len(), texts(&all, 2).len()), (0, 0));
}

#[test]
fn a_log_that_grew_is_read_on_to_the_same() {
    let line = |second: usize| {
        vec![
            format!("INFO handled {second}"),
            "no time of its own".to_owned(),
            format!("mode=b{}", if second > 30 { "eta" } else { "rand" }),
        ]
    };
    let (whole, half) = (log("web-b1", 60, &line), log("web-b1", 31, &line));
    let config = ConfigRef::new(ConfigKind::ConfigMap, "shop", "web");
    let (names, mut words) = (names(), Words::default());
    words.digest(&config, &half, at(5), &names);
    let mut grown = half.clone();
    whole
        .text
        .pieces()
        .iter()
        .skip(grown.text.pieces().len())
        .for_each(|piece| grown.text.push(piece));
    let grown = words.digest(&config, &grown, at(5), &names);
    let fresh = Words::default().digest(&config, &whole, at(5), &names);
    assert_eq!((grown.lines, fresh.lines), (165, 165));
    let told = |digest: &Digest| {
        let mut all: Vec<_> = digest
            .kinds
            .values()
            .map(|k| {
                (
                    k.text.to_string(),
                    k.lines,
                    k.moments,
                    k.first,
                    k.last,
                    k.place,
                )
            })
            .collect();
        all.sort();
        all
    };
    assert_eq!(told(&grown), told(&fresh));
    // Another window is another reading.
    assert_eq!(words.digest(&config, &whole, at(50), &names).lines, 30);
}

#[test]
fn a_log_of_countless_kinds_is_bounded_and_says_how_much_was_not_told_apart() {
    let letters = |mut number: usize| {
        let mut word = String::new();
        while number > 0 {
            word.push(char::from(b'g' + u8::try_from(number % 19).unwrap()));
            number /= 19;
        }
        word
    };
    let line = |second: usize| {
        (0..50)
            .map(|n| format!("word {}", letters(1 + second * 50 + n)))
            .collect()
    };
    let sides = sides(&[&[log("web-a1", 60, &line)]]);
    let digest = &sides[0].digests[0];
    assert_eq!((digest.kinds.len(), digest.lines), (KINDS, 3_000));
    assert_eq!(digest.unlike, 2_000);
}

#[test]
fn the_expression_of_a_term_finds_the_lines_that_it_came_from() {
    for (shown, line) in [
        ("recs=off", r#"{"recs":"off"}"#),
        ("recs=off", "x recs=off, y"),
        ("*:8000", r#"upstream: "http://10.96.10.144:8000/items""#),
        (
            "while connecting to upstream",
            "timed out) while connecting to upstream, client",
        ),
        ("upstream timed out", "*8 upstream timed out (110"),
        ("backend=api:8000", r#""backend":"api:8000""#),
        ("can't (say)", "we can't (say) it"),
    ] {
        let expression = regex::Regex::new(&pattern(shown)).unwrap();
        assert!(expression.is_match(line), "{shown}: {expression}");
    }
    let expression = regex::Regex::new(&pattern("recs=off")).unwrap();
    assert!(!expression.is_match("recs=offline"));
    assert!(!expression.is_match("precs=off"));
}
