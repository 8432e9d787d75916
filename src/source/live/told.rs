//! What a replica tells of its configuration's version, asked through the API server's proxy to pods.

use std::time::Duration;

use super::Live;
use crate::model::{Gap, GapReason, PodRef, ToldVersion};
use crate::source::{Answer, VersionAt};

const LIMIT: Duration = Duration::from_secs(5);
const MOST: usize = 1 << 20;

pub(super) fn gap(pod: &PodRef, reason: GapReason) -> Gap {
    Gap {
        verb: "get".to_owned(),
        resource: "pods/proxy".to_owned(),
        namespace: Some(pod.namespace.clone()),
        name: Some(pod.name.clone()),
        reason,
    }
}

pub(super) async fn told(live: &Live, pod: &PodRef, asked: &str) -> Answer {
    match version(live, pod, asked).await {
        Ok(version) => Answer::ToldVersion(ToldVersion {
            pod: pod.clone(),
            asked: asked.to_owned(),
            version,
            read_at: (live.clock)(),
        }),
        Err(reason) => Answer::Gap(gap(pod, reason)),
    }
}

async fn version(live: &Live, pod: &PodRef, asked: &str) -> Result<String, GapReason> {
    let at: VersionAt = asked.parse().map_err(GapReason::Bounded)?;
    let path = format!(
        "/api/v1/namespaces/{}/pods/{}:{}/proxy{}",
        pod.namespace, pod.name, at.port, at.path
    );
    let body = live.api.get_at_most(&path, MOST, LIMIT).await?;
    at.version(&body)
        .map_err(|found| GapReason::Unreadable(format!("{asked}: {found}")))
}
