//! What can be typed after a colon: every command of the key table by what it does, and a few by name.

use std::collections::BTreeSet;

use super::App;
use super::keymap::{self, Command, Export};
use super::msg::{Effect, Origin, Theme};
use super::prompt::Prompt;

/// A command that is typed by its name.
#[derive(Debug)]
pub struct Named {
    word: &'static str,
    /// What it takes, in capitals; empty: nothing.
    takes: &'static str,
    pub help: &'static str,
    act: Act,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Namespace,
    AllNamespaces,
    Export,
    Theme,
    Mouse,
    Probe,
    Quit,
}

impl Named {
    /// `:ns NAME`.
    pub fn usage(&self) -> String {
        format!(":{} {}", self.word, self.takes)
            .trim_end()
            .to_owned()
    }
}

/// The commands by name.
#[rustfmt::skip] // one row a line, as in the table of keys
pub static NAMED: &[Named] = &[
    Named { word: "ns", takes: "NAME", help: "look at this namespace, also one that cannot be listed", act: Act::Namespace },
    Named { word: "all", takes: "", help: "look at all namespaces", act: Act::AllNamespaces },
    Named { word: "export", takes: "WHAT", help: "summary, markdown, json or capture", act: Act::Export },
    Named { word: "theme", takes: "NAME", help: "auto, dark, light or mono", act: Act::Theme },
    Named { word: "mouse", takes: "", help: "mouse on or off", act: Act::Mouse },
    Named { word: "probe", takes: "WHAT", help: "allow or forbid reading inside containers", act: Act::Probe },
    Named { word: "q", takes: "", help: "quit", act: Act::Quit },
];

const PROBE: [&str; 2] = ["allow", "forbid"];

/// One line of the list above the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it does, or how it is typed.
    pub label: String,
    /// Its keys, or its help.
    pub aside: String,
    /// The label is a name, not an explanation.
    pub named: bool,
    does: Does,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Does {
    Run(Command),
    /// Stands in the line when it is chosen; runs where nothing is missing.
    Type {
        line: String,
        complete: bool,
    },
}

/// What could be meant, the likeliest first.
pub fn candidates(app: &App, typed: &str) -> Vec<Candidate> {
    let typed = typed.trim_start();
    if let Some((named, argument)) = split(typed).filter(|_| typed.contains(' ')) {
        return arguments(app, named, argument);
    }
    let named = NAMED.iter().map(|named| {
        let complete = named.takes.is_empty();
        let space = if complete { "" } else { " " };
        let candidate = Candidate {
            label: named.usage().trim_start_matches(':').to_owned(),
            aside: named.help.to_owned(),
            named: true,
            does: Does::Type {
                line: format!("{}{space}", named.word),
                complete,
            },
        };
        (
            rank(named.word, typed).or_else(|| rank(named.help, typed).map(|r| r + 1)),
            candidate,
        )
    });
    let top = app.top().map(|(rows, _)| rows);
    let bound = keymap::bindings(app.context_below())
        .filter(|binding| {
            binding.command != Command::Palette && app.offers(binding.command, top.as_deref())
        })
        .map(|binding| {
            let candidate = Candidate {
                label: binding.help.to_owned(),
                aside: binding.keys(),
                named: false,
                does: Does::Run(binding.command),
            };
            (rank(binding.help, typed), candidate)
        });
    let mut found: Vec<(usize, Candidate)> = named
        .chain(bound)
        .filter_map(|(rank, candidate)| Some((rank?, candidate)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// What may follow a name: namespaces that something is known of, and words.
fn arguments(app: &App, named: &Named, typed: &str) -> Vec<Candidate> {
    let words: Vec<String> = match named.act {
        Act::Namespace => namespaces(app),
        Act::Export => Export::ALL
            .iter()
            .map(|what| what.word().to_owned())
            .collect(),
        Act::Theme => Theme::ALL
            .iter()
            .map(|theme| theme.word().to_owned())
            .collect(),
        Act::Probe => PROBE.iter().map(|word| (*word).to_owned()).collect(),
        _ => Vec::new(),
    };
    words
        .into_iter()
        .filter(|word| rank(word, typed).is_some())
        .map(|word| Candidate {
            label: format!("{} {word}", named.word),
            aside: String::new(),
            named: true,
            does: Does::Type {
                line: format!("{} {word}", named.word),
                complete: true,
            },
        })
        .collect()
}

fn namespaces(app: &App) -> Vec<String> {
    let parts = app.facts().parts.iter();
    let known: BTreeSet<&str> = parts
        .flat_map(|part| {
            let pods = part.pods.iter().map(|pod| pod.reference.namespace.as_str());
            let configs = part.configs.iter().map(|c| c.reference.namespace.as_str());
            pods.chain(configs)
        })
        .collect();
    known.into_iter().map(str::to_owned).collect()
}

/// How well a text fits what was typed: its beginning, a word's, a part, or its letters in order.
fn rank(text: &str, typed: &str) -> Option<usize> {
    let (text, typed) = (text.to_lowercase(), typed.trim().to_lowercase());
    if text.starts_with(&typed) {
        return Some(0);
    }
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| word.starts_with(&typed)) {
        return Some(1);
    }
    if text.contains(&typed) {
        return Some(2);
    }
    let mut letters = text.chars();
    typed
        .chars()
        .all(|c| letters.any(|other| other == c))
        .then_some(3)
}

/// The command that a line names, and what follows it.
fn split(line: &str) -> Option<(&'static Named, &str)> {
    let line = line.trim();
    let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = match word {
        "quit" | "q!" | "exit" => "q",
        "namespace" => "ns",
        other => other,
    };
    let named = NAMED.iter().find(|named| named.word == word)?;
    Some((named, argument.trim()))
}

/// What Enter does: effects, a text that is still incomplete, or what is wrong.
enum Taken {
    Done(Vec<Effect>),
    Incomplete(String),
}

impl App {
    /// Runs what was typed or chosen. Where that cannot be, the line stays, with what is wrong.
    pub(super) fn take_command(&mut self, mut prompt: Prompt) -> Vec<Effect> {
        match self.run_line(&prompt) {
            Ok(Taken::Done(effects)) => return effects,
            Ok(Taken::Incomplete(line)) => prompt.replace(&line),
            Err(why) => prompt.note = Some(why),
        }
        self.prompt = Some(prompt);
        Vec::new()
    }

    fn run_line(&mut self, prompt: &Prompt) -> Result<Taken, String> {
        let typed = prompt.text();
        if let Some((named, argument)) = split(typed).filter(|_| prompt.choice.is_none()) {
            return self.run_named(named, argument).map(Taken::Done);
        }
        let found = candidates(self, typed);
        let chosen = found.into_iter().nth(prompt.choice.unwrap_or(0));
        match chosen.map(|candidate| candidate.does) {
            Some(Does::Run(command)) => Ok(Taken::Done(self.run(command))),
            Some(Does::Type {
                line,
                complete: false,
            }) => Ok(Taken::Incomplete(line)),
            Some(Does::Type { line, .. }) => {
                let (named, argument) = split(&line).ok_or("It cannot be run.")?;
                self.run_named(named, argument).map(Taken::Done)
            }
            None => Err(format!("nothing is called `{}`", typed.trim())),
        }
    }

    fn run_named(&mut self, named: &Named, argument: &str) -> Result<Vec<Effect>, String> {
        if named.takes.is_empty() && !argument.is_empty() {
            return Err(format!("`{}` takes nothing after it", named.word));
        }
        match named.act {
            Act::Namespace if argument.is_empty() => {
                Err("it needs a name: `ns shop`; `all` is every namespace".into())
            }
            Act::Namespace => self.look_at(Some(namespace(argument)?)),
            Act::AllNamespaces => self.look_at(None),
            Act::Export if argument.is_empty() => Ok(self.run(Command::ExportMenu)),
            Act::Export => {
                let what = one_of(argument, &Export::ALL, Export::word)?;
                Ok(self.run(Command::Export(what)))
            }
            Act::Theme => {
                self.options.preferences.theme = one_of(argument, &Theme::ALL, Theme::word)?;
                if self.options.no_color {
                    self.notice = Some("NO_COLOR is set, so no theme has colours.".into());
                }
                Ok(Vec::new())
            }
            Act::Probe if argument.is_empty() => Ok(self.run(Command::AskToProbe)),
            Act::Probe => match one_of(argument, &PROBE, |word| word)? {
                "allow" => self.allow_by_name(),
                _ => Ok(self.agree(false)),
            },
            Act::Mouse => Ok(self.run(Command::Mouse)),
            Act::Quit => Ok(self.run(Command::Quit)),
        }
    }

    /// Turns to another namespace. What is known is of the one before, so nothing of it stays on screen.
    fn look_at(&mut self, namespace: Option<String>) -> Result<Vec<Effect>, String> {
        if let Origin::Capture { .. } = self.options.origin {
            return Err("a capture holds what was read then; open another, or a cluster".into());
        }
        if self.remedy_is_under_way() {
            return Err("a remedy is under way here: r shows it, s stops it".into());
        }
        self.forget();
        self.options.scope.namespace.clone_from(&namespace);
        // What was asked about is a thing of the namespace before.
        self.options.scope.target = None;
        Ok(vec![Effect::Namespace(namespace)])
    }

    /// Completes the line to the candidate that is chosen or first.
    pub(super) fn complete(&mut self) {
        let Some(prompt) = &self.prompt else { return };
        let found = candidates(self, prompt.text());
        let line = match found.into_iter().nth(prompt.choice.unwrap_or(0)) {
            Some(Candidate {
                does: Does::Type { line, .. },
                ..
            }) => line,
            Some(Candidate { label, .. }) => label,
            None => return,
        };
        if let Some(prompt) = &mut self.prompt {
            prompt.replace(&line);
        }
    }
}

fn one_of<T: Copy>(word: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().find(|one| name(**one) == word);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        format!("expected one of: {}", names.join(", "))
    })
}

/// A DNS label, as the API server takes it.
fn namespace(name: &str) -> Result<String, String> {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    let well = name.len() <= 63
        && ends.into_iter().all(|end| end.copied().is_some_and(inner))
        && bytes.iter().all(|b| inner(*b) || *b == b'-');
    match well {
        true => Ok(name.to_owned()),
        false => Err("a namespace has a-z, 0-9 and - within, at most 63 of them".into()),
    }
}

#[cfg(test)]
mod tests;
