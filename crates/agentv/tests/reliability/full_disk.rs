//! A disk that is full before, in the middle or at the end of a run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agentv_testkit::model::{Behaviour, ModelServer};
use agentv_testkit::{Project, Random, SmallDisk};

use crate::campaign::{rounds, seed};
use crate::program::{NONE, agentv, clean, finish, model_target, project};
use crate::records::{each_case_once, run_folder, run_folders, whole_records};

const CASES: usize = 300;
const WORKERS: u64 = 8;

fn message(number: usize) -> String {
    format!(
        "number {number} of a right long message: {}",
        "x".repeat(2_000)
    )
}

/// Mounts a disk in place of a folder, if the system allows that.
fn disk_at(folder: &Path, kibibytes: u32) -> Option<SmallDisk> {
    fs::create_dir_all(folder).unwrap();
    let disk = SmallDisk::mount(folder, kibibytes);
    disk.inspect_err(|reason| println!("skipped: {reason}"))
        .ok()
}

#[test]
fn a_full_disk_is_reported_and_after_freeing_space_no_written_work_is_repeated() {
    let server = ModelServer::start(Behaviour::echo().latency(Duration::from_millis(2))).unwrap();
    let workers = format!("workers: {WORKERS}");
    let project = project(&model_target(&server, &[&workers]), CASES, message);
    let results = project.path(".agentv/results");
    fs::create_dir_all(&results).unwrap();
    let Some(disk) = disk_at(&results, 8 << 10) else {
        return;
    };
    let filler = disk.path().join(".filler");
    fs::write(&filler, vec![0; 7 << 20]).unwrap();

    let ended = finish(&mut agentv(&project, NONE)).expect(5);
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

    finish(&mut agentv(&project, ["--resume"])).expect(0);
    each_case_once(&folder, CASES);
    for record in answered {
        let id = record["eval_id"].as_str().unwrap();
        let number: usize = id.trim_start_matches("case-").parse().unwrap();
        assert_eq!(server.calls_of(&message(number)), 1, "{id}");
    }
    assert!(server.calls().total <= CASES as u64 + WORKERS);
}

/// Creates a project whose target makes no calls.
fn quick_project(cases: usize) -> Project {
    let targets = "targets: [{name: default, provider: mock, response: right}]\n";
    project(targets, cases, |number| format!("number {number}"))
}

#[test]
fn a_full_disk_of_any_size_is_reported_and_the_run_resumes_with_more_space() {
    const QUICK: usize = 30;
    let mut random = Random::new(seed());
    // The smallest disk is too small for `run.json`, and about 15 pages are enough for everything.
    let others = (0..rounds(6, 40)).map(|_| random.between(1, 16));
    for pages in [1, 2].into_iter().chain(others) {
        let project = quick_project(QUICK);
        let results = project.path(".agentv/results");
        let Some(disk) = disk_at(&results, 4 * pages as u32) else {
            return;
        };
        let ended = finish(&mut agentv(&project, NONE));
        let is_full = ended.code != Some(0);
        if is_full {
            let said = ended.expect(5).stderr;
            assert!(said.contains("the disk is full"), "{pages} pages: {said}");
        }
        assert!(is_full || pages > 2, "nothing fits into {pages} pages");
        disk.resize(1 << 10).unwrap();
        let begun = run_folders(&project);
        for folder in &begun {
            assert!(folder.join("run.json").exists(), "{pages} pages");
            for file in ["results.jsonl", "transcripts.jsonl"] {
                whole_records(&folder.join(file));
            }
        }
        let resume = (!begun.is_empty()).then_some("--resume");
        finish(agentv(&project, NONE).args(resume)).expect(0);
        each_case_once(&run_folder(&project), QUICK);
    }
}

#[test]
fn reports_and_output_files_on_a_full_disk_are_errors_and_leave_no_file() {
    let project = quick_project(50);
    let Some(disk) = disk_at(&project.path("full"), 8) else {
        return;
    };
    fs::write(disk.path().join("filler"), vec![0; 8 << 10]).unwrap();
    finish(&mut agentv(&project, NONE)).expect(0);
    let lines = [
        "report latest -o full/report.json",
        "report latest -o full/report.html",
        "report latest --format junit -o full/report.xml",
        "convert cases.jsonl --to yaml --output full/cases.yaml",
        "run cases.jsonl --out full/records.jsonl",
        "run cases.jsonl --report json=full/report.json",
    ];
    for line in lines {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
        command.args(line.split(' ')).current_dir(project.root());
        clean(&mut command);
        let said = finish(&mut command).expect(5).stderr;
        let is_clear = said.contains("full/") && said.contains("No space left on device");
        assert!(is_clear, "{line}: {said}");
        let left = fs::read_dir(disk.path()).unwrap().count();
        assert_eq!(left, 1, "{line} leaves something beside the filler");
    }
    for folder in run_folders(&project) {
        each_case_once(&folder, 50);
    }
}

#[test]
fn a_full_disk_under_the_cache_loses_no_result() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    let project = project(&model_target(&server, &[]), 100, message);
    let Some(disk) = disk_at(&project.path(".agentv/cache"), 8) else {
        return;
    };
    let refused = finish(&mut agentv(&project, ["--cache"])).expect(2);
    let said = refused.stderr;
    assert!(
        said.contains("the cache") && said.contains("omit `--cache`"),
        "{said}"
    );
    assert_eq!(
        server.calls().total,
        0,
        "it was told before anything was asked"
    );
    assert!(run_folders(&project).is_empty());
    // Enough to start, but not for all answers.
    disk.resize(100).unwrap();
    let ended = finish(&mut agentv(&project, ["--cache"])).expect(0);
    assert!(
        ended.stderr.contains("cannot use the cache"),
        "{}",
        ended.stderr
    );
    each_case_once(&run_folder(&project), 100);
}
