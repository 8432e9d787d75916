//! Takes in what is known now: what is selected and open stays so, by its names.

use std::cell::OnceCell;
use std::sync::Arc;

use super::kept::Kept;
use super::screen::{Screen, Sheet};
use super::{App, commands, triage};
use crate::analysis::{Diagnosis, Entry};

impl App {
    /// Takes a new diagnosis; what is selected and open stays so, by its names.
    pub(super) fn take(&mut self, diagnosis: Arc<Diagnosis>) {
        let selected = self.listed_at(self.triage).map(triage::Listed::pair);
        let entry = self.selected_entry().cloned();
        self.plans = diagnosis
            .incidents
            .iter()
            .map(|_| OnceCell::new())
            .collect();
        self.diagnosis = Some(diagnosis);
        self.kept = Kept::default();
        let found = selected.and_then(|pair| self.listed().position(|one| one.is(&pair)));
        let last = self.listed_count().saturating_sub(1);
        self.triage = found
            .filter(|_| self.touched)
            .unwrap_or(self.triage.min(last));
        self.reopen();
        self.keep_entry(entry.as_ref());
        self.settle_cursors();
    }

    fn selected_entry(&self) -> Option<&Entry> {
        let (incident, _) = self.incident()?;
        incident.timeline.get(self.screen.sheet()?.entry)
    }

    /// What happened meanwhile stands before and behind what is selected: the cursor stays on the event, not on its number.
    fn keep_entry(&mut self, entry: Option<&Entry>) {
        let Some(entry) = entry else { return };
        let at = self.incident().and_then(|(incident, _)| {
            let same = |e: &Entry| e.kind == entry.kind && e.lane == entry.lane && e.at == entry.at;
            incident.timeline.iter().position(same)
        });
        if let (Some(at), Some(sheet)) = (at, self.screen.sheet_mut()) {
            sheet.entry = at;
        }
    }

    /// Points an open sheet to its incident's new place, or closes it where the incident is gone; not under a remedy, which is
    /// what it goes by.
    pub(super) fn reopen(&mut self) {
        if let Screen::Remedy(_) = self.screen {
            return;
        }
        let Some(diagnosis) = self.diagnosis.clone() else {
            return;
        };
        if let Screen::Object(object) = &mut self.screen {
            object.settle(&self.facts);
        }
        let Some(sheet) = self.screen.sheet_mut() else {
            return;
        };
        let place = diagnosis
            .incidents
            .iter()
            .position(|incident| sheet.is_about(incident));
        match place.and_then(|at| Some((at, diagnosis.incidents.get(at)?))) {
            Some((at, incident)) => {
                sheet.index = at;
                commands::settle(sheet, incident, &self.facts);
            }
            None => {
                self.notice = Some(format!(
                    "{} → {} is no longer among the incidents.",
                    sheet.config, sheet.workload
                ));
                self.screen = Screen::Triage;
                self.close();
            }
        }
    }

    /// Nobody should have to open a list of one.
    pub(super) fn open_the_only_one(&mut self) {
        if self.touched || !matches!(self.screen, Screen::Triage) {
            return;
        }
        if let [incident] = self.incidents() {
            self.screen = Screen::Sheet(Box::new(Sheet::new(0, incident)));
        }
    }
}
