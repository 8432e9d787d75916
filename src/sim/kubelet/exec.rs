//! Commands in a container: the few reads that busybox has for them. An image without tools has none.

use chrono::{DateTime, Utc};

use super::files::Node;
use super::{Container, PodRun, proc};
use crate::sim::images;
use crate::sim::status::Failure;
use crate::sim::world::{Output, World};

/// Whose files the image's own are.
const HOSTS: &str = "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n";

/// A container, and when a command looks at it.
struct Look<'a> {
    run: &'a PodRun,
    container: &'a Container,
    booted: DateTime<Utc>,
    now: DateTime<Utc>,
    /// The command itself, which is a process too.
    name: &'a str,
}

impl World {
    /// Runs a command in a container.
    pub fn exec(
        &self,
        namespace: &str,
        pod: &str,
        container: Option<&str>,
        argv: &[String],
    ) -> Result<Output, Failure> {
        let run = self.run_of(namespace, pod)?;
        let name = run.meant(container);
        let Some(container) = run.container(name) else {
            return Err(Failure::bad_request(format!(
                "container not found (\"{name}\")"
            )));
        };
        if !container.is_running() {
            let message = format!("unable to upgrade connection: container not found (\"{name}\")");
            return Err(Failure::new(500, "InternalError", message));
        }
        let [program, args @ ..] = argv else {
            return Err(Failure::bad_request(
                "you must specify at least 1 command for the container",
            ));
        };
        let look = Look {
            run,
            container,
            booted: self.booted(),
            now: self.now,
            name: program,
        };
        let output = if images::is_bare(&container.image) {
            None
        } else {
            look.run(program, args)
        };
        output.ok_or_else(|| absent(&container.id, program))
    }
}

/// What the runtime says where there is no such program.
fn absent(id: &str, program: &str) -> Failure {
    let id = id.trim_start_matches("containerd://");
    let why = if program.starts_with('/') {
        format!("stat {program}: no such file or directory")
    } else {
        format!("exec: \"{program}\": executable file not found in $PATH")
    };
    let message = format!(
        "Internal error occurred: error executing command in container: failed to exec in container: failed to start exec \"{id}\": OCI runtime exec failed: exec failed: unable to start container process: {why}: unknown"
    );
    Failure::new(500, "InternalError", message)
}

impl Look<'_> {
    fn run(&self, program: &str, args: &[String]) -> Option<Output> {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut output = Output::default();
        match program.rsplit('/').next()? {
            "cat" => {
                for path in &words {
                    match self.read(path) {
                        Some(bytes) => output.stdout.extend(bytes),
                        None => output
                            .complain(&format!("cat: can't open '{path}': {}", self.why(path))),
                    }
                }
            }
            "ls" => self.list(&words, &mut output),
            "stat" => self.stat(&words, &mut output),
            "env" | "printenv" => self.environment(&words, &mut output),
            "true" => {}
            "false" => output.code = 1,
            _ => return None,
        }
        Some(output)
    }

    fn why(&self, path: &str) -> &'static str {
        match self.run.at(self.container, path) {
            Some(Node::Folder(_)) => "Is a directory",
            _ => "No such file or directory",
        }
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        if let Some(rest) = path.strip_prefix("/proc/") {
            return self.read_proc(rest);
        }
        if let Some(Node::File(file)) = self.run.at(self.container, path) {
            return Some(file.bytes.to_vec());
        }
        let own = match path {
            "/etc/hostname" => format!("{}\n", self.run.key.name),
            "/etc/hosts" => {
                let ip = self.run.ip.as_deref().unwrap_or_default();
                format!("{HOSTS}{ip}\t{}\n", self.run.key.name)
            }
            _ => return None,
        };
        Some(own.into_bytes())
    }

    fn read_proc(&self, path: &str) -> Option<Vec<u8>> {
        match path {
            "stat" => return Some(proc::boot(self.booted).into_bytes()),
            "self/environ" => return Some(proc::environ(self.container, true)),
            "net/tcp" => {
                let waiting = self
                    .run
                    .waiting
                    .iter()
                    .filter(|(_, _, until)| *until > self.now);
                let waiting: Vec<_> = waiting.map(|(ip, port, _)| (ip.clone(), *port)).collect();
                return Some(proc::sockets(self.run, &waiting).into_bytes());
            }
            "net/tcp6" => {
                let heading = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
                return Some(heading.as_bytes().to_vec());
            }
            _ => {}
        }
        let (pid, what) = path.split_once('/')?;
        let pid: u32 = pid.parse().ok()?;
        match what {
            "stat" => {
                let name = self.name.rsplit('/').next().unwrap_or_default();
                proc::stat(self.container, pid, self.booted, name).map(String::into_bytes)
            }
            "environ" => Some(proc::environ(self.container, false)),
            _ => None,
        }
    }

    fn list(&self, words: &[&str], output: &mut Output) {
        let (options, paths): (Vec<&str>, Vec<&str>) =
            words.iter().partition(|w| w.starts_with('-'));
        let long = options.iter().any(|o| o.contains('l'));
        let all = options.iter().any(|o| o.contains('a'));
        let several = paths.len() > 1;
        for (at, path) in paths.iter().enumerate() {
            let listed = match path.trim_end_matches('/') {
                "/proc" => Some(proc::listing(self.container)),
                path if path.starts_with("/proc/") => {
                    let pid = path
                        .strip_prefix("/proc/")
                        .and_then(|p| p.strip_suffix("/fd"));
                    pid.and_then(|pid| proc::handles(self.container, pid.parse().ok()?))
                }
                path => self.folder(path, long, all),
            };
            let Some(listed) = listed else {
                output.complain(&format!("ls: {path}: No such file or directory"));
                continue;
            };
            if several {
                let gap = if at > 0 { "\n" } else { "" };
                output.stdout.extend(format!("{gap}{path}:\n").into_bytes());
            }
            output.stdout.extend(listed.into_bytes());
        }
    }

    fn folder(&self, path: &str, long: bool, all: bool) -> Option<String> {
        let node = self.run.at(self.container, path)?;
        let row = |mode: &str, size: usize, at: DateTime<Utc>, name: &str| match long {
            true => format!(
                "{mode}    1 root     root     {size:9} {} {name}\n",
                at.format("%b %e %H:%M")
            ),
            false => format!("{name}\n"),
        };
        let folder = match node {
            Node::File(file) => {
                return Some(row("-rw-r--r--", file.bytes.len(), file.modified, path));
            }
            Node::Folder(folder) => folder,
        };
        let at = folder.modified;
        let mut text = if long {
            "total 12\n".to_owned()
        } else {
            String::new()
        };
        if all {
            text += &row("drwxrwxrwx", 4096, at, ".");
            text += &row("drwxr-xr-x", 4096, self.run.since, "..");
            if let Some(stamp) = folder.stamp {
                text += &row("drwxr-xr-x", 4096, at, stamp);
                let link = if long {
                    format!("..data -> {stamp}")
                } else {
                    "..data".to_owned()
                };
                text += &row("lrwxrwxrwx", stamp.len(), at, &link);
            }
        }
        for (name, file) in &folder.entries {
            text += &match (folder.stamp, file) {
                (Some(_), _) if long => row(
                    "lrwxrwxrwx",
                    name.len() + 7,
                    at,
                    &format!("{name} -> ..data/{name}"),
                ),
                (_, Some(file)) => row("-rw-r--r--", file.bytes.len(), file.modified, name),
                (_, None) => row("drwxr-xr-x", 4096, at, name),
            };
        }
        Some(text)
    }

    /// `stat -L -c '%Y %s %F %n' FILE…`.
    fn stat(&self, words: &[&str], output: &mut Output) {
        let mut format = "%n";
        let mut words = words.iter();
        let mut paths = Vec::new();
        while let Some(word) = words.next() {
            match *word {
                "-c" => format = words.next().copied().unwrap_or(format),
                word if word.starts_with('-') => {}
                path => paths.push(path),
            }
        }
        for path in paths {
            let told = match self.run.at(self.container, path) {
                Some(Node::File(file)) => Some((file.bytes.len(), file.modified, "regular file")),
                Some(Node::Folder(folder)) => Some((4096, folder.modified, "directory")),
                None => self
                    .read(path)
                    .map(|bytes| (bytes.len(), self.run.since, "regular file")),
            };
            let Some((size, at, kind)) = told else {
                output.complain(&format!(
                    "stat: can't stat '{path}': No such file or directory"
                ));
                continue;
            };
            let line = format
                .replace("%Y", &at.timestamp().to_string())
                .replace("%s", &size.to_string())
                .replace("%F", kind)
                .replace("%n", path);
            output.stdout.extend(format!("{line}\n").into_bytes());
        }
    }

    fn environment(&self, words: &[&str], output: &mut Output) {
        let end = if words.contains(&"-0") { '\0' } else { '\n' };
        let names: Vec<&&str> = words.iter().filter(|w| !w.starts_with('-')).collect();
        for (name, value) in &self.container.env {
            if names.is_empty() {
                output
                    .stdout
                    .extend(format!("{name}={value}{end}").into_bytes());
            } else if names.iter().any(|wanted| **wanted == name.as_str()) {
                output.stdout.extend(format!("{value}{end}").into_bytes());
            }
        }
        let known = |wanted: &str| self.container.env.iter().any(|(name, _)| name == wanted);
        if names.iter().any(|wanted| !known(wanted)) {
            output.code = 1;
        }
    }
}

impl Output {
    fn complain(&mut self, text: &str) {
        self.stderr.extend(format!("{text}\n").into_bytes());
        self.code = 1;
    }
}
