//! The patch that a plan's command writes, so that it can be read, copied and pasted without becoming another.

use std::collections::BTreeMap;

use crate::model::Content;
use crate::text::is_hostile;

/// The JSON merge patch that makes one content of another: only keys that differ, `null` for those that go.
pub(in crate::remedy) fn patch(live: &Content, target: &Content) -> String {
    use base64::Engine;
    let mut patch = serde_json::Map::new();
    if let (
        Content::Plain { data, binary },
        Content::Plain {
            data: wanted,
            binary: wanted_binary,
        },
    ) = (live, target)
    {
        let texts = merge(data, wanted, |text| serde_json::Value::from(text.as_str()));
        let encode = |bytes: &Vec<u8>| {
            serde_json::Value::from(base64::engine::general_purpose::STANDARD.encode(bytes))
        };
        let binaries = merge(binary, wanted_binary, encode);
        for (field, values) in [("data", texts), ("binaryData", binaries)] {
            if !values.is_empty() {
                patch.insert(field.to_owned(), serde_json::Value::Object(values));
            }
        }
    }
    escaped(&serde_json::Value::Object(patch).to_string())
}

/// JSON in which what is not seen is written out: a command is made harmless before it is shown, and a character that is
/// replaced then would be written to the cluster as what stands in its place.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hostile(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn merge<T: PartialEq>(
    live: &BTreeMap<String, T>,
    wanted: &BTreeMap<String, T>,
    write: impl Fn(&T) -> serde_json::Value,
) -> serde_json::Map<String, serde_json::Value> {
    let mut values = serde_json::Map::new();
    for key in live.keys().filter(|key| !wanted.contains_key(*key)) {
        values.insert(key.clone(), serde_json::Value::Null);
    }
    for (key, value) in wanted {
        if live.get(key) != Some(value) {
            values.insert(key.clone(), write(value));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::harmless;

    #[test]
    fn what_is_not_seen_is_written_out_so_that_showing_it_changes_nothing() {
        let bad = Content::text([("k", "now")]);
        let good = Content::text([("k", "a\u{202e}b\u{7f}\u{e0001}\tc\u{1b}[31m d\u{feff}")]);
        let patch = patch(&bad, &good);
        assert_eq!(harmless(&patch), patch);
        let read: serde_json::Value = serde_json::from_str(&patch).expect("JSON");
        let written = read["data"]["k"].as_str();
        assert_eq!(written, good.get_text("k"));
    }
}
