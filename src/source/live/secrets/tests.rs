//! Values of Secrets stay inside.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::Vault;
use crate::model::Content;

fn data(pairs: &[(&str, &str)]) -> BTreeMap<String, Zeroizing<String>> {
    pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), Zeroizing::new(STANDARD.encode(v))))
        .collect()
}

#[test]
fn values_are_compared_by_hash_within_a_run_only() {
    let vault = Vault::new();
    let one = vault.take("db", Some(&data(&[("PASSWORD", "hunter2-old")])));
    let same = vault.take("db", Some(&data(&[("PASSWORD", "hunter2-old")])));
    let other = vault.take("db", Some(&data(&[("PASSWORD", "hunter2-new")])));
    assert_eq!(one, same);
    assert_ne!(one, other);
    assert_ne!(
        Vault::new().take("db", Some(&data(&[("PASSWORD", "hunter2-old")]))),
        one
    );
    let Content::Hashed(keys) = one else {
        panic!("a Secret is hashed");
    };
    assert!(!keys["PASSWORD"].0.contains("hunter2"));
    assert!(!format!("{vault:?}").contains("hunter2"));
}

#[test]
fn logs_lose_every_form_of_a_value() {
    let vault = Vault::new();
    vault.take(
        "db",
        Some(&data(&[
            ("PASSWORD", "hun\"ter2"),
            ("PIN", "4711"),
            ("WORD", "Secret db"),
            ("KEY", "the first line of it\nthe second line of it"),
        ])),
    );
    let encoded = STANDARD.encode("hun\"ter2");
    let log = format!(
        "Secret a hun\"ter2 b {encoded} c hun\\\"ter2 d pin=4711 x14711y the second line of it"
    );
    assert_eq!(
        vault.redact(log),
        "Secret a [Secret db/PASSWORD] b [Secret db/PASSWORD] c [Secret db/PASSWORD] d pin=[Secret db/PIN] x14711y [Secret db/KEY]"
    );
}

#[test]
fn a_short_value_that_is_no_word_hides_no_longer_one() {
    let vault = Vault::new();
    vault.take(
        "db",
        Some(&data(&[("PIN", "4711"), ("PASSWORD", "11hunter")])),
    );
    assert_eq!(
        vault.redact("x4711hunter 4711".to_owned()),
        "x47[Secret db/PASSWORD] [Secret db/PIN]"
    );
}

#[test]
fn what_is_written_like_a_credential_is_masked_without_knowing_it() {
    let vault = Vault::new();
    let mask = |line: &str| vault.redact(line.to_owned());
    assert_eq!(mask("a=1 pw=hunter2 b=2"), "a=1 pw=[credential] b=2");
    assert_eq!(
        mask(r#"{"db_password": "hunter2","n":1}"#),
        r#"{"db_password": "[credential]","n":1}"#
    );
    assert_eq!(
        mask("DB=postgres://app:hunter2@db:5432/x"),
        "DB=postgres://app:[credential]@db:5432/x"
    );
    assert_eq!(
        mask("Authorization: Bearer abc.def"),
        "Authorization: Bearer [credential]"
    );
    assert_eq!(mask("API_KEY=abc; x"), "API_KEY=[credential]; x");
    // A value with quotes, blanks or backslashes is gone as a whole, as it stands and as JSON, once and twice.
    for (line, masked) in [
        (r#"password=ab"cd\ef next"#, "password=[credential] next"),
        (
            r#"{"password":"a b\"c\\d, e@f","n":1}"#,
            r#"{"password":"[credential]","n":1}"#,
        ),
        (
            r#"{"msg":"{\"password\":\"a\\\"b c\"}","n":1}"#,
            r#"{"msg":"{\"password\":\"[credential]\"}","n":1}"#,
        ),
        ("pwd: 'it is, 4711' x", "pwd: '[credential]' x"),
        (
            r#""GET /?token=abc" 200"#,
            r#""GET /?token=[credential]" 200"#,
        ),
        ("{\"secret\":\"cut here", "{\"secret\":\"[credential]"),
    ] {
        assert_eq!(mask(line), masked);
    }
    for plain in [
        r#"upstream: "http://10.96.10.144:8000/items", host: "frontend""#,
        "GET http://api:8080/token HTTP/1.1",
        "the token was refused",
        "level=info feature_recs=on mode=blue",
    ] {
        assert_eq!(mask(plain), plain);
    }
}
