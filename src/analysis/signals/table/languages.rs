//! Languages and their HTTP clients.

use super::{Kind, Row, address};

pub(super) const ROWS: &[Row] = &[
    Row::new("go-dial", Kind::Upstream, &["dial tcp"])
        .pattern(concat!(
            r"\bdial tcp[46]? (?:\S+->)?", address!(),
            r": (?:connect: |i/o timeout|operation was canceled|context deadline exceeded|connectex: |getsockopt: )"
        ))
        .sample(
            r#"Get "http://api:8000/items": dial tcp 10.96.0.7:8000: connect: connection refused"#,
            "10.96.0.7:8000",
        ),
    // The address behind "on" is the name server's.
    Row::new("go-lookup", Kind::Unresolved, &["dial tcp", "no such host"])
        .pattern(r"\blookup (?P<n>[\w.-]+)(?: on \S+:\d+)?: (?:no such host|server misbehaving|i/o timeout|Temporary failure|read udp )")
        .sample(
            r#"Get "http://api.invalid/items": dial tcp: lookup api.invalid on 10.96.0.10:53: no such host"#,
            "api.invalid",
        ),
    Row::new("node-connect", Kind::Upstream, &["connect E"])
        .pattern(concat!(
            r"\bconnect E(?:CONNREFUSED|TIMEDOUT|HOSTUNREACH|NETUNREACH|CONNRESET|ADDRNOTAVAIL) ", address!(), r#"(?:$|[\s,;)\]'"\\])"#
        ))
        .sample("Error: connect ECONNREFUSED 10.96.0.7:8000", "10.96.0.7:8000"),
    Row::new("node-name", Kind::Unresolved, &["getaddrinfo E"])
        .pattern(r"\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?P<n>[\w.-]+)")
        .sample("Error: getaddrinfo ENOTFOUND api.invalid", "api.invalid"),
    // No space and no bracket gets into the URL unescaped, so what follows it is the library's.
    Row::new("urllib3-name", Kind::Unresolved, &["ConnectionPool("])
        .pattern(r"\bHTTPS?ConnectionPool\(host='(?P<n>[\w.:-]+)', port=\d{1,5}\): Max retries exceeded with url: \S+ \(Caused by (?:NameResolutionError|NewConnectionError\(.{0,160}(?:Name or service not known|Temporary failure in name resolution|nodename nor servname))")
        .past_clients()
        .sample(
            r#"HTTPConnectionPool(host='api.invalid', port=80): Max retries exceeded with url: /x (Caused by NameResolutionError("HTTPConnection(host='api.invalid', port=80): Failed to resolve 'api.invalid' ([Errno -2] Name or service not known)"))"#,
            "api.invalid",
        ),
    Row::new("urllib3-pool", Kind::Upstream, &["ConnectionPool("])
        .pattern(r"\bHTTPS?ConnectionPool\(host='(?P<h>[\w.:-]+)', port=(?P<p>\d{1,5})\): (?:Max retries exceeded with url: |Read timed out)")
        .past_clients()
        .sample(
            r#"HTTPConnectionPool(host='10.96.0.7', port=8000): Max retries exceeded with url: /x (Caused by NewConnectionError("HTTPConnection(host='10.96.0.7', port=8000): Failed to establish a new connection: [Errno 111] Connection refused"))"#,
            "10.96.0.7:8000",
        ),
    Row::new("aiohttp-name", Kind::Unresolved, &["Cannot connect to host "])
        .pattern(r"\bCannot connect to host (?P<n>[\w.-]+):\d{1,5} ssl:\S+ \[(?:Name or service not known|Temporary failure in name resolution|Domain name not found|No address associated)")
        .sample(
            "aiohttp.client_exceptions.ClientConnectorDNSError: Cannot connect to host api.invalid:80 ssl:default [Name or service not known]",
            "api.invalid",
        ),
    Row::new("aiohttp-connect", Kind::Upstream, &["Cannot connect to host "])
        .pattern(concat!(r"\bCannot connect to host ", address!(), r" ssl:"))
        .sample(
            "Cannot connect to host 10.96.0.7:8000 ssl:default [Connect call failed ('10.96.0.7', 8000)]",
            "10.96.0.7:8000",
        ),
    Row::new("asyncio-connect", Kind::Upstream, &["Connect call failed"])
        .pattern(r"\bConnect call failed \('(?P<h>[\w.:-]+)', (?P<p>\d{1,5})[,)]")
        .sample(
            "ConnectionRefusedError: [Errno 111] Connect call failed ('10.96.0.7', 8000)",
            "10.96.0.7:8000",
        ),
    // httpx, urllib and socket say no more.
    Row::new("python-errno", Kind::Unnamed, &["[Errno "])
        .pattern(r"\[Errno (?:111|110|113|101)\] (?:Connection refused|Connection timed out|No route to host|Network is unreachable)")
        .sample("httpx.ConnectError: [Errno 111] Connection refused", ""),
    Row::new("java-name", Kind::Unresolved, &["UnknownHostException"])
        .pattern(r"\bUnknownHostException: (?P<n>[A-Za-z0-9][\w.-]*\w)(?:$|[\s:,;)])")
        .sample("java.net.UnknownHostException: api.invalid", "api.invalid"),
    Row::new("java-socket", Kind::Unnamed, &["java.net.ConnectException"])
        .pattern(r"\bjava\.net\.ConnectException(?:$|: Connection (?:refused|timed out)|\s*$)")
        .sample("java.net.ConnectException: Connection refused", ""),
    Row::new("netty", Kind::Upstream, &[" refused", "onnection timed out"])
        .pattern(r"\b[Cc]onnection (?:refused|timed out(?: after \d+ ms)?): (?:[\w.-]+)?/(?P<h>\[?[0-9A-Fa-f:.]+\]?):(?P<p>\d{1,5})\b")
        .sample(
            "io.netty.channel.AbstractChannel$AnnotatedConnectException: Connection refused: /10.96.0.7:8000",
            "10.96.0.7:8000",
        ),
    Row::new("lettuce", Kind::Upstream, &["<unresolved>"])
        .pattern(r"\b(?:Unable to connect to|Cannot reconnect to) \[?(?P<h>[\w.-]+)/<unresolved>:(?P<p>\d{1,5})\b")
        .sample(
            "io.lettuce.core.RedisConnectionException: Unable to connect to redis.shop/<unresolved>:6379",
            "redis.shop:6379",
        ),
    Row::new("httpclient", Kind::Upstream, &["Connect to "])
        .pattern(concat!(r"\bConnect to (?:https?://)?", address!(), r" \[[^\]]{1,200}\] failed: "))
        .sample(
            "org.apache.hc.client5.http.HttpHostConnectException: Connect to http://10.96.0.7:8000 [/10.96.0.7] failed: Connection refused",
            "10.96.0.7:8000",
        ),
    Row::new("okhttp", Kind::Upstream, &["ailed to connect to "])
        .pattern(r"\bFailed to connect to [\w.-]*/(?P<h>\[?[0-9A-Fa-f:.]+\]?):(?P<p>\d{1,5})\b")
        .sample("java.net.ConnectException: Failed to connect to /10.96.0.7:8000", "10.96.0.7:8000"),
    Row::new("ruby-name", Kind::Unresolved, &["Failed to open TCP"])
        .pattern(r"\bFailed to open TCP connection to (?P<n>[\w.-]+):\d{1,5} \(getaddrinfo")
        .sample(
            "SocketError: Failed to open TCP connection to api.invalid:80 (getaddrinfo: Name or service not known)",
            "api.invalid",
        ),
    Row::new("ruby-net", Kind::Upstream, &["Failed to open TCP"])
        .pattern(concat!(r"\bFailed to open TCP connection to ", address!(), r" \("))
        .sample(
            r#"Errno::ECONNREFUSED: Failed to open TCP connection to 10.96.0.7:8000 (Connection refused - connect(2) for "10.96.0.7" port 8000)"#,
            "10.96.0.7:8000",
        ),
    Row::new("ruby-connect", Kind::Upstream, &["connect(2) for "])
        .pattern(r#"- connect\(2\) for "?(?P<h>[\w.:-]+?)"?(?: port |:)(?P<p>\d{1,5})\b"#)
        .sample("Errno::ECONNREFUSED: Connection refused - connect(2) for 10.96.0.7:6379", "10.96.0.7:6379"),
    Row::new("curl", Kind::Upstream, &["ailed to connect to "])
        .pattern(r"\bFailed to connect to (?P<h>[\w.:-]+) port (?P<p>\d{1,5})(?: after \d+ ms)?: ")
        .sample(
            "curl: (7) Failed to connect to 10.96.0.7 port 8000 after 0 ms: Couldn't connect to server",
            "10.96.0.7:8000",
        ),
    Row::new("curl-name", Kind::Unresolved, &["Could not resolve host"])
        .pattern(r"\bCould not resolve host: (?P<n>[\w.-]+)")
        .sample("curl: (6) Could not resolve host: api.invalid", "api.invalid"),
    Row::new("wget", Kind::Upstream, &["failed: Connection"])
        .pattern(r"^Connecting to (?:[\w.-]+(?: \([^)]{1,64}\))?\|)?(?P<h>[\w.-]+)\|?:(?P<p>\d{1,5})\.\.\. failed: Connection ")
        .sample("Connecting to 10.96.0.7:8000... failed: Connection refused.", "10.96.0.7:8000"),
    Row::new("wget-busybox", Kind::Unnamed, &["can't connect to remote host"])
        .pattern(r"^wget: can't connect to remote host(?: \([\w.:-]+\))?: ")
        .sample("wget: can't connect to remote host (10.96.0.7): Connection refused", ""),
    Row::new("wget-busybox-name", Kind::Unresolved, &["bad address '"])
        .pattern(r"^wget: bad address '(?P<n>[\w.-]+)(?::\d+)?'")
        .sample("wget: bad address 'api.invalid'", "api.invalid"),
    Row::new("grpc", Kind::Upstream, &["ipv4:", "ipv6:"])
        .pattern(r"\bipv[46]:(?P<a>[0-9.]+:\d{1,5}|(?:\[|%5B)[0-9A-Fa-f:]+(?:\]|%5D):\d{1,5}): (?:Failed to connect to remote host|connect: |Connection |Endpoint closing|Connect failed)")
        .sample(
            "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.96.0.7:8000: Failed to connect to remote host: Connection refused",
            "10.96.0.7:8000",
        ),
    Row::new("grpc-name", Kind::Unresolved, &["DNS resolution failed"])
        .pattern(r"\bDNS resolution failed for (?P<n>[\w.-]+)(?::\d{1,5})?: ")
        .sample(
            "DNS resolution failed for api.invalid:50051: C-ares status is not ARES_SUCCESS qtype=A name=api.invalid is_balancer=0: Domain name not found",
            "api.invalid",
        ),
    Row::new("dotnet-http", Kind::Upstream, &[" refused"])
        .pattern(concat!(r"\bConnection refused \(", address!(), r"\)"))
        .sample("System.Net.Http.HttpRequestException: Connection refused (api.shop:8000)", "api.shop:8000"),
    Row::new("rust-os-error", Kind::Unnamed, &["(os error 11"])
        .pattern(r"\bConnection (?:refused|timed out) \(os error 11[01]\)")
        .sample("client error (Connect): tcp connect error: Connection refused (os error 111)", ""),
    // Whatever else says it. Other rows of the same line come first.
    Row::new("refused", Kind::Unnamed, &[" refused"])
        .pattern(r"\b[Cc]onnection refused\b")
        .sample("could not reach the backend: connection refused", ""),
];
