//! A trial is a value: executed in another process, it gives the same records.

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use agentv_core::{
    Outcome, ReportError, Reporter, ResultRecord, RunEvent, TranscriptRecord, Trial,
};
use agentv_journal::{Line, RecordFile, RunFolder};
use agentv_project::{
    GateOptions, GradeOptions, LimitOptions, Notice, Project, RunOptions, SelectionOptions,
};
use agentv_providers::Environment;
use agentv_runner::{Run, RunSpec, SharedReporter, StopHandle};

/// The variable that makes this program execute trials from standard input: those of a new run, or those
/// of a grading of the run that it names.
pub(crate) const EXECUTE: &str = "AGENTV_TEST_EXECUTE";

pub(crate) fn tests() -> Vec<libtest_mimic::Trial> {
    let test = |name: &str, test: fn()| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    vec![
        test(
            "a_trial_piped_to_another_process_gives_the_same_records",
            a_trial_piped_to_another_process_gives_the_same_records,
        ),
        test(
            "an_answer_piped_to_another_process_gets_the_same_grade",
            an_answer_piped_to_another_process_gets_the_same_grade,
        ),
    ]
}

const TARGETS: &str = r#"
targets:
  - name: default
    provider: cli
    command: [sh, -c, 'cat "$1"; echo " by $2"', sh, "{PROMPT_FILE}", "{EVAL_ID}"]
    healthcheck: {type: command, command: [sh, -c, "echo checked >> checks"], cwd: .}
    judge_target: judge
  - name: batched
    provider: cli
    provider_batching: true
    command: [sh, -c, 'sed "s/.*\"id\":\"\([^\"]*\)\".*/{\"id\":\"\1\",\"text\":\"Paris\"}/" "$1"', sh, "{PROMPT_FILE}"]
    judge_target: judge
  - name: failing
    provider: cli
    command: [sh, -c, "echo no >&2; exit 3"]
  - name: judge
    provider: mock
    response: '{"score": 0.75, "hits": ["names a city"], "misses": ["no country"], "reasoning": "half"}'
"#;

const SUITE: &str = r#"
evalcases:
  - id: checked
    expected_outcome: Names Paris
    input: "Paris, or \"Pa\tris\" é \u2028"
    evaluators:
      - contains: Paris
      - name: script
        type: code_judge
        script: [sh, judge.sh]
  - id: judged
    expected_outcome: Names Paris
    input: Which city?
    expected_output: Paris
  - id: listed
    expected_outcome: Names Paris
    input: Which city?
    rubrics: [Names a city]
    evaluators:
      - contains: Berlin
  - id: failing
    expected_outcome: Anything
    input: Which city?
    execution: {target: failing}
    evaluators: [{contains: Paris}]
  - id: batched
    expected_outcome: Names Paris
    input: Which city?
    execution: {target: batched}
    evaluators: [{contains: Paris}]
"#;

fn write_project(folder: &Path) {
    std::fs::create_dir(folder.join(".git")).unwrap();
    std::fs::write(folder.join("targets.yaml"), TARGETS).unwrap();
    std::fs::write(folder.join("cities.yaml"), SUITE).unwrap();
    let script = "cat >/dev/null; echo '{\"score\": 1, \"hits\": [\"ran\"]}'";
    std::fs::write(folder.join("judge.sh"), script).unwrap();
}

/// Prepares a run of the project in `folder`, twice per case.
fn prepare_run(folder: &Path) -> (RunSpec, RunFolder) {
    let project = Project::at(folder.to_owned(), Environment::of_process());
    let paths = vec![folder.join("cities.yaml")];
    let mut options = RunOptions::new(paths, project.load_options());
    options.trials = Some(2);
    let mut notices: Vec<Notice> = Vec::new();
    let prepared = project.prepare_run(options, &mut notices).unwrap();
    let (spec, run) = prepared.begin(NOW.parse().unwrap(), &mut notices).unwrap();
    (spec, run.folder().clone())
}

/// Prepares a grading of a run of the project in `folder`.
fn prepare_grading(folder: &Path, run: &str) -> (RunSpec, RunFolder) {
    let project = Project::at(folder.to_owned(), Environment::of_process());
    let options = GradeOptions {
        run: run.to_owned(),
        load: project.load_options(),
        evaluators_file: None,
        targets_file: None,
        judge: None,
        allow_self_judging: false,
        selection: SelectionOptions::default(),
        stop_on_required: false,
        resume: None,
        retry_errors: false,
        limits: LimitOptions::default(),
        gates: GateOptions::default(),
        include_trace: false,
    };
    let mut notices: Vec<Notice> = Vec::new();
    let prepared = project.prepare_grading(options, &mut notices).unwrap();
    let (spec, run) = prepared.begin(NOW.parse().unwrap(), &mut notices).unwrap();
    (spec, run.folder().clone())
}

/// The time at which all runs begin.
const NOW: &str = "2026-11-15T12:00:00Z";

/// Ignores all events.
struct Silent;

impl Reporter for Silent {
    fn on_event(&mut self, _: &RunEvent) -> Result<(), ReportError> {
        Ok(())
    }
}

fn silent() -> SharedReporter {
    Arc::new(Mutex::new(Silent))
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().build().unwrap()
}

/// The other process: reads trials, executes them in the project of its working folder, writes outcomes.
pub(crate) fn execute_from_stdin() {
    let folder = std::env::current_dir().unwrap().canonicalize().unwrap();
    let graded = std::env::var(EXECUTE).unwrap();
    let (spec, _) = match graded.as_str() {
        "" => prepare_run(&folder),
        run => prepare_grading(&folder, run),
    };
    let runtime = runtime();
    let _entered = runtime.enter();
    let run = Run::open(spec, StopHandle::default(), silent());
    for line in io::stdin().lock().lines() {
        let trial: Trial = serde_json::from_str(&line.unwrap()).unwrap();
        let outcome = runtime.block_on(run.executor().execute(&trial));
        assert!(run.executor().take_failure().is_none());
        let line = serde_json::to_string(&outcome).unwrap() + "\n";
        io::stdout().write_all(line.as_bytes()).unwrap();
    }
}

fn a_trial_piped_to_another_process_gives_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write_project(&root);

    let here = run(prepare_run(&root));
    assert_eq!(checks(&root), 1);
    let trials = trials_of(prepare_run(&root));
    let outcomes = execute_elsewhere(&root, "", &trials);
    assert_eq!(outcomes.len(), 10);
    assert_eq!(checks(&root), 2, "the other process checks the target once");

    assert_eq!(transcripts(&outcomes), recorded_transcripts(&here));
    let there = results(&outcomes);
    assert_eq!(there, recorded_results(&here, |_| true));
    assert_eq!(there.len(), 10);
    let statuses = there
        .iter()
        .map(|text| text.contains("\"status\":\"error\""));
    // Two of the failing target, two of a judge that gave no checklist.
    assert_eq!(statuses.filter(|errored| *errored).count(), 4);
}

fn an_answer_piped_to_another_process_gets_the_same_grade() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    write_project(&root);
    let graded = run(prepare_run(&root)).id().to_string();

    let here = run(prepare_grading(&root, &graded));
    let (spec, unused) = prepare_grading(&root, &graded);
    let trials = trials_of((spec, unused.clone()));
    let written = records::<ResultRecord>(&unused, RecordFile::Results);
    assert_eq!(written.len(), 0, "listing the trials writes nothing");
    let outcomes = execute_elsewhere(&root, &graded, &trials);
    assert_eq!(outcomes.len(), 8);

    assert_eq!(transcripts(&outcomes), recorded_transcripts(&here));
    // The two errors of the failing target are carried over, and are no trials.
    let is_answered = |record: &ResultRecord| record.candidate_answer.is_some();
    assert_eq!(results(&outcomes), recorded_results(&here, is_answered));
    assert_eq!(recorded_results(&here, |_| true).len(), 10);
}

/// Returns the number of times that the target was checked.
fn checks(folder: &Path) -> usize {
    let checks = std::fs::read_to_string(folder.join("checks"));
    checks.unwrap_or_default().lines().count()
}

/// Runs in this process. Returns the folder of the run.
fn run((spec, folder): (RunSpec, RunFolder)) -> RunFolder {
    let run = agentv_runner::run(spec, StopHandle::default(), silent());
    let ended = runtime().block_on(run);
    assert!(ended.error.is_none() && ended.stop.is_none(), "{ended:?}");
    folder
}

/// Returns the trials of a run as lines.
fn trials_of((spec, _): (RunSpec, RunFolder)) -> Vec<u8> {
    let runtime = runtime();
    let _entered = runtime.enter();
    let run = Run::open(spec, StopHandle::default(), silent());
    let mut lines = Vec::new();
    let visited = run.visit_trials(&mut |trial| {
        serde_json::to_writer(&mut lines, &trial).unwrap();
        lines.push(b'\n');
        ControlFlow::Continue(())
    });
    visited.unwrap();
    lines
}

fn transcripts(outcomes: &[Outcome]) -> Vec<String> {
    let outcomes = outcomes.iter();
    let transcripts = outcomes.filter_map(|outcome| outcome.transcript.as_deref());
    sorted(transcripts.map(plain_transcript))
}

fn recorded_transcripts(folder: &RunFolder) -> Vec<String> {
    let recorded = records::<TranscriptRecord>(folder, RecordFile::Transcripts);
    sorted(recorded.iter().map(plain_transcript))
}

fn results(outcomes: &[Outcome]) -> Vec<String> {
    let outcomes = outcomes.iter();
    let results = outcomes.filter_map(|outcome| outcome.result.as_deref());
    sorted(results.cloned().map(plain_result))
}

fn recorded_results(folder: &RunFolder, wanted: fn(&ResultRecord) -> bool) -> Vec<String> {
    let recorded = records::<ResultRecord>(folder, RecordFile::Results);
    sorted(recorded.into_iter().filter(wanted).map(plain_result))
}

/// Pipes trials to another process of this program.
fn execute_elsewhere(folder: &Path, graded: &str, trials: &[u8]) -> Vec<Outcome> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(EXECUTE, graded)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // There are few trials: all of them fit into the pipe.
    child.stdin.take().unwrap().write_all(trials).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let outcomes = text.lines().map(|line| serde_json::from_str(line).unwrap());
    outcomes.collect()
}

fn records<T: serde::de::DeserializeOwned>(folder: &RunFolder, file: RecordFile) -> Vec<T> {
    let lines = folder.records::<T>(file).unwrap();
    let records = lines.map(|line| match line.unwrap() {
        Line::Record(record) => record.value,
        Line::Damaged(damage) => panic!("{damage}"),
    });
    records.collect()
}

/// Returns the text of an answer's record, without times.
fn plain_transcript(record: &TranscriptRecord) -> String {
    let mut record = record.clone();
    record.timestamp.clear();
    record.timing = Default::default();
    serde_json::to_string(&record).unwrap()
}

/// Returns the text of a result, without times.
fn plain_result(mut record: ResultRecord) -> String {
    record.timestamp.clear();
    record.timing = Default::default();
    if let Some(trace) = &mut record.trace_summary {
        trace.duration_ms = None;
    }
    for result in &mut record.evaluator_results {
        for call in &mut result.judge_calls {
            call.duration_ms = None;
        }
    }
    serde_json::to_string(&record).unwrap()
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}
