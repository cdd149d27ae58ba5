//! The number of requests in flight.

use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::model::{Behaviour, ModelServer, Step};

use crate::LONGEST;
use crate::campaign::rounds;
use crate::program::{Program, add_model_target, agentv, finish, model_target, project};
use crate::records::{counts, each_case_once, run_folder, whole_records};

/// Starts a server that never answers.
fn silent() -> ModelServer {
    ModelServer::start(Behaviour::echo().always(Step::Hang).keep(0)).unwrap()
}

/// Ends a run that does not end by itself.
pub(crate) fn end(mut program: Program) {
    program.signal(Signal::SIGINT);
    program.until_said(1);
    program.signal(Signal::SIGINT);
    program.wait().expect(130);
}

#[test]
fn five_hundred_workers_have_five_hundred_requests_in_flight() {
    let server = silent();
    let project = project(&model_target(&server, &[]), 600, |number| {
        format!("{number}")
    });
    let program = Program::start(&mut agentv(&project, ["--workers", "500"]));
    assert!(server.wait_for_calls(500, LONGEST));
    assert_eq!(server.calls().most_in_flight, 500);
    end(program);
    assert_eq!(server.calls().total, 500, "and no more");
}

#[test]
fn thousands_of_workers_make_as_many_requests_in_bounded_memory() {
    let workers = rounds(1_000, 5_000);
    if !may_open(2 * workers as u64) {
        println!("skipped: too few files may be open");
        return;
    }
    let server = silent();
    let project = project(&model_target(&server, &[]), workers + 10, |number| {
        format!("{number}")
    });
    let asked = workers.to_string();
    let program = Program::start(&mut agentv(&project, ["--workers", &asked]));
    assert!(server.wait_for_calls(workers as u64, LONGEST));
    assert_eq!(server.calls().most_in_flight, workers);
    program.signal(Signal::SIGTERM);
    let (ended, kibibytes) = program.wait_and_measure();
    ended.expect(143);
    assert_eq!(server.calls().total, workers as u64, "and no more");
    assert!((1..600 << 10).contains(&kibibytes), "{kibibytes} KiB");
}

/// Raises the limit of open files of this process, which runs the server.
fn may_open(files: u64) -> bool {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile)
        .current
        .is_none_or(|current| current > files)
}

#[test]
fn idle_workers_take_no_memory() {
    let peaks = ["5", "5000"].map(|workers| {
        let server = ModelServer::start(Behaviour::answering("right").hold_after(0)).unwrap();
        let project = project(&model_target(&server, &[]), 5, |number| format!("{number}"));
        let program = Program::start(&mut agentv(&project, ["--workers", workers]));
        assert!(server.wait_for_calls(5, LONGEST));
        // The workers that have a case wait for the answer, so the process can be measured.
        let kibibytes = program.peak_memory();
        server.release();
        program.wait().expect(0);
        kibibytes
    });
    assert!(peaks[0] > 0, "{peaks:?} KiB");
    assert!(peaks[1] < peaks[0] + (20 << 10), "{peaks:?} KiB");
}

#[test]
fn each_target_has_its_own_workers_and_none_waits_for_another() {
    const CASES: usize = 60;
    let stuck = silent();
    let latency = std::time::Duration::from_millis(100);
    let fast = ModelServer::start(Behaviour::answering("right").latency(latency)).unwrap();
    let mut targets = "targets:\n".to_owned();
    add_model_target(&mut targets, "stuck", &stuck, &["workers: 3"]);
    add_model_target(&mut targets, "fast", &fast, &["workers: 7"]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    let arguments = ["--target", "stuck", "--target", "fast"];
    let mut program = Program::start(&mut agentv(&project, arguments));
    program.until(&Moment::Calls(&stuck, 3));
    program.until(&Moment::Calls(&fast, CASES as u64));
    let results = run_folder(&project).join("results.jsonl");
    program.until(&Moment::Lines(&results, CASES as u64));
    assert_eq!(counts(&whole_records(&results), "target")["fast"], CASES);
    assert_eq!(fast.calls().most_in_flight, 7);
    end(program);
    assert_eq!((stuck.calls().total, stuck.calls().most_in_flight), (3, 3));
}

#[test]
fn a_target_that_is_named_twice_is_called_once() {
    let server = ModelServer::start(Behaviour::answering("right")).unwrap();
    let project = project(&model_target(&server, &[]), 5, |number| format!("{number}"));
    let twice = ["--target", "default", "--target", "default"];
    finish(&mut agentv(&project, twice)).expect(0);
    each_case_once(&run_folder(&project), 5);
}
