//! Sockets of this process: an API server with nothing in it, and proxies that lead to it, each keeping what it saw.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

type Seen = Arc<Mutex<Vec<String>>>;

/// Takes connections until the test's process ends. What `serve` returns is kept.
fn listen(serve: impl Fn(TcpStream, &Seen) + Send + Sync + 'static) -> (SocketAddr, Seen) {
    listen_at(0, serve)
}

/// The same on a port; 0 is any.
fn listen_at(
    port: u16,
    serve: impl Fn(TcpStream, &Seen) + Send + Sync + 'static,
) -> (SocketAddr, Seen) {
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Seen::default();
    let (kept, serve) = (seen.clone(), Arc::new(serve));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (kept, serve) = (kept.clone(), serve.clone());
            thread::spawn(move || serve(stream, &kept));
        }
    });
    (address, seen)
}

/// A request's head: its lines, in small letters but for the first.
fn head(reader: &mut impl BufRead) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    loop {
        let mut line = String::new();
        let read = reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_owned();
        if read == 0 || line.is_empty() {
            return (!lines.is_empty()).then_some(lines);
        }
        lines.push(line);
    }
}

/// An API server over plain HTTP with empty lists.
pub struct ApiServer {
    pub address: SocketAddr,
    seen: Seen,
}

impl ApiServer {
    pub fn start() -> Self {
        Self::accepting(|_| true)
    }

    /// On a port that was found free.
    pub fn at(port: u16) -> Self {
        Self::serving_at(port, |path, _| answer(path))
    }

    /// Some web server: it has nothing under any path.
    pub fn nothing() -> Self {
        Self::serving(|_, _| (404, "404 page not found".to_owned()))
    }

    /// One that answers 401 to what this does not take: the value of the Authorization header.
    pub fn accepting(login: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self::serving(move |path, sent| {
            if login(sent) {
                answer(path)
            } else {
                (401, failure(401, "Unauthorized"))
            }
        })
    }

    fn serving(serve: impl Fn(&str, &str) -> (u16, String) + Send + Sync + 'static) -> Self {
        Self::serving_at(0, serve)
    }

    fn serving_at(
        port: u16,
        serve: impl Fn(&str, &str) -> (u16, String) + Send + Sync + 'static,
    ) -> Self {
        let (address, seen) = listen_at(port, move |stream, seen| {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while let Some(lines) = head(&mut reader) {
                let path = lines[0].split(' ').nth(1).unwrap_or_default();
                let login = value(&lines, "authorization").unwrap_or_default();
                let (code, body) = serve(path, login);
                seen.lock().unwrap().push(lines.join("\n"));
                let length = body.len();
                let sent = write!(
                    &stream,
                    "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
                );
                if sent.is_err() {
                    return;
                }
            }
        });
        Self { address, seen }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The values of a header in each request.
    pub fn headers(&self, name: &str) -> Vec<Option<String>> {
        let seen = self.seen.lock().unwrap();
        let lines = |request: &String| request.lines().map(str::to_owned).collect::<Vec<_>>();
        seen.iter()
            .map(|request| value(&lines(request), name).map(str::to_owned))
            .collect()
    }
}

/// A header's value; of several, all.
fn value<'a>(lines: &'a [String], name: &str) -> Option<&'a str> {
    lines.iter().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then_some(value.trim())
    })
}

fn answer(path: &str) -> (u16, String) {
    let last = path.rsplit('/').next().unwrap_or_default();
    if path == "/version" {
        return (200, r#"{"gitVersion": "v1.37.0"}"#.to_owned());
    }
    if path.ends_with("/namespaces/shop") {
        return (403, failure(403, "forbidden"));
    }
    if last.ends_with('s') || last.contains('?') {
        let list = r#"{"kind": "List", "metadata": {"resourceVersion": "7"}, "items": []}"#;
        return (200, list.to_owned());
    }
    (404, failure(404, "not found"))
}

fn failure(code: u16, message: &str) -> String {
    format!(
        r#"{{"kind": "Status", "apiVersion": "v1", "metadata": {{}}, "status": "Failure", "message": "{message}", "code": {code}}}"#
    )
}

/// One that takes connections and never says anything.
pub fn silent() -> SocketAddr {
    let (address, _) = listen(|stream, seen| {
        let mut bytes = Vec::new();
        let mut reader = &stream;
        drop(reader.read_to_end(&mut bytes));
        drop(seen.lock());
    });
    address
}

/// A proxy that leads to one address, whatever name it is asked for.
pub struct Proxy {
    pub address: SocketAddr,
    seen: Seen,
}

impl Proxy {
    /// Speaks HTTP's CONNECT. It keeps the request's first line and `proxy-authorization`.
    pub fn connect(to: SocketAddr) -> Self {
        let (address, seen) = listen(move |stream, seen| {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let Some(lines) = head(&mut reader) else {
                return;
            };
            let login = value(&lines, "proxy-authorization").unwrap_or_default();
            seen.lock()
                .unwrap()
                .push(format!("{} {login}", lines[0]).trim().to_owned());
            if (&stream).write_all(b"HTTP/1.1 200 OK\r\n\r\n").is_ok() {
                join(stream, to);
            }
        });
        Self { address, seen }
    }

    /// Speaks SOCKS 5 without a login. It keeps the name and port that it is asked for.
    pub fn socks5(to: SocketAddr) -> Self {
        let (address, seen) = listen(move |stream, seen| {
            if let Some(asked) = socks5(&stream) {
                seen.lock().unwrap().push(asked);
                join(stream, to);
            }
        });
        Self { address, seen }
    }

    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// The handshake of RFC 1928; what was asked for, by name.
fn socks5(mut stream: &TcpStream) -> Option<String> {
    let mut greeting = [0; 2];
    stream.read_exact(&mut greeting).ok()?;
    let mut methods = vec![0; usize::from(greeting[1])];
    stream.read_exact(&mut methods).ok()?;
    stream.write_all(&[5, 0]).ok()?;
    let mut request = [0; 5];
    stream.read_exact(&mut request).ok()?;
    assert_eq!(request[3], 3, "the name is the proxy's to resolve");
    let mut name = vec![0; usize::from(request[4]) + 2];
    stream.read_exact(&mut name).ok()?;
    let port = name.split_off(name.len() - 2);
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).ok()?;
    let port = u16::from_be_bytes([port[0], port[1]]);
    Some(format!("{}:{port}", String::from_utf8(name).ok()?))
}

fn join(one: TcpStream, to: SocketAddr) {
    let Ok(other) = TcpStream::connect(to) else {
        return;
    };
    let (from, into) = (one.try_clone().unwrap(), other.try_clone().unwrap());
    thread::spawn(move || copy(&from, &into));
    copy(&other, &one);
}

fn copy(mut from: &TcpStream, mut into: &TcpStream) {
    // The one side may end whenever it likes.
    drop(std::io::copy(&mut from, &mut into));
    drop(into.shutdown(std::net::Shutdown::Write));
}
