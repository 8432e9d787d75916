//! nginx 1.27, as far as it is needed: a configuration that is read once, at the start, requests that are answered or passed on, and
//! its logs word by word.

mod meaning;
mod syntax;
mod table;

use chrono::{DateTime, TimeDelta, Utc};

use super::{Action, Launched, Pass, Program, Request, Seen, Setting};
use meaning::{Does, Server};

const VERSION: &str = "nginx/1.27.5";
/// What the image's entry point says before nginx begins.
const ENTRY: [&str; 8] = [
    "/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration",
    "/docker-entrypoint.sh: Looking for shell scripts in /docker-entrypoint.d/",
    "/docker-entrypoint.sh: Launching /docker-entrypoint.d/10-listen-on-ipv6-by-default.sh",
    "10-listen-on-ipv6-by-default.sh: info: can not modify /etc/nginx/conf.d/default.conf (read-only file system?)",
    "/docker-entrypoint.sh: Sourcing /docker-entrypoint.d/15-local-resolvers.envsh",
    "/docker-entrypoint.sh: Launching /docker-entrypoint.d/20-envsubst-on-templates.sh",
    "/docker-entrypoint.sh: Launching /docker-entrypoint.d/30-tune-worker-processes.sh",
    "/docker-entrypoint.sh: Configuration complete; ready for start up",
];
const WORKERS: u32 = 2;

#[derive(Debug)]
pub(crate) struct Nginx {
    servers: Vec<Server>,
    pod: String,
    /// The first of its workers.
    worker: u32,
    connections: u64,
    /// Peers of a group take turns.
    turn: usize,
}

/// As its error log has it.
fn time(at: DateTime<Utc>) -> String {
    at.format("%Y/%m/%d %H:%M:%S").to_string()
}

/// The page that it makes of an error.
pub(crate) fn error_page(status: u16) -> String {
    let words = match status {
        301 => "Moved Permanently",
        302 => "Found",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Temporarily Unavailable",
        504 => "Gateway Time-out",
        _ => return String::new(),
    };
    format!(
        "<html>\r\n<head><title>{status} {words}</title></head>\r\n<body>\r\n<center><h1>{status} {words}</h1></center>\r\n<hr><center>{VERSION}</center>\r\n</body>\r\n</html>\r\n"
    )
}

pub(super) fn launch(setting: &Setting<'_>) -> Launched {
    let worker = 29 + u32::try_from(setting.seed % 3).unwrap_or_default();
    let now = time(setting.now);
    let entry = ENTRY.iter().map(|line| (*line).to_owned());
    let mut launched = Launched::new(Program::Idle);
    launched.lines.extend(entry);
    let servers = match meaning::read(setting) {
        Ok(servers) => servers,
        Err(emergency) => {
            launched
                .lines
                .push(format!("{now} [emerg] 1#1: {emergency}"));
            launched.lines.push(format!("nginx: [emerg] {emergency}"));
            launched.exit = Some(1);
            return launched;
        }
    };
    let mut notices = vec![
        "using the \"epoll\" event method".to_owned(),
        VERSION.to_owned(),
        "built by gcc 14.2.0 (Alpine 14.2.0) ".to_owned(),
        "OS: Linux 6.8.0-45-generic".to_owned(),
        "getrlimit(RLIMIT_NOFILE): 1048576:1048576".to_owned(),
        "start worker processes".to_owned(),
    ];
    notices.extend((worker..worker + WORKERS).map(|pid| format!("start worker process {pid}")));
    let lines = notices
        .into_iter()
        .map(|text| format!("{now} [notice] 1#1: {text}"));
    launched.lines.extend(lines);
    launched.program = Program::Nginx(Box::new(Nginx {
        servers,
        pod: setting.pod.to_owned(),
        worker,
        connections: 0,
        turn: 0,
    }));
    launched
}

impl Nginx {
    pub(super) fn listens(&self, port: u16) -> bool {
        self.servers
            .iter()
            .any(|server| server.ports.contains(&port))
    }

    pub(super) fn ports(&self) -> Vec<u16> {
        let mut ports: Vec<u16> = self.servers.iter().flat_map(|s| s.ports.clone()).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    pub(super) fn processes(&self) -> Vec<(u32, u32, &'static str)> {
        let workers = self.worker..self.worker + WORKERS;
        let workers = workers.map(|pid| (pid, 1, "nginx"));
        [(1, 0, "nginx")].into_iter().chain(workers).collect()
    }

    /// The server for a port and a host: the first of that port is the default.
    fn server(&self, port: u16, host: &str) -> Option<&Server> {
        let host = host.split(':').next().unwrap_or_default();
        let here = || {
            self.servers
                .iter()
                .filter(|server| server.ports.contains(&port))
        };
        let named = here().find(|server| server.names.iter().any(|name| name == host));
        named.or_else(|| here().next())
    }

    pub(super) fn answer(&mut self, port: u16, request: &Request) -> Action {
        self.connections += 1;
        let connection = self.connections;
        let path = request.path.split('?').next().unwrap_or_default();
        let Some(server) = self.server(port, &request.host) else {
            return page(404);
        };
        let (location, does) = server.action(path);
        match does {
            Does::Return { status, text } => {
                let body = match text {
                    Some(text) => self.filled(text, request),
                    None => error_page(*status),
                };
                Action::Answer {
                    status: *status,
                    body,
                }
            }
            Does::Pass {
                peers,
                uri,
                host,
                timeout,
            } => {
                let mut target = match uri {
                    Some(uri) => format!(
                        "{uri}{}",
                        request.path.get(location.len()..).unwrap_or_default()
                    ),
                    None => request.path.clone(),
                };
                if target.is_empty() {
                    target.push('/');
                }
                let mut turned = peers.clone();
                turned.rotate_left(self.turn % peers.len().max(1));
                let pass = Pass {
                    peers: turned,
                    path: target,
                    host: host.clone(),
                    timeout: *timeout,
                    server: server.names.first().cloned().unwrap_or_default(),
                    connection,
                };
                self.turn += 1;
                // The connection to the peer is counted too.
                self.connections += 1;
                Action::Pass(pass)
            }
            Does::Files { welcome: true } if path == "/" || path == "/index.html" => {
                Action::Answer {
                    status: 200,
                    body: WELCOME.to_owned(),
                }
            }
            Does::Files { .. } => page(404),
        }
    }

    /// The variables of a text, as far as anyone uses them in one.
    fn filled(&self, text: &str, request: &Request) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let host = request.host.split(':').next().unwrap_or_default();
        text.replace("$hostname", &self.pod)
            .replace("$request_uri", &request.path)
            .replace("$remote_addr", &request.client)
            .replace("$uri", path)
            .replace("$host", host)
    }

    pub(super) fn failed(
        &self,
        request: &Request,
        pass: &Pass,
        peer: &str,
        silent: bool,
        at: DateTime<Utc>,
    ) -> String {
        let why = match silent {
            true => "upstream timed out (110: Operation timed out) while connecting to upstream",
            false => "connect() failed (111: Connection refused) while connecting to upstream",
        };
        let worker = self.worker + u32::try_from(pass.connection % u64::from(WORKERS)).unwrap_or(0);
        format!(
            "{} [error] {worker}#{worker}: *{} {why}, client: {}, server: {}, request: \"GET {} HTTP/{}\", upstream: \"http://{peer}{}\", host: \"{}\"",
            time(at),
            pass.connection,
            request.client,
            pass.server,
            request.path,
            request.version,
            pass.path,
            request.host,
        )
    }

    /// What it says when it is told to stop.
    pub(super) fn farewell(&self, now: DateTime<Utc>) -> Vec<String> {
        let now = time(now);
        let notice = |pid: u32, text: &str| format!("{now} [notice] {pid}#{pid}: {text}");
        let mut lines = vec![notice(1, "signal 3 (SIGQUIT) received, shutting down")];
        for pid in self.worker..self.worker + WORKERS {
            lines.push(notice(pid, "gracefully shutting down"));
            lines.push(notice(pid, "exiting"));
            lines.push(notice(pid, "exit"));
        }
        lines.push(notice(1, "exit"));
        lines
    }
}

fn page(status: u16) -> Action {
    Action::Answer {
        status,
        body: error_page(status),
    }
}

/// The line of its access log, in the image's own format.
pub(super) fn access(request: &Request, seen: Seen) -> String {
    format!(
        "{} - - [{}] \"GET {} HTTP/{}\" {} {} \"-\" \"{}\" \"-\"",
        request.client,
        seen.at.format("%d/%b/%Y:%H:%M:%S +0000"),
        request.path,
        request.version,
        seen.status,
        seen.bytes,
        request.agent,
    )
}

const WELCOME: &str = "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n</head>\n<body>\n<h1>Welcome to nginx!</h1>\n</body>\n</html>\n";

/// nginx waits so long for a connection if nobody says.
const CONNECT: TimeDelta = TimeDelta::seconds(60);

#[cfg(test)]
mod tests;
