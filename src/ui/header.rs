//! The first line: what is looked at, how fresh it is, and by which right.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{text, theme, time};
use crate::app::{App, Origin, Reading};
use crate::source::Progress;

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    let scope = app.options.scope.namespace.as_deref();
    let scope = scope.unwrap_or("all namespaces");
    let (state, style) = state(app);
    let left = format!(" confsplit  {}  ", text::cut_middle(scope, 24));
    let context = app.options.cluster.context.as_deref();
    let context = format!(
        "ctx {}",
        text::cut_middle(context.unwrap_or("in-cluster"), 20)
    );
    let mouse = if app.mouse { "mouse  " } else { "" };
    let right = format!("{context}  observe  {mouse}{} ", time::zone(app));
    let room = columns.saturating_sub(text::width(&left) + text::width(&right) + 2);
    let state = text::pad(&state, room);
    let line = Line::from(vec![
        Span::styled(text::cut(&left, columns), theme::bold()),
        Span::styled(state, style),
        Span::raw("  "),
        Span::styled(right, theme::dim()),
    ]);
    frame.render_widget(line, area);
}

fn state(app: &App) -> (String, ratatui::style::Style) {
    let read = app.diagnosis().map(|diagnosis| diagnosis.taken_at);
    match (&app.reading, &app.options.origin, read) {
        (Reading::Running(progress), _, _) => (running(progress), theme::accent()),
        (Reading::Failed(_), _, Some(at)) => (
            format!("READING FAILED, this is of {}", time::moment(app, at)),
            theme::fail(),
        ),
        (Reading::Failed(_), _, None) => ("READING FAILED".into(), theme::fail()),
        (Reading::Done, Origin::Capture { file }, Some(at)) => (
            format!(
                "capture taken {}: {}",
                time::dated(app, at),
                text::cut_middle(file, 30)
            ),
            theme::plain(),
        ),
        (Reading::Done, Origin::Live, Some(at)) => (
            format!("read {}, {}", time::moment(app, at), time::ago(app, at)),
            theme::plain(),
        ),
        (Reading::Done, _, None) => ("nothing read".into(), theme::plain()),
    }
}

fn running(progress: &[Progress]) -> String {
    match progress.last() {
        Some(Progress::Listed { resource, count }) => format!("reading… {count} {resource}"),
        Some(Progress::Failed { resource }) => format!("reading… {resource} failed"),
        Some(Progress::Answered { done, of }) => format!("reading… {done} of {of} further reads"),
        None => "reading…".into(),
    }
}
