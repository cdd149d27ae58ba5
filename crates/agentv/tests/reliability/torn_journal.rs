//! A journal that ends in the middle of its last record.

use std::fs;
use std::path::{Path, PathBuf};

use agentv_testkit::Project;

use crate::program::{NONE, agentv, finish, project};
use crate::records::{each_case_once, run_folder};

const CASES: usize = 3;

/// Creates a project whose run has ended.
fn complete() -> Project {
    let targets = "targets: [{name: default, provider: mock, response: right, workers: 1}]\n";
    let project = project(targets, CASES, |number| format!("{number}?"));
    finish(&mut agentv(&project, NONE)).expect(0);
    project
}

/// Returns the bytes of a file, and the position of its last record.
fn last_record(file: &Path) -> (Vec<u8>, usize) {
    let bytes = fs::read(file).unwrap();
    let before = bytes[..bytes.len() - 1].iter().rposition(|b| *b == b'\n');
    let start = before.unwrap() + 1;
    (bytes, start)
}

/// A journal that is truncated at several positions, and resumed after each.
struct Torn {
    project: Project,
    folder: PathBuf,
    results: (Vec<u8>, usize),
    transcripts: (Vec<u8>, usize),
}

impl Torn {
    fn new() -> Torn {
        let project = complete();
        let folder = run_folder(&project);
        Torn {
            results: last_record(&folder.join("results.jsonl")),
            transcripts: last_record(&folder.join("transcripts.jsonl")),
            project,
            folder,
        }
    }

    /// Writes the beginnings of the two files, resumes, and checks that everything is there.
    fn resumes_from(&self, results: usize, transcripts: usize) {
        let (all_results, last_result) = &self.results;
        let (all_transcripts, last_transcript) = &self.transcripts;
        let write = |name: &str, bytes: &[u8]| fs::write(self.folder.join(name), bytes).unwrap();
        write("results.jsonl", &all_results[..results]);
        write("transcripts.jsonl", &all_transcripts[..transcripts]);
        let resumed = finish(&mut agentv(&self.project, ["--resume"])).expect(0);
        assert!(!resumed.stderr.contains("cannot"), "{}", resumed.stderr);
        each_case_once(&self.folder, CASES);
        let read = |name: &str| fs::read(self.folder.join(name)).unwrap();
        assert!(read("results.jsonl").starts_with(&all_results[..*last_result]));
        let kept = if transcripts < all_transcripts.len() {
            *last_transcript
        } else {
            transcripts
        };
        assert!(read("transcripts.jsonl").starts_with(&all_transcripts[..kept]));
    }
}

/// Calls a function with every number of a range, on two threads with a journal each.
fn at_every_byte(range: impl Fn(&Torn) -> std::ops::Range<usize> + Sync, cut: fn(&Torn, usize)) {
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let range = &range;
            scope.spawn(move || {
                let torn = Torn::new();
                range(&torn)
                    .skip(thread)
                    .step_by(2)
                    .for_each(|at| cut(&torn, at));
            });
        }
    });
}

#[test]
fn results_cut_at_any_byte_of_the_last_record_are_completed() {
    at_every_byte(
        |torn| torn.results.1..torn.results.0.len(),
        |torn, at| torn.resumes_from(at, torn.transcripts.0.len()),
    );
}

#[test]
fn transcripts_cut_at_any_byte_of_the_last_record_are_completed() {
    at_every_byte(
        |torn| torn.transcripts.1..torn.transcripts.0.len(),
        // A result is written after its transcript.
        |torn, at| torn.resumes_from(torn.results.1, at),
    );
}
