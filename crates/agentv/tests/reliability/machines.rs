//! A run on workers ends like a local one, whatever happens to workers, coordinator and server.

use std::collections::HashSet;
use std::time::Duration;

use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::model::{Answer, Behaviour, ModelServer, Usage};
use agentv_testkit::{NatsServer, Project, Random};
use serde_json::{Value, json};

use crate::campaign::{rounds, seed};
use crate::engine::{
    Network, RawClient, Worker, WorkerCommand, engine, nats, nothing_is_left_on, run_on, wait_until,
};
use crate::program::{Ended, NONE, Program, agentv, finish, model_target, project};
use crate::records::{Outcome, each_case_once, run_folder, whole_records};

const CASES: usize = 400;

/// Returns the message of a case. Some answers are wrong, and some requests are always refused.
fn message(number: usize) -> String {
    match number % 50 {
        0 => format!("!status=400! number {number}"),
        1..10 => format!("wrong number {number}"),
        _ => format!("number {number}"),
    }
}

fn model(latency: Duration) -> ModelServer {
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
    ModelServer::start(behaviour.latency(latency).jitter(latency)).unwrap()
}

fn project_at(model: &ModelServer) -> Project {
    let price = "price: {input: 0.3, output: 0.7}";
    project(&model_target(model, &[price]), CASES, message)
}

/// A model, a NATS server, and the outcome of a local run.
struct Setting {
    model: ModelServer,
    server: NatsServer,
    expected: Outcome,
}

impl Setting {
    /// Prints why the test is skipped if there is no server.
    fn new(latency: Duration) -> Option<Setting> {
        let server = nats()?;
        let model = model(latency);
        let local = project_at(&model);
        let ended = finish(&mut agentv(&local, NONE)).expect(3);
        Some(Setting {
            expected: Outcome::of(&ended, &local, CASES),
            model,
            server,
        })
    }

    fn worker(&self) -> Worker {
        Worker::start(&self.server.url(), 8)
    }

    fn start(&self, project: &Project, arguments: &[&str]) -> Program {
        Program::start(&mut run_on(&self.server.url(), project, arguments))
    }

    /// Checks that a run ended like the local one, and left nothing on the server.
    #[track_caller]
    fn holds_for(&self, ended: Ended, project: &Project) {
        let ended = ended.expect(3);
        Outcome::of(&ended, project, CASES).is_the_same_as(&self.expected);
        nothing_is_left_on(&self.server);
    }
}

/// Waits until a run has written this many results.
fn until_results(program: &mut Program, project: &Project, lines: u64) {
    program.until(&Moment::Below(
        &project.path(".agentv/results"),
        "results.jsonl",
    ));
    let results = run_folder(project).join("results.jsonl");
    program.until(&Moment::Lines(&results, lines));
}

#[test]
fn a_run_on_workers_has_the_result_of_a_local_run() {
    let Some(setting) = Setting::new(Duration::from_millis(2)) else {
        return;
    };
    let workers = [setting.worker(), setting.worker()];
    let project = project_at(&setting.model);
    let ended = setting.start(&project, &[]).wait();
    assert!(ended.stdout.contains(" on 1 machine\n"), "{}", ended.stdout);
    setting.holds_for(ended, &project);
    // The workers are still there, for the next run.
    let again = project_at(&setting.model);
    let ended = setting.start(&again, &[]).wait();
    setting.holds_for(ended, &again);
    for worker in workers {
        let left = worker.leave().expect(0);
        assert!(left.stderr.contains("is over"), "{}", left.stderr);
    }
}

#[test]
fn workers_that_are_killed_at_random_moments_change_no_result() {
    let Some(setting) = Setting::new(Duration::from_millis(20)) else {
        return;
    };
    let seed = seed();
    for round in 0..rounds(1, 5) {
        let mut random = Random::new(seed.wrapping_add(round as u64));
        let project = project_at(&setting.model);
        let mut workers: Vec<Worker> = (0..3).map(|_| setting.worker()).collect();
        let mut program = setting.start(&project, &[]);
        for kill in 1..=rounds(4, 8) as u64 {
            let results = kill * CASES as u64 / 10 + random.between(0, 20);
            until_results(&mut program, &project, results);
            let at = random.between(0, workers.len() as u64 - 1);
            workers.swap_remove(usize::try_from(at).unwrap()).kill();
            workers.push(setting.worker());
        }
        setting.holds_for(program.wait(), &project);
    }
}

#[test]
fn workers_that_join_and_leave_change_no_result() {
    let Some(setting) = Setting::new(Duration::from_millis(20)) else {
        return;
    };
    let seed = seed();
    for round in 0..rounds(1, 5) {
        let mut random = Random::new(seed.wrapping_add(round as u64));
        let project = project_at(&setting.model);
        let mut program = setting.start(&project, &[]);
        for results in [40, 120, 200, 280] {
            let stays = setting.worker();
            let results = results + random.between(0, 40);
            until_results(&mut program, &project, results);
            // Some hand their trials back at once, and the others finish theirs.
            let worker = if random.between(0, 1) == 0 {
                let url = setting.server.url();
                let hasty = WorkerCommand::new(&url, 8).args(&["--grace", "1ms"]);
                let hasty = hasty.start();
                until_results(&mut program, &project, results + 20);
                stays.leave().expect(0);
                hasty
            } else {
                stays
            };
            worker.leave().expect(0);
        }
        let last = setting.worker();
        setting.holds_for(program.wait(), &project);
        last.leave().expect(0);
    }
}

#[test]
fn a_coordinator_that_is_killed_and_resumed_changes_no_result() {
    let Some(setting) = Setting::new(Duration::from_millis(20)) else {
        return;
    };
    let seed = seed();
    let workers = [setting.worker(), setting.worker()];
    for round in 0..rounds(1, 5) {
        let mut random = Random::new(seed.wrapping_add(round as u64));
        let project = project_at(&setting.model);
        let mut before = Vec::new();
        for (kill, results) in [30, 150, 260].into_iter().enumerate() {
            let resume: &[&str] = if kill == 0 { &[] } else { &["--resume"] };
            let mut program = setting.start(&project, resume);
            until_results(&mut program, &project, results + random.between(0, 80));
            program.signal(Signal::SIGKILL);
            program.wait();
            let file = run_folder(&project).join("results.jsonl");
            crate::records::nothing_is_lost(&mut before, &file);
        }
        let ended = setting.start(&project, &["--resume"]).wait();
        setting.holds_for(ended, &project);
    }
    drop(workers);
}

#[test]
fn a_server_that_restarts_changes_no_result() {
    let Some(mut setting) = Setting::new(Duration::from_millis(20)) else {
        return;
    };
    let seed = seed();
    for round in 0..rounds(1, 4) {
        let mut random = Random::new(seed.wrapping_add(round as u64));
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            let project = project_at(&setting.model);
            let workers = [setting.worker(), setting.worker()];
            let mut program = setting.start(&project, &[]);
            let mut results = random.between(1, 100);
            for _ in 0..rounds(1, 3) {
                until_results(&mut program, &project, results);
                setting.server.stop(signal).unwrap();
                setting.server.start_again().unwrap();
                results += random.between(60, 100);
            }
            setting.holds_for(program.wait(), &project);
            drop(workers);
        }
    }
}

#[test]
fn a_trial_that_two_workers_execute_has_one_result() {
    let Some(setting) = Setting::new(Duration::from_millis(50)) else {
        return;
    };
    let seed = seed();
    for round in 0..rounds(1, 5) {
        let mut random = Random::new(seed.wrapping_add(round as u64));
        let project = project_at(&setting.model);
        let stopped = setting.worker();
        let mut program = setting.start(&project, &[]);
        until_results(&mut program, &project, 50 + random.between(0, 30));
        // Its trials go to another worker. When it continues, it reports them, too.
        stopped.signal(Signal::SIGSTOP);
        let other = setting.worker();
        until_results(&mut program, &project, CASES as u64 - 8);
        stopped.signal(Signal::SIGCONT);
        setting.holds_for(program.wait(), &project);
        drop((stopped, other));
    }
}

#[test]
fn a_message_that_arrives_twice_changes_no_result() {
    let Some(setting) = Setting::new(Duration::from_millis(5)) else {
        return;
    };
    let mut client = RawClient::connect(&setting.server);
    client.subscribe("agentv.default.*.news");
    let worker = setting.worker();
    let project = project_at(&setting.model);
    let mut program = setting.start(&project, &[]);
    until_results(&mut program, &project, 20);
    // Everything that workers reported so far is sent again.
    let run = run_folder(&project);
    let run = run.file_name().unwrap().to_str().unwrap();
    let said = client.messages();
    assert!(said.len() >= 20, "{}", said.len());
    for message in said {
        client.publish(&format!("agentv.default.{run}.news"), &message);
    }
    setting.holds_for(program.wait(), &project);
    drop(worker);
}

#[test]
fn the_server_has_an_answer_that_costs_something_before_it_is_graded() {
    let Some(setting) = Setting::new(Duration::from_millis(2)) else {
        return;
    };
    let mut client = RawClient::connect(&setting.server);
    client.subscribe("agentv.default.*.news");
    let worker = setting.worker();
    let project = project_at(&setting.model);
    let ended = setting.start(&project, &[]).wait();
    setting.holds_for(ended, &project);
    let is_end = |message: &String| message.contains("\"what\":{\"ended\"");
    wait_until("all results", || {
        client.messages().iter().filter(|it| is_end(it)).count() == CASES
    });
    let (mut answered, mut graded) = (HashSet::new(), 0);
    for message in client.messages() {
        let news: Value = serde_json::from_str(&message).unwrap();
        let key = news["key"].as_str().unwrap().to_owned();
        if !is_end(&message) {
            answered.insert(key);
        } else if news["what"]["ended"]["result"]["status"] != "error" {
            assert!(answered.contains(&key), "{message}");
            graded += 1;
        }
    }
    assert_eq!(graded, CASES - CASES / 50);
    drop(worker);
}

#[test]
fn a_network_that_stops_changes_no_result() {
    let Some(setting) = Setting::new(Duration::from_millis(20)) else {
        return;
    };
    // Longer than a silent worker keeps its trials.
    let pause = Duration::from_secs(rounds(9, 60) as u64);
    let network = Network::to(&setting.server);
    let project = project_at(&setting.model);
    let workers = [
        Worker::start(&network.url(), 8),
        Worker::start(&network.url(), 8),
    ];
    let mut program = Program::start(&mut run_on(&network.url(), &project, &[]));
    until_results(&mut program, &project, 100);
    network.stop(true);
    std::thread::sleep(pause);
    network.stop(false);
    setting.holds_for(program.wait(), &project);
    drop(workers);
}

/// Returns a command that kills the worker that runs it, for one case.
fn deadly() -> String {
    let line = "case $1 in *deadly*) p=$$; \
                while ! tr '\\0' ' ' < /proc/$p/cmdline | grep -q ' [w]orker --engine'; do \
                p=$(cut -d' ' -f4 /proc/$p/stat); done; kill -9 $p; sleep 100;; *) echo right;; esac";
    json!({"targets": [
        {"name": "default", "provider": "cli", "command": ["sh", "-c", line, "sh", "{PROMPT}"],
         "timeout_seconds": 90},
    ]})
    .to_string()
}

#[test]
fn a_trial_that_ends_its_worker_each_time_is_an_error_of_that_trial_only() {
    let Some(server) = nats() else { return };
    const MANY: usize = 40;
    let project = project(&deadly(), MANY, |number| match number {
        3 => "deadly".to_owned(),
        _ => format!("number {number}"),
    });
    let mut workers: Vec<Worker> = (0..2).map(|_| Worker::start(&server.url(), 4)).collect();
    let mut program = Program::start(&mut run_on(&server.url(), &project, &[]));
    // A supervisor starts each worker again.
    let mut deaths = 0;
    while !program.has_ended() {
        for worker in &mut workers {
            if worker.has_ended() {
                deaths += 1;
                *worker = Worker::start(&server.url(), 4);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = program.wait().expect(3);
    let results = each_case_once(&run_folder(&project), MANY);
    for result in results {
        let is_deadly = result["eval_id"] == "case-0003";
        assert_eq!(result["status"] == "error", is_deadly, "{result}");
        if is_deadly {
            let text = result["error"].to_string();
            assert!(text.contains("its worker was lost 4 times"), "{text}");
        }
    }
    assert_eq!(deaths, 4, "{}", ended.stderr);
    nothing_is_left_on(&server);
}

#[test]
fn a_worker_of_another_version_is_refused_by_name() {
    let Some(server) = nats() else { return };
    let worker = Worker::start(&server.url(), 2);
    worker.until_says("connected");
    let mut client = RawClient::connect(&server);
    client.subscribe("agentv.default.worker");
    let announcement = json!({
        "run": "r", "version": "99.0.0", "coordinator": "elsewhere", "state": "going",
    });
    // A worker that has just connected may miss the first announcement.
    wait_until("the worker refuses the run", || {
        client.publish("agentv.default.announce", &announcement.to_string());
        client.has_received("it needs version 99.0.0")
    });
    worker.until_says("it needs version 99.0.0 of agentv, and this worker has");
    worker.leave().expect(0);
    // The coordinating process reports a worker that refuses its run.
    let project = project(
        "targets: [{name: default, provider: mock, response: right}]",
        3,
        message,
    );
    let mut program = Program::start(&mut run_on(&server.url(), &project, &[]));
    program.until(&Moment::Below(&project.path(".agentv/results"), "run.json"));
    let run = run_folder(&project);
    let report = json!({
        "id": "old-1", "host": "old", "pid": 1, "version": "0.0.1", "slots": 4, "busy": [], "done": 0,
        "per_minute": 1.0, "is_leaving": false,
        "runs": [{"run": run.file_name().unwrap().to_str().unwrap(), "refused": "it needs version 99"}],
    });
    let words = "worker on `old` (process 1) refuses this run: it needs version 99";
    wait_until(words, || {
        client.publish("agentv.default.worker", &report.to_string());
        program.said().contains(words)
    });
    let worker = Worker::start(&server.url(), 2);
    let ended = program.wait().expect(0);
    each_case_once(&run, 3);
    assert_eq!(ended.stderr.matches(words).count(), 1, "{}", ended.stderr);
    drop(worker);
}

/// Returns a target whose key is a variable.
fn with_key(model: &ModelServer) -> String {
    model_target(model, &[]).replace("sk-of-no-importance", "${{ TEST_MODEL_KEY }}")
}

#[test]
fn trials_go_to_workers_that_have_the_key() {
    let Some(server) = nats() else { return };
    let model = model(Duration::from_millis(5));
    let with_key = project(&with_key(&model), 60, |number| format!("number {number}"));
    let lacking = Worker::start(&server.url(), 4);
    let having = WorkerCommand::new(&server.url(), 4).env("TEST_MODEL_KEY", "sk-0123456789abcdef");
    let having = having.start();
    let mut command = run_on(&server.url(), &with_key, &[]);
    command.env("TEST_MODEL_KEY", "sk-of-the-coordinator");
    let mut program = Program::start(&mut command);
    lacking.until_says("leaves a target to other workers");
    program.until(&Moment::Below(
        &with_key.path(".agentv/results"),
        "results.jsonl",
    ));
    let ended = program.wait().expect(0);
    each_case_once(&run_folder(&with_key), 60);
    let told = ended.stderr.matches("leaves a target to others").count();
    assert!(told <= 1, "{}", ended.stderr);
    nothing_is_left_on(&server);
    drop((having, lacking));
}

#[test]
fn a_key_that_no_worker_has_is_an_error_of_the_trials() {
    let Some(server) = nats() else { return };
    let model = model(Duration::from_millis(5));
    let project = project(&with_key(&model), 5, |number| format!("number {number}"));
    let worker = Worker::start(&server.url(), 4);
    let mut command = run_on(&server.url(), &project, &[]);
    command.env("TEST_MODEL_KEY", "sk-of-the-coordinator");
    let ended = finish(&mut command).expect(3);
    assert_eq!(
        ended.stderr.matches("leaves a target to others").count(),
        1,
        "{}",
        ended.stderr
    );
    for result in each_case_once(&run_folder(&project), 5) {
        let text = result["error"].to_string();
        assert!(text.contains("TEST_MODEL_KEY"), "{text}");
    }
    assert_eq!(model.calls().total, 0);
    nothing_is_left_on(&server);
    drop(worker);
}

#[test]
fn a_killed_run_is_removed_from_the_server_by_engine_clean() {
    let Some(server) = nats() else { return };
    let model = model(Duration::from_millis(20));
    let project = project_at(&model);
    let worker = Worker::start(&server.url(), 2);
    let mut program = Program::start(&mut run_on(&server.url(), &project, &[]));
    until_results(&mut program, &project, 5);
    let status = engine(&server.url(), "status").expect(0);
    let host = rustix::system::uname();
    let host = format!("  {} (process ", host.nodename().to_str().unwrap());
    for words in [
        "1 worker, 2 slots",
        &host,
        " of 2 slots busy, ",
        " trials done, ",
        " per minute",
        "    case-",
        " on default, trial 1, ",
        "1 run\n",
        " waiting or in work, coordinated by ",
    ] {
        assert!(status.stdout.contains(words), "{words}: {}", status.stdout);
    }
    // A run that is going stays.
    engine(&server.url(), "clean").expect(0);
    assert_eq!(server.streams().len(), 3, "{:?}", server.streams());
    program.signal(Signal::SIGKILL);
    program.wait();
    let cleaned = engine(&server.url(), "clean").expect(0);
    let run = run_folder(&project);
    let run = run.file_name().unwrap().to_str().unwrap();
    assert!(cleaned.stdout.contains(run), "{}", cleaned.stdout);
    nothing_is_left_on(&server);
    // The run can still be resumed.
    let ended = Program::start(&mut run_on(&server.url(), &project, &["--resume"]));
    ended.wait().expect(3);
    each_case_once(&run_folder(&project), CASES);
    drop(worker);
    let _ = whole_records(&run_folder(&project).join("transcripts.jsonl"));
}
