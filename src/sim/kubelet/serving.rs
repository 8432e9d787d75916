//! Programs at work: what they answer, whom they ask, what they do by themselves.

use chrono::TimeDelta;

use super::Step;
use crate::sim::images::{Action, Beat, Pass, Request, Seen};
use crate::sim::network::Reply;
use crate::sim::world::World;

impl World {
    /// Lets the program of a pod that listens on a port answer.
    pub(crate) fn serve(&mut self, ip: &str, port: u16, request: &Request, depth: usize) -> Reply {
        let Some(uid) = self.kubelet.addresses.get(ip).cloned() else {
            return Reply::Silent;
        };
        let Some(run) = self.kubelet.pods.get_mut(&uid) else {
            return Reply::Silent;
        };
        let now = self.now;
        let listens =
            |c: &&mut super::Container| c.program.as_ref().is_some_and(|p| p.listens(port));
        let Some(container) = run.containers.iter_mut().find(listens) else {
            return Reply::Refused;
        };
        let number = container.run;
        let Some(program) = &mut container.program else {
            return Reply::Refused;
        };
        match program.answer(port, request) {
            Action::Answer { status, body } => {
                let seen = Seen {
                    status,
                    bytes: body.len(),
                    at: now,
                };
                for line in program.served(request, seen) {
                    container.log.push(now, line);
                }
                Reply::Answer {
                    status,
                    body,
                    after: TimeDelta::zero(),
                }
            }
            Action::Pass(pass) => self.pass_on(&uid, number, request, &pass, depth),
        }
    }

    /// A proxy asks in turn: one peer after the other, until one answers.
    fn pass_on(
        &mut self,
        uid: &str,
        number: u64,
        request: &Request,
        pass: &Pass,
        depth: usize,
    ) -> Reply {
        let mut after = TimeDelta::zero();
        let own = self.kubelet.pods.get(uid).and_then(|run| run.ip.clone());
        let onward = Request {
            client: own.unwrap_or_default(),
            path: pass.path.clone(),
            host: pass.host.clone(),
            agent: request.agent,
            version: "1.0",
        };
        let mut status = 502;
        for (ip, port) in &pass.peers {
            let reply = self.ask(ip, *port, &onward, depth + 1);
            let silent = match reply {
                Reply::Answer {
                    status,
                    body,
                    after: took,
                } => {
                    after += took;
                    self.note(uid, number, request, (status, body.len()), after);
                    return Reply::Answer {
                        status,
                        body,
                        after,
                    };
                }
                Reply::Refused => false,
                Reply::Silent => true,
            };
            if silent {
                after += pass.timeout;
                let (now, until) = (self.now, self.now + after);
                if let Some(run) = self.kubelet.pods.get_mut(uid) {
                    run.waiting.retain(|(_, _, until)| *until > now);
                    run.waiting.push((ip.clone(), *port, until));
                }
                status = 504;
            } else {
                status = 502;
            }
            let at = self.now + after;
            let run = self.kubelet.pods.get(uid);
            let program = run.and_then(|run| {
                let mut all = run.containers.iter();
                all.find(|c| c.run == number)?.program.as_ref()
            });
            let peer = format!("{ip}:{port}");
            if let Some(line) = program.and_then(|p| p.failed(request, pass, &peer, silent, at)) {
                self.line_after(uid, number, line, after);
            }
        }
        let body = crate::sim::images::error_page(status);
        self.note(uid, number, request, (status, body.len()), after);
        Reply::Answer {
            status,
            body,
            after,
        }
    }

    /// Writes what a program logs of a request when it is answered.
    fn note(
        &mut self,
        uid: &str,
        number: u64,
        request: &Request,
        (status, bytes): (u16, usize),
        after: TimeDelta,
    ) {
        let seen = Seen {
            status,
            bytes,
            at: self.now + after,
        };
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let program = run.of_run(number).and_then(|c| c.program.as_mut());
        let lines = program.map(|p| p.served(request, seen)).unwrap_or_default();
        for line in lines {
            self.line_after(uid, number, line, after);
        }
    }

    fn line_after(&mut self, uid: &str, number: u64, line: String, after: TimeDelta) {
        if after.is_zero() {
            self.write_line(uid, number, line);
        } else {
            self.later(after, Step::Line(uid.to_owned(), number, line));
        }
    }

    /// Lets a program do what it does by itself.
    pub(super) fn tick(&mut self, uid: &str, number: u64) {
        let now = self.now;
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let Some(container) = run.of_run(number) else {
            return;
        };
        let name = container.name.clone();
        let Some(mut program) = container.program.take() else {
            return;
        };
        let beat = match run.container(&name) {
            Some(container) => program.beat(now, &|path| run.text(container, path)),
            None => Beat::None,
        };
        if let Some(container) = run.of_run(number) {
            container.program = Some(program);
        }
        let again = Step::Tick(uid.to_owned(), number);
        match beat {
            Beat::None => {}
            Beat::Lines(lines, next) => {
                for line in lines {
                    self.write_line(uid, number, line);
                }
                self.later(next, again);
            }
            Beat::End(lines, code) => {
                for line in lines {
                    self.write_line(uid, number, line);
                }
                self.exited(uid, number, code);
            }
            Beat::Ask {
                host,
                port,
                path,
                limit,
                pause,
            } => {
                let (outcome, after) = self.call(uid, &host, port, &path, limit);
                let at = self.now + after;
                let line = crate::sim::images::asked(at, &path, &outcome);
                self.line_after(uid, number, line, after);
                self.later(after + pause, again);
            }
        }
    }

    /// What a client in a pod gets to see: a status or the word timeout, and how long it takes.
    fn call(
        &mut self,
        uid: &str,
        host: &str,
        port: u16,
        path: &str,
        limit: TimeDelta,
    ) -> (String, TimeDelta) {
        const NOTHING: &str = "timeout";
        let Some(run) = self.kubelet.pods.get(uid) else {
            return (NOTHING.to_owned(), TimeDelta::zero());
        };
        let client = run.ip.clone().unwrap_or_default();
        let Some(ip) = self.resolve(&run.pod, host) else {
            return (NOTHING.to_owned(), TimeDelta::zero());
        };
        let request = Request {
            client,
            path: path.to_owned(),
            host: host.to_owned(),
            agent: "Go-http-client/1.1",
            version: "1.1",
        };
        match self.ask(&ip, port, &request, 0) {
            Reply::Answer { status, after, .. } if after <= limit => (status.to_string(), after),
            Reply::Refused => (NOTHING.to_owned(), TimeDelta::zero()),
            _ => (NOTHING.to_owned(), limit),
        }
    }
}
