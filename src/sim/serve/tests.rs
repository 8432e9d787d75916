//! Who may reach the API.

use chrono::Utc;
use tokio::net::TcpListener;

use super::*;
use crate::sim::{Clock, World};

#[tokio::test]
async fn others_than_this_machine_are_not_served() {
    let at: chrono::DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
    let sim = Sim::new(World::new(at), Clock::manual(at));
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let refused = serve_loopback(sim, listener).await.unwrap_err();
    assert!(refused.to_string().contains("is no loopback address"));
}
