//! The settings file: what the dashboard is like when no flag says otherwise.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use etcetera::BaseStrategy;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::app;
use crate::error::Error;
use crate::source::live::LogsCommand;

/// Names another file than the usual one.
const VARIABLE: &str = "CONFSPLIT_CONFIG";

/// What can be set; `assets/settings.example.toml` explains each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub theme: Theme,
    pub mouse: bool,
    pub ascii: bool,
    pub time: Zone,
    /// What `!` runs; empty: a shell.
    pub login: String,
    /// The directory for what is exported; empty: the current one.
    pub export: PathBuf,
    pub probe: Probe,
    pub history: History,
    /// Write nothing to a cluster.
    #[serde(rename = "read-only")]
    pub read_only: bool,
    /// Where the history is kept; empty: the user's state directory.
    pub store: PathBuf,
    /// What prints a log that the kubelet has not.
    #[serde(rename = "logs-cmd", deserialize_with = "command")]
    pub logs_cmd: Option<LogsCommand>,
}

/// Whether the dashboard keeps what it sees of ConfigMaps, as `record` does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum History {
    #[default]
    Off,
    On,
}

/// A command that is unsound is wrong where it stands; an empty one is none.
fn command<'de, D: Deserializer<'de>>(text: D) -> Result<Option<LogsCommand>, D::Error> {
    let text = String::deserialize(text)?;
    let given = Some(text.trim()).filter(|text| !text.is_empty());
    let command = given.map(str::parse).transpose();
    command.map_err(|why: String| D::Error::custom(format!("logs-cmd: {why}")))
}

/// Whether the fixed list of reads is run in containers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Probe {
    /// The dashboard asks once; without it nothing is run
    #[default]
    Ask,
    Always,
    Never,
}

impl From<Probe> for app::Probe {
    fn from(probe: Probe) -> Self {
        match probe {
            Probe::Ask => Self::Ask,
            Probe::Always => Self::Always,
            Probe::Never => Self::Never,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Colours that read on a dark and on a light background, unless the terminal tells which it has
    #[default]
    Auto,
    Dark,
    Light,
    /// No colours
    Mono,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    #[default]
    Utc,
    Local,
}

impl From<Theme> for app::Theme {
    fn from(theme: Theme) -> Self {
        match theme {
            Theme::Auto => Self::Auto,
            Theme::Dark => Self::Dark,
            Theme::Light => Self::Light,
            Theme::Mono => Self::Mono,
        }
    }
}

impl Settings {
    /// The settings of this user. There need be no file, unless one is named by `CONFSPLIT_CONFIG`.
    pub fn load() -> Result<Self, Error> {
        let named = env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let Some(path) = named.clone().map(PathBuf::from).or_else(usual_place) else {
            return Ok(Self::default());
        };
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => {
                Ok(Self::default())
            }
            Err(error) => {
                let message = format!("The settings in {} could not be read.", path.display());
                let hint = match named {
                    Some(_) => format!("{VARIABLE} names this file: correct it, or unset it."),
                    None => "Make it readable, or move it away.".to_owned(),
                };
                Err(Error::new(message).because(error).hint(hint))
            }
        }
    }

    /// Reads settings; `path` is where they are from, for the error.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let mut settings: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or_else(String::new, |span| {
                let (line, column) = place(text, span.start);
                format!(", line {line}, column {column}")
            });
            Error::new(format!(
                "The settings in {}{at} are wrong: {}.",
                path.display(),
                error.message().replace('\n', ", ").trim_end_matches('.')
            ))
            .hint("README.md names the settings; what is not set has its default.")
        })?;
        settings.export = at_home(&settings.export);
        settings.store = at_home(&settings.store);
        Ok(settings)
    }

    /// What they mean for the dashboard.
    pub fn preferences(&self) -> app::Preferences {
        app::Preferences {
            theme: self.theme.into(),
            mouse: self.mouse,
            local_time: self.time == Zone::Local,
            login: Some(self.login.trim())
                .filter(|line| !line.is_empty())
                .map(str::to_owned),
            probe: self.probe.into(),
        }
    }
}

fn usual_place() -> Option<PathBuf> {
    let place = etcetera::choose_base_strategy().ok()?;
    Some(place.config_dir().join("confsplit").join("config.toml"))
}

/// `~/reports` below the home directory, as a shell would have it.
fn at_home(path: &Path) -> PathBuf {
    let home = || etcetera::home_dir().ok();
    match path
        .strip_prefix("~")
        .ok()
        .and_then(|rest| Some(home()?.join(rest)))
    {
        Some(below) => below,
        None => path.to_owned(),
    }
}

/// Line and column, both from 1, of a byte.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line, column)
}

#[cfg(test)]
mod tests;
