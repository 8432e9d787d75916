//! The dashboard on a scenario: the real keeper, the real state and the real screens, moved by keys as the event loop moves them.

use std::sync::Arc;
use std::time::Duration;

use chrono::FixedOffset;
use confsplit::app::keymap::Key;
use confsplit::app::{App, Effect, Mode, Msg, Options, Origin, Preferences, Reading};
use confsplit::model::{FollowState, Snapshot};
use confsplit::report;
use confsplit::runtime::event_loop::Reader;
use confsplit::runtime::journal::Journal;
use confsplit::runtime::keeper::{Task, keep};
use confsplit::source::Probing;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::cluster::{Played, cluster};
use crate::screens;

/// What is waited for comes within this time of the cluster, or never.
const DEADLINE: Duration = Duration::from_secs(120);
/// As the dashboard's own: how far the reader may be ahead.
const WAITING: usize = 256;
const TICK: Duration = Duration::from_secs(1);

pub struct Desk {
    pub played: Played,
    pub app: App,
    news: Sender<Msg>,
    inbox: Receiver<Msg>,
    reader: Reader,
    tick: Instant,
    /// What the clipboard was given.
    pub copied: Vec<String>,
    /// Closing reports, as their files would hold them.
    pub reports: Vec<String>,
    /// What an editor was given.
    pub handed: Vec<(String, String)>,
    pub quit: bool,
}

impl Desk {
    /// Opens the dashboard, and waits until everything is read.
    pub async fn on(scenario: &str) -> Self {
        let mut desk = Self::over(Played::named(scenario));
        desk.wait("the first reading", |desk| {
            matches!(desk.app.reading, Reading::Done)
        })
        .await;
        desk
    }

    /// Opens it, and has read nothing yet.
    pub fn over(played: Played) -> Self {
        Self::as_mode(played, Mode::ReadOnly)
    }

    /// The same, with what may be written.
    pub fn as_mode(played: Played, mode: Mode) -> Self {
        let options = Options {
            origin: Origin::Live,
            mode,
            edits: false,
            cluster: cluster(),
            scope: played.scope(),
            ascii: false,
            no_color: false,
            preferences: Preferences::default(),
            local: |_| FixedOffset::east_opt(3600).unwrap(),
        };
        let (news, inbox) = channel(WAITING);
        let mut app = App::new(options, played.clock().now());
        let (width, height) = (120, 40);
        app.update(Msg::Resize { width, height });
        let reader = read(&played, &app, &news);
        Self {
            played,
            app,
            news,
            inbox,
            reader,
            tick: Instant::now() + TICK,
            copied: Vec::new(),
            reports: Vec::new(),
            handed: Vec::new(),
            quit: false,
        }
    }

    /// Presses one key after the other.
    pub fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            self.key(match key {
                '\n' => Key::Enter,
                '\u{1b}' => Key::Esc,
                key => Key::Char(key),
            });
        }
    }

    pub fn key(&mut self, key: Key) {
        self.take(Msg::Key(key));
    }

    /// Something happens beside keys and the cluster.
    pub fn tell(&mut self, msg: Msg) {
        self.take(msg);
    }

    /// What is on screen.
    pub fn screen(&self) -> String {
        screens::screen(&self.app, 120, 40)
    }

    /// Everything in words: a text that is wrapped is found as well.
    pub fn words(&self) -> String {
        let screen = self.screen();
        let lines = screen.lines().map(|line| line.trim_matches('"'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        words.join(" ")
    }

    /// Fails where the screen does not say this.
    pub fn says(&self, text: &str) {
        assert!(
            self.words().contains(text),
            "it does not say {text:?}\n{}",
            self.screen()
        );
    }

    pub fn says_not(&self, text: &str) {
        assert!(
            !self.words().contains(text),
            "it says {text:?}\n{}",
            self.screen()
        );
    }

    /// Waits until this is so, and fails with the screen where it never is.
    pub async fn wait(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !holds(self) {
            assert!(
                Instant::now() < deadline,
                "it never came: {what}\n{}",
                self.screen()
            );
            self.step(deadline).await;
        }
    }

    /// Waits until the screen says this.
    pub async fn wait_for(&mut self, text: &str) {
        self.wait(text, |desk| desk.words().contains(text)).await;
    }

    /// Lets time pass.
    pub async fn pass(&mut self, seconds: u64) {
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            self.step(end).await;
        }
    }

    /// Takes what comes next, until a moment.
    async fn step(&mut self, end: Instant) {
        let next = async {
            tokio::select! {
                msg = self.inbox.recv() => msg,
                () = sleep_until(self.tick) => None,
            }
        };
        let Ok(next) = timeout_at(end, next).await else {
            return;
        };
        match next {
            Some(msg) => self.take(msg),
            None => {
                self.tick = Instant::now() + TICK;
                let now = self.played.clock().now();
                if self.app.shows_age() && self.app.is_due(now) {
                    self.take(Msg::Tick(now));
                }
            }
        }
        while let Ok(msg) = self.inbox.try_recv() {
            self.take(msg);
        }
    }

    /// As the event loop does it.
    fn take(&mut self, msg: Msg) {
        let mut effects = self.app.update(Msg::Tick(self.played.clock().now()));
        effects.extend(self.app.update(msg));
        while !effects.is_empty() {
            let mut further = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Quit => self.quit = true,
                    Effect::Read | Effect::Namespace(_) => {
                        self.reader = read(&self.played, &self.app, &self.news);
                    }
                    Effect::Permit(probing) => drop(self.reader.consent.send(probing)),
                    Effect::Focus(focus) => drop(self.reader.focus.try_send(focus)),
                    Effect::Copy(text) => {
                        self.copied.push(text);
                        further.extend(self.app.update(Msg::Copied(Ok(()))));
                    }
                    Effect::ExportRemedy(told) => {
                        self.reports.push(report::closing(&cluster(), &told));
                    }
                    Effect::Edit { key, text } => self.handed.push((key, text)),
                    // Of the terminal, which is none here; and files, which a test of its own writes.
                    Effect::Mouse(_) | Effect::Suspend | Effect::LogIn | Effect::Export(_) => {}
                    Effect::Act(act) => self.reader.acts.try_send(act).unwrap(),
                }
            }
            effects = further;
        }
    }

    /// All that is known now.
    pub fn known(&self) -> Snapshot {
        self.app.facts().merged(&self.app.options.scope).unwrap()
    }

    /// How many logs are followed now.
    pub fn followed(&self) -> usize {
        let logs = self.app.facts().following.logs.iter();
        logs.filter(|log| log.state == FollowState::Open).count()
    }

    /// Does what the recommended plan, or the first of this kind, prints.
    pub async fn carry_out(&mut self, kind: &str) {
        let (_, plans) = self.app.incident().expect("an incident");
        let plan = plans.iter().find(|plan| plan.kind.as_str() == kind);
        let steps = plan.expect("a plan of this kind").steps.clone();
        for step in steps {
            self.played.run(&step.command).await;
        }
    }
}

/// As the dashboard starts a reading.
fn read(played: &Played, app: &App, news: &Sender<Msg>) -> Reader {
    let (focus, focused) = channel(16);
    let (consent, agreed) = watch::channel(Probing::default());
    let (acts, approved) = channel(16);
    let scope = app.options.scope.clone();
    let task = Task {
        snapshot: Snapshot::empty(cluster(), scope.clone(), played.clock().now()),
        scope,
        clock: played.clock(),
        news: news.clone(),
        focus: focused,
        consent: agreed,
        acts: approved,
        journal: Journal::at(None),
    };
    let reader = Reader {
        task: tokio::spawn(keep(Arc::new(played.live_as(app.options.mode)), task)),
        focus,
        consent,
        acts,
    };
    drop(reader.focus.try_send(app.focus().cloned()));
    drop(reader.consent.send(app.consent()));
    reader
}
