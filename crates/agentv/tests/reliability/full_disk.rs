//! A disk that is full in the middle of a run.

use std::fs;
use std::time::Duration;

use agentv_testkit::SmallDisk;
use agentv_testkit::model::{Behaviour, ModelServer};

use crate::program::{agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folder, whole_records};

const CASES: usize = 300;
const WORKERS: u64 = 8;

fn message(number: usize) -> String {
    format!(
        "number {number} of a right long message: {}",
        "x".repeat(2_000)
    )
}

#[test]
fn a_full_disk_is_told_and_after_freeing_space_nothing_is_asked_twice() {
    let server = ModelServer::start(Behaviour::echo().latency(Duration::from_millis(2))).unwrap();
    let workers = format!("workers: {WORKERS}");
    let project = project(&model_target(&server, &[&workers]), CASES, message);
    let results = project.path(".agentv/results");
    fs::create_dir_all(&results).unwrap();
    let disk = match SmallDisk::mount(&results, 8 << 10) {
        Ok(disk) => disk,
        Err(reason) => {
            println!("skipped: {reason}");
            return;
        }
    };
    let filler = disk.path().join(".filler");
    fs::write(&filler, vec![0; 7 << 20]).unwrap();

    let ended = finish(&mut agentv(&project, ["--quiet"])).expect(5);
    assert!(
        ended.stderr.contains("the disk is full"),
        "{}",
        ended.stderr
    );
    let names_the_file = ["transcripts.jsonl", "results.jsonl"]
        .iter()
        .any(|name| ended.stderr.contains(name));
    assert!(names_the_file, "{}", ended.stderr);
    assert!(ended.stdout.contains("--resume="), "{}", ended.stdout);
    fs::remove_file(&filler).unwrap();
    let folder = run_folder(&project);
    whole_records(&folder.join("results.jsonl"));
    let answered = whole_records(&folder.join("transcripts.jsonl"));
    assert!((1..CASES).contains(&answered.len()), "{}", answered.len());

    finish(&mut agentv(&project, ["--quiet", "--resume"])).expect(0);
    each_case_once(&folder, CASES);
    for record in answered {
        let id = record["eval_id"].as_str().unwrap();
        let number: usize = id.trim_start_matches("case-").parse().unwrap();
        assert_eq!(server.calls_of(&message(number)), 1, "{id}");
    }
    assert!(server.calls().total <= CASES as u64 + WORKERS);
}
