//! What is damaged: real lines and files of each kind.

use std::fs;
use std::path::Path;

fn asset(name: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("assets")
            .join(name),
    )
    .unwrap()
}

fn each(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn capture() -> Vec<u8> {
    asset("partial-restart.capture")
}

pub fn logs() -> Vec<Vec<u8>> {
    each(&[
        concat!(
            "2026-11-30T07:34:49.1Z 10.244.0.9 - - [30/Nov/2026:07:34:49 +0000] \"GET /api/items?x=1 HTTP/1.1\" 504 167 \"-\" \"curl\" \"-\"\n",
            "2026-11-30T07:34:51Z GET http://api:8000/items 502\n",
            "2026-11-30T07:34:52Z Error: connect ECONNREFUSED 10.96.0.7:8000\n",
            "2026-11-30T07:34:53Z Error: getaddrinfo ENOTFOUND api.invalid\n",
            "2026-11-30T07:34:54Z java.net.ConnectException: Connection refused\n",
        ),
        concat!(
            "2026-11-30T07:34:55Z [WARNING]  (8) : Server web/s1 is DOWN, reason: x\n",
            "2026-11-30T07:34:57Z [2026-11-30T07:34:57Z] \"GET /api/items HTTP/1.1\" 503 UF 0 95 1 - \"-\" \"curl\" \"id\" \"api\" \"10.96.0.9:8000\"\n",
            "2026-11-30T07:34:58Z 2026/11/30 07:34:58 [notice] 1#1: signal 1 (SIGHUP) received from 30, reconfiguring\n",
            "2026-11-30T07:34:59Z 2026/11/30 07:34:59 [emerg] 1#1: unknown directive \"x\"\n",
            "2026/11/30 07:34:58 [error] 7#7: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.1, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.0.7:8000/items\", host: \"shop\"\n",
        ),
        "{\"method\":\"GET\",\"path\":\"/api/items\",\"status\":502,\"time\":\"2026-11-30T07:34:58Z\",\"duration\":0.12}\n",
        "level=info ts=2026-11-30T07:34:58Z method=GET path=/api/items status=500 duration=12ms msg=\"done \\\"x\\\"\"\n",
        "{\"log\":\"Error: connect ECONNREFUSED 10.96.0.7:8000\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-30T07:34:58.123Z\"}\n",
        "2026-11-30T07:34:58.123456789Z stdout P Error: connect \n2026-11-30T07:34:58.123456789Z stdout F ECONNREFUSED 10.96.0.7:8000\n",
    ])
}

const EVENT: &str = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1f","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/configmaps/nginx?fieldManager=kubectl-edit","verb":"patch","user":{"username":"alice"},"sourceIPs":["192.0.2.7"],"userAgent":"kubectl/v1.37","objectRef":{"resource":"configmaps","namespace":"shop","name":"nginx","apiVersion":"v1"},"responseStatus":{"code":200},"requestObject":{"data":{"port":"8001"}},"responseObject":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"nginx","namespace":"shop","uid":"6b","resourceVersion":"1202","creationTimestamp":"2026-11-30T07:00:00Z"},"data":{"port":"8001"},"binaryData":{"b":"//79"}},"requestReceivedTimestamp":"2026-11-30T07:34:58.123456Z","stageTimestamp":"2026-11-30T07:34:58.130000Z"}"#;

pub fn audit() -> Vec<Vec<u8>> {
    each(&[
        &format!("{EVENT}\n{EVENT}\n"),
        &format!(
            "{{\"kind\":\"EventList\",\"apiVersion\":\"audit.k8s.io/v1\",\"items\":[{EVENT},\n{EVENT}]}}"
        ),
    ])
}

pub fn manifests() -> Vec<Vec<u8>> {
    let mut all = each(&[
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx, namespace: shop}\ndata:\n  port: \"8000\"\n  nginx.conf: |\n    server {\n      listen 80;\n    }\nbinaryData: {b: //79}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n",
        r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"nginx","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"port\":\"8000\"}}"}},"data":{"port":"8000"}}]}"#,
    ]);
    all.push(capture());
    all
}

pub fn kubeconfigs() -> Vec<Vec<u8>> {
    each(&[
        "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: \"https://127.0.0.1:1\", certificate-authority-data: aGk=, proxy-url: \"socks5://127.0.0.1:2\"}}]\nusers: [{name: a, user: {token: x}}]\ncontexts: [{name: a, context: {cluster: a, user: a, namespace: shop}}]\n",
        r#"{"apiVersion":"v1","kind":"Config","current-context":"a","clusters":[{"name":"a","cluster":{"server":"http://127.0.0.1:1","insecure-skip-tls-verify":true}}],"users":[{"name":"a","user":{"client-certificate":"c.pem","client-key-data":"aGk="}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}]}"#,
    ])
}

pub fn settings() -> Vec<Vec<u8>> {
    vec![
        asset("settings.example.toml"),
        b"theme = \"dark\"\nascii = true\nmouse = true\ntime = \"local\"\nprobe = \"never\"\nexport = \"~/x\"\n".to_vec(),
    ]
}

pub fn command_lines() -> Vec<Vec<u8>> {
    each(&[
        "confsplit\n-n\nshop\ndiagnose\ndeploy/web\n--route\nGET /api/items\n--version-at\n:8080/info#config.version\n-o\njson",
        "confsplit\ndemo\ncrash-new\ndeploy/web\n--serve\n127.0.0.1:8001",
        "confsplit\n--logs-cmd\nlogcli query '{pod=\"{pod}\"}' --from {from}\n--client\ndeploy/loadgen\n--git\n.:HEAD~1:nginx.yaml\n--request-timeout\n10s",
        "confsplit\nrecord\n--keep\n30d\n--store\n/x",
    ])
}

pub fn filters() -> Vec<Vec<u8>> {
    each(&[
        "g5zrg|revision [0-9]+",
        "(a*)*(b|c{2,5})\\b[^x]{1,9}$",
        "GET /api/.*(?i:ITEMS)\\d{1,3}",
        "\\p{Greek}+👩‍🚀",
    ])
}
