//! Environments as containers have them.

use super::*;

/// What `cat /proc/self/environ` printed in a container of busybox, shortened; the password is made up.
const PRINTED: &[u8] = b"PATH=/usr/local/sbin:/usr/local/bin\0HOSTNAME=catalog-67c6cd74d9-nh9hm\0FEATURE_RECS=off\0\
    TIMEOUT_MS=800\0URL=a=b\nc\0EMPTY=\0RAW=\xff\xfe\0DB_PASSWORD=hunter2\0KUBERNETES_PORT=tcp://10.96.0.1:443\0HOME=/root\0";

fn names(names: &[&str]) -> std::collections::BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn only_what_was_asked_for_is_kept_and_secrets_as_hashes() {
    let vault = Vault::new();
    let reads = ProbeReads {
        env: names(&[
            "FEATURE_RECS",
            "URL",
            "EMPTY",
            "RAW",
            "NOT_SET",
            "DB_PASSWORD",
        ]),
        secret_env: names(&["DB_PASSWORD", "DB_USER"]),
        ..ProbeReads::default()
    };
    let found = parse(PRINTED, &reads, &vault);
    let text = |value: &str| Some(Held::Text(value.to_owned()));
    assert_eq!(found.len(), 7, "{found:?}");
    assert_eq!(found["FEATURE_RECS"], text("off"));
    assert_eq!(found["URL"], text("a=b\nc"));
    assert_eq!(found["EMPTY"], text(""));
    assert_eq!(found["RAW"], Some(Held::Bytes(vec![0xff, 0xfe])));
    assert_eq!(found["NOT_SET"], None);
    assert_eq!(found["DB_USER"], None);
    // It may be a Secret's, though it was also asked for as a ConfigMap's.
    assert!(matches!(&found["DB_PASSWORD"], Some(Held::Hashed(_))));
    let shown = format!("{found:?} {vault:?}");
    for value in ["hunter2", "10.96.0.1", "/root"] {
        assert!(!shown.contains(value), "{shown}");
    }
    let log = vault.redact("login with hunter2 failed".to_owned());
    assert_eq!(log, "login with [Secret in DB_PASSWORD] failed");
}
