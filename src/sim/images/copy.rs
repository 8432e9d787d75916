//! `copy FROM TO`: copies a file, or the files of a folder, and ends; for init containers.

use chrono::TimeDelta;

use super::{Launched, Program, Setting};

pub(super) fn launch(setting: &Setting<'_>) -> Launched {
    let mut launched = Launched::new(Program::Idle);
    launched.after = TimeDelta::milliseconds(150);
    launched.exit = Some(0);
    let words: Vec<&str> = setting.words.iter().map(String::as_str).collect();
    let [.., from, to] = words[..] else {
        launched.exit = Some(1);
        return launched;
    };
    if let Some(text) = (setting.read)(from) {
        launched.writes.push((to.to_owned(), text.into_bytes()));
        return launched;
    }
    let Some(names) = (setting.list)(from) else {
        launched.lines.push(format!(
            "copy: can't stat '{from}': No such file or directory"
        ));
        launched.exit = Some(1);
        return launched;
    };
    for name in names {
        if let Some(text) = (setting.read)(&format!("{from}/{name}")) {
            launched
                .writes
                .push((format!("{to}/{name}"), text.into_bytes()));
        }
    }
    launched
}
