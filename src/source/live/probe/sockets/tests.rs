//! Tables as kernels print them.

use super::*;

fn socket(address: &str, port: u16, state: SocketState) -> Socket {
    Socket {
        address: address.to_owned(),
        port,
        state,
    }
}

#[test]
fn connections_outwards_are_read() {
    // The first lines are of a container of nginx:1.27-alpine that clients ask; the upstreams follow.
    let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
           0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2842130 1 0 100 0 0 10 0\n\
           1: 0C01F40A:0050 0101F40A:AAA2 06 00000000:00000000 03:000008BC 00000000     0        0 0 3 000000007b4bb951\n\
           2: 0C01F40A:0050 0801F40A:8C1A 01 00000000:00000000 03:00000DDB 00000000     0        0 0 3 000000009206ed1d\n\
           3: 0C01F40A:D2F0 8B006B0A:1F40 02 00000000:00000001 01:00000DDB 00000000     0        0 0 3 000000009206ed1d\n\
           4: 0C01F40A:D2F2 8B006B0A:1F40 02 00000000:00000001 01:00000DDB 00000000     0        0 0 3 000000009206ed1d\n\
           5: 0C01F40A:D2F4 8B006B0A:1F90 01 00000000:00000000 00:00000000 00000000     0        0 0 3 000000009206ed1d\n\
           6: 0100007F:D2F6 0100007F:2328 01 00000000:00000000 00:00000000 00000000     0        0 0 3 000000009206ed1d\n\
           7: 0C01F40A:D2F8 8B006B0A:1F90 06 00000000:00000000 03:00000DDB 00000000     0        0 0 3 000000009206ed1d\n";
    assert_eq!(
        parse(table),
        [
            socket("10.107.0.139", 8000, SocketState::SynSent),
            socket("10.107.0.139", 8080, SocketState::Established),
            socket("10.107.0.139", 8080, SocketState::Other),
        ]
    );
}

#[test]
fn addresses_of_both_kinds_are_told() {
    let table = "  sl  local_address                         remote_address                        st\n\
        0: 0000000000000000FFFF00000C01F40A:D2F4 0000000000000000FFFF00008B006B0A:1F90 01 0:0\n\
        1: 00000000000000000000000001000000:D2F4 00000000000000000000000001000000:1F90 01 0:0\n\
        2: B80D01200000000000000000020000AA:D2F4 B80D0120000000000000000001000000:01BB 01 0:0\n";
    assert_eq!(
        parse(table),
        [
            socket("10.107.0.139", 8080, SocketState::Established),
            socket("2001:db8::1", 443, SocketState::Established),
        ]
    );
}

#[test]
fn junk_is_none() {
    assert_eq!(parse("0: 0100:1 zz 01\n\n1: x\n2: é:é é:é 01\n"), []);
}
