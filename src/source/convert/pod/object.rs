//! A pod as the API writes it: the parts that are needed.

use serde::Deserialize;

use crate::source::convert::meta::{Meta, StatusWrite};

#[derive(Deserialize)]
pub(crate) struct PodObject {
    pub(super) metadata: Meta<StatusWrite>,
    #[serde(default)]
    pub(super) spec: Spec,
    #[serde(default)]
    pub(super) status: Status,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::source::convert) struct Spec {
    pub(super) node_name: Option<String>,
    pub(super) os: Option<Os>,
    pub(super) node_selector: Option<std::collections::BTreeMap<String, String>>,
    pub(super) init_containers: Option<Vec<ContainerSpec>>,
    pub(super) containers: Option<Vec<ContainerSpec>>,
    pub(super) ephemeral_containers: Option<Vec<ContainerSpec>>,
    pub(super) volumes: Option<Vec<VolumeSpec>>,
}

/// It holds literal values, so it has no `Debug`, and nothing of it but what becomes of a container is kept.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ContainerSpec {
    pub(super) name: String,
    pub(super) image: Option<String>,
    pub(super) restart_policy: Option<String>,
    pub(super) env: Option<Vec<Env>>,
    pub(super) env_from: Option<Vec<From>>,
    pub(super) volume_mounts: Option<Vec<MountSpec>>,
    pub(super) command: Option<Vec<String>>,
    pub(super) args: Option<Vec<String>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Os {
    pub(super) name: String,
}

/// Of `value` only the variables that it names are kept.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Env {
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) value_from: Option<ValueFrom>,
}

impl Env {
    /// The literal value: an empty one counts where there is no `valueFrom`.
    pub(super) fn literal(&self) -> Option<&str> {
        let value = self.value.as_deref().unwrap_or_default();
        (!value.is_empty() || self.value_from.is_none()).then_some(value)
    }
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ValueFrom {
    pub(super) config_map_key_ref: Option<KeyRef>,
    pub(super) secret_key_ref: Option<KeyRef>,
    pub(super) field_ref: Option<FieldRef>,
    pub(super) file_key_ref: Option<FileRef>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FieldRef {
    pub(super) field_path: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FileRef {
    pub(super) volume_name: String,
    pub(super) optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct KeyRef {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct From {
    pub(super) prefix: Option<String>,
    pub(super) config_map_ref: Option<NameRef>,
    pub(super) secret_ref: Option<NameRef>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct NameRef {
    pub(super) name: String,
    pub(super) optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MountSpec {
    pub(super) name: String,
    pub(super) mount_path: String,
    pub(super) sub_path: Option<String>,
    pub(super) sub_path_expr: Option<String>,
    pub(super) read_only: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct VolumeSpec {
    pub(super) name: String,
    pub(super) config_map: Option<Projection>,
    pub(super) secret: Option<Projection>,
    pub(super) projected: Option<Projected>,
    pub(super) empty_dir: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Projected {
    pub(super) sources: Option<Vec<ProjectedSource>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ProjectedSource {
    pub(super) config_map: Option<Projection>,
    pub(super) secret: Option<Projection>,
}

/// A ConfigMap (`name`) or a Secret (`secretName` in a volume of its own, `name` in a projected one).
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Projection {
    pub(super) name: Option<String>,
    pub(super) secret_name: Option<String>,
    pub(super) items: Option<Vec<Item>>,
    pub(super) optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Item {
    pub(super) key: String,
    pub(super) path: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Status {
    pub(super) phase: Option<String>,
    #[serde(rename = "podIP")]
    pub(super) pod_ip: Option<String>,
    pub(super) conditions: Option<Vec<Condition>>,
    pub(super) init_container_statuses: Option<Vec<StatusOf>>,
    pub(super) container_statuses: Option<Vec<StatusOf>>,
    pub(super) ephemeral_container_statuses: Option<Vec<StatusOf>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Condition {
    pub(super) r#type: String,
    pub(super) status: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StatusOf {
    pub(super) name: String,
    #[serde(rename = "containerID")]
    pub(super) container_id: Option<String>,
    #[serde(rename = "imageID")]
    pub(super) image_id: Option<String>,
    pub(super) ready: Option<bool>,
    pub(super) restart_count: Option<u32>,
    pub(super) state: Option<State>,
    pub(super) last_state: Option<State>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct State {
    pub(super) waiting: Option<Waiting>,
    pub(super) running: Option<Running>,
    pub(super) terminated: Option<Ended>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Waiting {
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Running {
    pub(super) started_at: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Ended {
    #[serde(rename = "containerID")]
    pub(super) container_id: Option<String>,
    pub(super) exit_code: Option<i32>,
    pub(super) reason: Option<String>,
    pub(super) started_at: Option<String>,
    pub(super) finished_at: Option<String>,
}
