//! The way in: the client, made when it is first needed, and made again when its login has expired or is refused.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use http::header::{HeaderValue, USER_AGENT};
use kube::client::ClientBuilder;
use kube::{Client, Config};
use tokio::sync::Mutex;

use super::allow::{Consent, ReadOnly};
use super::clocks::LocalClock;
use super::connect::chain;
use super::kubeconfig::{self, Loaded};
use super::login;
use crate::source::{Clock, SourceError};

/// A login is renewed so long before it expires.
const EARLY: TimeDelta = TimeDelta::seconds(10);

/// How the client is made, each time.
pub(super) struct Plan {
    pub(super) kubeconfig: Option<PathBuf>,
    /// Pinned to what it was at the start, and so is the server: reading again must not lead to another cluster.
    pub(super) context: Option<String>,
    pub(super) server: String,
    pub(super) impersonate: Option<String>,
    pub(super) impersonate_groups: Vec<String>,
    pub(super) limit: Duration,
    pub(super) clock: Clock,
    pub(super) local_clock: LocalClock,
    pub(super) consent: Consent,
}

/// A client and when its login must be renewed.
struct Open {
    client: Client,
    until: Option<DateTime<Utc>>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// How often a client was made.
    made: u64,
    /// The last one that was refused and could not be replaced by one that is not.
    given_up: Option<u64>,
}

/// The client, behind what it takes to get one.
pub(super) struct Door {
    plan: Option<Plan>,
    state: Mutex<State>,
}

impl Door {
    /// A client that there is already. It cannot be made again.
    pub(super) fn given(client: Client) -> Self {
        let open = Some(Open {
            client,
            until: None,
        });
        Self {
            plan: None,
            state: Mutex::new(State {
                open,
                ..State::default()
            }),
        }
    }

    pub(super) fn planned(plan: Plan) -> Self {
        Self {
            plan: Some(plan),
            state: Mutex::default(),
        }
    }

    /// Before a reading: the login must be there, and one that was refused is worth another try.
    pub(super) async fn ready(&self) -> Result<(), SourceError> {
        self.state.lock().await.given_up = None;
        self.client().await.map(drop)
    }

    /// The client, and its number.
    pub(super) async fn client(&self) -> Result<(Client, u64), SourceError> {
        let mut state = self.state.lock().await;
        let now = |plan: &Plan| plan.clock.now();
        let fresh = state.open.as_ref().filter(|open| {
            let expired = self.plan.as_ref().zip(open.until);
            expired.is_none_or(|(plan, until)| now(plan) + EARLY < until)
        });
        if let Some(open) = fresh {
            return Ok((open.client.clone(), state.made));
        }
        self.make(&mut state).await
    }

    /// A client in the place of the one with this number, whose login was refused; `None` where there is no other.
    pub(super) async fn instead_of(&self, refused: u64) -> Option<Client> {
        let mut state = self.state.lock().await;
        if state.made == refused {
            if state.given_up == Some(refused) {
                return None;
            }
            state.given_up = Some(refused);
            let (_, made) = self.make(&mut state).await.ok()?;
            // It is not made a third time, should it be refused too.
            state.given_up = Some(made);
        }
        state.open.as_ref().map(|open| open.client.clone())
    }

    async fn make(&self, state: &mut State) -> Result<(Client, u64), SourceError> {
        let Some(plan) = &self.plan else {
            return Err(refused("", "it cannot be renewed"));
        };
        let mut open = plan.open().await?;
        // A plugin whose logins are expired when they come would be run for each request.
        open.until = open.until.filter(|until| plan.clock.now() + EARLY < *until);
        let client = open.client.clone();
        state.open = Some(open);
        state.made += 1;
        Ok((client, state.made))
    }
}

impl Plan {
    async fn open(&self) -> Result<Open, SourceError> {
        let loaded = kubeconfig::load(self.kubeconfig.as_deref(), self.context.as_deref())?;
        if address(&loaded.config) != self.server {
            return Err(refused(
                &self.server,
                "the kubeconfig now names another server",
            ));
        }
        let Loaded {
            mut config, plugin, ..
        } = loaded;
        let fail = |what: String| refused(&self.server, &what);
        let login = &mut config.auth_info;
        let other = login.token.is_some() || login.token_file.is_some() || login.username.is_some();
        let until = match plugin.filter(|_| !other && login.auth_provider.is_none()) {
            Some(plugin) => login::run(&plugin, login, self.limit).await.map_err(fail)?,
            None => None,
        };
        if let Some(user) = &self.impersonate {
            config.auth_info.impersonate = Some(user.clone());
        }
        if !self.impersonate_groups.is_empty() {
            config.auth_info.impersonate_groups = Some(self.impersonate_groups.clone());
        }
        let agent = HeaderValue::from_static(concat!("confsplit/", env!("CARGO_PKG_VERSION")));
        config.headers.push((USER_AGENT, agent));
        // kube would repeat a 429, 503 or 504 fifteen times before anybody hears of it.
        config.default_retry = false;
        let guard = ReadOnly::under(self.consent.clone());
        let client = build(config, self.limit, guard, self.local_clock.clone())
            .await
            .map_err(fail)?;
        Ok(Open { client, until })
    }
}

/// The API server's address, as it is shown.
pub(super) fn address(config: &Config) -> String {
    let url = config.cluster_url.to_string();
    url.trim_end_matches('/').to_owned()
}

fn refused(server: &str, what: &str) -> SourceError {
    SourceError {
        message: format!("The login for {server} cannot be used: {what}."),
        hint: Some(
            "See whether `kubectl get namespaces` works; if it asks something, log in there first."
                .to_owned(),
        ),
    }
}

/// kube runs the command of an old `auth-provider` while it builds the client, and waits for it: on a thread of its own, so
/// that one which hangs costs the time-out and not the program.
async fn build(
    config: Config,
    limit: Duration,
    guard: ReadOnly,
    clock: LocalClock,
) -> Result<Client, String> {
    let (send, receive) = tokio::sync::oneshot::channel();
    let handle = tokio::runtime::Handle::current();
    std::thread::spawn(move || {
        let _inside = handle.enter();
        // The receiver is gone only after the time-out.
        let _ = send.send(ClientBuilder::try_from(config));
    });
    match tokio::time::timeout(limit, receive).await {
        Ok(Ok(Ok(builder))) => Ok(builder.with_layer(&guard).with_layer(&clock).build()),
        // What it quotes may hold a token.
        Ok(Ok(Err(kube::Error::Auth(_)))) => Err("the kubeconfig's login is no use".to_owned()),
        Ok(Ok(Err(error))) => Err(chain(&error)),
        Ok(Err(_)) => Err("the login ended without an answer".to_owned()),
        Err(_) => Err(format!(
            "the login gave no answer in {} s",
            limit.as_secs().max(1)
        )),
    }
}
