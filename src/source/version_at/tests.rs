//! Places that can be named, and versions in answers as programs give them.

use super::VersionAt;

fn at(text: &str) -> Result<VersionAt, String> {
    text.parse()
}

fn version(place: &str, body: &str) -> Result<String, String> {
    at(place).expect("a place").version(body.as_bytes())
}

#[test]
fn a_place_is_a_port_a_path_and_a_name() {
    let place = at(":8080/info#config.version").expect("a place");
    assert_eq!((place.port, place.path.as_str()), (8080, "/info"));
    assert_eq!(place.to_string(), ":8080/info#config.version");
    assert_eq!(at(":9090").expect("a place").path, "/");
}

#[test]
fn what_is_no_place_is_told_with_what_is() {
    for (text, why) in [
        ("8080/info", "does not begin with a port"),
        ("http://x:8080/info", "does not begin with a port"),
        (":/info", "`` is no port"),
        (":0/info", "`0` is no port"),
        (":+80/info", "`+80` is no port"),
        (":65536/", "`65536` is no port"),
        (":http/info", "`http` is no port"),
        (":80/a?b=c", "`?` cannot be in its path"),
        (":80/%2e%2e", "`%` cannot be in its path"),
        (":80/a/../b", "may not step back"),
        (":80/info#", "no name after the #"),
    ] {
        let said = at(text).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
        assert!(said.contains(":8080/info#config.version"), "{said}");
    }
}

#[test]
fn a_path_leads_into_json() {
    let body = r#"{"config": {"version": "42-b", "n": 7, "on": true, "parts": ["x", "y"]}}"#;
    assert_eq!(version(":1/#config.version", body), Ok("42-b".to_owned()));
    assert_eq!(version(":1/#config.n", body), Ok("7".to_owned()));
    assert_eq!(version(":1/#config.on", body), Ok("true".to_owned()));
    assert_eq!(version(":1/#config.parts.1", body), Ok("y".to_owned()));
    assert_eq!(
        version(":1/#config", body),
        Err("`config` is an object with n, on, parts, version".to_owned())
    );
    assert_eq!(
        version(":1/#config.revision", body),
        Err("no `revision`: `config` is an object with n, on, parts, version".to_owned())
    );
    assert_eq!(
        version(":1/#version", "{}"),
        Err("no `version`: the answer is an empty object".to_owned())
    );
}

#[test]
fn a_metric_tells_by_a_label_or_by_its_value() {
    let body = "# HELP app_config_info The configuration.\n# TYPE app_config_info gauge\n\
                app_config_info{hash=\"ab\\\"c\",file=\"/etc/app.yaml\"} 1\n\
                app_config_last_reload_seconds 1.7644e+09 1764460000000\n";
    let of = |name: &str| version(&format!(":1/metrics#{name}"), body);
    assert_eq!(of("app_config_info.hash"), Ok("ab\"c".to_owned()));
    assert_eq!(of("app_config_info.file"), Ok("/etc/app.yaml".to_owned()));
    assert_eq!(of("app_config_info"), Ok("1".to_owned()));
    assert_eq!(
        of("app_config_last_reload_seconds"),
        Ok("1.7644e+09".to_owned())
    );
    assert_eq!(
        of("app_config_info.version"),
        Err("the metric has no label `version`, but hash, file".to_owned())
    );
    assert_eq!(
        of("up"),
        Err("none of its 2 metrics is called so".to_owned())
    );
}

#[test]
fn without_a_name_it_is_the_first_line() {
    assert_eq!(version(":1/", "\n  v7 \nmore"), Ok("v7".to_owned()));
    assert_eq!(version(":1/", "\u{1b}[31mv7"), Ok("^[[31mv7".to_owned()));
    assert_eq!(version(":1/", &"x".repeat(500)).map(|v| v.len()), Ok(200));
    assert_eq!(
        version(":1/", " \n"),
        Err("the answer is empty there".to_owned())
    );
}

#[test]
fn anything_else_is_told_by_its_beginning() {
    assert_eq!(
        version(":1/#config.version", "<html><title>Welcome</title>"),
        Err(
            "it is neither JSON nor metrics; it begins with `<html><title>Welcome</title>`"
                .to_owned()
        )
    );
    assert_eq!(version(":1/#a", ""), Err("the answer is empty".to_owned()));
}
