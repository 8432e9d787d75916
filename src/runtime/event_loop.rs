//! The one loop of the dashboard: keys, news from the reader, signals and time come in; draws and effects go out.

use std::io::{self, stdout};
use std::time::Duration;

use chrono::{DateTime, Utc};
use crossterm::event::{Event, EventStream};
use futures::StreamExt;
use signal_hook::consts::SIGTSTP;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::effects;
use super::keeper::Focus;
use super::terminal::{self, Guard, Screen};
use crate::app::keymap::Key;
use crate::app::{App, Effect, Msg, Options};
use crate::model::Scope;
use crate::ui;

/// How far the reader may be ahead of the screen.
const WAITING: usize = 256;

/// Runs the dashboard until it is quit or a signal ends it.
///
/// `read` starts the reading of a scope: a live cluster, a capture and a test are told apart by it alone. It sends
/// [`Msg::Progress`] and [`Msg::News`] as long as there are any, or [`Msg::Failed`]. `clock` tells the time.
pub async fn run<R>(options: Options, clock: fn() -> DateTime<Utc>, read: R) -> io::Result<()>
where
    R: Fn(mpsc::Sender<Msg>, Scope) -> Reader,
{
    let mut signals = Signals::new()?;
    let guard = Guard::take()?;
    let mut screen = guard.screen()?;
    terminal::blank(&mut screen)?;
    let size = screen.size()?;
    let mut app = App::new(options, clock());
    app.update(Msg::Resize {
        width: size.width,
        height: size.height,
    });
    let (news, mut inbox) = mpsc::channel(WAITING);
    let mut dashboard = Dashboard {
        reader: read(news.clone(), app.options.scope.clone()),
        guard,
        screen,
        app,
        news,
        clock,
        read,
    };
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
                Some(event) => message(&event?),
                // The terminal is gone.
                None => return Ok(()),
            },
            msg = inbox.recv() => msg,
            _ = tick.tick(), if dashboard.app.shows_age() => Some(Msg::Tick(clock())),
        };
        let mut messages: Vec<Msg> = happened.into_iter().collect();
        // All that has come by now is one change on screen.
        while let Ok(msg) = inbox.try_recv() {
            messages.push(msg);
        }
        for msg in messages {
            if dashboard.take(msg)? == Flow::Quit {
                return Ok(());
            }
        }
        dashboard.draw()?;
    }
}

#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Quit,
}

/// The state, and the hands that it has.
struct Dashboard<R> {
    /// Before the guard, so that no task is left when the terminal is given back.
    reader: Reader,
    guard: Guard,
    screen: Screen,
    app: App,
    news: mpsc::Sender<Msg>,
    clock: fn() -> DateTime<Utc>,
    read: R,
}

impl<R> Dashboard<R>
where
    R: Fn(mpsc::Sender<Msg>, Scope) -> Reader,
{
    fn take(&mut self, msg: Msg) -> io::Result<Flow> {
        // Ages are of now from the first moment that they are shown.
        self.app.update(Msg::Tick((self.clock)()));
        for effect in self.app.update(msg) {
            match effect {
                Effect::Quit => return Ok(Flow::Quit),
                Effect::Read => {
                    self.reader = (self.read)(self.news.clone(), self.app.options.scope.clone());
                }
                // A keeper that is far behind has other things to do than to look where the user looks.
                Effect::Focus(focus) => drop(self.reader.focus.try_send(focus)),
                Effect::Copy(text) => {
                    let outcome = effects::copy(&mut stdout(), &text);
                    self.app.update(Msg::Copied(outcome));
                }
                Effect::Suspend => self.suspend()?,
            }
        }
        Ok(Flow::On)
    }

    /// To the shell and back. Whatever was on the screen then is drawn afresh.
    fn suspend(&mut self) -> io::Result<()> {
        self.guard.lend(effects::stop)?;
        terminal::blank(&mut self.screen)
    }

    fn draw(&mut self) -> io::Result<()> {
        self.screen.draw(|frame| ui::draw(&self.app, frame))?;
        Ok(())
    }
}

/// The reading that runs. Dropping it ends it: nobody waits for it any more.
#[derive(Debug)]
pub struct Reader {
    pub task: JoinHandle<()>,
    /// What the user has open.
    pub focus: mpsc::Sender<Focus>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn message(event: &Event) -> Option<Msg> {
    match *event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Resize(width, height) => Some(Msg::Resize { width, height }),
        _ => None,
    }
}

fn ticker() -> Interval {
    let mut ticker = interval(Duration::from_secs(1));
    ticker.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticker
}

enum Caught {
    End,
    Stop,
}

/// The signals that end or stop a program. Each would else leave the terminal raw.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    stop: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(SIGTSTP))?,
        })
    }

    async fn next(&mut self) -> Caught {
        tokio::select! {
            _ = self.terminate.recv() => Caught::End,
            _ = self.interrupt.recv() => Caught::End,
            _ = self.hangup.recv() => Caught::End,
            _ = self.stop.recv() => Caught::Stop,
        }
    }
}
