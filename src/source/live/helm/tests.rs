//! Releases as Helm keeps them, made here by the same encoding.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::{LARGEST, applied};
use crate::model::{ConfigKind, ConfigRef, Content, Found, GapReason, Origin};

const MANIFEST: &str = "---\n# Source: web/templates/secret.yaml\napiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  pw: hunter2\n\
---\n# Source: web/templates/cm.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nginx\ndata:\n  port: \"8080\"\n  path: 'C:\\new\\---'\n  note: |\n    kind: Secret\n\
---\napiVersion: v1\nkind: \"ConfigMap\"\nmetadata:\n  name: other\ndata: {a: b}\n\
---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";

fn release(status: &str, manifest: &str) -> Value {
    json!({
        "name": "web", "namespace": "shop", "version": 3,
        "info": {"first_deployed": "2026-11-01T08:00:00.5+01:00", "last_deployed": "2026-11-30T16:44:41.123456789+01:00",
                 "status": status, "description": "Upgrade complete"},
        "chart": {"metadata": {"name": "web"}, "templates": [{"name": "t", "data": "e3sgLlZhbHVlcyB9fQ=="}]},
        "config": {"password": "hunter2"},
        "hooks": [{"kind": "ConfigMap", "manifest": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx}\ndata: {port: \"1\"}"}],
        "manifest": manifest
    })
}

fn packed(bytes: &[u8]) -> String {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).expect("packed");
    STANDARD.encode(out.finish().expect("packed"))
}

fn secret(release: &str) -> Vec<u8> {
    let data = json!({"release": STANDARD.encode(release)});
    let object = json!({"kind": "Secret", "type": "helm.sh/release.v1", "metadata": {"name": "x"}, "data": data});
    object.to_string().into_bytes()
}

fn holder(kind: ConfigKind) -> ConfigRef {
    ConfigRef::new(kind, "shop", "sh.helm.release.v1.web.v3")
}

fn nginx() -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, "shop", "nginx")
}

fn of_secret(release: &Value) -> Result<Vec<Found>, GapReason> {
    let body = secret(&packed(release.to_string().as_bytes()));
    applied(&body, &nginx(), &holder(ConfigKind::Secret))
}

#[test]
fn a_release_tells_what_it_applied_and_when_and_nothing_else() {
    let found = of_secret(&release("superseded", MANIFEST)).expect("a release");
    let expected = Found {
        config: nginx(),
        content: Content::text([
            ("port", "8080"),
            ("path", "C:\\new\\---"),
            ("note", "kind: Secret\n"),
        ]),
        origin: Origin::Helm {
            release: "web".to_owned(),
            revision: 3,
        },
        at: "2026-11-30T15:44:41.123456789Z".parse().ok(),
    };
    assert_eq!(found, [expected]);
    assert!(!format!("{found:?}").contains("hunter2"));
}

#[test]
fn the_drivers_and_forms_of_helm_are_all_read() {
    let json = release("deployed", MANIFEST).to_string();
    let expected = of_secret(&release("deployed", MANIFEST)).expect("a release");
    // The driver for ConfigMaps: once less in base64.
    let object = json!({"kind": "ConfigMap", "data": {"release": packed(json.as_bytes())}});
    let found = applied(
        object.to_string().as_bytes(),
        &nginx(),
        &holder(ConfigKind::ConfigMap),
    );
    assert_eq!(found.as_ref(), Ok(&expected));
    // Old releases are not packed.
    let plain = secret(&STANDARD.encode(&json));
    let found = applied(&plain, &nginx(), &holder(ConfigKind::Secret));
    assert_eq!(found.as_ref(), Ok(&expected));
}

#[test]
fn a_name_in_another_namespace_is_another() {
    let elsewhere = MANIFEST.replace("  name: nginx\n", "  name: nginx\n  namespace: prod\n");
    let found = of_secret(&release("deployed", &elsewhere)).expect("a release");
    assert_eq!(found, []);
    let prod = ConfigRef::new(ConfigKind::ConfigMap, "prod", "nginx");
    let body = secret(&packed(
        release("deployed", &elsewhere).to_string().as_bytes(),
    ));
    let found = applied(&body, &prod, &holder(ConfigKind::Secret)).expect("a release");
    assert_eq!(found.len(), 1);
    // Of a Secret there is nothing to be had.
    let db = ConfigRef::new(ConfigKind::Secret, "shop", "db");
    assert_eq!(
        applied(&body, &db, &holder(ConfigKind::Secret)),
        Ok(Vec::new())
    );
}

#[test]
fn a_release_that_did_not_get_through_is_a_gap() {
    for status in ["failed", "pending-upgrade", "unknown", ""] {
        let why = of_secret(&release(status, MANIFEST)).expect_err(status);
        assert!(
            matches!(&why, GapReason::Bounded(w) if w.contains("how far it was applied is not known")),
            "{why:?}"
        );
    }
}

#[test]
fn what_is_no_release_is_a_gap_without_a_value() {
    let whole = packed(release("deployed", MANIFEST).to_string().as_bytes());
    let bytes = STANDARD.decode(&whole).expect("base64");
    let cut = STANDARD.encode(&bytes[..bytes.len() - 9]);
    let mut belied = bytes.clone();
    let len = belied.len();
    belied[len - 4] ^= 1;
    let mut wrong_sum = bytes;
    wrong_sum[len - 6] ^= 1;
    let opaque =
        json!({"kind": "Secret", "type": "Opaque", "data": {"release": STANDARD.encode(&whole)}});
    let values = packed(b"{\"name\": \"hunter2\", \"version\": \"hunter2\"}");
    for body in [
        b"hunter2".to_vec(),
        opaque.to_string().into_bytes(),
        secret("hunter2!"),
        secret(&cut),
        secret(&STANDARD.encode(belied)),
        secret(&STANDARD.encode(wrong_sum)),
        secret(&values),
        secret(&STANDARD.encode([0x1f, 0x8b])),
        json!({"type": "helm.sh/release.v1"})
            .to_string()
            .into_bytes(),
    ] {
        let why = applied(&body, &nginx(), &holder(ConfigKind::Secret)).expect_err("no release");
        // The end of a cut one may read as any length.
        let (GapReason::Unreadable(said) | GapReason::Bounded(said)) = &why else {
            panic!("{why:?}")
        };
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_bomb_is_not_unpacked() {
    let zeros = packed(&vec![b' '; LARGEST + 1]);
    assert!(zeros.len() < 1 << 20, "it would fit into a Secret");
    let why = applied(&secret(&zeros), &nginx(), &holder(ConfigKind::Secret));
    assert!(
        matches!(&why, Err(GapReason::Bounded(w)) if w.contains("64 MiB")),
        "{why:?}"
    );
    // One that lies about its length is found out after as many bytes.
    let mut lies = STANDARD.decode(&zeros).expect("base64");
    let end = lies.len();
    lies[end - 4..].copy_from_slice(&100_u32.to_le_bytes());
    let why = applied(
        &secret(&STANDARD.encode(lies)),
        &nginx(),
        &holder(ConfigKind::Secret),
    );
    assert!(matches!(why, Err(GapReason::Unreadable(_))), "{why:?}");
}
