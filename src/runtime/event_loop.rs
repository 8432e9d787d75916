//! The one loop of the dashboard: keys, news from the reader, signals and time come in; draws and effects go out.

use std::env;
use std::io::{self, stdout};
use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{Event, EventStream, MouseButton, MouseEvent, MouseEventKind};
use futures::StreamExt;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::export::{self, Job};
use super::keeper::Focus;
use super::signals::{Caught, Signals};
use super::terminal::{self, Guard, Screen};
use super::{editor, effects, login};
use crate::app::keymap::{Export, Key};
use crate::app::{Act, App, Effect, Msg, Options};
use crate::model::Scope;
use crate::remedy::{Closing, Left, WriteError};
use crate::source::{Clock, Probing};
use crate::ui::{self, Clickable};

/// How far the reader may be ahead of the screen.
const WAITING: usize = 256;

/// Runs the dashboard until it is quit or a signal ends it.
///
/// `read` starts the reading of a scope: a live cluster, a capture and a test are told apart by it alone. It sends
/// [`Msg::Progress`] and [`Msg::News`] as long as there are any, or [`Msg::Failed`]. `clock` tells the time; `exports` is
/// the directory for what is exported, `left` what earlier runs left open.
pub async fn run<R>(
    options: Options,
    clock: Clock,
    exports: PathBuf,
    left: Vec<Left>,
    read: R,
) -> io::Result<()>
where
    R: Fn(Scope, mpsc::Sender<Msg>) -> Reader,
{
    let mut signals = Signals::new()?;
    let (news, mut inbox) = mpsc::channel(WAITING);
    let mut dashboard = Dashboard::start(options, clock, exports, news, read)?;
    if !left.is_empty() {
        dashboard.take(Msg::Left(left))?;
    }
    let mut keys = EventStream::new();
    let mut tick = ticker();
    dashboard.draw()?;
    loop {
        let happened = tokio::select! {
            biased;
            caught = signals.next() => match caught {
                Caught::End => return Ok(()),
                Caught::Stop => {
                    dashboard.suspend()?;
                    None
                }
            },
            event = keys.next() => match event {
                Some(event) => match dashboard.message(event?) {
                    // Nothing happened that is on screen: a mouse that moves would have it drawn without end.
                    None => continue,
                    msg => msg,
                },
                // The terminal is gone.
                None => return Ok(()),
            },
            msg = inbox.recv() => msg,
            _ = tick.tick(), if dashboard.app.shows_age() => {
                let now = dashboard.clock.now();
                if !dashboard.app.is_due(now) {
                    continue;
                }
                Some(Msg::Tick(now))
            }
        };
        let mut messages: Vec<Msg> = happened.into_iter().collect();
        // All that has come by now is one change on screen.
        while let Ok(msg) = inbox.try_recv() {
            messages.push(msg);
        }
        for msg in messages {
            match dashboard.take(msg)? {
                Flow::On => {}
                Flow::Quit => return Ok(()),
                Flow::Lend(lent) => {
                    // The stream has a thread that waits for keys; they are the other program's now.
                    drop(keys);
                    dashboard.lend(lent, &mut signals)?;
                    keys = EventStream::new();
                }
            }
        }
        dashboard.draw()?;
    }
}

#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Quit,
    /// The terminal is another program's for a while.
    Lend(Lent),
}

#[derive(PartialEq, Eq)]
enum Lent {
    LogIn,
    Edit { key: String, text: String },
}

/// The state, and the hands that it has.
struct Dashboard<R> {
    /// Before the guard, so that no task is left when the terminal is given back.
    reader: Reader,
    guard: Guard,
    screen: Screen,
    app: App,
    news: mpsc::Sender<Msg>,
    clock: Clock,
    exports: PathBuf,
    /// What a click meets, as the screen was drawn last.
    clickable: Clickable,
    spawn: R,
}

impl<R> Dashboard<R>
where
    R: Fn(Scope, mpsc::Sender<Msg>) -> Reader,
{
    /// Takes the terminal and starts the first reading.
    fn start(
        options: Options,
        clock: Clock,
        exports: PathBuf,
        news: mpsc::Sender<Msg>,
        spawn: R,
    ) -> io::Result<Self> {
        let guard = Guard::take()?;
        let mut screen = guard.screen()?;
        terminal::blank(&mut screen)?;
        let size = screen.size()?;
        let mut app = App::new(options, clock.now());
        app.update(Msg::Resize {
            width: size.width,
            height: size.height,
        });
        if app.mouse {
            guard.mouse(true)?;
        }
        let reader = spawn(app.options.scope.clone(), news.clone());
        drop(reader.consent.send(app.consent()));
        Ok(Self {
            reader,
            guard,
            screen,
            app,
            news,
            clock,
            exports,
            clickable: Clickable::default(),
            spawn,
        })
    }

    fn take(&mut self, msg: Msg) -> io::Result<Flow> {
        // Ages are of now from the first moment that they are shown.
        let mut effects = self.app.update(Msg::Tick(self.clock.now()));
        effects.extend(self.app.update(msg));
        while !effects.is_empty() {
            let mut further = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Quit => return Ok(Flow::Quit),
                    Effect::LogIn => return Ok(Flow::Lend(Lent::LogIn)),
                    Effect::Edit { key, text } => return Ok(Flow::Lend(Lent::Edit { key, text })),
                    Effect::Suspend => self.suspend()?,
                    Effect::Mouse(on) => self.guard.mouse(on)?,
                    // The scope is the state's: it has turned to the namespace already.
                    Effect::Read | Effect::Namespace(_) => self.read(),
                    // A keeper that is far behind has other things to do than to look where the user looks.
                    Effect::Permit(probing) => drop(self.reader.consent.send(probing)),
                    Effect::Focus(focus) => drop(self.reader.focus.try_send(focus)),
                    Effect::Copy(text) => {
                        let terminal = env::var("TERM").ok();
                        let outcome = effects::copy(&mut stdout(), &text, terminal.as_deref());
                        further.extend(self.app.update(Msg::Copied(outcome)));
                    }
                    Effect::Export(what) => self.export(what),
                    Effect::ExportRemedy(told) => self.export_remedy(*told),
                    Effect::Act(act) => {
                        if let Err(lost) = self.reader.acts.try_send(act) {
                            further.extend(self.app.update(unsent(lost.into_inner())));
                        }
                    }
                }
            }
            effects = further;
        }
        Ok(Flow::On)
    }

    /// Starts a reading; the one before ends.
    fn read(&mut self) {
        let scope = self.app.options.scope.clone();
        self.reader = (self.spawn)(scope, self.news.clone());
        drop(self.reader.focus.try_send(self.app.focus().cloned()));
        drop(self.reader.consent.send(self.app.consent()));
    }

    /// Writes on another thread: a capture of a large cluster takes longer than a key may.
    fn export(&self, what: Export) {
        let Some(diagnosis) = self.app.shared_diagnosis() else {
            return;
        };
        let incident = self.app.incident().map(|(incident, _)| incident.clone());
        let (facts, directory) = (self.app.facts().clone(), self.exports.clone());
        let news = self.news.clone();
        tokio::task::spawn_blocking(move || {
            let job = Job {
                what,
                diagnosis: &diagnosis,
                incident: incident.as_ref(),
                facts: &facts,
                directory: &directory,
            };
            // The dashboard may have been quit meanwhile.
            drop(news.blocking_send(Msg::Exported(job.run())));
        });
    }

    /// Writes the closing report of a remedy.
    fn export_remedy(&self, told: Closing) {
        let cluster = self.app.options.cluster.clone();
        let (directory, at) = (self.exports.clone(), self.clock.now());
        let news = self.news.clone();
        tokio::task::spawn_blocking(move || {
            let written = export::closing(&cluster, &told, &directory, at);
            drop(news.blocking_send(Msg::Exported(written)));
        });
    }

    /// Lends the terminal to the login or an editor.
    fn lend(&mut self, lent: Lent, signals: &mut Signals) -> io::Result<()> {
        let command = self.app.options.preferences.login.clone();
        let mut outcome = Msg::LoggedIn(Ok(()));
        self.guard.lend(|| {
            outcome = match lent {
                Lent::LogIn => Msg::LoggedIn(login::run(command.as_deref())),
                Lent::Edit { key, text } => Msg::Edited(editor::run(&key, &text)),
            };
            // The stream that was dropped may have left its wake-up call unheard. Heard together with a key, it would keep the
            // key until the next one comes: what is ready beside the call is let go (crossterm's mio source).
            drop(crossterm::event::poll(Duration::ZERO));
            Ok(())
        })?;
        signals.forget_keyboard();
        terminal::blank(&mut self.screen)?;
        self.take(outcome).map(drop)
    }

    /// To the shell and back. Whatever was on the screen then is drawn afresh.
    fn suspend(&mut self) -> io::Result<()> {
        self.guard.lend(effects::stop)?;
        terminal::blank(&mut self.screen)
    }

    fn draw(&mut self) -> io::Result<()> {
        let (app, clickable) = (&self.app, &mut self.clickable);
        self.screen
            .draw(|frame| *clickable = ui::draw(app, frame))?;
        Ok(())
    }

    fn message(&self, event: Event) -> Option<Msg> {
        match event {
            Event::Key(key) => Key::from_event(key).map(Msg::Key),
            Event::Paste(text) => Some(Msg::Paste(text)),
            Event::Resize(width, height) => Some(Msg::Resize { width, height }),
            Event::Mouse(mouse) => self.mouse(mouse),
            _ => None,
        }
    }

    fn mouse(&self, mouse: MouseEvent) -> Option<Msg> {
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                self.clickable.at(mouse.column, mouse.row).map(Msg::Click)
            }
            MouseEventKind::ScrollDown => Some(Msg::Wheel { down: true }),
            MouseEventKind::ScrollUp => Some(Msg::Wheel { down: false }),
            _ => None,
        }
    }
}

/// The reading that runs. Dropping it ends it: nobody waits for it any more.
#[derive(Debug)]
pub struct Reader {
    pub task: JoinHandle<()>,
    /// What the user has open.
    pub focus: mpsc::Sender<Focus>,
    /// What the user agreed to.
    pub consent: watch::Sender<Probing>,
    /// What the user approved.
    pub acts: mpsc::Sender<Act>,
}

/// What could not even be handed on: the reading has ended.
fn unsent(act: Act) -> Msg {
    let why = || WriteError::Refused("the reading has ended; R begins it again".to_owned());
    match act {
        Act::Prepare(_) => Msg::Prepared(Err(why())),
        _ => Msg::Wrote(Err(why())),
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn ticker() -> Interval {
    let mut ticker = interval(Duration::from_secs(1));
    ticker.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticker
}
