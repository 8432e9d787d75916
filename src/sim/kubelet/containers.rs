//! A container from start to end, and to the next start: what it is given, when it is tried again.

use chrono::TimeDelta;
use serde_json::Value;

use super::probes::Checks;
use super::{Ended, State, Step};
use crate::sim::images::{self, Setting};
use crate::sim::object;
use crate::sim::world::World;

/// The longest wait before a container is started again, in seconds.
const LONGEST: i64 = 300;
/// One that ran for so long starts again without a wait.
const FORGIVEN: TimeDelta = TimeDelta::minutes(10);

impl World {
    /// Starts a container, if its last run is this one.
    pub(super) fn begin(&mut self, uid: &str, name: &str, last: u64) {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return;
        };
        let fitting = run
            .container(name)
            .is_some_and(|c| c.run == last && !c.is_running());
        if run.stopping || !fitting {
            return;
        }
        let spec = run.spec(name).clone();
        let image = object::text(&spec, "/image").to_owned();
        let message = format!(
            "Container image \"{image}\" already present on machine and can be accessed by the pod"
        );
        self.record_pod(uid, Some(name), ("Normal", "Pulled"), &message);
        let env = match self.environment(uid, &spec) {
            Ok(env) => env,
            Err(why) => return self.misconfigured(uid, name, &why),
        };
        if let Some((number, code)) = self.launch(uid, name, &spec, env) {
            self.exited(uid, number, code);
            return;
        }
        let number = self.kubelet.runs;
        self.begin_probes(uid, number, &spec);
        self.report(uid);
    }

    /// Its configuration lacks something: it is tried again and again.
    fn misconfigured(&mut self, uid: &str, name: &str, why: &str) {
        self.record_pod(
            uid,
            Some(name),
            ("Warning", "Failed"),
            &format!("Error: {why}"),
        );
        let wait = self.random.millis(10_000, 15_000);
        let Some(container) = self
            .kubelet
            .pods
            .get_mut(uid)
            .and_then(|run| run.container_mut(name))
        else {
            return;
        };
        container.turn(State::Waiting(
            "CreateContainerConfigError".to_owned(),
            why.to_owned(),
        ));
        let last = container.run;
        self.report(uid);
        self.later(wait, Step::Begin(uid.to_owned(), name.to_owned(), last));
    }

    /// Makes the container and runs its program. One that ends at once leaves the number of its run and its exit code.
    fn launch(
        &mut self,
        uid: &str,
        name: &str,
        spec: &Value,
        env: Vec<(String, String)>,
    ) -> Option<(u64, i32)> {
        let number = self.create_container(uid, name, spec, env)?;
        self.record_pod(uid, Some(name), ("Normal", "Created"), "Container created");
        self.record_pod(uid, Some(name), ("Normal", "Started"), "Container started");
        let (now, seed) = (self.now, self.random.next());
        let run = self.kubelet.pods.get(uid)?;
        let container = run.container(name)?;
        let launched = images::launch(&Setting {
            image: &container.image,
            words: &self.words(spec, &container.env),
            env: &container.env,
            pod: &run.key.name,
            now,
            seed,
            read: &|path| run.text(container, path),
            list: &|folder| run.names(container, folder),
            resolve: &|host| self.resolve(&run.pod, host),
        });
        let run = self.kubelet.pods.get_mut(uid)?;
        for (path, bytes) in launched.writes {
            run.write_file(name, &path, bytes, now);
        }
        let container = run.container_mut(name)?;
        for text in launched.lines {
            container.log.push(now, text);
        }
        container.program = Some(launched.program);
        if let Some(code) = launched.exit {
            if launched.after.is_zero() {
                return Some((number, code));
            }
            self.later(launched.after, Step::Exit(uid.to_owned(), number, code));
        } else if let Some(tick) = launched.tick {
            self.later(tick, Step::Tick(uid.to_owned(), number));
        }
        None
    }

    /// A new run of a container, with what it sees and knows; its number.
    fn create_container(
        &mut self,
        uid: &str,
        name: &str,
        spec: &Value,
        env: Vec<(String, String)>,
    ) -> Option<u64> {
        let mounts = self.mounts_of(uid, spec, &env);
        let id = format!("containerd://{}", self.random.hex(64));
        self.kubelet.runs += 1;
        let number = self.kubelet.runs;
        let now = self.now;
        let container = self.kubelet.pods.get_mut(uid)?.container_mut(name)?;
        container.turn(State::Running(now));
        if container.run > 0 {
            container.restarts += 1;
            container.previous = Some(std::mem::take(&mut container.log));
        }
        container.run = number;
        container.log.run = number;
        container.id = id;
        container.mounts = mounts;
        container.env = env;
        container.checks = Checks::default();
        container.started = spec.get("startupProbe").is_none();
        container.ready = container.started && spec.get("readinessProbe").is_none();
        Some(number)
    }

    /// Command and arguments, with the variables that they name.
    fn words(&self, spec: &Value, env: &[(String, String)]) -> Vec<String> {
        let lists = [object::list(spec, "/command"), object::list(spec, "/args")];
        let words = lists.into_iter().flatten().filter_map(Value::as_str);
        words.map(|word| super::env::expand(word, env)).collect()
    }

    /// The process of a run is over.
    pub(super) fn exited(&mut self, uid: &str, number: u64, code: i32) {
        let now = self.now;
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let stopping = run.stopping;
        let policy = object::text(&run.pod, "/spec/restartPolicy").to_owned();
        let Some(container) = run.of_run(number) else {
            return;
        };
        let State::Running(started) = container.state else {
            return;
        };
        let name = container.name.clone();
        container.state = State::Ended(Ended {
            code,
            reason: if code == 0 { "Completed" } else { "Error" },
            id: container.id.clone(),
            started,
            finished: now,
        });
        container.program = None;
        container.ready = false;
        container.started = false;
        container.log.ended = true;
        if now - started >= FORGIVEN {
            container.back_off = 0;
        }
        let back_off = container.back_off;
        let init = run.is_init(&name);
        let running = run.all().any(super::Container::is_running);
        self.report(uid);
        if stopping {
            if !running {
                let soon = TimeDelta::milliseconds(60);
                self.later(soon, Step::Finish(uid.to_owned()));
            }
        } else if init && code == 0 {
            self.go_on(uid);
        } else if policy != "Never" && (policy != "OnFailure" || code != 0) {
            self.try_again(uid, &name, number, back_off);
        }
    }

    /// The first time it is started at once, then after ever longer waits.
    fn try_again(&mut self, uid: &str, name: &str, number: u64, back_off: i64) {
        let next = if back_off == 0 {
            10
        } else {
            (back_off * 2).min(LONGEST)
        };
        if let Some(run) = self.kubelet.pods.get_mut(uid)
            && let Some(container) = run.container_mut(name)
        {
            container.back_off = next;
            container.wait = back_off;
        }
        let again = Step::Begin(uid.to_owned(), name.to_owned(), number);
        if back_off == 0 {
            let soon = self.random.millis(700, 1300);
            self.later(soon, again);
            return;
        }
        self.later(TimeDelta::seconds(back_off), again);
        let soon = self.random.millis(300, 1200);
        self.later(soon, Step::Wait(uid.to_owned(), number, true));
    }

    /// The kubelet looks at the pod, and the container has to wait still. What it reports then is seen at its next look.
    pub(super) fn wait_longer(&mut self, uid: &str, number: u64, first: bool) {
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let (key, stopping) = (run.key.clone(), run.stopping);
        let of_run = |c: &&mut super::Container| c.run == number && !c.is_running();
        let Some(container) = run.all_mut().find(of_run).filter(|_| !stopping) else {
            return;
        };
        let name = container.name.clone();
        let wait = container.wait;
        let place = format!("{}_{}({uid})", key.name, key.namespace.unwrap_or_default());
        if !first {
            let message = format!(
                "back-off {} restarting failed container={name} pod={place}",
                duration(wait)
            );
            container.turn(State::Waiting("CrashLoopBackOff".to_owned(), message));
            self.report(uid);
        }
        let message = format!("Back-off restarting failed container {name} in pod {place}");
        self.record_pod(uid, Some(&name), ("Warning", "BackOff"), &message);
        let next = self.random.millis(10_000, 15_000);
        self.later(next, Step::Wait(uid.to_owned(), number, false));
    }
}

/// As Go writes durations of whole seconds.
fn duration(seconds: i64) -> String {
    match (seconds / 60, seconds % 60) {
        (0, s) => format!("{s}s"),
        (m, s) => format!("{m}m{s}s"),
    }
}
