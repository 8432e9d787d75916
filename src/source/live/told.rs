//! What a replica tells of its configuration's version, asked through the API server's proxy to pods.

use std::time::Duration;

use super::Live;
use crate::model::{GapReason, PodRef, ToldVersion};
use crate::source::VersionAt;

const LIMIT: Duration = Duration::from_secs(5);
const MOST: usize = 1 << 20;

pub(super) async fn told(live: &Live, pod: &PodRef, asked: &str) -> Result<ToldVersion, GapReason> {
    Ok(ToldVersion {
        pod: pod.clone(),
        asked: asked.to_owned(),
        version: version(live, pod, asked).await?,
        read_at: live.clock.now(),
    })
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
