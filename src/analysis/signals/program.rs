//! Programs that read their configuration once, and the lines by which they tell who they are and that they read it again.
//!
//! Each is known to keep what it read at its start until it is told to reload:
//! - nginx: "Changes made in the configuration file will not be applied until the command to reload configuration is sent to
//!   nginx or it is restarted" (nginx.org, Beginner's Guide).
//! - Apache httpd: "Changes to the main configuration files are only recognized by httpd when it is started or restarted"
//!   (httpd.apache.org, Configuration Files).
//! - HAProxy: reads its file at the start; a reload starts a new worker (HAProxy Management Guide, "Stopping and restarting").

/// A program that reads its configuration once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Nginx,
    Httpd,
    HaProxy,
}

impl Program {
    /// By the name of its process.
    pub(crate) fn of_process(name: &str) -> Option<Self> {
        match name {
            "nginx" => Some(Self::Nginx),
            "httpd" | "apache2" => Some(Self::Httpd),
            "haproxy" => Some(Self::HaProxy),
            _ => None,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Httpd => "Apache httpd",
            Self::HaProxy => "HAProxy",
        }
    }
}

/// The program that both the image's name and the start-up line in the log tell. One alone is not enough: images carry
/// wrappers that reload by themselves (ingress controllers, config reloaders).
///
/// Only its own configuration is read once: files that it serves are read at every request, so the path must be where the
/// program's configuration is.
pub(crate) fn reads_once(image: &str, logged: Option<Program>, path: &str) -> Option<Program> {
    let program = logged?;
    let name = image_name(image);
    let fits = match program {
        Program::Nginx => matches!(name, "nginx" | "nginx-unprivileged"),
        Program::Httpd => matches!(name, "httpd" | "apache2" | "apache"),
        Program::HaProxy => matches!(name, "haproxy" | "haproxy-alpine"),
    };
    let homes: &[&str] = match program {
        Program::Nginx => &["/etc/nginx"],
        Program::Httpd => &["/usr/local/apache2/conf", "/etc/apache2", "/etc/httpd"],
        Program::HaProxy => &["/usr/local/etc/haproxy", "/etc/haproxy"],
    };
    (fits && homes.iter().any(|home| path.starts_with(home))).then_some(program)
}

/// `nginx` of `docker.io/library/nginx:1.27-alpine@sha256:…`.
fn image_name(image: &str) -> &str {
    let without_digest = image.split('@').next().unwrap_or(image);
    let last = without_digest.rsplit('/').next().unwrap_or(without_digest);
    last.split(':').next().unwrap_or(last)
}

/// The program whose start-up line this is.
pub(super) fn of_line(line: &str) -> Option<Program> {
    if line.contains("[notice]") && line.contains(": nginx/") {
        Some(Program::Nginx)
    } else if line.contains("resuming normal operations") && line.contains("Apache/") {
        Some(Program::Httpd)
    } else if line.starts_with("[NOTICE]") && line.contains("New worker") && line.contains("forked")
    {
        Some(Program::HaProxy)
    } else {
        None
    }
}

/// By these a program says that it reads its configuration again.
pub(super) const RELOADS: [&str; 7] = [
    "signal 1 (SIGHUP) received",
    ": reconfiguring",
    "SIGHUP received.  Attempting to restart",
    "Graceful restart requested",
    "AH00494: SIGHUP received",
    "Reloading HAProxy",
    "Reexecuting Master process",
];

/// Whether a program says that it reads its configuration again.
pub(super) fn is_reload(line: &str) -> bool {
    RELOADS.iter().any(|mark| line.contains(mark))
}

#[cfg(test)]
mod tests;
