//! One cache, several processes.

use std::time::Duration;

use agentv_testkit::Random;
use agentv_testkit::crash::Moment;
use agentv_testkit::model::{Behaviour, ModelServer};

use crate::campaign::{rounds, seed};
use crate::program::{Program, agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folders};

#[test]
fn processes_that_share_a_cache_share_answers_without_conflicts() {
    const CASES: usize = 100;
    let latency = Duration::from_millis(20);
    let server = ModelServer::start(Behaviour::answering("right").latency(latency)).unwrap();
    let targets = model_target(&server, &["workers: 2"]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    let start = || Program::start(&mut agentv(&project, ["--cache"]));
    let mut first = start();
    first.until(&Moment::Calls(&server, 60));
    let others = [start(), start()];
    for program in [first].into_iter().chain(others) {
        let ended = program.wait().expect(0);
        assert_eq!(ended.stderr, "");
    }
    let folders = run_folders(&project);
    assert_eq!(folders.len(), 3);
    let mut cached = 0;
    for folder in &folders {
        let results = each_case_once(folder, CASES);
        cached += results
            .iter()
            .filter(|record| record["cached"] == true)
            .count();
    }
    let asked = server.calls().total as usize;
    assert_eq!(asked + cached, 3 * CASES);
    // The answers that the first process had before the others started.
    assert!(cached >= 2 * 50, "{cached} came from the cache");
    finish(&mut agentv(&project, ["--cache"])).expect(0);
    assert_eq!(server.calls().total as usize, asked, "all were kept");
}

#[test]
fn processes_that_start_together_can_all_create_the_cache() {
    let server = ModelServer::start(Behaviour::answering("right")).unwrap();
    for _ in 0..5 {
        let project = project(&model_target(&server, &[]), 20, |number| {
            format!("{number}")
        });
        let start = |_| Program::start(&mut agentv(&project, ["--cache"]));
        let programs: Vec<Program> = (0..4).map(start).collect();
        for program in programs {
            let ended = program.wait().expect(0);
            assert_eq!(ended.stderr, "");
        }
    }
}

#[test]
fn killed_processes_do_not_damage_the_cache_that_they_share() {
    const CASES: usize = 100;
    let mut random = Random::new(seed());
    for _ in 0..rounds(2, 20) {
        let latency = Duration::from_millis(5);
        let server = ModelServer::start(Behaviour::answering("right").latency(latency)).unwrap();
        let targets = model_target(&server, &["workers: 4"]);
        let project = project(&targets, CASES, |number| format!("number {number}"));
        let start = |_| Program::start(&mut agentv(&project, ["--cache"]));
        let mut programs: Vec<Program> = (0..3).map(start).collect();
        for program in &mut programs {
            let calls = server.calls().total + random.between(1, 60);
            program.kill_at(&Moment::Calls(&server, calls.min(CASES as u64)));
        }
        programs
            .into_iter()
            .for_each(|program| drop(program.wait()));

        for folder in run_folders(&project) {
            if !folder.join("run.json").exists() {
                continue;
            }
            let run = folder.file_name().unwrap().to_str().unwrap();
            let resume = format!("--resume={run}");
            let ended = finish(&mut agentv(&project, ["--cache", &resume])).expect(0);
            assert_eq!(ended.stderr, "");
            each_case_once(&folder, CASES);
        }
        let asked = server.calls().total;
        let ended = finish(&mut agentv(&project, ["--cache"])).expect(0);
        assert_eq!(ended.stderr, "");
        let lost = server.calls().total - asked;
        assert_eq!(lost, 0, "answers that were kept are gone");
    }
}
