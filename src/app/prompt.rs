//! The line at the bottom in which a filter or a command is typed.

use tui_input::{Input, InputRequest};
use unicode_width::UnicodeWidthStr;

use super::keymap::Edit;
use crate::text::harmless;

/// No filter and no command is longer; a paste is cut there.
const LONGEST: usize = 200;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    Filter,
    Command,
    /// The words that agree to a remedy.
    Confirm,
}

/// The line as it stands.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub asking: Asking,
    line: Input,
    /// What is wrong with it.
    pub note: Option<String>,
    /// The command that was chosen from the list, once one was.
    pub choice: Option<usize>,
}

impl Prompt {
    pub fn new(asking: Asking, text: &str) -> Self {
        Self {
            asking,
            line: Input::new(text.to_owned()),
            note: None,
            choice: None,
        }
    }

    pub fn text(&self) -> &str {
        self.line.value()
    }

    /// The text before the cursor.
    pub fn before_cursor(&self) -> &str {
        let text = self.text();
        let end = text.char_indices().nth(self.line.cursor());
        &text[..end.map_or(text.len(), |(at, _)| at)]
    }

    /// The column of the cursor within the text.
    pub fn column(&self) -> usize {
        self.before_cursor().width()
    }

    /// Puts text in at the cursor. What is no character to be seen is left out, so that the line shows what it holds.
    pub fn insert(&mut self, text: &str) {
        let mut buffer = [0; 4];
        for c in text.chars() {
            // What was copied over a line's end was one text.
            let c = if c == '\n' { ' ' } else { c };
            let whole = harmless(c.encode_utf8(&mut buffer)).chars().eq([c]);
            if whole && self.text().chars().count() < LONGEST {
                self.line.handle(InputRequest::InsertChar(c));
            }
        }
        self.changed();
    }

    pub fn edit(&mut self, edit: Edit) {
        self.line.handle(match edit {
            Edit::DeleteBefore => InputRequest::DeletePrevChar,
            Edit::DeleteAt => InputRequest::DeleteNextChar,
            Edit::DeleteWord => InputRequest::DeletePrevWord,
            Edit::DeleteToStart => InputRequest::DeleteFromStart,
            Edit::Left => InputRequest::GoToPrevChar,
            Edit::Right => InputRequest::GoToNextChar,
            Edit::Start => InputRequest::GoToStart,
            Edit::End => InputRequest::GoToEnd,
        });
        self.changed();
    }

    /// Another text altogether, the cursor at its end.
    pub fn replace(&mut self, text: &str) {
        self.line = Input::new(text.to_owned());
        self.changed();
    }

    fn changed(&mut self) {
        self.note = None;
        self.choice = None;
    }
}
