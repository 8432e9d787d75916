//! The resources that the simulated API server knows.

/// One resource, as discovery tells of it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// Empty for the core group.
    pub group: &'static str,
    pub version: &'static str,
    /// As it stands in paths: `configmaps`.
    pub plural: &'static str,
    pub singular: &'static str,
    pub kind: &'static str,
    pub short: &'static [&'static str],
    pub namespaced: bool,
    /// Whether `status` is written by itself.
    pub status: bool,
}

impl Resource {
    /// `v1`, `apps/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `deployments.apps`, as failures name it.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_owned()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }
}

const fn core(
    plural: &'static str,
    singular: &'static str,
    kind: &'static str,
    short: &'static [&'static str],
) -> Resource {
    Resource {
        group: "",
        version: "v1",
        plural,
        singular,
        kind,
        short,
        namespaced: true,
        status: false,
    }
}

const fn grouped(group: &'static str, resource: Resource) -> Resource {
    Resource { group, ..resource }
}

const fn with_status(resource: Resource) -> Resource {
    Resource {
        status: true,
        ..resource
    }
}

const fn of_cluster(resource: Resource) -> Resource {
    Resource {
        namespaced: false,
        ..resource
    }
}

const RBAC: &str = super::rbac::GROUP;

pub static RESOURCES: &[Resource] = &[
    core("configmaps", "configmap", "ConfigMap", &["cm"]),
    core("secrets", "secret", "Secret", &[]),
    with_status(core("pods", "pod", "Pod", &["po"])),
    with_status(core("services", "service", "Service", &["svc"])),
    core("events", "event", "Event", &["ev"]),
    with_status(core(
        "resourcequotas",
        "resourcequota",
        "ResourceQuota",
        &["quota"],
    )),
    of_cluster(with_status(core("nodes", "node", "Node", &["no"]))),
    of_cluster(with_status(core(
        "namespaces",
        "namespace",
        "Namespace",
        &["ns"],
    ))),
    grouped(
        "apps",
        with_status(core("deployments", "deployment", "Deployment", &["deploy"])),
    ),
    grouped(
        "apps",
        with_status(core("replicasets", "replicaset", "ReplicaSet", &["rs"])),
    ),
    grouped(
        "apps",
        with_status(core("statefulsets", "statefulset", "StatefulSet", &["sts"])),
    ),
    grouped(
        "apps",
        with_status(core("daemonsets", "daemonset", "DaemonSet", &["ds"])),
    ),
    grouped(
        "discovery.k8s.io",
        core("endpointslices", "endpointslice", "EndpointSlice", &[]),
    ),
    grouped(
        "policy",
        with_status(core(
            "poddisruptionbudgets",
            "poddisruptionbudget",
            "PodDisruptionBudget",
            &["pdb"],
        )),
    ),
    grouped(
        "autoscaling",
        Resource {
            version: "v2",
            ..with_status(core(
                "horizontalpodautoscalers",
                "horizontalpodautoscaler",
                "HorizontalPodAutoscaler",
                &["hpa"],
            ))
        },
    ),
    grouped("coordination.k8s.io", core("leases", "lease", "Lease", &[])),
    grouped(RBAC, core("roles", "role", "Role", &[])),
    grouped(
        RBAC,
        core("rolebindings", "rolebinding", "RoleBinding", &[]),
    ),
    grouped(
        RBAC,
        of_cluster(core("clusterroles", "clusterrole", "ClusterRole", &[])),
    ),
    grouped(
        RBAC,
        of_cluster(core(
            "clusterrolebindings",
            "clusterrolebinding",
            "ClusterRoleBinding",
            &[],
        )),
    ),
    core(
        "serviceaccounts",
        "serviceaccount",
        "ServiceAccount",
        &["sa"],
    ),
    grouped(
        "apps",
        core(
            "controllerrevisions",
            "controllerrevision",
            "ControllerRevision",
            &[],
        ),
    ),
];

static NAMESPACES: &Resource = &of_cluster(with_status(core(
    "namespaces",
    "namespace",
    "Namespace",
    &["ns"],
)));

/// What every namespaced object is in.
pub fn namespaces() -> &'static Resource {
    NAMESPACES
}

/// The resource of a path.
pub fn in_path(group: &str, version: &str, plural: &str) -> Option<&'static Resource> {
    RESOURCES
        .iter()
        .find(|r| r.group == group && r.version == version && r.plural == plural)
}

/// The resource of an object.
pub fn of_kind(api_version: &str, kind: &str) -> Option<&'static Resource> {
    RESOURCES
        .iter()
        .find(|r| r.kind == kind && r.api_version() == api_version)
}

/// The resource with this plural, which is one of [`RESOURCES`].
pub fn named(plural: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|r| r.plural == plural)
}
