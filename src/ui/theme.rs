//! The look: one accent, red for what fails, attributes for the rest; and what becomes of it on another background,
//! without colours, or beyond ASCII.
//!
//! Only the terminal's own sixteen colours are named, so that its palette decides how they look.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::analysis::EntryKind;
use crate::app::Theme;
pub(super) use crate::app::rows::live_word;

pub(super) fn plain() -> Style {
    Style::new()
}

pub(super) fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

pub(super) fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

pub(super) fn accent() -> Style {
    Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD)
}

pub(super) fn fail() -> Style {
    Style::new().fg(Color::Red).add_modifier(Modifier::BOLD)
}

/// The row under the cursor. It also has a mark at its left.
pub(super) fn selected() -> Style {
    Style::new().add_modifier(Modifier::REVERSED)
}

/// Changed words within a changed line.
pub(super) fn changed() -> Style {
    Style::new()
        .add_modifier(Modifier::BOLD)
        .add_modifier(Modifier::UNDERLINED)
        .add_modifier(Modifier::REVERSED)
}

/// Words that tell replicas apart.
pub(super) fn telling() -> Style {
    bold().add_modifier(Modifier::UNDERLINED)
}

/// The name of one of many beside each other. The name tells it; the colour only helps the eye to follow.
pub(super) fn series(at: usize) -> Style {
    const COLORS: [Color; 5] = [
        Color::Cyan,
        Color::Green,
        Color::Magenta,
        Color::Yellow,
        Color::Blue,
    ];
    Style::new().fg(COLORS[at % COLORS.len()])
}

/// How an entry of the timeline is drawn.
pub(super) fn mark(kind: EntryKind) -> char {
    match kind {
        EntryKind::Created => '●',
        EntryKind::Edited => '✎',
        EntryKind::Started => '▸',
        EntryKind::Restarted => '↻',
        EntryKind::Killed => '✕',
        EntryKind::Crashed => '✗',
        EntryKind::Reloaded => '↺',
        EntryKind::Signal => '•',
        EntryKind::FirstFailure => '!',
        EntryKind::Event => '·',
        EntryKind::Unwatched => '░',
    }
}

pub(super) fn mark_style(kind: EntryKind) -> Style {
    match kind {
        EntryKind::Edited => accent(),
        EntryKind::FirstFailure | EntryKind::Crashed => fail(),
        EntryKind::Event | EntryKind::Signal | EntryKind::Unwatched => plain(),
        _ => bold(),
    }
}

/// What the filter found. On the selected row too, which is reversed.
pub(super) fn found() -> Style {
    Style::new().add_modifier(Modifier::UNDERLINED)
}

/// Fits the accent to the background. The screens are drawn for a dark one.
pub(super) fn fit(buffer: &mut Buffer, theme: Theme) {
    let accent = match theme {
        Theme::Dark => return,
        Theme::Mono => return without_color(buffer),
        // Blue is hardly seen on black, cyan hardly on white; magenta is on both.
        Theme::Light => Color::Blue,
        Theme::Auto => Color::Magenta,
    };
    for cell in &mut buffer.content {
        if cell.fg == Color::Cyan {
            cell.fg = accent;
        }
        // Dimmed black on white is grey, and some terminals make it so light that it vanishes.
        if theme == Theme::Light {
            cell.modifier.remove(Modifier::DIM);
        }
    }
}

/// Takes every colour out. Attributes stay: they are no colours, and everything is told in words or signs as well.
pub(super) fn without_color(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        cell.fg = Color::Reset;
        cell.bg = Color::Reset;
        cell.underline_color = Color::Reset;
    }
}

/// Puts an ASCII sign in place of every other one, each as wide as before.
pub(super) fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let sign = ascii(cell.symbol());
            cell.set_symbol(sign);
        }
    }
}

fn ascii(symbol: &str) -> &'static str {
    match symbol {
        "─" | "–" | "—" => "-",
        "━" => "=",
        "░" => ":",
        "╌" | "…" | "·" => ".",
        "│" => "|",
        "→" | "▸" => ">",
        "←" => "<",
        "↑" => "^",
        "↓" => "v",
        "●" | "◌" => "o",
        "✎" => "E",
        "✕" => "x",
        "✗" => "X",
        "↻" => "R",
        "↺" => "r",
        "•" => "*",
        "≠" => "!",
        "◆" => "*",
        "␍" => "$",
        "⌇" => "/",
        "▁" | "▂" => "_",
        "▃" | "▄" | "▅" => "o",
        "▆" | "▇" | "█" => "#",
        "×" => "x",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        _ => "?",
    }
}
