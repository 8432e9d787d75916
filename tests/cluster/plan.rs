//! The commands of `confsplit plan`, pasted into a shell.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::place::Place;
use crate::program::{kubeconfig, run};
use crate::remedy::partial_restart;

#[test]
fn its_lines_mend_the_incident_and_a_second_paste_does_nothing() {
    let place = Place::new("confsplit-plan");
    partial_restart(&place);
    let plan = run(&["-n", place.name(), "plan", "deploy/front"]);
    assert_eq!(plan.code, Some(1), "{}", plan.stderr);
    let folder = tempfile::tempdir().expect("a folder");
    let paste = || {
        let mut shell = Command::new("sh")
            .current_dir(folder.path())
            .env("KUBECONFIG", kubeconfig())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut keys = shell.stdin.take().expect("its input");
        keys.write_all(plan.stdout.as_bytes()).expect("it reads");
        drop(keys);
        let output = shell.wait_with_output().expect("it ends");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    let (fine, said) = paste();
    assert!(fine, "{said}\n{}", plan.stdout);
    let content = place.kubectl(&["get", "configmap", "front-nginx", "-o", "jsonpath={.data}"]);
    assert!(content.contains("api:8080"), "{content}");
    let report = run(&["-n", place.name(), "diagnose"]);
    assert_eq!(report.code, Some(0), "{}", report.stdout);
    let saved = std::fs::read_to_string(folder.path().join("front-nginx.before-revert.yaml"));
    assert!(saved.expect("the file that was saved").contains("api:8000"));
    let (fine, said) = paste();
    assert!(
        !fine && said.contains("was changed since this plan was made"),
        "{said}"
    );
}
