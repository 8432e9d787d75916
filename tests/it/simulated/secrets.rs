//! No value of a Secret is anywhere, whatever is read and wherever it is shown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use confsplit::analysis::Code;
use confsplit::capture;
use confsplit::report::{Format, summary};

use super::cluster::{Played, only};
use super::desk::Desk;
use super::reports::{loads, page};

const VALUES: [&str; 2] = ["correct-horse-1", "battery-staple-2"];

/// Fails where a value stands in a text, as it is or encoded, also at an odd place in longer data.
fn clean(what: &str, text: &str) {
    for value in VALUES {
        let encoded = STANDARD.encode(value);
        // Inside of other data the first and last characters differ.
        for form in [value, &encoded, &encoded[..encoded.len() - 4]] {
            assert!(!text.contains(form), "{form} in {what}\n{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_rotated_secret_is_told_without_its_values() {
    let played = Played::named("secret-frozen");
    played.pass(2).await;
    for probed in [false, true] {
        let (snapshot, diagnosis) = match probed {
            false => played.diagnose().await,
            true => played.probe().await,
        };
        let incident = only(&diagnosis);
        assert_eq!(incident.findings[0].code, Code::SplitReplicas);
        assert_eq!(incident.config.to_string(), "Secret/db");
        let wanted = match probed {
            false => ["B live ordered", "A not inferred"],
            true => ["B live proved", "A not proved"],
        };
        assert_eq!(loads(incident), wanted);
        for format in [Format::Text, Format::Json, Format::Markdown] {
            let page = page(format, &diagnosis);
            assert!(page.contains("DB_PASSWORD"), "{page}");
            clean("a report", &page);
        }
        clean("a summary", &summary(&diagnosis, Some(incident)));
        clean("what is known", &format!("{snapshot:?}{diagnosis:?}"));
        let mut packed = Vec::new();
        capture::write(&snapshot, &mut packed).unwrap();
        let mut text = String::new();
        let mut reader = flate2::read::MultiGzDecoder::new(&packed[..]);
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert!(text.contains("DB_PASSWORD"), "{text}");
        clean("a capture", &text);
    }
}

#[tokio::test(start_paused = true)]
async fn no_screen_shows_a_value() {
    let mut desk = Desk::on("secret-frozen").await;
    desk.says("1 of 2 orders replicas runs the edited config.");
    // Somebody logs it, and it is known only later.
    for agreed in [false, true] {
        if agreed {
            desk.press("i");
            desk.press("y");
            desk.wait("a proof", |desk| {
                let replicas = desk.app.incidents().iter().flat_map(|i| &i.replicas);
                replicas.into_iter().all(|r| r.grade.as_str() == "proved")
            })
            .await;
        }
        for tab in ["1", "2", "3", "4", "5", "6", "?", "w", "o"] {
            desk.press(tab);
            desk.pass(2).await;
            clean(tab, &desk.screen());
            clean(tab, &desk.words());
            desk.press("yY");
            desk.press("\u{1b}");
        }
        assert!(!desk.copied.is_empty());
        for copied in &desk.copied {
            clean("what was copied", copied);
        }
    }
    clean("what is known", &format!("{:?}", desk.known()));
}
