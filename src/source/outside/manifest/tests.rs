//! Manifests as people have them, and what is none.

use super::{Named, config_maps, in_scope, rendered};
use crate::model::Content;
use crate::source::outside::About;

fn about(namespace: Option<&str>) -> About {
    About {
        namespace: namespace.map(str::to_owned),
        server: String::new(),
    }
}

fn wrong(text: &str) -> String {
    config_maps(text).expect_err("it is no manifest").what
}

const ONE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx, namespace: shop}\ndata:\n  port: \"8080\"\n  \
                   conf: |\n    server api:8080;\n    listen 80;\n";

#[test]
fn yaml_json_lists_and_several_documents_are_the_same() {
    let json = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"nginx","namespace":"shop"},"data":{"port":"8080","conf":"server api:8080;\nlisten 80;\n"}}"#;
    let expected = vec![Named {
        namespace: Some("shop".to_owned()),
        name: "nginx".to_owned(),
        content: Content::text([("port", "8080"), ("conf", "server api:8080;\nlisten 80;\n")]),
    }];
    assert_eq!(config_maps(ONE).as_ref(), Ok(&expected));
    assert_eq!(config_maps(json).as_ref(), Ok(&expected));
    let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{json}]}}"#);
    assert_eq!(config_maps(&list).as_ref(), Ok(&expected));
    let among = format!(
        "# comment\n---\napiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\nstringData: {{pw: hunter2}}\n---\n{ONE}---\n"
    );
    assert_eq!(config_maps(&among).as_ref(), Ok(&expected));
    let with_mark = format!(
        "\u{feff}{json}\n{{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{{}}}}"
    );
    assert_eq!(config_maps(&with_mark).as_ref(), Ok(&expected));
}

#[test]
fn binary_data_is_decoded_however_it_is_wrapped() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\nbinaryData:\n  f: |\n    AAEC\n    Aw==\n";
    let found = config_maps(text).expect("a manifest");
    let Content::Plain { binary, .. } = &found[0].content else {
        panic!("a ConfigMap is plain")
    };
    assert_eq!(binary["f"], [0, 1, 2, 3]);
}

#[test]
fn a_namespace_is_the_scopes_where_none_is_written() {
    let bare = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx}\ndata: {a: b}\n";
    let found = in_scope(bare.as_bytes(), &about(Some("shop"))).expect("a manifest");
    assert_eq!(found[0].0.namespace, "shop");
    let error = in_scope(bare.as_bytes(), &about(None)).expect_err("it is not known where");
    assert_eq!(
        error.what,
        "ConfigMap nginx names no namespace, and neither does -A"
    );
    assert!(in_scope(ONE.as_bytes(), &about(None)).is_ok());
    let error = in_scope(ONE.as_bytes(), &about(Some("prod"))).expect_err("it is elsewhere");
    assert_eq!(
        error.what,
        "its ConfigMaps are of namespace shop, and this reads prod"
    );
}

#[test]
fn one_name_has_one_content_in_a_file() {
    let other = ONE.replace("8080", "8000");
    let error = in_scope(
        format!("{ONE}---\n{other}").as_bytes(),
        &about(Some("shop")),
    );
    assert!(error.expect_err("which is it").what.contains("twice"));
    let same = in_scope(format!("{ONE}---\n{ONE}").as_bytes(), &about(Some("shop")));
    assert_eq!(same.map(|found| found.len()), Ok(2));
}

#[test]
fn what_is_no_manifest_is_said_to_be_what_it_is() {
    assert_eq!(wrong(""), "there is no object in it");
    assert_eq!(
        wrong("server { listen 80; }\n"),
        "it is no manifest: an object in it has no kind"
    );
    assert!(wrong("a: [1\n").starts_with("it is neither YAML nor JSON ("));
    assert_eq!(
        wrong("apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n"),
        "there is no ConfigMap in it, but Secret"
    );
    assert_eq!(
        wrong(
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n"
        ),
        "it is a Kustomization, which is no manifest yet"
    );
    assert_eq!(
        wrong("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx}\ndata: {port: 8080}\n"),
        "data.port of ConfigMap nginx is no text, so it was never live so"
    );
    assert_eq!(
        wrong("apiVersion: v2\nkind: ConfigMap\nmetadata: {name: nginx}\n"),
        "its ConfigMap has the apiVersion v2, not v1"
    );
    assert!(in_scope(&[0xff, 0xfe], &about(None)).is_err());
}

#[test]
fn a_chart_is_a_template_and_an_alert_rule_is_none() {
    for chart in [
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-nginx\ndata:\n  port: {{ .Values.port | quote }}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"{{ .Release.Name }}\"\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx}\ndata:\n  port: \"{{ .Values.port }}\"\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nginx}\ndata:\n{{ include \"x\" . | indent 2 }}\n",
    ] {
        assert!(
            wrong(chart).contains("a template"),
            "{chart}: {}",
            wrong(chart)
        );
    }
    let rule = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rules}\ndata:\n  r: \"{{ $labels.pod }} is {{ .Values }}\"\n";
    assert!(config_maps(rule).is_ok());
    // What Helm has filled in already may hold whatever it likes.
    let filled = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\ndata:\n  port: \"{{ .Values.port }}\"\n";
    assert!(rendered(filled).is_ok());
}
