//! Bytes in words.

use super::*;

#[test]
fn bytes_are_told_by_size_and_hash() {
    let bytes = vec![7; 1024];
    let said = binary(Value::Binary(&bytes), Value::Binary(b"\x00"));
    assert_eq!(
        said,
        "Binary differs: 1,024 bytes, sha256 HASH… ↔ 1 byte, sha256 6e340b9cffb3…"
            .replace("HASH", &digest(&bytes))
    );
    assert!(binary(Value::Text("a"), Value::Binary(b"a")).starts_with("The same bytes"));
    assert!(binary(Value::Absent, Value::Binary(b"a")).contains("absent ↔ 1 byte"));
}
