//! The network between pods: names, Services with their ready endpoints, and what becomes of a request on its way.

use chrono::TimeDelta;
use serde_json::Value;

use super::images::Request;
use super::object;
use super::status::Failure;
use super::world::World;

/// A request passes so many programs at most.
const DEEPEST: usize = 6;

/// What came of a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Answer {
        status: u16,
        body: String,
        after: TimeDelta,
    },
    /// Somebody said no: nothing listens there, or no endpoint is ready.
    Refused,
    /// Nobody said anything.
    Silent,
}

impl World {
    /// The address behind a name, as a pod asks for it: its own host file first, then the cluster's DNS.
    pub(crate) fn resolve(&self, pod: &Value, host: &str) -> Option<String> {
        if host.parse::<std::net::IpAddr>().is_ok() {
            return Some(host.to_owned());
        }
        let named = |alias: &&Value| {
            let mut names = object::list(alias, "/hostnames").iter();
            names.any(|name| name.as_str() == Some(host))
        };
        let alias = object::list(pod, "/spec/hostAliases").iter().find(named);
        if let Some(alias) = alias {
            return Some(object::text(alias, "/ip").to_owned());
        }
        let short = host.trim_end_matches('.');
        let short = short.strip_suffix(".cluster.local").unwrap_or(short);
        let short = short.strip_suffix(".svc").unwrap_or(short);
        let (name, namespace) = short
            .split_once('.')
            .unwrap_or((short, object::namespace(pod)));
        let service = self.store.get(&object::key("services", namespace, name))?;
        match object::text(service, "/spec/clusterIP") {
            "" | "None" => self.ready(namespace, name).first().cloned(),
            ip => Some(ip.to_owned()),
        }
    }

    /// Addresses of the endpoints that serve; where none is ready, of those that still serve while they end.
    fn ready(&self, namespace: &str, service: &str) -> Vec<String> {
        let slice = self.slice_of(namespace, service);
        let slice = slice.and_then(|key| self.store.get(&key));
        let of = |condition: &str| -> Vec<String> {
            let endpoints = slice
                .iter()
                .flat_map(|slice| object::list(slice, "/endpoints"));
            let fitting = endpoints.filter(|e| object::flag(&e["conditions"], condition));
            fitting
                .map(|e| object::text(e, "/addresses/0").to_owned())
                .collect()
        };
        match of("/ready") {
            ready if ready.is_empty() => of("/serving"),
            ready => ready,
        }
    }

    /// Sends a request to an address: a Service's, whose port must be published, or a pod's.
    pub(crate) fn ask(&mut self, ip: &str, port: u16, request: &Request, depth: usize) -> Reply {
        if depth > DEEPEST {
            return Reply::Silent;
        }
        let mut services = self.store.list(object::resource("services"), None);
        let found = services.find(|(_, s)| object::text(s, "/spec/clusterIP") == ip);
        let found = found.map(|(key, service)| (key.clone(), std::sync::Arc::clone(service)));
        drop(services);
        let Some((key, service)) = found else {
            return self.serve(ip, port, request, depth);
        };
        let ports = object::list(&service, "/spec/ports");
        let published = ports
            .iter()
            .position(|p| object::number(p, "/port") == Some(port.into()));
        let Some(at) = published else {
            // No rule names it, so the packets go nowhere.
            return Reply::Silent;
        };
        let (namespace, name) = (key.namespace.clone().unwrap_or_default(), key.name.clone());
        let ready = self.ready(&namespace, &name);
        if ready.is_empty() {
            return Reply::Refused;
        }
        let target = self.slice_of(&namespace, &name).and_then(|slice| {
            let slice = self.store.get(&slice)?;
            object::number(object::list(slice, "/ports").get(at)?, "/port")
        });
        let target = target.and_then(|n| u16::try_from(n).ok()).unwrap_or(port);
        let chosen = ready[self.random.below(ready.len())].clone();
        self.serve(&chosen, target, request, depth)
    }

    /// Answers a request to a port of a pod, as the API server's proxy passes it on: status and body.
    pub fn proxy(
        &mut self,
        namespace: &str,
        pod: &str,
        port: u16,
        path: &str,
    ) -> Result<(u16, String), Failure> {
        let key = object::key("pods", namespace, pod);
        let live = self
            .store
            .get(&key)
            .ok_or_else(|| Failure::not_found(&key))?;
        let ip = object::text(live, "/status/podIP").to_owned();
        let request = Request {
            client: super::nodes::address("kind-control-plane"),
            path: path.to_owned(),
            host: format!("{ip}:{port}"),
            agent: "confsplit",
            version: "1.1",
        };
        match self.ask(&ip, port, &request, 0) {
            Reply::Answer { status, body, .. } => Ok((status, body)),
            Reply::Refused => Err(unavailable(&ip, port, "connect: connection refused")),
            Reply::Silent => Err(unavailable(&ip, port, "i/o timeout")),
        }
    }
}

fn unavailable(ip: &str, port: u16, why: &str) -> Failure {
    let message = format!("error trying to reach service: dial tcp {ip}:{port}: {why}");
    Failure::new(503, "ServiceUnavailable", message)
}
