//! Images by script: what a container with an image of this name does. One that nobody knows runs and writes nothing.

mod copy;
mod items;
mod loadgen;
mod nginx;
mod printer;
mod shell;
mod web;

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use self::loadgen::Loadgen;
use self::nginx::Nginx;
use self::printer::Printer;
use self::shell::Shell;
use self::web::Web;

pub(crate) use self::loadgen::asked;
pub(crate) use self::nginx::error_page;

/// A request as a server sees it. All are GETs.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) client: String,
    pub(crate) path: String,
    pub(crate) host: String,
    pub(crate) agent: &'static str,
    pub(crate) version: &'static str,
}

/// What became of a request, for the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) bytes: usize,
    pub(crate) at: DateTime<Utc>,
}

/// What a program does with a request.
#[derive(Debug)]
pub(crate) enum Action {
    Answer { status: u16, body: String },
    Pass(Pass),
}

/// A request that is passed on.
#[derive(Debug)]
pub(crate) struct Pass {
    /// To the first of these that answers.
    pub(crate) peers: Vec<(String, u16)>,
    pub(crate) path: String,
    pub(crate) host: String,
    pub(crate) timeout: TimeDelta,
    /// The name of the server that passes it on, for the log.
    pub(crate) server: String,
    /// The number of the client's connection, for the log.
    pub(crate) connection: u64,
}

/// What a program does by itself.
#[derive(Debug)]
pub(crate) enum Beat {
    None,
    Lines(Vec<String>, TimeDelta),
    /// It says this, and ends with a code.
    End(Vec<String>, i32),
    Ask {
        host: String,
        port: u16,
        path: String,
        limit: TimeDelta,
        /// From the answer to the next request.
        pause: TimeDelta,
    },
}

/// What a program finds when it starts.
pub(crate) struct Setting<'a> {
    pub(crate) image: &'a str,
    /// Command and arguments.
    pub(crate) words: &'a [String],
    pub(crate) env: &'a [(String, String)],
    pub(crate) pod: &'a str,
    pub(crate) now: DateTime<Utc>,
    pub(crate) seed: u64,
    pub(crate) read: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) list: &'a dyn Fn(&str) -> Option<Vec<String>>,
    pub(crate) resolve: &'a dyn Fn(&str) -> Option<String>,
}

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) program: Program,
    pub(crate) lines: Vec<String>,
    /// Files that it wrote.
    pub(crate) writes: Vec<(String, Vec<u8>)>,
    /// It ends, so long after it began.
    pub(crate) exit: Option<i32>,
    pub(crate) after: TimeDelta,
    /// When it does something by itself.
    pub(crate) tick: Option<TimeDelta>,
}

impl Launched {
    fn new(program: Program) -> Self {
        Self {
            program,
            lines: Vec::new(),
            writes: Vec::new(),
            exit: None,
            after: TimeDelta::zero(),
            tick: None,
        }
    }
}

/// A program that runs.
#[derive(Debug)]
pub(crate) enum Program {
    Nginx(Box<Nginx>),
    Loadgen(Loadgen),
    Printer(Printer),
    Web(Web),
    Shell(Box<Shell>),
    /// One that nobody knows, or that is about to end.
    Idle,
}

/// The name of an image without registry, tag and digest.
pub(crate) fn short_name(image: &str) -> &str {
    let last = image.rsplit('/').next().unwrap_or(image);
    last.split(['@', ':']).next().unwrap_or(last)
}

/// What an image is, by its name; what stands before is said of it, as `distroless-`.
fn program(image: &str) -> &str {
    let name = short_name(image);
    name.strip_prefix("distroless-").unwrap_or(name)
}

/// Whether there is no shell and no tool in an image.
pub(crate) fn is_bare(image: &str) -> bool {
    short_name(image).starts_with("distroless")
}

pub(crate) fn launch(setting: &Setting<'_>) -> Launched {
    match program(setting.image) {
        "nginx" => nginx::launch(setting),
        "loadgen" => loadgen::launch(setting),
        "printer" => printer::launch(setting),
        "web" => web::launch(setting),
        "copy" => copy::launch(setting),
        "busybox" | "alpine" if shell::understands(setting.words) => shell::launch(setting),
        _ => Launched::new(Program::Idle),
    }
}

/// Variables that an image brings.
pub(crate) fn environment(image: &str) -> &'static [(&'static str, &'static str)] {
    match program(image) {
        "nginx" => &[
            ("NGINX_VERSION", "1.27.5"),
            ("PKG_RELEASE", "1"),
            ("DYNPKG_RELEASE", "1"),
            ("NJS_VERSION", "0.8.10"),
            ("NJS_RELEASE", "1"),
        ],
        _ => &[],
    }
}

/// An image's name as the runtime has it.
pub(crate) fn full_name(image: &str) -> String {
    let tagged = match image.rsplit('/').next() {
        Some(last) if last.contains(':') => image.to_owned(),
        _ => format!("{image}:latest"),
    };
    let first = image.split('/').next().unwrap_or_default();
    if image.contains('/') && (first.contains('.') || first.contains(':') || first == "localhost") {
        tagged
    } else if image.contains('/') {
        format!("docker.io/{tagged}")
    } else {
        format!("docker.io/library/{tagged}")
    }
}

/// The digest by which the runtime knows an image.
pub(crate) fn id(image: &str) -> String {
    let name = full_name(image);
    let digest = Sha256::digest(name.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let bare = name
        .rsplit_once(':')
        .map_or(name.as_str(), |(bare, _)| bare);
    format!("{bare}@sha256:{hex}")
}

impl Program {
    pub(crate) fn listens(&self, port: u16) -> bool {
        match self {
            Self::Nginx(nginx) => nginx.listens(port),
            Self::Web(web) => web.listens(port),
            _ => false,
        }
    }

    /// Ports that it listens on.
    pub(crate) fn ports(&self) -> Vec<u16> {
        match self {
            Self::Nginx(nginx) => nginx.ports(),
            Self::Web(web) => vec![web.port()],
            _ => Vec::new(),
        }
    }

    pub(crate) fn answer(&mut self, port: u16, request: &Request) -> Action {
        match self {
            Self::Nginx(nginx) => nginx.answer(port, request),
            Self::Web(web) => web.answer(request),
            _ => Action::Answer {
                status: 404,
                body: String::new(),
            },
        }
    }

    /// What it logs of a request that was answered.
    pub(crate) fn served(&mut self, request: &Request, seen: Seen) -> Vec<String> {
        match self {
            Self::Nginx(_) => vec![nginx::access(request, seen)],
            Self::Web(web) => vec![web.access(request, seen)],
            _ => Vec::new(),
        }
    }

    /// What it logs of a peer that did not answer.
    pub(crate) fn failed(
        &self,
        request: &Request,
        pass: &Pass,
        peer: &str,
        silent: bool,
        at: DateTime<Utc>,
    ) -> Option<String> {
        match self {
            Self::Nginx(nginx) => Some(nginx.failed(request, pass, peer, silent, at)),
            _ => None,
        }
    }

    pub(crate) fn beat(
        &mut self,
        now: DateTime<Utc>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Beat {
        match self {
            Self::Loadgen(loadgen) => loadgen.beat(),
            Self::Printer(printer) => printer.beat(now, read),
            Self::Shell(shell) => shell.beat(read),
            _ => Beat::None,
        }
    }

    /// How it takes the signal to stop: after how long it ends, with which code, and what it says. One that is deaf does not end.
    pub(crate) fn stop(&self, now: DateTime<Utc>) -> Option<(TimeDelta, i32, Vec<String>)> {
        let (millis, code, lines) = match self {
            Self::Nginx(nginx) => (180, 0, nginx.farewell(now)),
            Self::Loadgen(_) | Self::Web(_) => (40, 2, Vec::new()),
            Self::Printer(_) => (60, 143, Vec::new()),
            // The first process of a container is not ended by a signal that it does not handle.
            Self::Shell(_) => return None,
            Self::Idle => (60, 0, Vec::new()),
        };
        Some((TimeDelta::milliseconds(millis), code, lines))
    }

    /// The processes of the container: number, parent, name.
    pub(crate) fn processes(&self) -> Vec<(u32, u32, &'static str)> {
        match self {
            Self::Nginx(nginx) => nginx.processes(),
            Self::Loadgen(_) => vec![(1, 0, "loadgen")],
            Self::Printer(_) => vec![(1, 0, "printer")],
            Self::Web(_) => vec![(1, 0, "web")],
            Self::Shell(shell) => shell.processes(),
            Self::Idle => vec![(1, 0, "app")],
        }
    }
}
