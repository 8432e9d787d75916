//! What an object of a kind is with nothing in it: fields that the API always has. Field management compares a new object with it.

use serde_json::{Value, json};

use crate::sim::resources::Resource;

pub(crate) fn skeleton(resource: &Resource) -> Value {
    let template = json!({"metadata": {}, "spec": {"containers": null}});
    let mut empty = match resource.kind {
        "Pod" => json!({"spec": {"containers": null}, "status": {}}),
        "Service" => json!({"spec": {}, "status": {"loadBalancer": {}}}),
        "Deployment" => json!({
            "spec": {"selector": null, "strategy": {}, "template": template},
            "status": {},
        }),
        "ReplicaSet" => json!({
            "spec": {"selector": null, "template": template},
            "status": {"replicas": 0},
        }),
        "StatefulSet" => json!({
            "spec": {"selector": null, "serviceName": "", "template": template, "updateStrategy": {}},
            "status": {"replicas": 0, "availableReplicas": 0},
        }),
        "DaemonSet" => json!({
            "spec": {"selector": null, "template": template, "updateStrategy": {}},
            "status": {
                "currentNumberScheduled": 0,
                "numberMisscheduled": 0,
                "desiredNumberScheduled": 0,
                "numberReady": 0,
            },
        }),
        "PodDisruptionBudget" => json!({
            "spec": {},
            "status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
        }),
        "HorizontalPodAutoscaler" => json!({
            "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
            "status": {"desiredReplicas": 0, "currentMetrics": null},
        }),
        "Event" => json!({
            "involvedObject": {},
            "source": {},
            "firstTimestamp": null,
            "lastTimestamp": null,
            "eventTime": null,
            "reportingComponent": "",
            "reportingInstance": "",
        }),
        "EndpointSlice" => json!({"addressType": "", "endpoints": null, "ports": null}),
        "ControllerRevision" => json!({"revision": 0}),
        "Node" => json!({
            "spec": {},
            "status": {"daemonEndpoints": {"kubeletEndpoint": {}}, "nodeInfo": {}},
        }),
        "Namespace" | "ResourceQuota" => json!({"spec": {}, "status": {}}),
        "Lease" => json!({"spec": {}}),
        _ => json!({}),
    };
    empty["metadata"] = json!({});
    empty
}
