//! Limits hold over all workers together.

use std::time::{Duration, Instant};

use agentv_testkit::model::{Behaviour, ModelServer, Usage};

use crate::engine::{Worker, nats, nothing_is_left_on, run_on};
use crate::program::{finish, model_target, project};
use crate::records::{each_case_once, run_folder, whole_records};

/// Starts a server whose answers cost a cent each at a price of 1.
fn server(latency: Duration) -> ModelServer {
    let usage = Usage {
        input: 5_000,
        output: 5_000,
        cached: 0,
    };
    ModelServer::start(Behaviour::answering("right").usage(usage).latency(latency)).unwrap()
}

#[test]
fn the_workers_of_a_target_hold_over_all_machines() {
    let Some(nats) = nats() else { return };
    let model = server(Duration::from_millis(20));
    let targets = model_target(&model, &["workers: 3"]);
    let project = project(&targets, 60, |number| format!("number {number}"));
    let machines: Vec<Worker> = (0..3).map(|_| Worker::start(&nats.url(), 8)).collect();
    finish(&mut run_on(&nats.url(), &project, &[])).expect(0);
    each_case_once(&run_folder(&project), 60);
    let calls = model.calls();
    assert_eq!(calls.total, 60);
    assert!(calls.most_in_flight <= 3, "{calls:?}");
    drop(machines);
}

#[test]
fn the_requests_per_minute_of_a_target_hold_over_all_machines() {
    const CASES: usize = 45;
    const PER_MINUTE: u32 = 900;
    const AT_ONCE: u32 = PER_MINUTE / 60;
    let Some(nats) = nats() else { return };
    let model = server(Duration::ZERO);
    // This clock starts after that of the server.
    let clock = Instant::now();
    let limit = format!("requests_per_minute: {PER_MINUTE}");
    let targets = model_target(&model, &[&limit]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    let machines: Vec<Worker> = (0..3).map(|_| Worker::start(&nats.url(), 16)).collect();
    let spawned = clock.elapsed();
    finish(&mut run_on(&nats.url(), &project, &[])).expect(0);
    let mut arrivals = model.arrivals();
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
    drop(machines);
}

#[test]
fn the_budget_of_a_run_holds_over_all_machines() {
    let Some(nats) = nats() else { return };
    let model = server(Duration::from_millis(20));
    let targets = model_target(&model, &["price: {input: 1, output: 1}"]);
    let project = project(&targets, 120, |number| format!("number {number}"));
    let machines: Vec<Worker> = (0..3).map(|_| Worker::start(&nats.url(), 8)).collect();
    let budget = ["--budget", "0.305"];
    finish(&mut run_on(&nats.url(), &project, &budget)).expect(4);
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    assert_eq!((model.calls().total, results.len()), (30, 30));
    nothing_is_left_on(&nats);
    // Earlier costs count when the run is resumed, here or elsewhere.
    let more = ["--resume", "--budget", "0.505"];
    finish(&mut run_on(&nats.url(), &project, &more)).expect(4);
    assert_eq!(model.calls().total, 50);
    finish(&mut run_on(&nats.url(), &project, &["--resume"])).expect(0);
    assert_eq!(model.calls().total, 120);
    each_case_once(&run_folder(&project), 120);
    drop(machines);
}

#[test]
fn no_trial_begins_on_any_machine_after_max_time() {
    let Some(nats) = nats() else { return };
    let model = server(Duration::from_millis(250));
    let project = project(&model_target(&model, &[]), 120, |number| {
        format!("number {number}")
    });
    let machines: Vec<Worker> = (0..2).map(|_| Worker::start(&nats.url(), 2)).collect();
    finish(&mut run_on(&nats.url(), &project, &["--max-time", "2s"])).expect(4);
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    // Calls that are in flight at the end of the time are aborted, as in a local run: at most one per slot.
    let calls = model.calls().total;
    assert!(
        calls <= results.len() as u64 + 4,
        "{calls}, {}",
        results.len()
    );
    assert!(results.len() < 120, "{}", results.len());
    nothing_is_left_on(&nats);
    drop(machines);
}
