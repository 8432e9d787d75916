//! Which proxy leads to the API server: as kubectl has it, so as Go's net/http reads the environment.

use std::net::IpAddr;

use http::Uri;

/// A proxy's address; without a scheme it is http. No port means the scheme's own.
pub(super) fn parse(text: &str) -> Result<Uri, String> {
    // It may hold a password.
    let shown = text
        .rsplit_once('@')
        .map_or_else(|| text.to_owned(), |(_, host)| format!("…@{host}"));
    let plain = |text: &str| {
        let uri = text.parse::<Uri>().ok()?;
        (uri.scheme().is_some() && uri.host().is_some_and(|h| !h.is_empty())).then_some(uri)
    };
    let whole = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let uri = plain(&whole).ok_or_else(|| format!("{shown:?} is no address of a proxy"))?;
    match uri.scheme_str() {
        Some("http" | "https") => Ok(uri),
        // Both leave the name of the API server to the proxy.
        Some("socks5" | "socks5h") => {
            let authority = uri.authority().map_or("", |a| a.as_str());
            let port = if uri.port().is_some() { "" } else { ":1080" };
            plain(&format!("socks5://{authority}{port}"))
                .ok_or_else(|| format!("{shown:?} is no address of a proxy"))
        }
        _ => Err(format!(
            "{shown:?} is no proxy of a kind that is known: http, https, socks5"
        )),
    }
}

/// The proxy that the environment names for a server. What is on this machine is never asked through one.
pub(super) fn from_environment(
    server: &Uri,
    var: impl Fn(&str) -> Option<String>,
) -> Result<Option<Uri>, String> {
    let first = |names: [&'static str; 2]| {
        let mut found = names
            .into_iter()
            .filter_map(|name| Some((name, var(name)?)));
        found.find(|(_, value)| !value.is_empty())
    };
    let named = if server.scheme_str() == Some("https") {
        first(["HTTPS_PROXY", "https_proxy"])
    } else {
        first(["HTTP_PROXY", "http_proxy"])
    };
    let Some((name, value)) = named else {
        return Ok(None);
    };
    let exempt = first(["NO_PROXY", "no_proxy"]).map_or_else(String::new, |(_, list)| list);
    if is_direct(&exempt, server) {
        return Ok(None);
    }
    let proxy = parse(&value).map_err(|what| format!("the environment's {name} {what}"))?;
    Ok(Some(proxy))
}

/// Whether a NO_PROXY list, or that it is this very machine, exempts a server.
fn is_direct(listed: &str, server: &Uri) -> bool {
    let host = server.host().unwrap_or_default().trim_matches(['[', ']']);
    let host = host.to_ascii_lowercase();
    let default = if server.scheme_str() == Some("https") {
        443
    } else {
        80
    };
    let port = server.port_u16().unwrap_or(default);
    let ip = host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical());
    if host == "localhost" || ip.is_some_and(|ip| ip.is_loopback()) {
        return true;
    }
    listed
        .split(',')
        .map(|entry| entry.trim().to_ascii_lowercase())
        .any(|entry| entry == "*" || names(&entry, &host, ip, port))
}

/// Whether one entry names the server: a network, an address or a domain, the latter two with or without a port.
fn names(entry: &str, host: &str, ip: Option<IpAddr>, port: u16) -> bool {
    if let Some((base, bits)) = network(entry) {
        return ip.is_some_and(|ip| within(base, bits, ip));
    }
    let (name, only) = with_port(entry);
    if only.is_some_and(|only| only != port.to_string()) || name.is_empty() {
        return false;
    }
    if let Ok(address) = name.parse::<IpAddr>() {
        return ip == Some(address.to_canonical());
    }
    // `.example.org` and `*.example.org` are what is below; `example.org` is itself too.
    let below = name.strip_prefix('*').filter(|rest| rest.starts_with('.'));
    match below.or_else(|| name.starts_with('.').then_some(name)) {
        Some(suffix) => host.ends_with(suffix),
        None => host == name || host.ends_with(&format!(".{name}")),
    }
}

/// `host:port`, `[v6]:port`, or a host alone. A bare IPv6 address has no port.
fn with_port(entry: &str) -> (&str, Option<&str>) {
    let bare = |host: &str| !host.contains(':') || host.starts_with('[');
    match entry.rsplit_once(':') {
        Some((host, port)) if bare(host) && !port.contains(']') => {
            (host.trim_matches(['[', ']']), Some(port))
        }
        _ => (entry.trim_matches(['[', ']']), None),
    }
}

fn network(entry: &str) -> Option<(IpAddr, u32)> {
    let (base, bits) = entry.split_once('/')?;
    let (base, bits) = (base.parse::<IpAddr>().ok()?, bits.parse::<u32>().ok()?);
    let longest = if base.is_ipv4() { 32 } else { 128 };
    (bits <= longest).then_some((base, bits))
}

fn within(base: IpAddr, bits: u32, ip: IpAddr) -> bool {
    match (base, ip) {
        (IpAddr::V4(base), IpAddr::V4(ip)) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            base.to_bits() & mask == ip.to_bits() & mask
        }
        (IpAddr::V6(base), IpAddr::V6(ip)) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            base.to_bits() & mask == ip.to_bits() & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
