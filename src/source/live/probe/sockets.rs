//! Connections that a pod opened, out of `/proc/net/tcp` and `tcp6`.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::model::{Socket, SocketState};

const ESTABLISHED: u8 = 0x01;
const SYN_SENT: u8 = 0x02;
const LISTEN: u8 = 0x0a;

/// One line of the table.
struct Row {
    local_port: u16,
    remote: (IpAddr, u16),
    state: u8,
}

/// The connections outwards, each once: none to the pod itself, and none that a client opened to a port that is listened on.
pub(super) fn parse(table: &str) -> Vec<Socket> {
    let rows: Vec<Row> = table.lines().filter_map(row).collect();
    let listening: BTreeSet<u16> = rows
        .iter()
        .filter(|row| row.state == LISTEN)
        .map(|row| row.local_port)
        .collect();
    let outwards = rows.iter().filter(|row| {
        let (address, port) = row.remote;
        let somewhere = !address.is_loopback() && !address.is_unspecified() && port != 0;
        somewhere && row.state != LISTEN && !listening.contains(&row.local_port)
    });
    let found: BTreeSet<Socket> = outwards
        .map(|row| Socket {
            address: row.remote.0.to_string(),
            port: row.remote.1,
            state: match row.state {
                ESTABLISHED => SocketState::Established,
                SYN_SENT => SocketState::SynSent,
                _ => SocketState::Other,
            },
        })
        .collect();
    found.into_iter().collect()
}

/// `  1: 0C01F40A:0050 0101F40A:AAA2 06 …`; the heading is none.
fn row(line: &str) -> Option<Row> {
    let mut fields = line.split_whitespace().skip(1);
    let (_, local_port) = end(fields.next()?)?;
    let remote = end(fields.next()?)?;
    let state = u8::from_str_radix(fields.next()?, 16).ok()?;
    Some(Row {
        local_port,
        remote,
        state,
    })
}

/// An address in words of 32 bits as a little-endian machine prints them, and a port. IPv4 within IPv6 is IPv4.
fn end(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = address.get(at * 8..at * 8 + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_le_bytes)
    };
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, chunk) in bytes.chunks_exact_mut(4).enumerate() {
                chunk.copy_from_slice(&word(at)?);
            }
            Ipv6Addr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    Some((address, port))
}

#[cfg(test)]
mod tests;
