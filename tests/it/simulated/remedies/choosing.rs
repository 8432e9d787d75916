//! What is put back is the user's choice: whole, by key, or corrected.

use confsplit::app::{Msg, Origin};
use serde_json::json;

use super::{WORDS, content, desk, look, looked, say, written};

#[tokio::test(start_paused = true)]
async fn a_text_is_corrected_only_where_that_is_allowed() {
    let mut desk = desk("partial-restart").await;
    look(&mut desk).await;
    desk.press("v");
    desk.says("Start with --allow-edit");
    assert!(desk.handed.is_empty());
    desk.app.options.edits = true;
    desk.press("v");
    let (key, text) = desk.handed.pop().expect("it goes to an editor");
    assert_eq!(key, "default.conf");
    desk.tell(Msg::Edited(Ok(None)));
    desk.says("The text was left as it was.");
    let corrected = text.replace("api:8080", "api:8081");
    assert_ne!(text, corrected);
    desk.tell(Msg::Edited(Ok(Some((key, corrected)))));
    looked(&mut desk).await;
    desk.says("revision A, corrected by hand");
    desk.says("+ server api:8081;");
    assert_eq!(written(&desk), Vec::<String>::new());
    say(&mut desk, WORDS);
    desk.wait("the write", |desk| !written(desk).is_empty())
        .await;
    desk.pass(1).await;
    let data = content(&desk).await;
    assert!(data.contains("api:8081"), "{data}");
}

#[tokio::test(start_paused = true)]
async fn one_key_alone_is_put_back() {
    let mut desk = desk("partial-restart").await;
    let more = json!({"data": {"notes.txt": "of somebody else"}});
    desk.played
        .patch("configmaps", "frontend-nginx", &more)
        .await;
    desk.wait_for("notes.txt").await;
    look(&mut desk).await;
    desk.says("all that it changes: default.conf, notes.txt");
    desk.press("K");
    looked(&mut desk).await;
    desk.says("only default.conf of default.conf, notes.txt");
    say(&mut desk, WORDS);
    desk.wait("the write", |desk| !written(desk).is_empty())
        .await;
    desk.pass(1).await;
    let config = desk
        .played
        .get("/api/v1/namespaces/shop/configmaps/frontend-nginx")
        .await;
    assert!(
        config["data"]["default.conf"]
            .to_string()
            .contains("api:8080"),
        "{config}"
    );
    assert_eq!(config["data"]["notes.txt"], "of somebody else");
}

/// What can be seen of a capture can be planned, and not done.
#[tokio::test(start_paused = true)]
async fn of_a_capture_nothing_is_done() {
    let mut desk = desk("partial-restart").await;
    desk.app.options.origin = Origin::Capture {
        file: "shop.capture".to_owned(),
    };
    desk.press("r");
    desk.says("A capture is a file: the commands can be run where its cluster is.");
    desk.press("\n");
    desk.pass(2).await;
    assert_eq!(written(&desk), Vec::<String>::new());
}
