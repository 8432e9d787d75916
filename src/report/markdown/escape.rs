//! Puts untrusted text into Markdown (GitHub's and what resembles it) so that it stays text.

use crate::text::harmless;

/// Text within a line. Words that a renderer would turn into a link or a mention become code.
pub(in crate::report) fn inline(text: &str) -> String {
    let text = harmless(text);
    let mut out = String::with_capacity(text.len() + 16);
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        if word.contains('@') || word.contains("://") || word.contains("www.") {
            // Punctuation around it belongs to the sentence.
            let inner = word
                .trim_start_matches('(')
                .trim_end_matches([',', '.', ';', ')']);
            let start = word.len() - word.trim_start_matches('(').len();
            out.push_str(&word[..start]);
            out.push_str(&code(inner));
            out.push_str(&word[(start + inner.len()).min(word.len())..]);
        } else {
            escape(word, at == 0, &mut out);
        }
    }
    out
}

/// At its beginning a text could also be taken for a heading, a list or a quotation.
fn escape(word: &str, first: bool, out: &mut String) {
    for (at, c) in word.char_indices() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '|' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // `#12` is a reference anywhere.
            '#' => out.push_str("\\#"),
            '+' | '-' | '=' if first && at == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if first && at > 0 && word[..at].bytes().all(|b| b.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
}

/// A cell of a table: as [`inline`], and no bar may end it early, not even within code. Renderers differ in whether a
/// backslash before a backslash counts, so each bar gets an odd number of them.
pub(in crate::report) fn cell(text: &str) -> String {
    let text = inline(text);
    let mut out = String::with_capacity(text.len());
    let mut backslashes = 0;
    for c in text.chars() {
        if c == '|' && backslashes % 2 == 0 {
            out.push('\\');
        }
        out.push(c);
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
    }
    out
}

/// A span of code. Its fence is longer than any run of backticks in it.
pub(in crate::report) fn code(text: &str) -> String {
    let text = harmless(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        // The spaces are not part of the code.
        return format!("{fence} {text} {fence}");
    }
    format!("{fence}{text}{fence}")
}

/// A block of code. Its fence is longer than any run of backticks in it.
pub(in crate::report) fn fenced<'a>(
    language: &str,
    lines: impl Iterator<Item = &'a str>,
) -> String {
    let lines: Vec<_> = lines.map(harmless).collect();
    let longest = lines.iter().map(|line| longest_run(line)).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
