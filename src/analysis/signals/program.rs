//! Programs that read their configuration once, and the lines by which they tell who they are and that they read it again.
//!
//! Each row of the table is a program that is known to keep what it read at its start until it is told to reload, with the source
//! of that. Adding one: a row, a real start-up line of it as a test, and among [`RELOADS`] how it tells that it read again.

use super::own::own;

/// A program that reads its configuration once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Nginx,
    Httpd,
    HaProxy,
    Postgres,
    Redis,
}

/// How a program is known.
struct Known {
    program: Program,
    name: &'static str,
    images: &'static [&'static str],
    /// The names of its processes.
    processes: &'static [&'static str],
    /// Where its own configuration is.
    homes: &'static [&'static str],
    /// Whether a line is its start-up line.
    starts: fn(&str) -> bool,
}

const TABLE: [Known; 5] = [
    // "Changes made in the configuration file will not be applied until the command to reload configuration is sent to nginx or it
    // is restarted" (nginx.org, Beginner's Guide).
    Known {
        program: Program::Nginx,
        name: "nginx",
        images: &["nginx", "nginx-unprivileged"],
        processes: &["nginx"],
        homes: &["/etc/nginx"],
        starts: |line| line.contains("[notice]") && line.contains(": nginx/"),
    },
    // "Changes to the main configuration files are only recognized by httpd when it is started or restarted" (httpd.apache.org,
    // Configuration Files).
    Known {
        program: Program::Httpd,
        name: "Apache httpd",
        images: &["httpd", "apache2", "apache"],
        processes: &["httpd", "apache2"],
        homes: &["/usr/local/apache2/conf", "/etc/apache2", "/etc/httpd"],
        starts: |line| line.contains("resuming normal operations") && line.contains("Apache/"),
    },
    // It reads its file at the start; a reload starts a new worker (HAProxy Management Guide, "Stopping and restarting").
    Known {
        program: Program::HaProxy,
        name: "HAProxy",
        images: &["haproxy", "haproxy-alpine"],
        processes: &["haproxy"],
        homes: &["/usr/local/etc/haproxy", "/etc/haproxy"],
        starts: |line| {
            line.starts_with("[NOTICE]") && line.contains("New worker") && line.contains("forked")
        },
    },
    // "This file is read on server startup and when the server receives a SIGHUP signal" (postgresql.conf.sample, pg_hba.conf.sample).
    Known {
        program: Program::Postgres,
        name: "PostgreSQL",
        images: &["postgres", "postgresql"],
        processes: &["postgres"],
        homes: &["/etc/postgresql", "/var/lib/postgresql"],
        starts: |line| line.contains("LOG:  starting PostgreSQL "),
    },
    // redis.conf is "the redis.conf file the server was started with"; what changes later does so by CONFIG SET alone
    // (redis.io, CONFIG REWRITE).
    Known {
        program: Program::Redis,
        name: "Redis",
        images: &["redis", "valkey"],
        processes: &["redis-server", "valkey-server"],
        homes: &[
            "/usr/local/etc/redis",
            "/etc/redis",
            "/usr/local/etc/valkey",
            "/etc/valkey",
        ],
        starts: |line| {
            line.contains("oO0OoO0OoO0Oo Redis is starting")
                || line.contains("oO0OoO0OoO0Oo Valkey is starting")
        },
    },
];

impl Program {
    /// By the name of its process.
    pub(crate) fn of_process(name: &str) -> Option<Self> {
        let known = TABLE.iter().find(|known| known.processes.contains(&name))?;
        Some(known.program)
    }

    fn known(self) -> Option<&'static Known> {
        TABLE.iter().find(|known| known.program == self)
    }

    pub(crate) fn as_str(self) -> &'static str {
        self.known().map_or("it", |known| known.name)
    }
}

/// The program that both the image's name and the start-up line in the log tell. One alone is not enough: images carry
/// wrappers that reload by themselves (ingress controllers, config reloaders).
///
/// Only its own configuration is read once: files that it serves are read at every request, so the path must be where the
/// program's configuration is.
pub(crate) fn reads_once(image: &str, logged: Option<Program>, path: &str) -> Option<Program> {
    let known = logged?.known()?;
    let fits = known.images.contains(&image_name(image));
    let own = known.homes.iter().any(|home| path.starts_with(home));
    (fits && own).then_some(known.program)
}

/// `nginx` of `docker.io/library/nginx:1.27-alpine@sha256:…`.
fn image_name(image: &str) -> &str {
    let without_digest = image.split('@').next().unwrap_or(image);
    let last = without_digest.rsplit('/').next().unwrap_or(without_digest);
    last.split(':').next().unwrap_or(last)
}

/// The program whose start-up line this is.
pub(super) fn of_line(line: &str) -> Option<Program> {
    let known = TABLE.iter().find(|known| (known.starts)(line))?;
    Some(known.program)
}

/// By these a program says that it reads its configuration again.
pub(super) const RELOADS: [&str; 10] = [
    "signal 1 (SIGHUP) received",
    ": reconfiguring",
    "SIGHUP received.  Attempting to restart",
    "Graceful restart requested",
    "AH00494: SIGHUP received",
    "Reloading HAProxy",
    "Reexecuting Master process",
    "received SIGHUP, reloading configuration files",
    // ingress-nginx.
    "Backend successfully reloaded",
    // Spring Cloud's refresh of changed keys.
    "Refresh keys changed",
];

/// Whether a program says that it reads its configuration again. A client can write such words too.
pub(super) fn is_reload(line: &str) -> bool {
    let first = RELOADS.iter().filter_map(|mark| line.find(mark)).min();
    first.is_some_and(|at| at < own(line.as_bytes()))
}

#[cfg(test)]
mod tests;
