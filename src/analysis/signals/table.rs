//! The named extractors: how programs say whom they could not reach, or whom they asked, each with a line of the program.
//!
//! Adding one: a row with a literal that every such line holds, a pattern, a line as the program prints it and what it shows. The
//! tests read every sample, and plant it wherever a client can write: there it must show nothing.

mod databases;
mod languages;
mod proxies;

use std::sync::LazyLock;

use regex::bytes::Regex;

/// What an extractor finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `host:port` that the program connected to, or tried to, and that failed it.
    Upstream,
    /// `host:port` that a proxy or a client sent a request to. It says nothing of a failure.
    Reached,
    /// A host name that could not be resolved.
    Unresolved,
    /// A connection failed, and the line does not say to where.
    Unnamed,
    /// A proxy's own name of what fails: `web/s1`, or a group without a live member.
    Backend,
    /// A proxy's flag for why it answered so: `UF`.
    Flag,
    /// The program read its configuration again.
    Reload,
    /// An error of start-up, or of parsing a configuration.
    StartError,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Upstream => "upstream failed",
            Self::Reached => "upstream asked",
            Self::Unresolved => "name not resolved",
            Self::Unnamed => "connection failed, to where is not said",
            Self::Backend => "backend failed",
            Self::Flag => "flag",
            Self::Reload => "configuration read again",
            Self::StartError => "start-up or parse error",
        }
    }

    /// The word for it in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::Upstream => "upstream",
            Self::Reached => "reached",
            Self::Unresolved => "unresolved",
            Self::Unnamed => "unnamed",
            Self::Backend => "backend",
            Self::Flag => "flag",
            Self::Reload => "reload",
            Self::StartError => "start-error",
        }
    }
}

/// One extractor.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub kind: Kind,
    /// Literals of which every such line holds one: where none is, the pattern is not tried.
    pub(super) needles: &'static [&'static str],
    /// Groups: `h` and `p` for host and port, `a` for both in one, `n` for a name. With none of them the row shows no text.
    pub(super) pattern: &'static str,
    /// Whether the pattern itself keeps out what a client may have written, so that it may read past the first of it.
    pub(super) past_clients: bool,
    /// A line as the program prints it.
    pub sample: &'static str,
    /// What the sample shows.
    pub shows: &'static str,
}

impl Row {
    const fn new(name: &'static str, kind: Kind, needles: &'static [&'static str]) -> Self {
        Self {
            name,
            kind,
            needles,
            pattern: "",
            past_clients: false,
            sample: "",
            shows: "",
        }
    }

    const fn pattern(mut self, pattern: &'static str) -> Self {
        self.pattern = pattern;
        self
    }

    const fn past_clients(mut self) -> Self {
        self.past_clients = true;
        self
    }

    const fn sample(mut self, sample: &'static str, shows: &'static str) -> Self {
        self.sample = sample;
        self.shows = shows;
        self
    }
}

/// An address: a name or IPv4, or IPv6 with or without brackets, then the port.
macro_rules! address {
    () => {
        r"(?P<a>\[[0-9A-Fa-f:.%]+\]:\d{1,5}|[A-Za-z0-9](?:[\w.-]*\w)?:\d{1,5}|[0-9A-Fa-f:.]*::[0-9A-Fa-f:.]*:\d{1,5})"
    };
}
use address;

/// Where a line may name an address, in the forms of the rows: host and port together, or with some words between them.
pub(super) fn hint(address: &str) -> String {
    let Some((host, port)) = address.rsplit_once(':') else {
        return regex::escape(address);
    };
    let host = regex::escape(host.trim_matches(['[', ']']));
    format!(r"\[?{host}\]?(?::|[^\n:]{{1,40}}?(?:port[ =]|, |:)){port}\b")
}

/// All of them.
pub(super) static ROWS: LazyLock<Vec<&'static Row>> = LazyLock::new(|| {
    // What says less comes last: of one kind the first row of a line counts.
    proxies::ROWS
        .iter()
        .chain(databases::ROWS)
        .chain(languages::ROWS)
        .collect()
});

/// The extractors by name, with their samples: what `signals --list` prints.
pub fn extractors() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().copied()
}

/// The patterns of the rows, each made when it is first needed.
pub(super) static PATTERNS: LazyLock<Vec<LazyLock<Option<Regex>, Make>>> = LazyLock::new(|| {
    let make = |row: &&'static Row| {
        let pattern = row.pattern;
        let make: Make = Box::new(move || Regex::new(&format!("(?-u){pattern}")).ok());
        LazyLock::new(make)
    };
    ROWS.iter().map(make).collect()
});

type Make = Box<dyn FnOnce() -> Option<Regex> + Send + Sync>;

#[cfg(test)]
mod tests;
