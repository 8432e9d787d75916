//! The keeper of the facts: what it makes of each change, over a source that tells what the test says.

pub mod desk;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use confsplit::analysis::{EntryKind, Incident, Lane, NotChecked};
use confsplit::app::{Link as Told, Msg, News};
use confsplit::model::{
    ChainEnd, Config, ConfigKind, ConfigRef, Content, EnvFrom, Fingerprint, FollowState, Gap,
    GapReason, Kind, Object, Pod, Snapshot, Want, WorkloadRef,
};
use confsplit::source::{Answer, Change, Link};

use self::desk::{Desk, forgotten, from, pods, set_clock};
use crate::build::{
    NS, STARTED, Take, access, config, config_ref, deployment, earlier, killed, labelled, log,
    nginx_conf, partial_restart, patched, pod, restarted, shared, snapshot, t, timed_out,
};

const CONFIG: &str = "frontend-nginx";

fn before() -> Config {
    let conf = nginx_conf(8080);
    config(CONFIG, 0, 14_417, &[("default.conf", &conf)])
}

fn edited(at: i64, version: u64, port: u16) -> Config {
    patched(&before(), at, version, "default.conf", &nginx_conf(port))
}

fn replica(suffix: &str, created: i64) -> Pod {
    let take = Take::Volume(CONFIG, "/etc/nginx/conf.d");
    pod("frontend", suffix, created, &take)
}

/// Two replicas since 20:35:25 whose config was never edited, and their logs.
fn calm() -> Snapshot {
    let mut calm = snapshot();
    let all = vec![replica("kt2jr", 25), replica("2vqr4", 25)];
    calm.logs = all.iter().map(|pod| log(pod, &[(26, STARTED)])).collect();
    calm.workloads = shared(vec![deployment("frontend", 2)]);
    calm.configs = shared(vec![before()]);
    calm.pods = shared(all);
    calm
}

fn incident(news: &News) -> Option<&Incident> {
    let all = &news.diagnosis.incidents;
    all.iter().find(|i| i.config == config_ref(CONFIG))
}

/// Contents of the revisions, oldest first, by the port that they name.
fn ports(incident: &Incident) -> Vec<Option<u16>> {
    let port = |content: &Content| {
        let text = content.get_text("default.conf").unwrap();
        [8080, 8000, 7000]
            .into_iter()
            .find(|port| text.contains(&format!("api:{port};")))
    };
    let revisions = incident.revisions.iter();
    revisions
        .map(|r| r.content.as_ref().and_then(port))
        .collect()
}

fn broken() -> GapReason {
    GapReason::Connection("connection refused".to_owned())
}

fn has(news: &News, pod: &Pod) -> bool {
    news.facts.pod(&pod.reference).is_some()
}

// Lists

#[tokio::test]
async fn rows_fill_in_while_the_lists_are_read_and_half_a_list_does_not_count() {
    let mut desk = Desk::new(from(calm()));
    let (kind, [first, second]) = (Kind::Pods, [replica("kt2jr", 25), replica("2vqr4", 25)]);
    let objects = vec![Object::Pod(first.clone())];
    desk.tell(Change::More { kind, objects }).await;
    let news = desk.news("the first pod", |n| has(n, &first)).await;
    assert!(!news.complete);
    let objects = vec![Object::Pod(second.clone())];
    desk.tell(Change::More { kind, objects }).await;
    desk.news("the second pod", |n| has(n, &second)).await;

    desk.list(Kind::ConfigMaps, vec![Object::Config(before())])
        .await;
    desk.fail(kind, broken()).await;
    let none = |n: &News| !has(n, &first) && !has(n, &second);
    let news = desk.news("no half of a list", none).await;
    let not_checked = &news.diagnosis.not_checked;
    let why = |n: &NotChecked| n.why.contains("connection refused");
    assert!(not_checked.iter().any(why), "{not_checked:#?}");

    // The next try counts, and nothing is there twice.
    desk.list(kind, pods(&calm())).await;
    let news = desk
        .news("both", |n| has(n, &first) && has(n, &second))
        .await;
    assert_eq!(news.facts.pods(NS).count(), 2);
    assert!(news.facts.parts[0].gaps.is_empty());
}

#[tokio::test]
async fn a_start_without_any_answer_is_an_error_that_goes_away_by_itself() {
    let mut desk = Desk::new(from(calm()));
    for kind in Kind::ALL {
        desk.fail(kind, broken()).await;
        desk.link(kind, Link::Lost(broken())).await;
    }
    let failed = desk.next("the error", |msg| match msg {
        Msg::Failed(error) => Some(error),
        Msg::News(_) => panic!("a report on nothing"),
        _ => None,
    });
    assert!(failed.await.message.contains("cannot be read"));
    desk.lists(&calm()).await;
    let news = desk.settled().await;
    assert_eq!(news.facts.pods(NS).count(), 2);
    assert!(news.facts.parts[0].gaps.iter().all(|g| g.verb != "list"));
}

#[tokio::test]
async fn a_list_that_may_not_be_read_any_more_is_a_gap() {
    let mut desk = Desk::new(from(calm()));
    desk.lists(&calm()).await;
    desk.settled().await;
    desk.fail(Kind::Events, GapReason::Forbidden).await;
    let denied = Link::Denied(GapReason::Forbidden);
    desk.link(Kind::Events, denied).await;
    let told = |n: &News| {
        let mut all = n.facts.parts[0].gaps.iter();
        all.any(|g| g.resource == "events" && g.reason == GapReason::Forbidden)
    };
    desk.news("the right is gone", told).await;
}

// Edits

#[tokio::test]
async fn a_start_of_ours_is_no_edit() {
    set_clock(7200);
    let there = partial_restart();
    let mut desk = Desk::new(from(there.clone()));
    desk.lists(&there).await;
    let news = desk.settled().await;
    assert_eq!(news.facts.parts[0].taken_at, t(7200));
    let incident = incident(&news).expect("the incident of two hours ago");
    let edits: Vec<_> = incident
        .timeline
        .iter()
        .filter(|e| e.kind == EntryKind::Edited)
        .collect();
    assert!(!edits.is_empty());
    for edit in edits {
        assert!(edit.at.latest.unwrap() <= t(34), "{edit:?}");
    }
}

#[tokio::test]
async fn an_edit_that_was_watched_is_known_though_the_server_forgets_it() {
    let mut desk = Desk::new(from(calm()));
    desk.lists(&calm()).await;
    let news = desk.settled().await;
    assert!(incident(&news).is_none());

    desk.put(Object::Config(edited(610, 14_598, 8000))).await;
    let news = desk
        .news("the incident", |n| {
            incident(n).is_some_and(|i| i.replicas.len() == 2)
        })
        .await;
    let stale = incident(&news).unwrap();
    assert_eq!(ports(stale), [Some(8080), Some(8000)]);
    assert!(stale.replicas.iter().all(|r| r.live == Some(false)));

    // One replica is replaced: now they are split.
    desk.tell(Change::Gone {
        kind: Kind::Pods,
        namespace: NS.to_owned(),
        name: replica("2vqr4", 25).reference.name,
    })
    .await;
    desk.put(Object::Pod(replica("g5zrg", 620))).await;
    let split = |n: &News| {
        incident(n).is_some_and(|i| {
            let live: Vec<_> = i.replicas.iter().map(|r| r.live).collect();
            live.contains(&Some(true)) && live.contains(&Some(false)) && live.len() == 2
        })
    };
    let news = desk.news("the split", split).await;
    // It was asked for, and the answer without anything took nothing away.
    let asked = |want: &Want| matches!(want, Want::Earlier { .. });
    assert!(desk.asked().iter().any(asked));
    let split = incident(&news).unwrap();
    assert_eq!(ports(split), [Some(8080), Some(8000)]);
}

#[tokio::test]
async fn a_config_made_anew_has_no_history_of_the_one_before() {
    let mut desk = Desk::new(from(calm()));
    desk.lists(&calm()).await;
    desk.settled().await;
    desk.put(Object::Config(edited(610, 14_598, 8000))).await;
    desk.news("the edit", |n| !n.facts.parts[0].earlier.is_empty())
        .await;
    desk.tell(Change::Gone {
        kind: Kind::ConfigMaps,
        namespace: NS.to_owned(),
        name: CONFIG.to_owned(),
    })
    .await;
    let mut anew = config(CONFIG, 700, 15_000, &[("default.conf", &nginx_conf(7000))]);
    anew.uid = "another".to_owned();
    desk.put(Object::Config(anew)).await;
    let there = |n: &News| {
        let found = n.facts.config(&config_ref(CONFIG));
        found.is_some_and(|c| c.resource_version == "15000")
    };
    let news = desk.news("the new one", there).await;
    let earlier = &news.facts.parts[0].earlier;
    assert!(
        earlier.iter().all(|e| e.versions.is_empty()),
        "{earlier:#?}"
    );
}

// Connections

fn all_live() -> Told {
    Told::Live {
        polled: vec![],
        unread: vec![],
    }
}

async fn told(desk: &mut Desk) -> Told {
    desk.next("what became of the link", |msg| match msg {
        Msg::Link(link) => Some(link),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_lost_connection_is_told_once_and_leaves_a_gap() {
    let mut desk = Desk::new(from(partial_restart()));
    desk.lists(&partial_restart()).await;
    assert_eq!(told(&mut desk).await, all_live());
    desk.settled().await;

    set_clock(700);
    desk.link(Kind::Pods, Link::Lost(broken())).await;
    let lost = told(&mut desk).await;
    assert!(matches!(&lost, Told::Lost { since, .. } if *since == t(700)));
    // It is lost already.
    desk.link(Kind::Services, Link::Lost(broken())).await;
    set_clock(760);
    let late = replica("zzzzz", 750);
    desk.put(Object::Pod(late.clone())).await;
    let news = desk
        .next("news while it is lost", |msg| match msg {
            Msg::News(news) => has(&news, &late).then_some(news),
            Msg::Link(again) => panic!("told twice: {again:?}"),
            _ => None,
        })
        .await;
    let frozen = news.facts.parts[0].taken_at;
    assert!(frozen < t(700), "{frozen}");

    set_clock(790);
    desk.link(Kind::Services, Link::Live).await;
    desk.link(Kind::Pods, Link::Live).await;
    assert_eq!(told(&mut desk).await, all_live());
    let notice = desk.next("what was missed", |msg| match msg {
        Msg::Notice(notice) => Some(notice),
        _ => None,
    });
    assert_eq!(notice.await, "Live again after 90 s: meanwhile 1 pod new.");
    let news = desk
        .news("the gap", |n| {
            n.facts.parts[0].taken_at == t(790) && incident(n).is_some()
        })
        .await;
    let gaps = &news.facts.parts[0].gaps;
    let unwatched = GapReason::Unwatched {
        from: t(700),
        until: t(790),
    };
    assert_eq!(gaps.iter().filter(|g| g.reason == unwatched).count(), 1);
    let entries = &incident(&news).unwrap().timeline;
    let mut covering = entries.iter().filter(|e| e.lane == Lane::Coverage);
    let gap = covering.next().expect("the time without sight");
    assert_eq!(gap.kind, EntryKind::Unwatched);
    let interval = (gap.at.earliest, gap.at.latest);
    assert_eq!(interval, (Some(t(700)), Some(t(790))));
    let open = &news.diagnosis.not_checked;
    assert!(
        open.iter().any(|n| n.why.contains("was lost from")),
        "{open:#?}"
    );
}

#[tokio::test]
async fn a_silent_server_was_there_when_it_answered_last() {
    let mut desk = Desk::new(from(calm()));
    desk.lists(&calm()).await;
    told(&mut desk).await;
    desk.tell(Change::Beat(Ok(t(600)))).await;
    desk.settled().await;
    set_clock(609);
    let silent = GapReason::TimedOut { seconds: 4 };
    desk.tell(Change::Beat(Err(silent))).await;
    let lost = told(&mut desk).await;
    assert!(
        matches!(&lost, Told::Lost { since, why } if *since == t(600) && why.contains("4 s")),
        "{lost:?}"
    );
    desk.tell(Change::Beat(Ok(t(620)))).await;
    assert_eq!(told(&mut desk).await, all_live());
}

/// After a loss the list is read again, and the config is another one than before.
async fn read_again(desk: &mut Desk) -> News {
    desk.lists(&calm()).await;
    desk.settled().await;
    // Watched: so much is history whatever the server forgets.
    desk.put(Object::Config(edited(610, 14_598, 8000))).await;
    desk.news("the watched edit", |n| incident(n).is_some())
        .await;
    set_clock(7200);
    desk.link(Kind::ConfigMaps, Link::Lost(broken())).await;
    let lost = |msg| matches!(msg, Msg::Link(Told::Lost { .. })).then_some(());
    desk.next("the loss", lost).await;
    let latest = edited(3000, 20_000, 7000);
    desk.list(Kind::ConfigMaps, vec![Object::Config(latest)])
        .await;
    desk.link(Kind::ConfigMaps, Link::Live).await;
    // The history of what is there now is read.
    let asked = Want::Earlier {
        config: config_ref(CONFIG),
        resource_version: "20000".to_owned(),
    };
    desk.news("the new version's history", |n| {
        let facts = &n.facts.parts[0];
        facts.asked.contains(&asked) && facts.earlier.iter().any(|e| e.read_at == t(7200))
    })
    .await
}

fn no_edit_now(news: &News) {
    for incident in &news.diagnosis.incidents {
        for entry in &incident.timeline {
            if entry.kind == EntryKind::Edited {
                assert!(entry.at.latest.unwrap() <= t(3001), "{entry:?}");
            }
        }
    }
    for suspect in &news.diagnosis.suspects {
        assert!(suspect.edited.latest.unwrap() <= t(3001), "{suspect:?}");
    }
}

#[tokio::test]
async fn what_was_written_unseen_does_not_follow_what_was_known() {
    let reply = |_: &Snapshot, want: &Want| match want {
        Want::Earlier { config, .. } => Answer::Earlier(forgotten(config)),
        other => from(calm())(&snapshot(), other),
    };
    let mut desk = Desk::new(reply);
    let news = read_again(&mut desk).await;
    no_edit_now(&news);
    // Between 8000 and 7000 there may have been anything.
    let facts = &news.facts.parts[0];
    let known: Vec<&str> = facts
        .earlier
        .iter()
        .flat_map(|e| &e.versions)
        .map(|v| v.resource_version.as_str())
        .collect();
    assert_eq!(known, [""; 0]);
    if let Some(incident) = incident(&news) {
        assert!(!ports(incident).contains(&Some(8000)), "{incident:#?}");
    }
}

#[tokio::test]
async fn a_history_that_is_read_again_is_joined_where_they_meet() {
    let reply = |_: &Snapshot, want: &Want| match want {
        // It goes back to the version that was watched, and no further.
        Want::Earlier {
            config,
            resource_version,
        } if resource_version == "20000" => {
            let mut history = earlier(&[&edited(610, 14_598, 8000)], ChainEnd::Compacted);
            history.reference = config.clone();
            history.read_at = t(7200);
            Answer::Earlier(history)
        }
        Want::Earlier { config, .. } => Answer::Earlier(forgotten(config)),
        other => from(calm())(&snapshot(), other),
    };
    let mut desk = Desk::new(reply);
    let news = read_again(&mut desk).await;
    no_edit_now(&news);
    let incident = incident(&news).expect("a stale workload");
    assert_eq!(ports(incident), [Some(8080), Some(8000), Some(7000)]);
}

// Pods and their logs

#[tokio::test]
async fn a_deleted_pod_leaves_the_replicas_but_not_the_timeline() {
    let there = partial_restart();
    let mut desk = Desk::new(from(there.clone()));
    desk.lists(&there).await;
    let news = desk.settled().await;
    let count = incident(&news).unwrap().replicas.len();
    assert_eq!(count, 2);
    let gone = there.pods[0].reference.clone();
    desk.put(Object::Event(killed(&gone.name, 611))).await;
    desk.tell(Change::Gone {
        kind: Kind::Pods,
        namespace: NS.to_owned(),
        name: gone.name.clone(),
    })
    .await;
    let heir = replica("heir1", 612);
    desk.put(Object::Pod(heir.clone())).await;
    let news = desk
        .news("its heir", |n| {
            has(n, &heir) && n.facts.pod(&gone).is_none() && incident(n).is_some()
        })
        .await;
    let after = incident(&news).unwrap();
    assert!(after.replicas.iter().all(|r| r.pod != gone));
    let killed = after
        .timeline
        .iter()
        .find(|e| e.lane == Lane::Pod(gone.name.clone()) && e.kind == EntryKind::Killed);
    assert!(killed.is_some(), "{:#?}", after.timeline);
    assert!(news.facts.log(&gone, "app", false).is_none());
    desk.streams("its log is not followed any more", |open| {
        open.iter().all(|s| s.pod != gone)
    })
    .await;
}

#[tokio::test]
async fn a_container_started_again_logs_anew() {
    let there = partial_restart();
    let mut desk = Desk::new(from(there.clone()));
    desk.lists(&there).await;
    desk.settled().await;
    let pod = there.pods[1].reference.clone();
    let is_it = |want: &Want, last: bool| matches!(want, Want::Log { pod: p, previous, .. } if *p == pod && *previous == last);
    desk.streams("it is followed", |open| open.iter().any(|s| s.pod == pod))
        .await;
    assert_eq!(desk.asked().iter().filter(|w| is_it(w, false)).count(), 1);
    let again = restarted((*there.pods[1]).clone(), 650, 1);
    desk.put(Object::Pod(again)).await;
    let news = desk
        .news("its log as the previous run's", |n| {
            n.facts.log(&pod, "app", true).is_some()
        })
        .await;
    assert!(news.facts.log(&pod, "app", true).unwrap().lines().count() > 30);
    desk.news("its new log", |n| n.facts.log(&pod, "app", false).is_some())
        .await;
    assert_eq!(desk.asked().iter().filter(|w| is_it(w, false)).count(), 2);
    assert_eq!(desk.asked().iter().filter(|w| is_it(w, true)).count(), 1);
}

#[tokio::test]
async fn the_end_of_a_former_runs_log_is_not_the_end_of_the_new_one() {
    let there = partial_restart();
    let mut desk = Desk::new(from(there.clone()));
    desk.lists(&there).await;
    desk.settled().await;
    let pod = there.pods[1].reference.clone();
    desk.streams("it is followed", |open| open.iter().any(|s| s.pod == pod))
        .await;
    let begun = desk.begun().len();
    desk.put(Object::Pod(restarted((*there.pods[1]).clone(), 650, 1)))
        .await;
    // Told before the stream was given up, taken in after.
    desk.tell(Change::LogEnded {
        pod: pod.clone(),
        container: "app".to_owned(),
        why: None,
    })
    .await;
    desk.news("its new log", |n| {
        n.facts.log(&pod, "app", false).is_some() && n.facts.log(&pod, "app", true).is_some()
    })
    .await;
    desk.streams("the new log is followed", |open| {
        open.iter().any(|s| s.pod == pod)
    })
    .await;
    assert!(desk.begun().len() > begun);
}

#[tokio::test]
async fn lines_that_come_change_what_is_known_of_the_failures() {
    let there = partial_restart();
    let mut quiet = there.clone();
    for log in &mut quiet.logs {
        let first = log.text.lines().next().unwrap().to_owned();
        log.text = format!("{first}\n").into();
    }
    set_clock(150);
    let mut desk = Desk::new(from(quiet.clone()));
    desk.lists(&quiet).await;
    let news = desk.settled().await;
    let impact = |n: &News| incident(n).is_some_and(|i| i.impact.is_some());
    assert!(!impact(&news), "{:#?}", incident(&news));
    let young = &there.pods[1];
    let lines: String = (0..35)
        .flat_map(|i| [timed_out(8000), access(504)].map(|line| (120 + i / 2, line)))
        .map(|(at, line)| format!("{} {line}\n", t(at).to_rfc3339()))
        .collect();
    desk.tell(Change::Lines {
        pod: young.reference.clone(),
        container: "app".to_owned(),
        lines,
    })
    .await;
    let news = desk.news("the failures", impact).await;
    let mut replicas = incident(&news).unwrap().replicas.iter();
    let failing = replicas.find(|r| r.pod == young.reference).unwrap();
    assert!(failing.signals.iter().any(|s| s.text.contains(":8000")));
    assert_eq!(failing.traffic[0].failed, 35);
}

/// The incident's second pod takes a Secret, whose metadata alone is known.
fn with_secret(first: &Config) -> (Snapshot, Pod) {
    let mut there = partial_restart();
    let mut pod = (*there.pods[1]).clone();
    pod.containers[0].env_from.push(EnvFrom {
        config: first.reference.clone(),
        prefix: String::new(),
        optional: false,
    });
    there.pods[1] = pod.clone().into();
    there.configs.push(first.clone().into());
    (there, pod)
}

/// A version of the Secret as it is read.
fn read(config: &Config, hash: &str) -> Config {
    let print = Fingerprint(hash.to_owned());
    Config {
        content: Some(Content::Hashed([("password".to_owned(), print)].into())),
        ..config.clone()
    }
}

/// A failed reading of the Secret.
fn unread(verb: &str) -> Gap {
    let mut gap = desk::gap(verb, "secrets", broken());
    gap.name = Some("db".to_owned());
    gap
}

#[tokio::test]
async fn a_secret_written_while_it_is_watched_stops_the_logs_until_its_values_are_known() {
    let mut first = config("db", 0, 100, &[("password", "x")]);
    first.reference = ConfigRef::new(ConfigKind::Secret, NS, "db");
    (first.content, first.last_applied) = (None, None);
    let second = patched(&first, 640, 200, "password", "y");
    let (there, pod) = with_secret(&first);
    let gate = Arc::new(AtomicBool::new(false));
    let (open, others) = (gate.clone(), from(there.clone()));
    let (old, new) = (read(&first, "aa"), read(&second, "bb"));
    let mut desk = Desk::new(move |snapshot, want| match want {
        Want::SecretContent { .. } if open.load(Relaxed) => Answer::Secret(new.clone()),
        Want::SecretContent { .. } => Answer::Gap(unread("get")),
        Want::Earlier { config, .. } if config.kind == ConfigKind::Secret => {
            let mut history = forgotten(config);
            if open.load(Relaxed) {
                history = earlier(&[&old], ChainEnd::Created);
            } else {
                history.end = ChainEnd::Failed(unread("list"));
            }
            Answer::Earlier(history)
        }
        other => others(snapshot, other),
    });
    desk.lists(&there).await;
    desk.settled().await;
    let followed = |open: &[desk::Stream]| open.iter().any(|s| s.pod == pod.reference);
    desk.streams("it is followed", followed).await;

    desk.put(Object::Config(second)).await;
    desk.streams("it is not followed any more", |open| !followed(open))
        .await;
    let failed = |n: &News| n.facts.parts[0].gaps.contains(&unread("get"));
    desk.news("the gap", failed).await;
    assert!(!followed(&desk.open()));

    // The server can be asked again, and tells.
    gate.store(true, Relaxed);
    desk.link(Kind::Pods, Link::Lost(broken())).await;
    desk.link(Kind::Pods, Link::Live).await;
    desk.streams("it is followed again", followed).await;

    // What is known only now is taken out of what was there before.
    desk.tell(Change::Lines {
        pod: pod.reference.clone(),
        container: "app".to_owned(),
        lines: format!("{} login with hunter22\n", t(660).to_rfc3339()),
    })
    .await;
    let third = labelled(&before(), 670, 14_700);
    desk.put(Object::Config(third)).await;
    let clean = |n: &News| {
        let log = n.facts.log(&pod.reference, "app", false);
        log.is_some_and(|log| log.lines().any(|l| l.text == "login with [Secret]"))
    };
    desk.news("the line without the value", clean).await;
}

#[tokio::test]
async fn of_a_long_log_the_oldest_lines_are_let_go_and_counted() {
    let there = partial_restart();
    let mut desk = Desk::new(from(there.clone()));
    desk.lists(&there).await;
    desk.settled().await;
    let pod = there.pods[1].reference.clone();
    let line = format!("{} {}\n", t(700).to_rfc3339(), "x".repeat(1000));
    let piece = line.repeat(1000);
    let sent = 14;
    for _ in 0..sent {
        desk.tell(Change::Lines {
            pod: pod.clone(),
            container: "app".to_owned(),
            lines: piece.clone(),
        })
        .await;
    }
    let mark = format!("{} the last\n", t(701).to_rfc3339());
    desk.tell(Change::Lines {
        pod: pod.clone(),
        container: "app".to_owned(),
        lines: mark,
    })
    .await;
    let first = there.logs.iter().find(|l| l.pod == pod).unwrap();
    let all = first.lines().count() + sent * 1000 + 1;
    let news = desk
        .news("the last line", |n| {
            let log = n.facts.log(&pod, "app", false);
            log.is_some_and(|log| {
                log.lines()
                    .next_back()
                    .is_some_and(|l| l.text == "the last")
            })
        })
        .await;
    let log = news.facts.log(&pod, "app", false).unwrap();
    assert!(log.text.len() <= 12 << 20);
    assert!(!log.complete && log.missing.is_some());
    let logs = &news.facts.following.logs;
    let state = logs.iter().find(|f| f.pod == pod).unwrap();
    assert_eq!(state.state, FollowState::Open);
    assert_eq!(state.dropped + log.lines().count(), all);
    assert!(state.dropped > 0);
}

#[tokio::test]
async fn at_most_fifty_logs_are_followed_those_of_the_open_pair_first() {
    let mut many = snapshot();
    for name in ["alpha", "beta", "gamma", "omega"] {
        let first = config(name, 0, 100, &[("mode", "a")]);
        many.configs
            .push(patched(&first, 500, 200, "mode", "b").into());
        many.workloads.push(deployment(name, 16).into());
        for number in 0..16 {
            let take = Take::EnvFrom(name);
            let pod = pod(name, &format!("p{number:03}"), 10, &take);
            many.logs.push(log(&pod, &[(11, "hello")]));
            many.pods.push(pod.into());
        }
        many.earlier.push(earlier(&[&first], ChainEnd::Created));
    }
    many.logs.sort_by(|a, b| a.pod.cmp(&b.pod));
    let mut desk = Desk::new(from(many.clone()));
    desk.lists(&many).await;
    desk.settled().await;
    desk.streams("fifty", |open| open.len() == 50).await;
    let of = |open: &[desk::Stream], name: &str| {
        let all = open.iter().filter(|s| s.pod.name.starts_with(name));
        all.count()
    };
    assert_eq!(of(&desk.open(), "omega"), 2);

    let pair = WorkloadRef::new("Deployment", NS, "omega");
    desk.focus(&config_ref("omega"), &pair).await;
    desk.streams("the open pair's", |open| {
        open.len() == 50 && of(open, "omega") == 16
    })
    .await;
    // From where its reading ended.
    assert!(desk.begun().iter().all(|s| s.after == Some(t(11))));
    let news = desk
        .news("why not", |n| {
            let mut all = n.facts.following.logs.iter();
            all.any(|f| matches!(&f.state, FollowState::Not(why) if why.contains("50 others")))
        })
        .await;
    assert_eq!(news.facts.following.logs.len(), 64);
}

#[tokio::test]
async fn nobody_listening_ends_it() {
    let mut desk = Desk::new(from(calm()));
    desk.lists(&partial_restart()).await;
    desk.settled().await;
    let (_, nothing) = tokio::sync::mpsc::channel(1);
    drop(std::mem::replace(&mut desk.news, nothing));
    let ended = tokio::time::timeout(Duration::from_secs(5), &mut desk.task).await;
    ended.expect("it goes on").unwrap();
    desk.streams("no log is followed", <[desk::Stream]>::is_empty)
        .await;
}
