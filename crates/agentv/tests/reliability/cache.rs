//! One cache, several processes.

use std::time::Duration;

use agentv_testkit::crash::Moment;
use agentv_testkit::model::{Behaviour, ModelServer};

use crate::program::{Program, agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folders};

#[test]
fn processes_that_share_a_cache_share_answers_and_do_not_disturb_each_other() {
    const CASES: usize = 100;
    let latency = Duration::from_millis(20);
    let server = ModelServer::start(Behaviour::answering("right").latency(latency)).unwrap();
    let targets = model_target(&server, &["workers: 2"]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    let start = || Program::start(&mut agentv(&project, ["--quiet", "--cache"]));
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
    // Those that the first had before the others began.
    assert!(cached >= 2 * 50, "{cached} came from the cache");
    finish(&mut agentv(&project, ["--quiet", "--cache"])).expect(0);
    assert_eq!(server.calls().total as usize, asked, "all were kept");
}

#[test]
fn processes_that_begin_together_can_all_create_the_cache() {
    let server = ModelServer::start(Behaviour::answering("right")).unwrap();
    for _ in 0..5 {
        let project = project(&model_target(&server, &[]), 20, |number| {
            format!("{number}")
        });
        let start = |_| Program::start(&mut agentv(&project, ["--quiet", "--cache"]));
        let programs: Vec<Program> = (0..4).map(start).collect();
        for program in programs {
            let ended = program.wait().expect(0);
            assert_eq!(ended.stderr, "");
        }
    }
}
