//! The bounds of a capture, which are too large to reach from outside.

use super::stored::Stored;

#[test]
fn times_keep_their_nanoseconds() {
    for text in [
        "2026-10-02T20:35:26Z",
        "2026-10-02T20:35:26.5Z",
        "2026-10-02T20:35:26.123456789Z",
    ] {
        let moment = chrono::DateTime::parse_from_rfc3339(text)
            .unwrap()
            .with_timezone(&chrono::Utc);
        let json = serde_json::to_string(&moment.store()).unwrap();
        let back: chrono::DateTime<chrono::Utc> =
            Stored::load(serde_json::from_str(&json).unwrap());
        assert_eq!(back, moment, "{json}");
    }
}
