//! The directives that are known: where they may stand, and with how many arguments.

/// Where a directive may stand.
pub(super) const MAIN: u8 = 1;
pub(super) const EVENTS: u8 = 2;
pub(super) const HTTP: u8 = 4;
pub(super) const SERVER: u8 = 8;
pub(super) const LOCATION: u8 = 16;
pub(super) const UPSTREAM: u8 = 32;
const ANY: u8 = HTTP | SERVER | LOCATION;
const MANY: usize = 64;

/// What is known of a directive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) places: u8,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) block: bool,
}

const fn plain(places: u8, least: usize, most: usize) -> Known {
    Known {
        places,
        least,
        most,
        block: false,
    }
}

const fn block(places: u8, least: usize, most: usize) -> Known {
    Known {
        places,
        least,
        most,
        block: true,
    }
}

/// All uses of a name: `server` is a block in http and a line in an upstream.
pub(super) fn known(name: &str) -> Vec<Known> {
    TABLE
        .iter()
        .filter(|(known, _)| *known == name)
        .map(|(_, known)| *known)
        .collect()
}

#[rustfmt::skip] // one row a line
static TABLE: &[(&str, Known)] = &[
    ("user", plain(MAIN, 1, 2)),
    ("worker_processes", plain(MAIN, 1, 1)),
    ("worker_rlimit_nofile", plain(MAIN, 1, 1)),
    ("pid", plain(MAIN, 1, 1)),
    ("daemon", plain(MAIN, 1, 1)),
    ("load_module", plain(MAIN, 1, 1)),
    ("error_log", plain(MAIN | ANY, 1, MANY)),
    ("include", plain(MAIN | EVENTS | ANY | UPSTREAM, 1, 1)),
    ("events", block(MAIN, 0, 0)),
    ("worker_connections", plain(EVENTS, 1, 1)),
    ("multi_accept", plain(EVENTS, 1, 1)),
    ("use", plain(EVENTS, 1, 1)),
    ("http", block(MAIN, 0, 0)),
    ("upstream", block(HTTP, 1, 1)),
    ("server", plain(UPSTREAM, 1, MANY)),
    ("keepalive", plain(UPSTREAM, 1, 1)),
    ("least_conn", plain(UPSTREAM, 0, 0)),
    ("ip_hash", plain(UPSTREAM, 0, 0)),
    ("zone", plain(UPSTREAM, 1, 2)),
    ("server", block(HTTP, 0, 0)),
    ("listen", plain(SERVER, 1, MANY)),
    ("server_name", plain(SERVER, 1, MANY)),
    ("location", block(SERVER | LOCATION, 1, 2)),
    ("return", plain(SERVER | LOCATION, 1, 2)),
    ("rewrite", plain(SERVER | LOCATION, 2, 3)),
    ("proxy_pass", plain(LOCATION, 1, 1)),
    ("proxy_connect_timeout", plain(ANY, 1, 1)),
    ("proxy_read_timeout", plain(ANY, 1, 1)),
    ("proxy_send_timeout", plain(ANY, 1, 1)),
    ("proxy_set_header", plain(ANY, 2, 2)),
    ("proxy_http_version", plain(ANY, 1, 1)),
    ("proxy_next_upstream", plain(ANY, 1, MANY)),
    ("proxy_next_upstream_tries", plain(ANY, 1, 1)),
    ("proxy_buffering", plain(ANY, 1, 1)),
    ("proxy_redirect", plain(ANY, 1, 2)),
    ("proxy_intercept_errors", plain(ANY, 1, 1)),
    ("proxy_hide_header", plain(ANY, 1, 1)),
    ("add_header", plain(ANY, 2, 3)),
    ("default_type", plain(ANY, 1, 1)),
    ("access_log", plain(ANY, 1, MANY)),
    ("log_format", plain(HTTP, 2, MANY)),
    ("client_max_body_size", plain(ANY, 1, 1)),
    ("client_body_timeout", plain(ANY, 1, 1)),
    ("keepalive_timeout", plain(ANY, 1, 2)),
    ("keepalive_requests", plain(ANY, 1, 1)),
    ("send_timeout", plain(ANY, 1, 1)),
    ("sendfile", plain(ANY, 1, 1)),
    ("tcp_nopush", plain(ANY, 1, 1)),
    ("tcp_nodelay", plain(ANY, 1, 1)),
    ("gzip", plain(ANY, 1, 1)),
    ("gzip_types", plain(ANY, 1, MANY)),
    ("server_tokens", plain(ANY, 1, 1)),
    ("resolver", plain(ANY, 1, MANY)),
    ("resolver_timeout", plain(ANY, 1, 1)),
    ("root", plain(ANY, 1, 1)),
    ("alias", plain(LOCATION, 1, 1)),
    ("index", plain(ANY, 1, MANY)),
    ("try_files", plain(SERVER | LOCATION, 2, MANY)),
    ("error_page", plain(ANY, 2, MANY)),
    ("set", plain(SERVER | LOCATION, 2, 2)),
    ("stub_status", plain(SERVER | LOCATION, 0, 1)),
    ("types", block(ANY, 0, 0)),
    ("map", block(HTTP, 2, 2)),
    ("map_hash_bucket_size", plain(HTTP, 1, 1)),
    ("server_names_hash_bucket_size", plain(HTTP, 1, 1)),
    ("limit_req_zone", plain(HTTP, 3, 4)),
    ("limit_req", plain(ANY, 1, 3)),
    ("allow", plain(ANY, 1, 1)),
    ("deny", plain(ANY, 1, 1)),
];
