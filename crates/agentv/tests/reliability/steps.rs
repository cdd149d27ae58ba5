//! A process that dies at any step that changes a run folder, or in the middle of a write.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use agentv_testkit::{Project, Random};
use serde_json::Value;

use crate::campaign::{rounds, seed};
use crate::program::{Ended, clean, finish, project};
use crate::records::{final_words, records_after_kill, run_folders, timeless_records};

const CASES: usize = 12;
/// Some answers are wrong, and two cases cannot be answered.
const EXIT: i32 = 3;
const FILES: [&str; 3] = ["results.jsonl", "run.json", "transcripts.jsonl"];
/// More time than any of these commands needs.
const MANY_STEPS: u64 = 1_000;

/// Creates a project whose target has answers to all cases but two, and two kinds of evaluators.
fn small_project() -> Project {
    let targets =
        "targets:\n  - {name: default, provider: replay, path: answers.jsonl, workers: 4}\n";
    let project = project(targets, CASES, |number| format!("number {number}"));
    let mut answers = String::new();
    for number in 2..CASES {
        let text = if number % 4 == 3 { "wrong" } else { "right" };
        answers += &format!("{{\"id\": \"case-{number:04}\", \"text\": \"{text} {number}\"}}\n");
    }
    project.write("answers.jsonl", answers).unwrap();
    let evaluators =
        "evaluators:\n  - {type: contains, value: right}\n  - {type: equals, value: right 5}\n";
    project.write("again.yaml", evaluators).unwrap();
    project
}

/// The command that is killed and resumed.
#[derive(Debug, Clone, Copy)]
enum Work {
    Run,
    /// Grades a run, which is the oldest folder.
    Grade,
}

impl Work {
    fn command(self, project: &Project, resume: bool) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
        match self {
            Work::Run => command.args(["run", "cases.jsonl", "--trials", "2"]),
            Work::Grade => {
                let origin = id_of(&run_folders(project)[0]);
                command.args(["grade", &origin, "--evaluators", "again.yaml"])
            }
        };
        command.args(resume.then_some("--resume"));
        command.current_dir(project.root());
        clean(&mut command);
        command
    }

    /// Returns a project for this work.
    fn project(self) -> Project {
        let project = small_project();
        if let Work::Grade = self {
            finish(&mut Work::Run.command(&project, false)).expect(EXIT);
        }
        project
    }

    /// Returns the folders that this work created, oldest first.
    fn folders(self, project: &Project) -> Vec<PathBuf> {
        let mut folders = run_folders(project);
        if let Work::Grade = self {
            folders.remove(0);
        }
        folders
    }

    /// Removes the folders that this work created.
    fn undo(self, project: &Project) {
        for folder in self.folders(project) {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

fn id_of(folder: &Path) -> String {
    folder.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Everything that must be the same, however often the command was killed.
struct Outcome {
    words: (String, Value),
    results: Vec<String>,
    transcripts: Vec<String>,
}

impl Outcome {
    /// Reads the result of a finished run, which must have left only its three files.
    fn of(ended: &Ended, folder: &Path, project: &Project) -> Outcome {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, FILES);
        let mut words = final_words(ended, folder);
        for other in run_folders(project) {
            words.0 = words.0.replace(&id_of(&other), "ORIGIN");
        }
        Outcome {
            words,
            results: timeless_records(&folder.join("results.jsonl")),
            transcripts: timeless_records(&folder.join("transcripts.jsonl")),
        }
    }

    /// Returns the result of undisturbed work.
    fn uninterrupted(work: Work, project: &Project) -> Outcome {
        let ended = finish(&mut work.command(project, false)).expect(EXIT);
        let [folder] = work.folders(project).try_into().unwrap();
        let outcome = Outcome::of(&ended, &folder, project);
        work.undo(project);
        outcome
    }
}

/// Does the work with a fault, and returns true if the fault killed it.
fn dies(work: Work, project: &Project, resume: bool, fault: &str) -> bool {
    let mut command = work.command(project, resume);
    let ended = finish(command.env("AGENTV_FAULT", fault));
    if ended.code.is_some() {
        ended.expect(EXIT);
        return false;
    }
    true
}

/// Checks if there is a run to resume.
fn has_record(folder: &Path) -> bool {
    folder.join("run.json").exists()
}

/// Returns the records that a killed process left in a folder.
fn left_in(folder: &Path) -> [BTreeSet<String>; 2] {
    ["results.jsonl", "transcripts.jsonl"].map(|name| {
        let records = records_after_kill(&folder.join(name));
        records.iter().map(Value::to_string).collect()
    })
}

/// Checks that the newest folder can be reported, or that the error says why not.
fn can_be_reported(project: &Project, folder: &Path) {
    let mut report = Command::new(env!("CARGO_BIN_EXE_agentv"));
    report.args(["report", "--format", "json", &id_of(folder)]);
    report.current_dir(project.root());
    clean(&mut report);
    let ended = finish(&mut report);
    if folder.join("run.json").exists() {
        let ended = ended.expect(0);
        serde_json::from_str::<Value>(&ended.stdout).unwrap();
    } else {
        let said = ended.expect(2).stderr;
        assert!(said.contains("it has no `run.json`"), "{said}");
    }
}

/// Resumes the killed work, or starts again if there is nothing to resume.
fn ends_in(work: Work, project: &Project, expected: &Outcome) {
    let folders = work.folders(project);
    let killed = folders.last().filter(|folder| has_record(folder));
    let (ended, folder) = match killed {
        Some(folder) => {
            let before = left_in(folder);
            can_be_reported(project, folder);
            let ended = finish(&mut work.command(project, true)).expect(EXIT);
            for (before, after) in before.iter().zip(left_in(folder)) {
                assert!(before.is_subset(&after), "{before:?} became {after:?}");
            }
            (ended, folder.clone())
        }
        None => {
            if let Some(folder) = folders.last() {
                can_be_reported(project, folder);
            }
            let said = finish(&mut work.command(project, true)).expect(2).stderr;
            assert!(
                said.contains("omit `--resume` to start a new one"),
                "{said}"
            );
            let ended = finish(&mut work.command(project, false)).expect(EXIT);
            (ended, work.folders(project).pop().unwrap())
        }
    };
    let found = Outcome::of(&ended, &folder, project);
    assert_eq!(found.words, expected.words);
    assert_eq!(found.results, expected.results);
    assert_eq!(found.transcripts, expected.transcripts);
}

/// Calls a function with 1, 2, 3, … on two threads with a project each, until it returns that the number
/// was too large.
fn until_too_much(work: Work, each: impl Fn(&Project, &Outcome, u64) -> bool + Sync) -> u64 {
    let (next, over) = (AtomicU64::new(1), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let project = work.project();
                let expected = Outcome::uninterrupted(work, &project);
                while !over.load(Ordering::SeqCst) {
                    let step = next.fetch_add(1, Ordering::SeqCst);
                    assert!(step < MANY_STEPS, "it dies again and again");
                    if !each(&project, &expected, step) {
                        over.store(true, Ordering::SeqCst);
                    }
                    work.undo(&project);
                }
            });
        }
    });
    next.into_inner() - 1
}

/// Kills the work at the steps `tried`, and checks that its result is the same.
fn at_steps(work: Work, fault: &str, tried: impl Fn(u64) -> bool + Sync) -> u64 {
    until_too_much(work, |project, expected, step| {
        if !tried(step) {
            return true;
        }
        let died = dies(work, project, false, &format!("{fault}@{step}"));
        if died {
            ends_in(work, project, expected);
        }
        died
    })
}

#[test]
fn a_run_killed_at_any_step_resumes_with_the_same_result() {
    let (seed, one_of) = (seed(), rounds(3, 1) as u64);
    let tried = |step: u64| step.wrapping_add(seed).is_multiple_of(one_of);
    let steps = at_steps(Work::Run, "kill", tried);
    // Each trial has two records.
    assert!(steps > 4 * CASES as u64, "{steps}");
}

#[test]
fn a_run_killed_in_the_middle_of_any_write_resumes_with_the_same_result() {
    let steps = at_steps(Work::Run, "tear", |_| true);
    assert!(steps > 4 * CASES as u64, "{steps}");
}

#[test]
fn a_grading_killed_at_any_step_resumes_with_the_same_result() {
    let steps = at_steps(Work::Grade, "tear", |_| true);
    assert!(steps > 2 * CASES as u64, "{steps}");
}

#[test]
fn a_run_killed_at_any_step_and_again_while_resuming_has_the_same_result() {
    let mut random = Random::new(seed());
    for work in [Work::Run, Work::Grade] {
        let project = work.project();
        let expected = Outcome::uninterrupted(work, &project);
        for _ in 0..rounds(6, 60) {
            let mut fault = format!("kill@{}", random.between(12, 50));
            let mut resume = false;
            while dies(work, &project, resume, &fault) {
                // If it was killed before `run.json` existed, it starts again.
                let begun = work
                    .folders(&project)
                    .last()
                    .is_some_and(|folder| has_record(folder));
                assert!(begun || !resume, "what had begun is gone");
                resume = begun;
                fault = format!(
                    "{}@{}",
                    random.pick(&["kill", "tear"]),
                    random.between(1, 40)
                );
            }
            ends_in(work, &project, &expected);
            work.undo(&project);
        }
    }
}
