//! A run that gets signals again and again has the same result as one that does not.

use std::thread::sleep;
use std::time::Duration;

use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::model::{Answer, Behaviour, ModelServer, Usage};
use agentv_testkit::{Project, Random};

use crate::campaign::{rounds, seed};
use crate::program::{NONE, Program, agentv, finish, model_target, project};
use crate::records::{Outcome, nothing_is_lost, run_folder};

const CASES: usize = 2_000;
const WORKERS: usize = 32;
const KILLS: u64 = 10;

/// Returns the message of a case. Some answers are wrong, and some requests are always refused.
fn message(number: usize) -> String {
    match number % 50 {
        0 => format!("!status=400! number {number}"),
        1..10 => format!("wrong number {number}"),
        _ => format!("number {number}"),
    }
}

fn server() -> ModelServer {
    let answer = Answer::ByMessage {
        answers: vec![("wrong".to_owned(), "no".to_owned())],
        otherwise: "right".to_owned(),
    };
    let usage = Usage {
        input: 1_000,
        output: 100,
        cached: 0,
    };
    let behaviour = Behaviour::echo().answer(answer).usage(usage).keep(0);
    let latency = Duration::from_millis(2);
    ModelServer::start(behaviour.latency(latency).jitter(latency)).unwrap()
}

fn project_at(server: &ModelServer) -> Project {
    let workers = format!("workers: {WORKERS}");
    let price = "price: {input: 0.3, output: 0.7}";
    project(&model_target(server, &[&workers, price]), CASES, message)
}

fn uninterrupted(server: &ModelServer) -> Outcome {
    let project = project_at(server);
    let ended = finish(&mut agentv(&project, NONE)).expect(3);
    assert_eq!(server.calls().total, CASES as u64);
    Outcome::of(&ended, &project, CASES)
}

/// Starts or resumes the run, and sends it a signal a short time after a number of further calls.
fn run_and_signal(
    project: &Project,
    server: &ModelServer,
    (signal, code): (Signal, Option<i32>),
    calls: u64,
    moments: Duration,
) {
    let resume = run_exists(project).then_some("--resume");
    let mut program = Program::start(&mut agentv(project, resume));
    let total = server.calls().total + calls;
    program.until(&Moment::Calls(server, total));
    sleep(moments);
    program.signal(signal);
    let ended = program.wait().code;
    // A run that has made no call yet need not handle signals yet, and may end like any process. Calls
    // that were in flight at the last kill may be counted only now.
    let may_be_deaf = calls <= WORKERS as u64 && ended.is_none();
    assert!(
        ended == code || may_be_deaf,
        "it ended with {ended:?} after {signal:?}"
    );
}

/// Resumes the run, and kills it when it has written and reported its last result.
fn kill_at_the_end(project: &Project) {
    let mut program = Program::start(&mut agentv(project, ["--resume"]));
    let results = run_folder(project).join("results.jsonl");
    program.kill_at(&Moment::Lines(&results, CASES as u64));
    program.wait();
}

fn run_exists(project: &Project) -> bool {
    let folders = crate::records::run_folders(project);
    folders
        .iter()
        .any(|folder| folder.join("run.json").exists())
}

/// Ends a run ten times at random moments with one of `signals`, resumes it each time, and finally lets
/// it finish.
fn stopped_and_resumed(
    server: &ModelServer,
    seed: u64,
    signals: &[(Signal, Option<i32>)],
) -> Outcome {
    let mut random = Random::new(seed);
    let before = server.calls().total;
    let project = project_at(server);
    let (mut results, mut transcripts) = (Vec::new(), Vec::new());
    for kill in 0..KILLS {
        // The first kill comes after a call, so that there is a run to resume.
        let calls = random.between(u64::from(kill == 0), CASES as u64 / (KILLS + 4));
        let moments = Duration::from_micros(random.between(0, 4_000));
        let signal = random.pick(signals);
        run_and_signal(&project, server, signal, calls, moments);
        let folder = run_folder(&project);
        nothing_is_lost(&mut results, &folder.join("results.jsonl"));
        nothing_is_lost(&mut transcripts, &folder.join("transcripts.jsonl"));
    }
    kill_at_the_end(&project);
    let ended = finish(&mut agentv(&project, ["--resume"])).expect(3);
    let most = CASES as u64 + KILLS * WORKERS as u64;
    let calls = server.calls().total - before;
    assert!(
        calls <= most,
        "{calls} calls, and at most {most} were needed"
    );
    Outcome::of(&ended, &project, CASES)
}

const KILL: (Signal, Option<i32>) = (Signal::SIGKILL, None);
const INTERRUPT: (Signal, Option<i32>) = (Signal::SIGINT, Some(130));
const TERMINATE: (Signal, Option<i32>) = (Signal::SIGTERM, Some(143));
const HANG_UP: (Signal, Option<i32>) = (Signal::SIGHUP, Some(129));

/// Checks with several seeds that a run has the same result, whatever signals come.
fn ends_the_same(signals: &[(Signal, Option<i32>)], rounds: usize) {
    let seed = seed();
    // Uses the same server, because the keys of records depend on its address.
    let server = server();
    let expected = uninterrupted(&server);
    for round in 0..rounds {
        println!("round {round}");
        let ended = stopped_and_resumed(&server, seed.wrapping_add(round as u64), signals);
        ended.is_the_same_as(&expected);
    }
}

#[test]
fn a_run_killed_at_random_moments_has_the_same_result() {
    ends_the_same(&[KILL], rounds(3, 10));
}

#[test]
fn a_run_that_gets_random_signals_at_random_moments_has_the_same_result() {
    ends_the_same(&[KILL, INTERRUPT, TERMINATE, HANG_UP], rounds(2, 10));
}
