//! What the log extractors cost, all of them on, in bytes a second: requests, requests among errors, JSON, and lines of no interest.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a bench fails by panicking"
)]

use std::hint::black_box;

use confsplit::analysis::Tally;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const BYTES: usize = 32 << 20;

/// So many bytes of lines, each with the kubelet's timestamp where that is asked for.
fn log(kubelet: bool, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = Vec::with_capacity(BYTES + 1024);
    let mut n = 0;
    while text.len() < BYTES {
        if kubelet {
            let (minute, second) = (n / 60_000 % 60, n / 1_000 % 60);
            text.extend_from_slice(
                format!(
                    "2026-11-30T07:{minute:02}:{second:02}.{:09}Z ",
                    n % 1_000 * 1_000_000
                )
                .as_bytes(),
            );
        }
        text.extend_from_slice(line(n).as_bytes());
        text.push(b'\n');
        n += 1;
    }
    text
}

fn request(n: usize) -> String {
    let status = if n % 7 == 3 { 504 } else { 200 };
    format!(
        "10.244.1.{} - - [30/Nov/2026:07:34:49 +0000] \"GET /api/items/{} HTTP/1.1\" {status} {} \"-\" \"Go-http-client/1.1\" \"-\"",
        n % 250,
        n % 5_000,
        100 + n % 900
    )
}

/// Of many clients, so that hardly a line has its time, its agent and its route from the last one.
fn mixed(n: usize) -> String {
    const AGENTS: [&str; 6] = [
        "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148",
        "Go-http-client/1.1",
        "curl/8.5.0",
        "kube-probe/1.37",
    ];
    let any = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    format!(
        "10.244.1.{} - - [30/Nov/2026:07:34:{:02} +0000] \"{} /api/{}/{} HTTP/1.1\" {} {} \"-\" \"{}\"",
        any % 250,
        n / 50 % 60,
        ["GET", "GET", "POST"][any % 3],
        ["items", "users", "cart"][any / 7 % 3],
        any % 5_000,
        if any % 11 == 3 { 504 } else { 200 },
        100 + any % 900,
        AGENTS[any % AGENTS.len()]
    )
}

fn failure(n: usize) -> String {
    format!(
        "2026/11/30 07:34:49 [error] 29#29: *{n} upstream timed out (110: Connection timed out) while connecting to upstream, client: 10.244.1.57, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.73.13:8000/items\", host: \"frontend\""
    )
}

fn json(n: usize) -> String {
    format!(
        "{{\"level\":\"info\",\"ts\":1764470962.{n:06},\"caller\":\"web/log.go:12\",\"msg\":\"request\",\"method\":\"GET\",\"path\":\"/api/items/{}\",\"status\":{},\"took\":0.00{}}}",
        n % 5_000,
        if n.is_multiple_of(9) { 503 } else { 200 },
        n % 10
    )
}

fn noise(n: usize) -> String {
    match n % 3 {
        0 => format!(
            "2026-11-30 07:34:49.{:03} INFO [worker-{}] app.cart.CartService - recalculated totals of basket {n} in {} ms",
            n % 1000,
            n % 8,
            n % 40
        ),
        1 => format!(
            "2026-11-30 07:34:49.{:03} DEBUG [worker-{}] app.db.Pool - borrowed a session, {} of 20 are in use",
            n % 1000,
            n % 8,
            n % 20
        ),
        _ => format!(
            "{{\"level\":\"debug\",\"time\":1764470962{:03},\"msg\":\"cache hit for the key user:{n}:profile\",\"shard\":{}}}",
            n % 1000,
            n % 16
        ),
    }
}

fn signals(c: &mut Criterion) {
    let mut group = c.benchmark_group("signals");
    group.sample_size(10);
    let logs = [
        ("nginx, requests alone", log(false, request)),
        (
            "nginx, requests with the kubelet's times",
            log(true, request),
        ),
        (
            "nginx, requests and one error in fifty",
            log(true, |n| if n % 50 == 0 { failure(n) } else { request(n) }),
        ),
        ("nginx, requests of many clients", log(false, mixed)),
        ("nginx, errors alone", log(true, failure)),
        ("JSON requests", log(true, json)),
        ("no interest", log(true, noise)),
        (
            "no interest but one error in fifty",
            log(true, |n| if n % 50 == 0 { failure(n) } else { noise(n) }),
        ),
    ];
    for (name, text) in &logs {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(*name, |b| {
            b.iter(|| {
                let mut tally = Tally::default();
                for chunk in chunks(black_box(text)) {
                    tally.take(chunk);
                }
                tally
            });
        });
    }
    group.finish();
}

/// As the command reads them: whole lines of about a mebibyte.
fn chunks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut left = text;
    std::iter::from_fn(move || {
        if left.is_empty() {
            return None;
        }
        let most = left.len().min(1 << 20);
        let end = left[..most]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(most, |at| at + 1);
        let (chunk, rest) = left.split_at(end);
        left = rest;
        Some(chunk)
    })
}

criterion_group!(benches, signals);
criterion_main!(benches);
