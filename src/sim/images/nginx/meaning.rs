//! What a configuration means: servers, their locations, what each does. Wrong ones end in nginx's own words.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use regex::Regex;

use super::syntax::{Directive, parse};
use super::table::{self, EVENTS, HTTP, LOCATION, MAIN, SERVER, UPSTREAM};
use super::{CONNECT, Setting};

const MAIN_FILE: &str = "/etc/nginx/nginx.conf";
const FOLDER: &str = "/etc/nginx/conf.d";

/// What is done with a request.
#[derive(Debug, Clone)]
pub(super) enum Does {
    Return {
        status: u16,
        text: Option<String>,
    },
    Pass {
        peers: Vec<(String, u16)>,
        /// What stands in the place of the location's prefix.
        uri: Option<String>,
        host: String,
        timeout: TimeDelta,
    },
    /// Files of the image: none, but for the welcome page.
    Files {
        welcome: bool,
    },
}

#[derive(Debug, Clone)]
enum Match {
    Exact(String),
    /// With `true` no pattern is tried after it.
    Prefix(String, bool),
    Pattern(Regex),
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) ports: Vec<u16>,
    pub(super) names: Vec<String>,
    all: Option<Does>,
    locations: Vec<(Match, Does)>,
}

impl Server {
    /// The prefix that fits a path, and what is done.
    pub(super) fn action(&self, path: &str) -> (&str, &Does) {
        const NONE: &Does = &Does::Files { welcome: false };
        if let Some(all) = &self.all {
            return ("", all);
        }
        let exact = self.locations.iter().find_map(|(fits, does)| match fits {
            Match::Exact(wanted) if wanted == path => Some((wanted.as_str(), does)),
            _ => None,
        });
        let prefixes = self.locations.iter().filter_map(|(fits, does)| match fits {
            Match::Prefix(prefix, last) if path.starts_with(prefix.as_str()) => {
                Some((prefix, *last, does))
            }
            _ => None,
        });
        let longest = prefixes.max_by_key(|(prefix, _, _)| prefix.len());
        let pattern = self.locations.iter().find_map(|(fits, does)| match fits {
            Match::Pattern(pattern) if pattern.is_match(path) => Some(("", does)),
            _ => None,
        });
        let pattern = pattern.filter(|_| !longest.is_some_and(|(_, last, _)| last));
        let prefix = longest.map(|(prefix, _, does)| (prefix.as_str(), does));
        exact.or(pattern).or(prefix).unwrap_or(("", NONE))
    }
}

/// What was read so far.
struct Reader<'a> {
    setting: &'a Setting<'a>,
    upstreams: BTreeMap<String, Vec<(String, u16)>>,
    servers: Vec<Server>,
}

/// Where something stands, for the words of what is wrong.
struct Place<'a> {
    file: &'a str,
    line: usize,
}

impl<'a> Place<'a> {
    fn of(file: &'a str, directive: &Directive) -> Self {
        Self {
            file,
            line: directive.line,
        }
    }

    fn wrong(&self, what: impl std::fmt::Display) -> String {
        format!("{what} in {}:{}", self.file, self.line)
    }
}

/// Reads the configuration that a container has.
pub(super) fn read(setting: &Setting<'_>) -> Result<Vec<Server>, String> {
    let mut reader = Reader {
        setting,
        upstreams: BTreeMap::new(),
        servers: Vec::new(),
    };
    match (setting.read)(MAIN_FILE) {
        Some(text) => reader.file(MAIN_FILE, &text, MAIN)?,
        None if (setting.list)(FOLDER).is_some() || (setting.read)(DEFAULT).is_some() => {
            reader.include(&format!("{FOLDER}/*.conf"), HTTP)?;
        }
        None => reader.servers.push(Server {
            ports: vec![80],
            names: vec!["localhost".to_owned()],
            all: None,
            locations: vec![(
                Match::Prefix("/".to_owned(), false),
                Does::Files { welcome: true },
            )],
        }),
    }
    Ok(reader.servers)
}

/// What a subPath mount often has.
const DEFAULT: &str = "/etc/nginx/conf.d/default.conf";

impl Reader<'_> {
    fn file(&mut self, file: &str, text: &str, place: u8) -> Result<(), String> {
        let all = parse(text).map_err(|(what, line)| Place { file, line }.wrong(what))?;
        // Upstreams may stand after what names them.
        self.check(file, &all, place)?;
        self.upstreams_of(file, &all)?;
        self.walk(file, &all, place)
    }

    fn include(&mut self, pattern: &str, place: u8) -> Result<(), String> {
        let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let folder = if folder.is_empty() {
            "/etc/nginx"
        } else {
            folder
        };
        let ending = name.strip_prefix('*');
        let mut names = (self.setting.list)(folder).unwrap_or_default();
        if names.is_empty() && folder == FOLDER {
            names.push("default.conf".to_owned());
        }
        for found in names {
            if ending.is_some_and(|ending| found.ends_with(ending)) || found == name {
                let file = format!("{folder}/{found}");
                if let Some(text) = (self.setting.read)(&file) {
                    self.file(&file, &text, place)?;
                }
            }
        }
        Ok(())
    }

    /// Names, places and numbers of arguments, in the order in which they stand.
    fn check(&self, file: &str, all: &[Directive], place: u8) -> Result<(), String> {
        for directive in all {
            let name = &directive.name;
            let here = Place::of(file, directive);
            let known = table::known(name);
            if known.is_empty() {
                return Err(here.wrong(format!("unknown directive \"{name}\"")));
            }
            let Some(fits) = known.iter().find(|k| k.places & place != 0) else {
                return Err(here.wrong(format!("\"{name}\" directive is not allowed here")));
            };
            match &directive.block {
                None if fits.block => {
                    return Err(here.wrong(format!("directive \"{name}\" has no opening \"{{\"")));
                }
                Some(_) if !fits.block => {
                    return Err(
                        here.wrong(format!("directive \"{name}\" is not terminated by \";\""))
                    );
                }
                _ => {}
            }
            if !(fits.least..=fits.most).contains(&directive.args.len()) {
                let wrong = format!("invalid number of arguments in \"{name}\" directive");
                return Err(here.wrong(wrong));
            }
            if name.ends_with("_timeout")
                && name.starts_with("proxy")
                && seconds(&directive.args[0]).is_none()
            {
                return Err(here.wrong(format!("\"{name}\" directive invalid value")));
            }
            let inner = match name.as_str() {
                "events" => EVENTS,
                "http" => HTTP,
                "server" => SERVER,
                "location" => LOCATION,
                "upstream" => UPSTREAM,
                _ => continue,
            };
            self.check(file, directive.block.as_deref().unwrap_or_default(), inner)?;
        }
        Ok(())
    }

    fn upstreams_of(&mut self, file: &str, all: &[Directive]) -> Result<(), String> {
        for directive in all {
            let inner = directive.block.as_deref().unwrap_or_default();
            match directive.name.as_str() {
                "http" => self.upstreams_of(file, inner)?,
                "upstream" => {
                    let mut peers = Vec::new();
                    for server in inner.iter().filter(|d| d.name == "server") {
                        let here = Place::of(file, server);
                        peers.extend(self.peers(&server.args[0], 80, "upstream", &here)?);
                    }
                    if peers.is_empty() {
                        let name = &directive.args[0];
                        let here = Place::of(file, directive);
                        return Err(
                            here.wrong(format!("no servers are inside upstream \"{name}\""))
                        );
                    }
                    self.upstreams.insert(directive.args[0].clone(), peers);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Host and port, resolved now and never again.
    fn peers(
        &self,
        text: &str,
        port: u16,
        of: &str,
        here: &Place<'_>,
    ) -> Result<Vec<(String, u16)>, String> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, given)) => {
                let parsed = given.parse::<u16>().ok().filter(|port| *port > 0);
                (
                    host,
                    parsed.ok_or_else(|| here.wrong(format!("invalid port in {of} \"{text}\"")))?,
                )
            }
            None => (text, port),
        };
        match (self.setting.resolve)(host) {
            Some(ip) => Ok(vec![(ip, port)]),
            // In an upstream the port is told too.
            None if of == "upstream" && text.contains('$') => Ok(Vec::new()),
            None => {
                let told = if of == "upstream" && text.contains(':') {
                    text
                } else {
                    host
                };
                Err(here.wrong(format!("host not found in upstream \"{told}\"")))
            }
        }
    }

    fn walk(&mut self, file: &str, all: &[Directive], place: u8) -> Result<(), String> {
        for directive in all {
            let inner = directive.block.as_deref().unwrap_or_default();
            match directive.name.as_str() {
                "http" => self.walk(file, inner, HTTP)?,
                "include" => self.include(&directive.args[0].clone(), place)?,
                "server" if place == HTTP => {
                    let server = self.server(file, inner, timeout(all, CONNECT))?;
                    self.servers.push(server);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn server(&self, file: &str, all: &[Directive], wait: TimeDelta) -> Result<Server, String> {
        let wait = timeout(all, wait);
        let mut server = Server {
            ports: Vec::new(),
            names: Vec::new(),
            all: None,
            locations: Vec::new(),
        };
        for directive in all {
            let here = Place::of(file, directive);
            match directive.name.as_str() {
                "listen" => {
                    let text = &directive.args[0];
                    let port = text.rsplit(':').next().unwrap_or(text);
                    let parsed = port.parse::<u16>().ok().filter(|port| *port > 0);
                    let parsed = parsed.ok_or_else(|| {
                        here.wrong(format!(
                            "invalid port in \"{text}\" of the \"listen\" directive"
                        ))
                    })?;
                    server.ports.push(parsed);
                }
                "server_name" => server.names.extend(directive.args.iter().cloned()),
                "return" => server.all = Some(returns(directive, &here)?),
                "location" => {
                    let fits = matches(directive, &here)?;
                    let inner = directive.block.as_deref().unwrap_or_default();
                    let does = self.location(file, inner, timeout(inner, wait))?;
                    server.locations.push((fits, does));
                }
                _ => {}
            }
        }
        if server.ports.is_empty() {
            server.ports.push(80);
        }
        Ok(server)
    }

    fn location(&self, file: &str, all: &[Directive], wait: TimeDelta) -> Result<Does, String> {
        for directive in all {
            let here = Place::of(file, directive);
            match directive.name.as_str() {
                "return" => return returns(directive, &here),
                "proxy_pass" => return self.passes(&directive.args[0], wait, &here),
                _ => {}
            }
        }
        Ok(Does::Files { welcome: false })
    }

    fn passes(&self, url: &str, wait: TimeDelta, here: &Place<'_>) -> Result<Does, String> {
        let (rest, port) = match (url.strip_prefix("http://"), url.strip_prefix("https://")) {
            (Some(rest), _) => (rest, 80),
            (None, Some(rest)) => (rest, 443),
            (None, None) => return Err(here.wrong("invalid URL prefix")),
        };
        let (host, uri) = match rest.find('/') {
            Some(at) => (&rest[..at], Some(rest[at..].to_owned())),
            None => (rest, None),
        };
        let peers = match self.upstreams.get(host) {
            Some(peers) => peers.clone(),
            None => self.peers(host, port, "proxy_pass", here)?,
        };
        Ok(Does::Pass {
            peers,
            uri,
            host: host.to_owned(),
            timeout: wait,
        })
    }
}

fn returns(directive: &Directive, here: &Place<'_>) -> Result<Does, String> {
    let first = &directive.args[0];
    match (first.parse::<u16>(), directive.args.get(1)) {
        (Ok(status), text) if status <= 999 => Ok(Does::Return {
            status,
            text: text.cloned(),
        }),
        (Err(_), None) if first.starts_with("http") => Ok(Does::Return {
            status: 302,
            text: None,
        }),
        _ => Err(here.wrong(format!("invalid return code \"{first}\""))),
    }
}

fn matches(directive: &Directive, here: &Place<'_>) -> Result<Match, String> {
    let [first, rest @ ..] = directive.args.as_slice() else {
        return Err(here.wrong("invalid number of arguments in \"location\" directive"));
    };
    let Some(text) = rest.first() else {
        return Ok(Match::Prefix(first.clone(), false));
    };
    let pattern = match first.as_str() {
        "=" => return Ok(Match::Exact(text.clone())),
        "^~" => return Ok(Match::Prefix(text.clone(), true)),
        "~" => text.clone(),
        "~*" => format!("(?i){text}"),
        other => return Err(here.wrong(format!("invalid location modifier \"{other}\""))),
    };
    let pattern = Regex::new(&pattern);
    let pattern =
        pattern.map_err(|_| here.wrong(format!("pcre2_compile() failed in \"{text}\"")))?;
    Ok(Match::Pattern(pattern))
}

/// How long nginx waits for a connection, where it is said here.
fn timeout(all: &[Directive], above: TimeDelta) -> TimeDelta {
    let said = all.iter().rfind(|d| d.name == "proxy_connect_timeout");
    said.and_then(|d| seconds(&d.args[0])).unwrap_or(above)
}

/// `2s`, `500ms`, `1m`, `60`.
fn seconds(text: &str) -> Option<TimeDelta> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: i64 = digits.parse().ok()?;
    match &text[digits.len()..] {
        "" | "s" => TimeDelta::try_seconds(number),
        "ms" => TimeDelta::try_milliseconds(number),
        "m" => TimeDelta::try_minutes(number),
        "h" => TimeDelta::try_hours(number),
        _ => None,
    }
}
