//! What `e` can hand on.

/// What can be handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Export {
    Summary,
    Markdown,
    Json,
    Capture,
}

impl Export {
    /// In the order of the menu.
    pub const ALL: [Self; 4] = [Self::Summary, Self::Markdown, Self::Json, Self::Capture];

    /// As `:export` takes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::Capture => "capture",
        }
    }
}
