//! Limits of money and time, as the server sees them.

use std::time::Duration;

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::model::{Behaviour, ModelServer, Usage};

use crate::program::{Program, agentv, finish, model_target, project, typed};
use crate::records::{each_case_once, run_folder};

const CASES: usize = 120;

/// Starts a server whose answers cost a cent each at the price of the target.
fn server(latency: Duration) -> ModelServer {
    let usage = Usage {
        input: 5_000,
        output: 5_000,
        cached: 0,
    };
    ModelServer::start(Behaviour::answering("right").usage(usage).latency(latency)).unwrap()
}

fn project_at(server: &ModelServer) -> Project {
    let fields = ["workers: 16", "price: {input: 1, output: 1}"];
    project(&model_target(server, &fields), CASES, |number| {
        format!("number {number}")
    })
}

#[test]
fn no_request_is_made_that_could_exceed_the_budget() {
    let server = server(Duration::from_millis(20));
    let project = project_at(&server);
    let ended = finish(&mut agentv(&project, ["--budget", "0.305"])).expect(4);
    assert_eq!(server.calls().total, 30);
    // Earlier costs count when the run is resumed, graded or not.
    let again = typed(&project, &ended.resume_command()).expect(4);
    assert_eq!(server.calls().total, 30);
    assert!(again.stdout.contains("budget"), "{}", again.stdout);
    finish(&mut agentv(&project, ["--resume", "--budget", "0.505"])).expect(4);
    assert_eq!(server.calls().total, 50);
    finish(&mut agentv(&project, ["--resume"])).expect(0);
    assert_eq!(server.calls().total, CASES as u64);
    each_case_once(&run_folder(&project), CASES);
}

#[test]
fn agentv_waits_for_answers_in_flight_when_the_budget_is_used_up() {
    // Longer than an interrupted run waits.
    let server = server(Duration::from_secs(5));
    let project = project_at(&server);
    finish(&mut agentv(&project, ["--budget", "0.045"])).expect(4);
    let results = crate::records::whole_records(&run_folder(&project).join("results.jsonl"));
    assert_eq!((server.calls().total, results.len()), (4, 4));
}

#[test]
fn a_budget_counts_the_cost_of_cases_that_come_later() {
    let server = server(Duration::from_millis(20));
    let project = project_at(&server);
    let last = ["--eval-id", "case-01*"];
    finish(&mut agentv(&project, last)).expect(0);
    let asked = server.calls().total;
    assert_eq!(asked, 20);
    // The first hundred cases come before those that were paid for.
    finish(&mut agentv(&project, ["--resume", "--budget", "0.205"])).expect(4);
    assert_eq!(server.calls().total, asked);
}

#[test]
fn no_request_is_made_after_max_time() {
    const LIMIT: Duration = Duration::from_secs(2);
    let server = server(Duration::from_millis(250));
    let project = project_at(&server);
    let limited = ["--workers", "4", "--max-time", "2s"];
    let ended = finish(&mut agentv(&project, limited)).expect(4);
    let arrivals = server.arrivals();
    let (first, last) = (
        arrivals.iter().min().unwrap(),
        arrivals.iter().max().unwrap(),
    );
    assert!(*last - *first < LIMIT, "{:?}", *last - *first);
    assert!(ended.stdout.contains("time"), "{}", ended.stdout);
    finish(&mut agentv(&project, ["--resume", "--workers", "40"])).expect(0);
    each_case_once(&run_folder(&project), CASES);
    assert!(server.calls().total <= CASES as u64 + 4);
}

#[test]
fn a_signal_ends_a_run_that_waits_for_its_last_answers() {
    let usage = Usage {
        input: 5_000,
        output: 5_000,
        cached: 0,
    };
    let behaviour = Behaviour::answering("right").usage(usage);
    let server = ModelServer::start(behaviour).unwrap();
    let fields = ["workers: 2", "price: {input: 1, output: 1}"];
    let project = project(&model_target(&server, &fields), CASES, |number| {
        let conduct = if number == 3 { "!hang!" } else { "" };
        format!("{conduct} number {number}")
    });
    let mut program = Program::start(&mut agentv(&project, ["--budget", "0.105"]));
    program.until(&Moment::Calls(&server, 10));
    program.signal(Signal::SIGTERM);
    program.wait().expect(143);
}
