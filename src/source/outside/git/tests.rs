//! What a revision of a clone gives, and how a name for one is read. The git is this machine's.

use std::path::Path;
use std::process::Command;

use super::{GitPlace, read};
use crate::model::{Content, Origin};
use crate::source::SourceError;
use crate::source::outside::{About, Loaded};

fn place(text: &str) -> Result<(String, String, String), String> {
    let place: GitPlace = text.parse()?;
    Ok((
        place.repository.display().to_string(),
        place.path,
        place.revision,
    ))
}

#[test]
fn a_place_is_read_from_its_ends() {
    for (text, repository, path, revision) in [
        (".:deploy/cm.yaml@HEAD~1", ".", "deploy/cm.yaml", "HEAD~1"),
        ("/r:a@b.yaml@v1.2", "/r", "a@b.yaml", "v1.2"),
        (
            "/r:cm.yaml@main@{yesterday}",
            "/r",
            "cm.yaml",
            "main@{yesterday}",
        ),
        ("C:\\r:cm.yaml@HEAD", "C:\\r", "cm.yaml", "HEAD"),
    ] {
        let found = place(text).expect(text);
        assert_eq!(
            found,
            (repository.to_owned(), path.to_owned(), revision.to_owned())
        );
    }
    for (text, why) in [
        ("deploy/cm.yaml", "it names no path"),
        (".:cm.yaml", "it names no revision"),
        (".:cm.yaml@", "a part of it is empty"),
        (":cm.yaml@HEAD", "a part of it is empty"),
        (
            ".:cm.yaml@--output=/tmp/x",
            "no revision begins with a dash",
        ),
        ("https://example.com/r.git:cm.yaml@HEAD", "not a URL"),
    ] {
        let said = place(text).expect_err(text);
        assert!(
            said.contains(why) && said.contains("expected REPO:PATH@REV"),
            "{said}"
        );
    }
}

/// A clone with two commits of a manifest.
fn repository(folder: &Path) {
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .expect("git runs");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    let write = |port: u16| {
        let text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: nginx}}\ndata: {{port: \"{port}\"}}\n"
        );
        std::fs::create_dir_all(folder.join("deploy")).expect("a folder");
        std::fs::write(folder.join("deploy/cm.yaml"), text).expect("a file");
    };
    git(&["init", "-q"]);
    write(8080);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    write(8000);
    std::fs::write(folder.join("notes.txt"), "hello: world\n").expect("a file");
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    // What a hostile clone would have run.
    git(&["config", "core.fsmonitor", "touch ran-fsmonitor"]);
    git(&["config", "core.pager", "touch ran-pager"]);
    std::fs::write(folder.join(".gitattributes"), "*.yaml diff=x\n").expect("a file");
    git(&["config", "diff.x.textconv", "touch ran-textconv; cat"]);
}

async fn at(folder: &Path, what: &str) -> Result<Loaded, SourceError> {
    let place: GitPlace = format!("{}:{what}", folder.display()).parse().expect(what);
    let about = About {
        namespace: Some("shop".to_owned()),
        server: String::new(),
    };
    read(&place, &about).await
}

#[tokio::test]
async fn a_manifest_is_read_as_it_was_and_nothing_of_the_clone_is_run() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path());
    let loaded = at(folder.path(), "deploy/cm.yaml@HEAD~1")
        .await
        .expect("it is there");
    let [found] = &loaded.outside.found[..] else {
        panic!("one ConfigMap: {loaded:?}")
    };
    assert_eq!(found.content, Content::text([("port", "8080")]));
    assert_eq!((found.config.namespace.as_str(), found.at), ("shop", None));
    let Origin::Git {
        path,
        revision,
        commit,
        ..
    } = &found.origin
    else {
        panic!("{:?}", found.origin)
    };
    assert_eq!(
        (path.as_str(), revision.as_str(), commit.len()),
        ("deploy/cm.yaml", "HEAD~1", 40)
    );
    for ran in ["ran-fsmonitor", "ran-pager", "ran-textconv"] {
        assert!(!folder.path().join(ran).exists(), "{ran}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_in_gits_words() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path());
    for (what, said) in [
        ("deploy/cm.yaml@v9", "git says: Needed a single revision."),
        ("cm.yaml@HEAD", "git says: path 'cm.yaml' does not exist in"),
        ("deploy@HEAD", "the path is no file at that revision."),
        (
            "notes.txt@HEAD",
            "it is no manifest: an object in it has no kind.",
        ),
    ] {
        let error = at(folder.path(), what).await.expect_err(what);
        assert!(error.message.contains(said), "{what}: {}", error.message);
        assert!(error.hint.is_some());
    }
    let missing = folder.path().join("gone");
    let error = at(&missing, "cm.yaml@HEAD").await.expect_err("no folder");
    assert!(
        error.message.ends_with("gone is no folder."),
        "{}",
        error.message
    );
}
