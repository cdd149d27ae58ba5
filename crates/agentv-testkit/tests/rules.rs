//! Scripts, rules and the observations of the server.

use std::fs;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer, Step, script};
use serde_json::Value;

use crate::client::{CHAT, PATIENCE, ask, chat_body, said, send, start};

fn statuses(server: &ModelServer, message: &str, count: usize) -> Vec<u16> {
    (0..count).map(|_| ask(server, message).status()).collect()
}

#[test]
fn a_script_is_played_once_and_in_order() {
    let steps = script("status=429 retry-after=1, status=500, ok").unwrap();
    let server = start(Behaviour::echo().script(steps));
    let first = ask(&server, "a");
    assert_eq!(
        (first.status(), first.header("retry-after")),
        (429, Some("1"))
    );
    assert_eq!(statuses(&server, "b", 3), [500, 200, 200]);
}

#[test]
fn the_first_calls_of_each_case_fail() {
    let server = start(Behaviour::echo().fail_first(2, Step::Status(503)));
    assert_eq!(statuses(&server, "a", 4), [503, 503, 200, 200]);
    assert_eq!(statuses(&server, "b", 3), [503, 503, 200]);
    assert_eq!((server.calls_of("a"), server.calls_of("b")), (4, 3));
    assert_eq!((server.calls().total, server.calls().cases), (7, 2));
}

#[test]
fn a_message_can_make_its_first_calls_fail() {
    let server = start(Behaviour::echo());
    assert_eq!(
        statuses(&server, "!status=500! !first=1!", 3),
        [500, 200, 200]
    );
}

#[test]
fn words_are_text_to_a_server_without_words() {
    let server = start(Behaviour::echo().without_words());
    assert_eq!(said(&ask(&server, "!status=500!")), "!status=500!");
}

#[test]
fn the_default_behaviour_applies_unless_the_message_overrides_it() {
    let server = start(Behaviour::echo().always(Step::Status(502)));
    assert_eq!(statuses(&server, "a", 2), [502, 502]);
    assert_eq!(ask(&server, "!ok!").status(), 200);
}

/// Sends `count` requests at once; returns the numbers of replies with 200 and 429.
fn crowd(server: &ModelServer, count: usize) -> (usize, usize) {
    let barrier = Barrier::new(count);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let one = || {
            barrier.wait();
            ask(server, "!delay=1500!").status()
        };
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(one)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let of = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
    (of(200), of(429))
}

#[test]
fn the_most_requests_in_flight_are_counted() {
    let server = start(Behaviour::echo());
    assert_eq!(crowd(&server, 8), (8, 0));
    let calls = server.calls();
    assert_eq!(
        (calls.most_in_flight, calls.total, calls.connections),
        (8, 8, 8)
    );
}

#[test]
fn requests_beyond_the_limit_in_flight_get_429() {
    let server = start(
        Behaviour::echo()
            .without_words()
            .latency(Duration::from_millis(1500))
            .at_most(3),
    );
    assert_eq!(crowd(&server, 8), (3, 5));
    assert_eq!(ask(&server, "later").status(), 200);
}

#[test]
fn requests_are_kept_as_they_were_sent_the_last_ones_only() {
    let server = start(Behaviour::echo().keep(2));
    for message in ["a", "b", "c"] {
        send(&server, CHAT, "X-Mark: one\r\n", &chat_body(message));
    }
    let requests = server.requests();
    let messages: Vec<&str> = requests.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(messages, ["b", "c"]);
    let last = &requests[1];
    assert_eq!((last.method.as_str(), last.path.as_str()), ("POST", CHAT));
    assert_eq!(last.header("x-mark"), Some("one"));
    assert_eq!(last.body, chat_body("c"));
}

#[test]
fn arrivals_are_in_order_and_latency_is_kept() {
    let server = start(Behaviour::echo().latency(Duration::from_millis(30)));
    statuses(&server, "a", 3);
    let arrivals = server.arrivals();
    let pauses: Vec<Duration> = arrivals.windows(2).map(|two| two[1] - two[0]).collect();
    assert_eq!(pauses.len(), 2);
    assert!(
        pauses.iter().all(|pause| pause.as_millis() >= 30),
        "{pauses:?}"
    );
}

#[test]
fn a_dropped_server_closes_its_port_and_its_connections() {
    let server = start(Behaviour::echo());
    let stream = crate::client::connect(&server);
    let address = server.address();
    drop(server);
    assert!(std::net::TcpStream::connect(address).is_err());
    assert!(crate::client::Reply::read(stream).bytes.is_empty());
}

#[test]
fn the_log_has_a_line_for_every_request() {
    let project = Project::new(&[]).unwrap();
    let server = start(Behaviour::echo().log(project.path("log")));
    ask(&server, "one\nline");
    ask(&server, "!status=500!");
    assert!(server.wait_for_calls(2, PATIENCE));
    let log = fs::read_to_string(project.path("log")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["message"], &lines[0]["path"]),
        (&"one\nline".into(), &CHAT.into())
    );
    assert!(lines[0]["time"].as_f64().unwrap() > 1.7e9);
}

#[test]
fn calls_that_are_held_back_are_answered_when_they_are_released() {
    let server = start(Behaviour::echo().hold_after(1));
    assert_eq!(said(&ask(&server, "first")), "first");
    thread::scope(|scope| {
        let held = scope.spawn(|| said(&ask(&server, "second")));
        assert!(server.wait_for_calls(2, PATIENCE));
        assert_eq!(server.calls().in_flight, 1);
        server.release();
        assert_eq!(held.join().unwrap(), "second");
    });
    assert_eq!(said(&ask(&server, "third")), "third");
}
