//! An API server of ConfigMaps over plain HTTP: they can be listed, watched, written, and forgotten.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::build::NS;

#[derive(Default)]
struct State {
    version: u64,
    maps: BTreeMap<String, Value>,
    /// What watches tell, by version.
    events: Vec<(u64, Value)>,
    /// Watches from before this version are told that it is too old.
    oldest: u64,
    forbidden: bool,
    /// Watches that were opened.
    watches: usize,
}

#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    inner: Arc<(Mutex<State>, Condvar)>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            inner: Arc::default(),
        };
        server.state().version = 100;
        let serving = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let server = serving.clone();
                thread::spawn(move || server.serve(&stream));
            }
        });
        server
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.0.lock().unwrap()
    }

    /// Makes or changes a ConfigMap; its version.
    pub fn put(&self, name: &str, mode: &str) -> u64 {
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        let map = json!({
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {
                "name": name, "namespace": NS, "uid": format!("uid-{name}"),
                "resourceVersion": version.to_string(), "creationTimestamp": "2026-10-02T20:35:00Z"
            },
            "data": {"mode": mode}
        });
        let kind = match state.maps.insert(name.to_owned(), map.clone()) {
            Some(_) => "MODIFIED",
            None => "ADDED",
        };
        self.tell(state, json!({"type": kind, "object": map}));
        version
    }

    pub fn delete(&self, name: &str) {
        let mut state = self.state();
        state.version += 1;
        let mut map = state.maps.remove(name).unwrap();
        map["metadata"]["resourceVersion"] = json!(state.version.to_string());
        self.tell(state, json!({"type": "DELETED", "object": map}));
    }

    /// Watches are told that their version is too old; what is written meanwhile they never hear of.
    pub fn expire(&self, meanwhile: impl FnOnce(&Self)) {
        {
            let mut state = self.state();
            state.oldest = u64::MAX;
        }
        meanwhile(self);
        let mut state = self.state();
        state.oldest = state.version;
        self.inner.1.notify_all();
    }

    /// Waits until so many watches have been opened.
    pub fn watched(&self, number: usize) {
        let opened = |state: &mut State| state.watches < number;
        let wait = Duration::from_secs(20);
        let waited = self.inner.1.wait_timeout_while(self.state(), wait, opened);
        assert!(
            !waited.unwrap().1.timed_out(),
            "fewer than {number} watches"
        );
    }

    pub fn forbid(&self) {
        self.state().forbidden = true;
    }

    fn tell(&self, mut state: MutexGuard<'_, State>, event: Value) {
        let version = state.version;
        state.events.push((version, event));
        drop(state);
        self.inner.1.notify_all();
    }

    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        loop {
            let mut first = String::new();
            if reader.read_line(&mut first).is_err() || first.is_empty() {
                return;
            }
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let url = first.split(' ').nth(1).unwrap_or_default();
            let (path, query) = url.split_once('?').unwrap_or((url, ""));
            if query.contains("watch=true") && path.ends_with("/configmaps") {
                drop(self.watch(stream, query));
                return;
            }
            let (code, body) = self.answer(path);
            let body = body.to_string();
            let head = format!(
                "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let mut out = stream;
            if out.write_all((head + &body).as_bytes()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, path: &str) -> (u16, Value) {
        let state = self.state();
        let last = path.rsplit('/').next().unwrap_or_default();
        let status = |code: u16| {
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "code": code});
            (code, status)
        };
        let list = |items: Vec<Value>| {
            let version = state.version.to_string();
            (
                200,
                json!({"kind": "List", "metadata": {"resourceVersion": version}, "items": items}),
            )
        };
        match (path, last) {
            ("/version", _) => (200, json!({"gitVersion": "v1.37.0"})),
            (_, "kube-system") => (
                200,
                json!({"metadata": {"name": "kube-system", "uid": "the-cluster"}}),
            ),
            (_, NS) => (200, json!({"metadata": {"name": NS}})),
            (_, "configmaps") if state.forbidden => status(403),
            (_, "configmaps") => list(state.maps.values().cloned().collect()),
            (_, last) if last.ends_with('s') => list(Vec::new()),
            _ => status(404),
        }
    }

    fn watch(&self, mut stream: &TcpStream, query: &str) -> std::io::Result<()> {
        let from = query
            .split('&')
            .find_map(|p| p.strip_prefix("resourceVersion="));
        let mut from: u64 = from.unwrap().parse().unwrap();
        self.state().watches += 1;
        self.inner.1.notify_all();
        stream.write_all(
            b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        loop {
            let state = self.state();
            let wait = Duration::from_millis(200);
            let (state, _) = self.inner.1.wait_timeout(state, wait).unwrap();
            if state.oldest == u64::MAX {
                continue;
            }
            let expired = from < state.oldest;
            let mut lines: Vec<Value> = Vec::new();
            if expired {
                lines.push(json!({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}));
            } else {
                let fresh = state.events.iter().filter(|(version, _)| *version > from);
                lines.extend(fresh.map(|(_, event)| event.clone()));
                from = state.version;
            }
            drop(state);
            for line in lines {
                let line = format!("{line}\n");
                write!(stream, "{:x}\r\n{line}\r\n", line.len())?;
            }
            if expired {
                return stream.write_all(b"0\r\n\r\n");
            }
        }
    }
}
