//! The upstream's address in nginx's error log: the one stock log of nginx that has it.

use super::HostPort;

const FIELD: &str = "upstream: \"";

/// The address in `upstream: "http://10.96.10.144:8000/items"`. A line that holds the field twice is left alone, since
/// a client can write one into its request.
pub(super) fn address(line: &str) -> Option<HostPort> {
    let (_, rest) = line.split_once(FIELD)?;
    if rest.contains(FIELD) {
        return None;
    }
    let (url, _) = rest.split_once('"')?;
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    HostPort::parse(bare.split('/').next()?)
}

#[cfg(test)]
mod tests;
