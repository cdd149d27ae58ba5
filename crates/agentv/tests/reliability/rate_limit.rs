//! The rate of requests, as the server sees it.

use std::time::{Duration, Instant};

use agentv_testkit::model::{Behaviour, Conduct, ModelServer, Step};

use crate::program::{NONE, agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folder};

#[test]
fn many_workers_call_a_server_that_accepts_few_requests_without_errors() {
    const CASES: usize = 300;
    const AT_MOST: usize = 6;
    let latency = Duration::from_millis(20);
    let behaviour = Behaviour::answering("right")
        .latency(latency)
        .at_most(AT_MOST);
    let server = ModelServer::start(behaviour).unwrap();
    let fields = [
        "workers: 64",
        "max_retries: 8",
        "retry_initial_delay_ms: 100",
    ];
    let project = project(&model_target(&server, &fields), CASES, |n| {
        format!("number {n}")
    });
    let started = Instant::now();
    finish(&mut agentv(&project, NONE)).expect(0);
    each_case_once(&run_folder(&project), CASES);
    // Six requests at a time need a second. If the limit did not grow again, it would take six seconds.
    assert!(started.elapsed() < Duration::from_secs(60));
    let calls = server.calls();
    assert!(calls.most_in_flight > AT_MOST, "it was never too much");
    let refused = calls.total - CASES as u64;
    assert!(refused < CASES as u64, "{refused} were refused");
}

#[test]
fn no_more_requests_are_made_in_a_minute_than_allowed() {
    const CASES: usize = 45;
    const PER_MINUTE: u32 = 900;
    const AT_ONCE: u32 = PER_MINUTE / 60;
    let server = ModelServer::start(Behaviour::answering("right")).unwrap();
    // This clock starts after that of the server.
    let clock = Instant::now();
    let limit = format!("requests_per_minute: {PER_MINUTE}");
    let targets = model_target(&server, &["workers: 50", &limit]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    let spawned = clock.elapsed();
    finish(&mut agentv(&project, NONE)).expect(0);
    let mut arrivals = server.arrivals();
    arrivals.sort();
    assert_eq!(arrivals.len(), CASES);
    let each = Duration::from_secs(60) / PER_MINUTE;
    for (number, arrival) in (0_u32..).zip(arrivals) {
        let earliest = spawned + each * (number + 1).saturating_sub(AT_ONCE);
        assert!(
            arrival >= earliest,
            "{number}: {arrival:?} before {earliest:?}"
        );
    }
}

#[test]
fn no_request_is_made_while_a_server_wants_a_pause() {
    const CASES: usize = 40;
    const PAUSE: Duration = Duration::from_secs(2);
    let refusal = Conduct::from(Step::Status(429)).retry_after("2");
    let server = ModelServer::start(Behaviour::answering("right").script([refusal])).unwrap();
    // Most requests are waiting when the pause begins.
    let targets = model_target(&server, &["workers: 30", "requests_per_minute: 300"]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    finish(&mut agentv(&project, NONE)).expect(0);
    let mut arrivals = server.arrivals();
    arrivals.sort();
    assert_eq!(arrivals.len(), CASES + 1);
    let gaps = arrivals.windows(2).map(|pair| pair[1] - pair[0]);
    let longest = gaps.max().unwrap();
    // The server sees a request a moment after it was made.
    assert!(longest > PAUSE - Duration::from_millis(300), "{longest:?}");
}
