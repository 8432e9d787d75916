//! What became of that which only the terminal or the file system can do.

use super::{App, Effect, Exported, Overlay, Reading, copying};

impl App {
    pub(super) fn copied(&mut self, outcome: Result<(), String>) {
        let what = self.copying.take();
        let what = what.as_deref().unwrap_or("it");
        self.notice = Some(match outcome {
            Ok(()) => format!("Copied by OSC 52: {what}. Not every terminal takes it."),
            Err(why) => format!("Not copied: {why}."),
        });
    }

    pub(super) fn exported(&mut self, outcome: Result<Exported, String>) -> Vec<Effect> {
        match outcome {
            Ok(Exported::File(path)) => self.notice = Some(format!("Written: {path}")),
            Ok(Exported::Summary(text)) => {
                self.summary = copying::clean(&text);
                self.close();
                self.overlay = Some((Overlay::Summary, 0));
                self.copying = Some("the summary".into());
                return vec![Effect::Copy(self.summary.clone())];
            }
            Err(why) => self.notice = Some(format!("Not written: {why}")),
        }
        Vec::new()
    }

    /// Nothing of what was on screen may be taken for what comes now, and a remedy that was meant for it is not gone on with.
    pub(super) fn begin_anew(&mut self, why: &str) -> Vec<Effect> {
        self.forget();
        self.notice = Some(format!("{why}: everything is read anew."));
        self.break_off_remedy(why)
    }

    /// Whatever the login came to, only another reading tells whether it helped.
    pub(super) fn logged_in(&mut self, outcome: Result<(), String>) -> Vec<Effect> {
        self.notice = outcome.err();
        self.reading = Reading::Running(Vec::new());
        vec![Effect::Read]
    }
}
