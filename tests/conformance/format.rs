//! How a file of pairs is written: what is sent, and what must come back. A field that is not known is an error.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::matching;

/// One file. It has a namespace of its own, `${ns}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Book {
    /// Its name, also the end of its namespace's.
    #[serde(skip)]
    pub(crate) name: String,
    /// Done first; what it saves is known in every case.
    #[serde(default)]
    pub(crate) setup: Vec<Step>,
    /// One after the other, each with variables of its own.
    pub(crate) cases: Vec<Case>,
}

/// One thing that the API does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

/// A request, and its answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Step {
    /// So many milliseconds pass first.
    #[serde(default)]
    pub(crate) after_ms: u64,
    /// `METHOD /path`.
    pub(crate) request: String,
    /// A list is a parameter that is given several times.
    #[serde(default)]
    pub(crate) query: Map<String, Value>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// Sent as JSON, or as it is where it is a text.
    pub(crate) body: Option<Value>,
    /// It is sent again until this is the answer, for so many seconds at most.
    pub(crate) until_s: Option<u64>,
    /// Done once the answer has begun and goes on: writes that a watch tells.
    #[serde(default)]
    pub(crate) meanwhile: Vec<Step>,
    pub(crate) answer: Answer,
    /// Variables for later steps, by where in the answer's body they are (a JSON pointer).
    #[serde(default)]
    pub(crate) save: BTreeMap<String, String>,
}

/// What must come back. Of `body`, `text`, `lines`, `events` and `stdout` one at most.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Answer {
    pub(crate) status: u16,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, Value>,
    /// Of a JSON body, the fields named here.
    pub(crate) body: Option<Value>,
    /// A body that is no JSON, all of it.
    pub(crate) text: Option<Value>,
    /// The first lines of a body that goes on: a log that is followed.
    pub(crate) lines: Option<Vec<Value>>,
    /// The first events of a watch, in this order.
    pub(crate) events: Option<Vec<Value>>,
    /// Others may come between the lines or events.
    #[serde(default)]
    pub(crate) among_others: bool,
    /// After them the body ends by itself.
    #[serde(default)]
    pub(crate) ends: bool,
    /// What a command printed, over a WebSocket (status 101).
    pub(crate) stdout: Option<Value>,
    pub(crate) stderr: Option<Value>,
    /// How it ended: the protocol's last message.
    pub(crate) end: Option<Value>,
}

impl Answer {
    /// Everything that is matched against something.
    fn expectations(&self) -> impl Iterator<Item = &Value> {
        let lists = [&self.lines, &self.events].into_iter().flatten().flatten();
        let single = [
            &self.body,
            &self.text,
            &self.stdout,
            &self.stderr,
            &self.end,
        ];
        lists
            .chain(single.into_iter().flatten())
            .chain(self.headers.values())
    }

    /// Whether its body is one JSON object, named or not.
    fn is_whole(&self) -> bool {
        let streams = self.lines.is_some() || self.events.is_some();
        !streams && self.text.is_none() && self.status != 101
    }

    fn check(&self) -> Result<(), String> {
        let forms = [
            self.body.is_some(),
            self.text.is_some(),
            self.lines.is_some(),
            self.events.is_some(),
            self.status == 101,
        ];
        if forms.into_iter().filter(|there| *there).count() > 1 {
            return Err("an answer is one of body, text, lines, events, or a socket's".to_owned());
        }
        let streams = self.lines.is_some() || self.events.is_some();
        if (self.among_others || self.ends) && !streams {
            return Err("among-others and ends are for lines and events".to_owned());
        }
        let socket = self.stdout.is_some() || self.stderr.is_some() || self.end.is_some();
        if socket && self.status != 101 {
            return Err("stdout, stderr and end are for a socket (status 101)".to_owned());
        }
        self.expectations().try_for_each(matching::check)
    }
}

impl Step {
    fn check(&self) -> Result<(), String> {
        let wrong = |why: String| format!("{}: {why}", self.request);
        if self.request.split_once(" /").is_none() {
            return Err(wrong("a request is METHOD /path".to_owned()));
        }
        if !self.save.is_empty() && !self.answer.is_whole() {
            return Err(wrong("what is saved is of a JSON body".to_owned()));
        }
        self.answer.check().map_err(wrong)?;
        self.meanwhile.iter().try_for_each(Self::check)
    }
}

impl Book {
    /// Reads a file; what is wrong with it, by its line or its request.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut book: Self = serde_saphyr::from_str(text).map_err(|e| format!("{name}: {e}"))?;
        name.clone_into(&mut book.name);
        let mut names = std::collections::BTreeSet::new();
        for case in &book.cases {
            if !names.insert(&case.name) {
                return Err(format!("{name}: two cases are called {:?}", case.name));
            }
        }
        let steps = book.cases.iter().flat_map(|case| &case.steps);
        book.setup
            .iter()
            .chain(steps)
            .try_for_each(Step::check)
            .map_err(|why| format!("{name}: {why}"))?;
        Ok(book)
    }

    /// Every file of a folder, in the order of their names.
    pub(crate) fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let entries =
            std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut files: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
            .collect();
        files.sort();
        let books = files.iter().map(|path| {
            let text =
                std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Self::parse(&name, &text)
        });
        books.collect()
    }
}
