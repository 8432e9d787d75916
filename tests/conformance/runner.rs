//! Runs pairs of request and answer on whatever API a kube client leads to, and tells every one that is not as it should be.
//! The simulator and a real API server are held to the same files.

mod format;
mod matching;
mod variables;
mod wire;

use std::path::Path;
use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};
use tokio::time::Instant;

pub(crate) use format::Book;
use format::{Answer, Case, Step};
use matching::brief;
pub(crate) use matching::differences;
use variables::Variables;
use wire::Begun;

/// A body, the next line of one, or a command's end comes within this time.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two tries of a step that has time to come true.
const AGAIN: Duration = Duration::from_millis(200);

/// What came of all pairs.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    /// A message for each case that failed.
    pub(crate) failed: Vec<String>,
}

impl Outcome {
    /// Fails with what every failed case has to say.
    pub(crate) fn check(&self) {
        let of = self.passed + self.failed.len();
        let all = self.failed.join("\n\n");
        assert!(
            self.failed.is_empty(),
            "{} of {of} cases failed:\n\n{all}",
            self.failed.len()
        );
        assert!(of > 0, "no case was run");
    }
}

/// Runs every file of a folder, all files at once. `mark` tells the namespaces of this run from those of another.
pub(crate) async fn run_all(client: &Client, folder: &Path, mark: &str) -> Outcome {
    let books = match Book::all(folder) {
        Ok(books) => books,
        Err(why) => {
            return Outcome {
                failed: vec![why],
                ..Outcome::default()
            };
        }
    };
    let runs = books.iter().map(|book| run(client, book, mark));
    let mut all = Outcome::default();
    for outcome in futures::future::join_all(runs).await {
        all.passed += outcome.passed;
        all.failed.extend(outcome.failed);
    }
    all
}

/// Runs one file in a namespace that it makes and takes away.
pub(crate) async fn run(client: &Client, book: &Book, mark: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let namespace = format!("conformance-{}-{mark}", book.name);
    let mut variables = Variables::default();
    variables.set("ns", Value::from(namespace.clone()));
    let made = step(json!({
        "request": "POST /api/v1/namespaces",
        "body": {"metadata": {"name": namespace}},
        "answer": {"status": 201},
    }));
    let gone = step(json!({
        "request": format!("DELETE /api/v1/namespaces/{namespace}"),
        "answer": {"status": 200},
    }));
    let setup = case("setup", [vec![made], book.setup.clone()].concat());
    let teardown = case("teardown", vec![gone]);
    match play(client, &setup, &mut variables).await {
        Err(why) => outcome.failed.push(format!("{}.yaml, {why}", book.name)),
        Ok(()) => {
            for case in &book.cases {
                match play(client, case, &mut variables.clone()).await {
                    Ok(()) => outcome.passed += 1,
                    Err(why) => outcome.failed.push(format!("{}.yaml, {why}", book.name)),
                }
            }
        }
    }
    if let Err(why) = play(client, &teardown, &mut variables).await {
        outcome.failed.push(format!("{}.yaml, {why}", book.name));
    }
    outcome
}

fn step(written: Value) -> Step {
    serde_json::from_value(written).expect("a step as it is written")
}

fn case(name: &str, steps: Vec<Step>) -> Case {
    Case {
        name: name.to_owned(),
        steps,
    }
}

/// Does the steps of a case until one is not as it should be.
async fn play(client: &Client, case: &Case, variables: &mut Variables) -> Result<(), String> {
    for (number, step) in case.steps.iter().enumerate() {
        take(client, step, variables)
            .await
            .map_err(|why| format!("{:?}, step {}:\n{why}", case.name, number + 1))?;
    }
    Ok(())
}

/// One step, as often as it may be tried.
async fn take(client: &Client, step: &Step, variables: &mut Variables) -> Result<(), String> {
    tokio::time::sleep(Duration::from_millis(step.after_ms)).await;
    let deadline = Instant::now() + Duration::from_secs(step.until_s.unwrap_or(0));
    loop {
        let filled = variables.fill(step).map_err(|e| indented(&e))?;
        let tried = once(client, step, &filled, variables).await;
        if tried.is_ok() || Instant::now() >= deadline {
            let told =
                |why: String| format!("  {} {}\n{why}", method(&filled), wire::address(&filled));
            return tried.map_err(told);
        }
        tokio::time::sleep(AGAIN).await;
    }
}

fn method(step: &Step) -> &str {
    step.request.split(' ').next().unwrap_or_default()
}

async fn once(
    client: &Client,
    step: &Step,
    filled: &Step,
    variables: &mut Variables,
) -> Result<(), String> {
    if filled.answer.status == 101 {
        let answer = variables.answer(&step.answer).map_err(|e| indented(&e))?;
        return socket(client, filled, &answer).await;
    }
    let sent = tokio::time::timeout(PATIENCE * 2, wire::send(client, filled)).await;
    let mut begun = sent
        .map_err(|_| indented("no answer in time"))?
        .map_err(|e| indented(&e))?;
    if begun.status != filled.answer.status {
        let status = begun.status;
        let body = whole(begun).await?;
        let said = format!(
            "status: expected {}, got {status}\nanswer: {}",
            filled.answer.status,
            brief(&body)
        );
        return Err(indented(&said));
    }
    for inner in &step.meanwhile {
        Box::pin(take(client, inner, variables)).await?;
    }
    // What was saved meanwhile is known from here on.
    let answer = variables.answer(&step.answer).map_err(|e| indented(&e))?;
    headers(&answer, &begun)?;
    if let Some(lines) = &answer.lines {
        let lines: Vec<Value> = lines.clone();
        return stream(&mut begun, &answer, &lines, |line| Ok(Value::from(line))).await;
    }
    if let Some(events) = &answer.events {
        let parse = |line: String| {
            serde_json::from_str(&line).map_err(|e| format!("{e} in {}", brief(&line)))
        };
        return stream(&mut begun, &answer, events, parse).await;
    }
    let body = whole(begun).await?;
    body_differs(&answer, &body)?;
    if step.save.is_empty() {
        return Ok(());
    }
    let parsed: Value = serde_json::from_str(&body).map_err(|e| indented(&e.to_string()))?;
    for (name, pointer) in &step.save {
        let value = parsed.pointer(pointer);
        let value = value.ok_or_else(|| {
            indented(&format!(
                "there is no {pointer} to save\nanswer: {}",
                brief(&body)
            ))
        })?;
        variables.set(name, value.clone());
    }
    Ok(())
}

fn body_differs(answer: &Answer, body: &str) -> Result<(), String> {
    let (expected, got) = match (&answer.body, &answer.text) {
        (Some(expected), _) => match serde_json::from_str(body) {
            Ok(got) => (expected, got),
            Err(error) => {
                return Err(indented(&format!(
                    "no JSON: {error}\nanswer: {}",
                    brief(body)
                )));
            }
        },
        (None, Some(expected)) => (expected, Value::from(body)),
        (None, None) => return Ok(()),
    };
    told(&differences(expected, Some(&got)), body)
}

/// Nothing, or all differences and what they were found in.
fn told(differences: &[String], answer: &str) -> Result<(), String> {
    if differences.is_empty() {
        return Ok(());
    }
    let all = differences.join("\n");
    Err(indented(&format!("{all}\nanswer: {}", brief(answer))))
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

fn headers(answer: &Answer, begun: &Begun) -> Result<(), String> {
    for (name, expected) in &answer.headers {
        let got = begun
            .headers
            .get(name)
            .and_then(|value| value.to_str().ok());
        let got = got.map(Value::from);
        let found = differences(expected, got.as_ref());
        if !found.is_empty() {
            return Err(indented(&format!("header {name}{}", found.join("\n"))));
        }
    }
    Ok(())
}

async fn whole(begun: Begun) -> Result<String, String> {
    let body = tokio::time::timeout(PATIENCE, begun.whole()).await;
    let body = body.map_err(|_| indented("the body did not end in time"))?;
    body.map_err(|e| indented(&e))
}

/// Reads lines until all that are expected have come, each in time, and then the end where that is expected too.
async fn stream(
    begun: &mut Begun,
    answer: &Answer,
    expected: &[Value],
    parse: impl Fn(String) -> Result<Value, String>,
) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    let mut seen: Vec<String> = Vec::new();
    let mut left = expected.iter();
    let mut next = left.next();
    while next.is_some() || answer.ends {
        let told = |why: &str, seen: &[String]| {
            let waited = next.map_or_else(|| "the end".to_owned(), Value::to_string);
            indented(&format!(
                "{why}\nwaiting for: {waited}\nuntil then came:\n{}",
                brief(&seen.join("\n"))
            ))
        };
        let line = begun
            .line(deadline)
            .await
            .map_err(|why| told(&why, &seen))?;
        let Some(line) = line else {
            return match next {
                Some(_) => Err(told("it ended", &seen)),
                None => Ok(()),
            };
        };
        seen.push(line.clone());
        let got = parse(line).map_err(|why| told(&why, &seen))?;
        let found = match next {
            Some(expected) => differences(expected, Some(&got)),
            None => vec!["this came after all that was expected".to_owned()],
        };
        if found.is_empty() {
            next = left.next();
        } else if !answer.among_others {
            return Err(told(&found.join("\n"), &seen));
        }
    }
    Ok(())
}

async fn socket(client: &Client, step: &Step, answer: &Answer) -> Result<(), String> {
    let ran = wire::run(client, step, PATIENCE)
        .await
        .map_err(|e| indented(&e))?;
    let said = format!("{ran:?}");
    let parts = [
        (&answer.stdout, Value::from(ran.stdout)),
        (&answer.stderr, Value::from(ran.stderr)),
        (&answer.end, ran.end),
    ];
    for (expected, got) in parts {
        if let Some(expected) = expected {
            told(&differences(expected, Some(&got)), &said)?;
        }
    }
    Ok(())
}
