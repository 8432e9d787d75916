//! Values of the settings that an edit changed, as a program logs them: `feature_recs=off`, `"mode": "green"`.

use std::collections::BTreeSet;

use regex::Regex;

use crate::analysis::content::Keys;
use crate::analysis::diff::value_changes;
use crate::analysis::incident::ValueChange;
use crate::analysis::revisions::History;
use crate::model::LogLine;

/// A setting that differs between revisions, and its value in each.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) name: String,
    /// The config's keys that hold it.
    pub(crate) keys: BTreeSet<String>,
    /// The value by the revision's index.
    pub(crate) values: Vec<(usize, String)>,
    pattern: Regex,
}

/// Values longer than this are not looked for in logs.
const LONGEST: usize = 80;

/// The settings by which a log may tell a history's revisions apart.
pub(crate) fn settings(history: &History, keys: &Keys) -> Vec<Setting> {
    let mut table = Table::default();
    for (index, pair) in history.revisions.windows(2).enumerate() {
        let [older, newer] = pair else { continue };
        let (Some(a), Some(b)) = (&older.content, &newer.content) else {
            continue;
        };
        table.take(index, value_changes(a, b, keys));
    }
    table
        .rows
        .into_iter()
        .filter_map(|Row { name, keys, values }| {
            let pattern = pattern(&name, &values)?;
            Some(Setting {
                name,
                keys,
                values,
                pattern,
            })
        })
        .collect()
}

/// Values by setting, completed for the revisions whose edit left a setting alone.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
}

struct Row {
    name: String,
    keys: BTreeSet<String>,
    values: Vec<(usize, String)>,
}

impl Table {
    /// Takes in what changed between the revisions `index` and `index + 1`.
    fn take(&mut self, index: usize, changes: Vec<ValueChange>) {
        let changed: Vec<String> = changes.iter().map(|c| c.setting.clone()).collect();
        for Row { name, values, .. } in &mut self.rows {
            if !changed.contains(name) {
                let kept: Vec<String> = at(values, index);
                values.extend(kept.into_iter().map(|value| (index + 1, value)));
            }
        }
        for change in changes.into_iter().filter(|c| !is_of_the_line(&c.setting)) {
            let fresh = !self.rows.iter().any(|row| row.name == change.setting);
            if fresh {
                self.rows.push(Row {
                    name: change.setting.clone(),
                    keys: BTreeSet::new(),
                    values: Vec::new(),
                });
            }
            let Some(row) = self.rows.iter_mut().find(|row| row.name == change.setting) else {
                continue;
            };
            row.keys.insert(change.key);
            let values = &mut row.values;
            let since = if fresh { 0 } else { index };
            let before = change.before.filter(|value| is_telling(value));
            let after = change.after.filter(|value| is_telling(value));
            let pairs = (since..=index)
                .filter_map(|revision| before.clone().map(|value| (revision, value)))
                .chain(after.map(|value| (index + 1, value)));
            for pair in pairs {
                if !values.contains(&pair) {
                    values.push(pair);
                }
            }
        }
    }
}

fn at(values: &[(usize, String)], revision: usize) -> Vec<String> {
    values
        .iter()
        .filter(|(known, _)| *known == revision)
        .map(|(_, value)| value.clone())
        .collect()
}

/// Words by which programs describe a log line itself, or a request: `level=info` says nothing of a setting called `level`.
fn is_of_the_line(setting: &str) -> bool {
    const WORDS: [&str; 24] = [
        "level",
        "lvl",
        "severity",
        "msg",
        "message",
        "time",
        "ts",
        "timestamp",
        "date",
        "logger",
        "caller",
        "source",
        "error",
        "err",
        "status",
        "code",
        "method",
        "path",
        "uri",
        "url",
        "host",
        "name",
        "id",
        "user",
    ];
    setting.is_empty() || WORDS.contains(&setting.to_ascii_lowercase().as_str())
}

fn is_telling(value: &str) -> bool {
    !value.is_empty() && value.len() <= LONGEST && !value.ends_with('…')
}

/// The name in any case with `-`, `_` and `.` alike, a separator, and one of the values as a whole word.
fn pattern(name: &str, values: &[(usize, String)]) -> Option<Regex> {
    if values.is_empty() {
        return None;
    }
    let name: String = name
        .chars()
        .map(|c| match c {
            '-' | '_' | '.' => "[-_.]?".to_owned(),
            c => regex::escape(&c.to_string()),
        })
        .collect();
    let mut texts: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let texts: Vec<String> = texts.into_iter().map(regex::escape).collect();
    Regex::new(&format!(
        r#"(?:^|[\s"'{{,\[(;=])(?i:{name})["']?(?:\s*[=:]\s*|\s+)["']?({})(?:$|[\s"',;)}}\]])"#,
        texts.join("|")
    ))
    .ok()
}

impl Setting {
    /// Whether something of this name would be logged as this setting: in any case, with `-`, `_` and `.` alike.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let bare = |text: &str| -> String {
            let letters = text.chars().filter(|c| !matches!(c, '-' | '_' | '.'));
            letters.flat_map(char::to_lowercase).collect()
        };
        bare(name) == bare(&self.name)
    }

    /// What makes it this setting and no other.
    pub(crate) fn key(&self) -> (String, Vec<(usize, String)>) {
        (self.name.clone(), self.values.clone())
    }

    /// A setting that is looked for with these values, whichever revision has them.
    pub(super) fn new(name: &str, values: Vec<String>) -> Option<Self> {
        let values: Vec<(usize, String)> = values.into_iter().map(|value| (0, value)).collect();
        Some(Self {
            pattern: pattern(name, &values)?,
            name: name.to_owned(),
            keys: BTreeSet::new(),
            values,
        })
    }

    pub(super) fn pattern(&self) -> &str {
        self.pattern.as_str()
    }

    /// Gives each line that shows a value, with it: one search over all lines, since few do.
    pub(super) fn each_line<'a>(&self, lines: &'a str, mut take: impl FnMut(LogLine<'a>, String)) {
        let mut from = 0;
        while let Some(hit) = self.pattern.find_at(lines, from) {
            // The separator before a name may be the end of the line before.
            let at = hit.start() + usize::from(lines.as_bytes().get(hit.start()) == Some(&b'\n'));
            let (before, behind) = lines.split_at(at);
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            let end = behind.find('\n').map_or(lines.len(), |end| at + end);
            let line = lines.get(start..end).unwrap_or_default();
            let line = LogLine::parse(line.strip_suffix('\r').unwrap_or(line));
            if let Some(value) = self.value_in(line.text) {
                take(line, value);
            }
            // The next line's name may follow its end at once.
            from = end.max(from + 1);
            if from >= lines.len() {
                return;
            }
        }
    }

    /// The value that a line shows for this setting, where the line is the program's own and not a client's text, and shows
    /// one alone: "from blue to green" tells of neither.
    pub(crate) fn value_in(&self, line: &str) -> Option<String> {
        if line.contains("request: \"") {
            return None;
        }
        let mut values = Vec::new();
        let mut from = 0;
        // Neighbours share the character between them, so the search goes on at the value's end.
        while let Some(found) = line
            .get(from..)
            .and_then(|rest| self.pattern.captures(rest))
        {
            let (whole, value) = (found.get(0)?, found.get(1)?);
            if !is_clients(line, from + whole.start(), whole.as_str()) {
                values.push(value.as_str().to_owned());
            }
            from += value.end();
        }
        values.dedup();
        match values.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// The revisions that have this value.
    pub(crate) fn revisions_with(&self, value: &str) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .values
            .iter()
            .filter(|(_, known)| known == value)
            .map(|(revision, _)| *revision)
            .collect();
        found.sort_unstable();
        found
    }
}

/// Within a URL the words are the client's.
fn is_clients(line: &str, start: usize, found: &str) -> bool {
    let before = line.get(..start).unwrap_or_default();
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    word.contains(['?', '&', '/']) && !found.starts_with(char::is_whitespace)
}

#[cfg(test)]
mod tests;
