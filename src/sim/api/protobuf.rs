//! Bodies as kubectl's typed clients send them (`create configmap`, `create role`, `auth can-i`, …): protobuf, of these kinds and fields
//! alone. What holds more than is known here is refused, so that nothing is lost on the way.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

pub(super) const MEDIA: &str = "application/vnd.kubernetes.protobuf";
/// What stands before each object.
const MAGIC: &[u8] = b"k8s\0";

/// How a field is read.
#[derive(Debug, Clone, Copy)]
enum Read {
    Text,
    Texts,
    Int,
    Bool,
    /// Texts by their names.
    Map,
    /// Bytes by their names.
    Bytes,
    One(&'static str),
    Many(&'static str),
    /// The server sets it.
    Skip,
}

use Read::{Bool, Bytes, Int, Many, Map as Named, One, Skip, Text, Texts};

type Field = (u64, &'static str, Read);
const META: Field = (1, "metadata", One("ObjectMeta"));

/// The fields of a type by their numbers.
fn fields(kind: &str) -> Option<&'static [Field]> {
    Some(match kind {
        "ObjectMeta" => &[
            (1, "name", Text),
            (2, "generateName", Text),
            (3, "namespace", Text),
            (5, "uid", Text),
            (6, "resourceVersion", Text),
            (8, "creationTimestamp", Skip),
            (11, "labels", Named),
            (12, "annotations", Named),
        ],
        "ConfigMap" => &[
            META,
            (2, "data", Named),
            (3, "binaryData", Bytes),
            (4, "immutable", Bool),
        ],
        "Secret" => &[
            META,
            (2, "data", Bytes),
            (3, "type", Text),
            (4, "stringData", Named),
            (5, "immutable", Bool),
        ],
        "Namespace" => &[META, (2, "spec", Skip), (3, "status", Skip)],
        "ServiceAccount" => &[META],
        "DeleteOptions" => &[
            (1, "gracePeriodSeconds", Int),
            (2, "preconditions", One("Preconditions")),
            (4, "propagationPolicy", Text),
            (5, "dryRun", Texts),
        ],
        "Preconditions" => &[(1, "uid", Text), (2, "resourceVersion", Text)],
        "Eviction" => &[META, (2, "deleteOptions", One("DeleteOptions"))],
        _ => return of_rights(kind).or_else(|| of_workloads(kind)),
    })
}

fn of_rights(kind: &str) -> Option<&'static [Field]> {
    Some(match kind {
        "Role" | "ClusterRole" => &[META, (2, "rules", Many("PolicyRule"))],
        "PolicyRule" => &[
            (1, "verbs", Texts),
            (2, "apiGroups", Texts),
            (3, "resources", Texts),
            (4, "resourceNames", Texts),
            (5, "nonResourceURLs", Texts),
        ],
        "RoleBinding" | "ClusterRoleBinding" => &[
            META,
            (2, "subjects", Many("Subject")),
            (3, "roleRef", One("RoleRef")),
        ],
        "Subject" => &[
            (1, "kind", Text),
            (2, "apiGroup", Text),
            (3, "name", Text),
            (4, "namespace", Text),
        ],
        "RoleRef" => &[(1, "apiGroup", Text), (2, "kind", Text), (3, "name", Text)],
        "SelfSubjectAccessReview" => &[META, (2, "spec", One("AccessSpec")), (3, "status", Skip)],
        "AccessSpec" => &[
            (1, "resourceAttributes", One("ResourceAttributes")),
            (2, "nonResourceAttributes", One("PathAttributes")),
        ],
        "ResourceAttributes" => &[
            (1, "namespace", Text),
            (2, "verb", Text),
            (3, "group", Text),
            (4, "version", Text),
            (5, "resource", Text),
            (6, "subresource", Text),
            (7, "name", Text),
        ],
        "PathAttributes" => &[(1, "path", Text), (2, "verb", Text)],
        "SelfSubjectRulesReview" => &[META, (2, "spec", One("RulesSpec")), (3, "status", Skip)],
        "RulesSpec" => &[(1, "namespace", Text)],
        _ => return None,
    })
}

fn of_workloads(kind: &str) -> Option<&'static [Field]> {
    Some(match kind {
        "Deployment" => &[
            META,
            (2, "spec", One("DeploymentSpec")),
            (3, "status", Skip),
        ],
        "DeploymentSpec" => &[
            (1, "replicas", Int),
            (2, "selector", One("LabelSelector")),
            (3, "template", One("PodTemplateSpec")),
            (4, "strategy", One("DeploymentStrategy")),
            (6, "revisionHistoryLimit", Int),
            (9, "progressDeadlineSeconds", Int),
        ],
        "DeploymentStrategy" => &[(1, "type", Text)],
        "LabelSelector" => &[(1, "matchLabels", Named)],
        "PodTemplateSpec" => &[META, (2, "spec", One("PodSpec"))],
        "PodSpec" => &[
            (2, "containers", Many("Container")),
            (3, "restartPolicy", Text),
            (4, "terminationGracePeriodSeconds", Int),
            (6, "dnsPolicy", Text),
            (8, "serviceAccountName", Text),
        ],
        "Container" => &[
            (1, "name", Text),
            (2, "image", Text),
            (3, "command", Texts),
            (4, "args", Texts),
            (6, "ports", Many("ContainerPort")),
            (7, "env", Many("EnvVar")),
            (13, "terminationMessagePath", Text),
            (14, "imagePullPolicy", Text),
        ],
        "ContainerPort" => &[
            (1, "name", Text),
            (3, "containerPort", Int),
            (4, "protocol", Text),
        ],
        "EnvVar" => &[(1, "name", Text), (2, "value", Text)],
        _ => return None,
    })
}

/// The object as JSON; `None` where there is more to it than is known here.
pub(super) fn json(body: &[u8]) -> Option<Value> {
    let (mut head, mut raw): (&[u8], &[u8]) = (&[], &[]);
    for (number, wire) in Wires::of(body.strip_prefix(MAGIC)?)? {
        match (number, wire) {
            (1, Wire::Bytes(bytes)) => head = bytes,
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let text = |wire: Wire<'_>| match wire {
        Wire::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok(),
        Wire::Number(_) => None,
    };
    let mut kinds = [String::new(), String::new()];
    for (number, wire) in Wires::of(head)? {
        *kinds.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)? = text(wire)?;
    }
    let [version, kind] = kinds;
    let mut object = message(&kind, raw)?;
    object.insert("apiVersion".to_owned(), json!(version));
    object.insert("kind".to_owned(), json!(kind));
    Some(Value::Object(object))
}

fn message(kind: &str, bytes: &[u8]) -> Option<Map<String, Value>> {
    let known = fields(kind)?;
    let mut object = Map::new();
    for (number, wire) in Wires::of(bytes)? {
        let Some((_, name, read)) = known.iter().find(|(own, ..)| *own == number) else {
            // Go writes fields also where nothing is in them.
            if matches!(wire, Wire::Number(0) | Wire::Bytes([])) {
                continue;
            }
            return None;
        };
        put(&mut object, name, *read, wire)?;
    }
    Some(object)
}

fn put(object: &mut Map<String, Value>, name: &str, read: Read, wire: Wire<'_>) -> Option<()> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let value = match (read, wire) {
        (Skip, _) | (Text, Wire::Bytes([])) => return Some(()),
        (Text, Wire::Bytes(bytes)) => json!(text(bytes)?),
        (Int, Wire::Number(number)) => json!(number.cast_signed()),
        (Bool, Wire::Number(number)) => json!(number != 0),
        (One(kind), Wire::Bytes(bytes)) => {
            let inner = message(kind, bytes)?;
            if inner.is_empty() && name != "metadata" {
                return Some(());
            }
            Value::Object(inner)
        }
        (Texts | Many(_), Wire::Bytes(bytes)) => {
            let item = match read {
                Many(kind) => Value::Object(message(kind, bytes)?),
                _ => json!(text(bytes)?),
            };
            let list = object.entry(name).or_insert_with(|| json!([]));
            list.as_array_mut()?.push(item);
            return Some(());
        }
        (Named | Bytes, Wire::Bytes(bytes)) => {
            let (mut key, mut value) = (String::new(), Value::from(""));
            for entry in Wires::of(bytes)? {
                match entry {
                    (1, Wire::Bytes(bytes)) => key = text(bytes)?,
                    (2, Wire::Bytes(bytes)) if matches!(read, Bytes) => {
                        value = json!(STANDARD.encode(bytes));
                    }
                    (2, Wire::Bytes(bytes)) => value = json!(text(bytes)?),
                    _ => return None,
                }
            }
            let map = object.entry(name).or_insert_with(|| json!({}));
            map.as_object_mut()?.insert(key, value);
            return Some(());
        }
        _ => return None,
    };
    object.insert(name.to_owned(), value);
    Some(())
}

/// A value as it lies on the wire.
#[derive(Debug, Clone, Copy)]
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order.
struct Wires;

impl Wires {
    fn of(mut bytes: &[u8]) -> Option<Vec<(u64, Wire<'_>)>> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes)?;
            let wire = match tag & 7 {
                0 => Wire::Number(varint(&mut bytes)?),
                2 => {
                    let length = usize::try_from(varint(&mut bytes)?).ok()?;
                    let (value, rest) = bytes.split_at_checked(length)?;
                    bytes = rest;
                    Wire::Bytes(value)
                }
                _ => return None,
            };
            all.push((tag >> 3, wire));
        }
        Some(all)
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..10 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ConfigMap `x` with `a: b`, as Go writes it.
    const BODY: &[u8] = b"k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12\x1b\n\x11\n\x01x\x12\0\x1a\0\"\0*\x002\08\0B\0\x12\x06\n\x01a\x12\x01b\x1a\0\"\0";

    #[test]
    fn a_body_of_a_typed_client_is_read() {
        assert_eq!(
            json(BODY).unwrap(),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}})
        );
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let job = b"k8s\0\n\x0f\n\x08batch/v1\x12\x03Job\x12\0";
        assert_eq!(json(job), None);
        assert_eq!(json(b"{}"), None);
        assert_eq!(json(&BODY[..30]), None);
    }
}
