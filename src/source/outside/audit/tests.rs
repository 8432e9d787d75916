//! Audit logs as the API server writes them, and what happens to them afterwards.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{LONGEST, read};
use crate::model::{AuditedWrite, ConfigKind, Content};
use crate::source::outside::{About, Loaded};

fn about(namespace: Option<&str>) -> About {
    About {
        namespace: namespace.map(str::to_owned),
        server: String::new(),
    }
}

/// A patch of a ConfigMap, as an API server at level RequestResponse wrote it.
fn patch(id: &str) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse", "auditID": id,
        "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/shop/configmaps/nginx?fieldManager=kubectl-patch&fieldValidation=Strict",
        "verb": "patch",
        "user": {"username": "system:serviceaccount:ci:deployer", "groups": ["system:authenticated"]},
        "impersonatedUser": {"username": "alice@example.com"},
        "sourceIPs": ["192.0.2.7", "198.51.100.2"],
        "userAgent": "kubectl/v1.37.1 (linux/amd64) kubernetes/f78e722",
        "objectRef": {"resource": "configmaps", "namespace": "shop", "name": "nginx", "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": 200},
        "requestObject": {"data": {"port": "8000"}},
        "responseObject": {
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {"name": "nginx", "namespace": "shop", "uid": "u", "resourceVersion": "482",
                         "managedFields": [{"manager": "kubectl-patch", "operation": "Update"}]},
            "data": {"port": "8000", "host": "api"}
        },
        "requestReceivedTimestamp": "2026-11-30T15:44:47.458008Z",
        "stageTimestamp": "2026-11-30T15:44:47.461114Z"
    })
}

/// The same with some fields set to others; `null` takes one away.
fn but(changes: Value) -> Value {
    let mut event = patch(&changes.to_string());
    for (path, value) in changes.as_object().expect("an object") {
        let (parent, field) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = event.pointer_mut(parent).expect("it is there");
        let fields = parent.as_object_mut().expect("an object");
        if value.is_null() {
            fields.remove(field);
        } else {
            fields.insert(field.to_owned(), value.clone());
        }
    }
    event
}

struct Logs(tempfile::TempDir);

impl Logs {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn of(events: &[Value]) -> Vec<AuditedWrite> {
    let logs = Logs::new();
    let path = logs.file("audit.log", lines(events));
    read(&[path], &about(Some("shop")))
        .expect("a log")
        .outside
        .audited
}

fn why(loaded: &Loaded) -> String {
    let why = |gap: &crate::model::Gap| format!("{:?}", gap.reason);
    loaded.gaps.iter().map(why).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_write_tells_who_from_where_with_what_and_the_content() {
    let logs = Logs::new();
    let path = logs.file("audit.log", lines(&[patch("1")]));
    let loaded = read(std::slice::from_ref(&path), &about(Some("shop"))).expect("a log");
    assert_eq!(loaded.gaps, []);
    let [write] = &loaded.outside.audited[..] else {
        panic!("one write: {loaded:?}")
    };
    assert_eq!(write.file, path.display().to_string());
    assert_eq!(write.config.to_string(), "ConfigMap/nginx");
    assert_eq!(write.verb, "patch");
    assert_eq!(
        write.at.map(|at| at.to_rfc3339()).as_deref(),
        Some("2026-11-30T15:44:47.458008+00:00")
    );
    assert_eq!(write.user, "system:serviceaccount:ci:deployer");
    assert_eq!(write.impersonated.as_deref(), Some("alice@example.com"));
    assert_eq!(write.source_ips, ["192.0.2.7", "198.51.100.2"]);
    assert_eq!(
        write.user_agent.as_deref(),
        Some("kubectl/v1.37.1 (linux/amd64) kubernetes/f78e722")
    );
    assert_eq!(write.field_manager.as_deref(), Some("kubectl-patch"));
    assert_eq!(write.resource_version.as_deref(), Some("482"));
    // What the server answered, not the patch.
    assert_eq!(
        write.content,
        Some(Content::text([("port", "8000"), ("host", "api")]))
    );
}

#[test]
fn what_was_not_stored_is_no_write() {
    let none = of(&[
        but(
            json!({"/requestURI": "/api/v1/namespaces/shop/configmaps/nginx?dryRun=All&fieldManager=x"}),
        ),
        but(json!({"/responseStatus": {"code": 409}})),
        but(json!({"/responseStatus": null})),
        but(json!({"/stage": "RequestReceived"})),
        but(json!({"/stage": "Panic", "/responseStatus": {"code": 500}})),
        but(json!({"/verb": "get"})),
        but(
            json!({"/verb": "delete", "/requestObject": {"kind": "DeleteOptions", "dryRun": ["All"]}}),
        ),
        but(json!({"/objectRef/subresource": "status"})),
        but(json!({"/objectRef/apiGroup": "example.com"})),
        but(json!({"/objectRef/resource": "pods"})),
        but(json!({"/objectRef/namespace": "prod"})),
    ]);
    assert_eq!(none, []);
}

#[test]
fn only_a_whole_object_is_the_content() {
    let whole = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "nginx", "resourceVersion": "7"}, "data": {"a": "b"}});
    let writes = of(&[
        but(json!({"/responseObject": null})),
        but(json!({"/verb": "update", "/responseObject": null, "/requestObject": whole})),
        but(
            json!({"/verb": "create", "/responseObject": {"kind": "Status", "code": 200}, "/requestObject": whole}),
        ),
        but(json!({"/verb": "delete", "/requestObject": {"kind": "DeleteOptions"}})),
        but(json!({"/responseObject": null, "/requestObject": null, "/level": "Metadata"})),
    ]);
    let contents: Vec<bool> = writes.iter().map(|write| write.content.is_some()).collect();
    assert_eq!(contents, [false, true, true, false, false]);
    // The version in a request is the one before the write.
    assert_eq!(writes[1].resource_version, None);
    assert_eq!(writes[1].content, Some(Content::text([("a", "b")])));
}

#[test]
fn names_that_the_server_made_up_and_whole_collections_are_found() {
    let list = json!({"kind": "ConfigMapList", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]});
    let writes = of(&[
        but(json!({"/verb": "create", "/objectRef/name": null})),
        but(json!({"/verb": "create", "/objectRef/name": null, "/responseObject": null})),
        but(json!({"/verb": "deletecollection", "/objectRef/name": null, "/responseObject": list})),
    ]);
    let told: Vec<(&str, &str)> = writes.iter().map(|w| (&*w.verb, &*w.config.name)).collect();
    assert_eq!(
        told,
        [("create", "nginx"), ("delete", "a"), ("delete", "b")]
    );
}

#[test]
fn of_a_secret_there_is_who_and_when_and_nothing_else() {
    let object = json!({"kind": "Secret", "metadata": {"name": "db", "resourceVersion": "9"}, "data": {"pw": "aHVudGVyMg=="}});
    let logs = Logs::new();
    let event = but(json!({
        "/verb": "update", "/objectRef/resource": "secrets", "/objectRef/name": "db",
        "/requestObject": object, "/responseObject": object
    }));
    let path = logs.file("audit.log", lines(&[event]));
    let loaded = read(&[path], &about(None)).expect("a log");
    let [write] = &loaded.outside.audited[..] else {
        panic!("one write")
    };
    assert_eq!(
        (write.config.kind, &write.content),
        (ConfigKind::Secret, &None)
    );
    assert_eq!(write.user, "system:serviceaccount:ci:deployer");
    let all = format!("{loaded:?}");
    assert!(
        !all.contains("hunter2") && !all.contains("aHVudGVyMg"),
        "{all}"
    );
}

#[test]
fn damage_is_counted_and_the_rest_is_read() {
    let logs = Logs::new();
    let whole = patch("1").to_string();
    let torn = &whole[..whole.len() / 2];
    let newer = patch("3")
        .to_string()
        .replace("audit.k8s.io/v1", "audit.k8s.io/v1beta1");
    let mut bytes = format!("{torn}\n{{\"level\":\"info\"}}\n\n{newer}\n{whole}\n").into_bytes();
    bytes.extend_from_slice(b"{\"auditID\":\"\xff\xfe configmaps audit.k8s.io/\"}\n");
    bytes.extend_from_slice(torn.as_bytes());
    let path = logs.file("audit.log", bytes);
    let loaded = read(&[path], &about(Some("shop"))).expect("a log");
    assert_eq!(loaded.outside.audited.len(), 1);
    let why = why(&loaded);
    assert!(
        why.contains("2 lines cut or damaged (the first is line 1)"),
        "{why}"
    );
    assert!(
        why.contains("2 lines that are no audit events (the first is line 2)"),
        "{why}"
    );
    assert!(
        why.contains("1 line of an apiVersion other than audit.k8s.io/v1 (the first is line 4)"),
        "{why}"
    );
}

#[test]
fn a_line_without_end_is_skipped_and_not_held() {
    let logs = Logs::new();
    let mut bytes = patch("1").to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend(std::iter::repeat_n(b'x', LONGEST + 10));
    bytes.push(b'\n');
    bytes.extend(patch("2").to_string().into_bytes());
    let path = logs.file("audit.log", bytes);
    let loaded = read(&[path], &about(Some("shop"))).expect("a log");
    assert_eq!(loaded.outside.audited.len(), 2);
    assert!(
        why(&loaded).contains("1 line longer than 16 MiB (the first is line 2)"),
        "{}",
        why(&loaded)
    );
}

fn gzip(path: &Path, bytes: &[u8]) {
    let file = std::fs::File::create(path).expect("a file");
    let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    out.write_all(bytes).expect("written");
    out.finish().expect("finished");
}

#[test]
fn rotated_files_gzip_and_lists_are_all_the_same() {
    let logs = Logs::new();
    let packed = logs.0.path().join("audit-1.log.gz");
    gzip(&packed, lines(&[patch("1"), patch("2")]).as_bytes());
    // Rotation may leave an event in both.
    let plain = logs.file("audit.log", lines(&[patch("2"), patch("3")]));
    let mut item = patch("4");
    let fields = item.as_object_mut().expect("an object");
    fields.remove("kind");
    fields.remove("apiVersion");
    let list = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": [item, patch("5")]});
    let pretty = serde_json::to_string_pretty(&list).expect("JSON");
    // As Go writes it: the kind first.
    let pretty = pretty.replacen(
        "{\n  \"apiVersion\"",
        "{\n  \"kind\": \"EventList\",\n  \"apiVersion\"",
        1,
    );
    let list = logs.file("list.json", pretty);
    let loaded = read(&[packed.clone(), plain, list], &about(Some("shop"))).expect("logs");
    assert_eq!(
        (loaded.outside.audited.len(), why(&loaded)),
        (5, String::new())
    );

    let bytes = std::fs::read(&packed).expect("bytes");
    let cut = logs.file("cut.gz", &bytes[..bytes.len() - 12]);
    let loaded = read(&[cut], &about(Some("shop"))).expect("what there is of it");
    assert!(
        why(&loaded).contains("it broke off after"),
        "{}",
        why(&loaded)
    );
}

#[test]
fn a_wrong_file_is_an_error_that_names_the_line() {
    let logs = Logs::new();
    for (name, text, said) in [
        (
            "app.log",
            "started\nlistening\n",
            "2 lines cut or damaged (the first is line 1)",
        ),
        (
            "other.json",
            "{\"level\":\"info\"}\n",
            "1 line that are no audit events (the first is line 1)",
        ),
    ] {
        let path = logs.file(name, text);
        let error = read(&[path], &about(None)).expect_err(name);
        assert!(
            error.message.contains(name) && error.message.contains(said),
            "{}",
            error.message
        );
        assert!(
            error
                .hint
                .is_some_and(|hint| hint.contains("--audit-log-path"))
        );
    }
    let error = read(&[logs.0.path().join("gone")], &about(None)).expect_err("nothing there");
    assert!(
        error.message.contains("gone could not be read"),
        "{}",
        error.message
    );
    let error = read(&[logs.0.path().to_owned()], &about(None)).expect_err("a folder");
    assert!(
        error.message.contains("could not be read"),
        "{}",
        error.message
    );
}

#[test]
fn a_log_without_any_write_in_scope_says_so() {
    let logs = Logs::new();
    let path = logs.file("audit.log", lines(&[patch("1")]));
    let loaded = read(&[path], &about(Some("prod"))).expect("a log");
    assert!(why(&loaded).contains("of its 1 events none is a write to a config in scope"));
    let empty = logs.file("empty.log", "");
    let loaded = read(&[empty], &about(None)).expect("a log that was just rotated");
    assert!(why(&loaded).contains("of its 0 events"));
}
