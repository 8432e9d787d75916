//! What is chosen of a remedy, corrected, and handed on; and what its keys would do now.

use super::{App, Chosen, RemedyAct};
use crate::app::msg::Effect;
use crate::remedy::{Goal, Method, Stage};

impl App {
    pub(super) fn export_remedy(&mut self) -> Vec<Effect> {
        let Some(remedy) = &self.remedy else {
            return Vec::new();
        };
        let Some(course) = &remedy.course else {
            self.notice = Some("Nothing was done yet that could be reported; `confsplit plan -o markdown` has the plan.".into());
            return Vec::new();
        };
        let checks = self.seeing(&remedy.config, &remedy.workload, |seen| course.checks(seen));
        let parts = (course.clone(), checks, remedy.prevention.clone());
        vec![Effect::ExportRemedy(Box::new(parts))]
    }

    /// Quits; while a remedy is under way only at a second press, since nobody would be there to see what comes of it.
    pub(in crate::app) fn quit(&mut self) -> Vec<Effect> {
        let under_way = self
            .remedy
            .as_ref()
            .is_some_and(|remedy| remedy.is_under_way());
        if !under_way || std::mem::replace(&mut self.quitting, true) {
            return vec![Effect::Quit];
        }
        self.notice = Some("A remedy is under way: q once more leaves it as it is; the next start offers to go on or undo.".into());
        Vec::new()
    }

    /// Whether a key would do anything now.
    pub(in crate::app) fn remedy_offers(&self, act: RemedyAct) -> bool {
        let Some(remedy) = &self.remedy else {
            return false;
        };
        let stage = remedy.course.as_ref().map(|course| &course.stage);
        let looked_at = stage.is_none() && remedy.goal.is_ok();
        match act {
            RemedyAct::GoOn => looked_at || matches!(stage, Some(Stage::Asking | Stage::Paused(_))),
            RemedyAct::NextChoice => looked_at && remedy.choices.len() > 1,
            RemedyAct::OtherMethod => looked_at || matches!(stage, Some(Stage::Asking)),
            RemedyAct::Stop => remedy.is_under_way(),
            RemedyAct::Export => stage.is_some(),
            RemedyAct::NextKey => looked_at && remedy.keys.len() > 1,
            RemedyAct::Edit => looked_at && self.options.edits,
            RemedyAct::Undo => {
                let wrote = remedy.course.as_ref().is_some_and(|course| course.wrote);
                wrote && !remedy.is_under_way()
            }
        }
    }

    pub(super) fn other_method(&mut self) -> Vec<Effect> {
        let Some(remedy) = &self.remedy else {
            return Vec::new();
        };
        let method = match remedy.chosen.method {
            Method::Replace => Method::Restart,
            Method::Restart => Method::Replace,
        };
        let (kind, chosen) = (remedy.kind, remedy.chosen.clone());
        self.begin_remedy(kind, Chosen { method, ..chosen })
    }

    /// Hands the text of the one key that is meant to an editor.
    pub(super) fn edit_target(&mut self) -> Vec<Effect> {
        let goal = self
            .remedy
            .as_ref()
            .and_then(|remedy| remedy.goal.as_ref().ok());
        let keys = goal.map_or_else(Vec::new, Goal::changed_keys);
        let text = |key: &str| {
            let content = &goal?.target.as_ref()?.content;
            content.get_text(key).map(str::to_owned)
        };
        let said = match keys.as_slice() {
            _ if !self.options.edits => {
                "Start with --allow-edit to correct a content before it is written."
            }
            [key] => match text(key) {
                Some(text) => {
                    let key = key.clone();
                    return vec![Effect::Edit { key, text }];
                }
                None => "What is put back under this key is no text.",
            },
            [] => "Nothing is written that could be corrected.",
            _ => "Several keys change: K takes one alone, which can then be corrected.",
        };
        self.notice = Some(said.into());
        Vec::new()
    }

    /// Back from the editor.
    pub(in crate::app) fn edited(
        &mut self,
        outcome: Result<Option<(String, String)>, String>,
    ) -> Vec<Effect> {
        let corrected = match outcome {
            Ok(Some(corrected)) => corrected,
            Ok(None) => {
                self.notice = Some("The text was left as it was.".into());
                return Vec::new();
            }
            Err(why) => {
                self.notice = Some(why);
                return Vec::new();
            }
        };
        let Some(remedy) = self
            .remedy
            .as_ref()
            .filter(|remedy| remedy.course.is_none())
        else {
            return Vec::new();
        };
        let (kind, chosen) = (remedy.kind, remedy.chosen.clone());
        self.begin_remedy(
            kind,
            Chosen {
                corrected: Some(corrected),
                ..chosen
            },
        )
    }
}
