//! A screen as a picture: SVG, with the colours of the terminal.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

/// Of a cell, in the units of the picture.
const WIDTH: f32 = 8.4;
const HEIGHT: f32 = 18.0;
const MARGIN: f32 = 12.0;
const FOREGROUND: &str = "#d0d0d0";
const BACKGROUND: &str = "#16181d";

/// The sixteen colours that a terminal has by name.
const NAMED: [&str; 16] = [
    "#2e3436", "#e05f65", "#78c06e", "#e5c07b", "#61a0ef", "#c586e0", "#56b6c2", "#c8ccd4",
    "#6b7078", "#ff7b82", "#98e08c", "#ffd98a", "#8ab8ff", "#dca8f5", "#7fdbe6", "#ffffff",
];

fn hex(color: Color, default: &str) -> String {
    match color {
        Color::Default => default.to_owned(),
        Color::Idx(n) => match NAMED.get(usize::from(n)) {
            Some(named) => (*named).to_owned(),
            None => indexed(n),
        },
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    }
}

/// The colours 16 to 255 of xterm: a cube, then grey.
fn indexed(n: u8) -> String {
    if n >= 232 {
        let grey = 8 + 10 * (n - 232);
        return format!("#{grey:02x}{grey:02x}{grey:02x}");
    }
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    let n = n - 16;
    let (r, g, b) = (level(n / 36), level(n / 6 % 6), level(n % 6));
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Cells beside each other that look alike.
struct Run {
    column: u16,
    columns: u16,
    text: String,
    fill: String,
    background: String,
    bold: bool,
    dim: bool,
}

impl Run {
    fn at(column: u16, cell: &Cell) -> Self {
        let mut colors = (
            hex(cell.fgcolor(), FOREGROUND),
            hex(cell.bgcolor(), BACKGROUND),
        );
        if cell.inverse() {
            colors = (colors.1, colors.0);
        }
        let text = match cell.contents() {
            "" => " ",
            text => text,
        };
        Self {
            column,
            columns: 1,
            text: text.to_owned(),
            fill: colors.0,
            background: colors.1,
            bold: cell.bold(),
            dim: cell.dim(),
        }
    }

    fn looks_like(&self, other: &Self) -> bool {
        let blank = other.text == " " && self.background == other.background;
        blank
            || (&self.fill, &self.background, self.bold, self.dim)
                == (&other.fill, &other.background, other.bold, other.dim)
    }

    fn write(&self, svg: &mut String, row: u16) {
        let x = MARGIN + f32::from(self.column) * WIDTH;
        let y = MARGIN + f32::from(row) * HEIGHT;
        let width = f32::from(self.columns) * WIDTH;
        if self.background != BACKGROUND {
            let fill = &self.background;
            writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"{fill}\"/>").unwrap();
        }
        if self.text.trim().is_empty() {
            return;
        }
        let text = self.text.trim_end();
        let shown = f32::from(self.columns) * WIDTH * text.chars().count() as f32
            / self.text.chars().count() as f32;
        let weight = if self.bold {
            " font-weight=\"bold\""
        } else {
            ""
        };
        let dim = if self.dim { " opacity=\"0.6\"" } else { "" };
        let (baseline, fill, text) = (y + 13.5, &self.fill, escaped(text));
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{shown:.1}\" fill=\"{fill}\"{weight}{dim}>{text}</text>").unwrap();
    }
}

/// The whole screen.
pub fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let width = f32::from(columns) * WIDTH + 2.0 * MARGIN;
    let height = f32::from(rows) * HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" xml:space=\"preserve\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for row in 0..rows {
        let mut runs: Vec<Run> = Vec::new();
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column) else {
                continue;
            };
            let run = Run::at(column, cell);
            match runs.last_mut() {
                Some(last) if last.looks_like(&run) => {
                    last.text.push_str(&run.text);
                    last.columns += 1;
                }
                _ => runs.push(run),
            }
        }
        runs.iter().for_each(|run| run.write(&mut svg, row));
    }
    svg.push_str("</svg>\n");
    svg
}
