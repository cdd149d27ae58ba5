//! The exit code of a run, of its grading and of its merged shards, worked out by hand.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The number of cases by their ends.
#[derive(Debug, Clone, Copy, Default)]
struct Cases {
    pass: usize,
    borderline: usize,
    fail: usize,
    error: usize,
    ungraded: usize,
    skipped: usize,
}

impl Cases {
    /// Returns the number of answers that can be graded again.
    fn answers(&self) -> usize {
        self.pass + self.borderline + self.fail + self.ungraded
    }
}

const NONE: Cases = Cases {
    pass: 0,
    borderline: 0,
    fail: 0,
    error: 0,
    ungraded: 0,
    skipped: 0,
};

#[rustfmt::skip]
const TABLE: &[(Cases, &str, i32)] = &[
    // Without gates, every graded trial must pass.
    (Cases { pass: 3, ..NONE }, "", 0),
    (Cases { pass: 2, borderline: 1, ..NONE }, "", 1),
    (Cases { borderline: 3, ..NONE }, "", 1),
    (Cases { pass: 2, fail: 1, ..NONE }, "", 1),
    (Cases { pass: 1, ungraded: 2, ..NONE }, "", 0),
    (Cases { fail: 1, ungraded: 2, ..NONE }, "", 1),
    // Errors and skipped cases come first, unless they are allowed.
    (Cases { pass: 2, error: 1, ..NONE }, "", 3),
    (Cases { pass: 2, fail: 1, error: 1, ..NONE }, "", 3),
    (Cases { pass: 2, error: 1, ..NONE }, "--max-errors 0", 3),
    (Cases { pass: 2, error: 1, ..NONE }, "--max-errors 1", 0),
    (Cases { pass: 2, error: 2, ..NONE }, "--max-errors 1", 3),
    (Cases { pass: 2, fail: 1, error: 1, ..NONE }, "--max-errors 1", 1),
    (Cases { pass: 2, borderline: 1, error: 1, ..NONE }, "--max-errors 1", 1),
    (Cases { pass: 1, skipped: 2, ..NONE }, "", 3),
    (Cases { pass: 1, skipped: 2, ..NONE }, "--max-errors 1", 3),
    (Cases { pass: 1, skipped: 2, ..NONE }, "--max-errors 2", 0),
    (Cases { fail: 1, skipped: 2, ..NONE }, "--max-errors 2", 1),
    (Cases { pass: 2, error: 1, skipped: 1, ..NONE }, "--max-errors 1", 3),
    (Cases { pass: 2, error: 1, skipped: 1, ..NONE }, "--max-errors 2", 0),
    (Cases { ungraded: 1, skipped: 1, ..NONE }, "", 3),
    (Cases { ungraded: 1, skipped: 1, ..NONE }, "--max-errors 1", 0),
    // A percentage is of all trials and skipped cases.
    (Cases { pass: 3, error: 1, ..NONE }, "--max-errors 25%", 0),
    (Cases { pass: 3, error: 1, ..NONE }, "--max-errors 24.9%", 3),
    (Cases { pass: 2, error: 1, skipped: 1, ..NONE }, "--max-errors 50%", 0),
    (Cases { pass: 2, error: 1, skipped: 1, ..NONE }, "--max-errors 49%", 3),
    // Given gates alone decide.
    (Cases { pass: 49, fail: 1, ..NONE }, "--min-pass-rate 0.9 --fail-under 0.9 --max-errors 3", 0),
    (Cases { pass: 4, fail: 1, ..NONE }, "--min-pass-rate 0.8", 0),
    (Cases { pass: 4, fail: 1, ..NONE }, "--min-pass-rate 0.81", 1),
    (Cases { pass: 4, borderline: 1, ..NONE }, "--min-pass-rate 0.81", 1),
    (Cases { borderline: 3, ..NONE }, "--fail-under 0.7", 0),
    (Cases { borderline: 3, ..NONE }, "--fail-under 0.71", 1),
    (Cases { borderline: 3, ..NONE }, "--min-pass-rate 0", 0),
    (Cases { pass: 1, fail: 1, ..NONE }, "--min-pass-rate 0.5 --fail-under 0.9", 1),
    (Cases { pass: 1, fail: 1, error: 1, ..NONE }, "--min-pass-rate 0.5", 3),
    (Cases { pass: 1, fail: 1, error: 1, ..NONE }, "--min-pass-rate 0.5 --max-errors 1", 0),
    (Cases { pass: 1, ungraded: 2, ..NONE }, "--min-pass-rate 1", 0),
    // A gate with nothing to measure is not met; nothing to grade by and no gate is fine.
    (Cases { ungraded: 2, ..NONE }, "", 0),
    (Cases { ungraded: 2, ..NONE }, "--min-pass-rate 0", 1),
    (Cases { ungraded: 2, ..NONE }, "--fail-under 0", 1),
    (Cases { error: 2, ..NONE }, "--max-errors 2", 1),
    (Cases { error: 2, ..NONE }, "--max-errors 2 --min-pass-rate 0", 1),
    (Cases { error: 1, ungraded: 1, ..NONE }, "--max-errors 1", 1),
    // A threshold moves the verdicts.
    (Cases { borderline: 3, ..NONE }, "--pass-threshold 0.7", 0),
    (Cases { borderline: 3, ..NONE }, "--pass-threshold 0.71", 1),
    (Cases { pass: 1, fail: 1, ..NONE }, "--pass-threshold 0", 0),
];

/// Writes a dataset and its targets.
fn write_project(folder: &Path, cases: &Cases) {
    fs::create_dir(folder.join(".git")).unwrap();
    let targets = "targets: [{name: default, provider: echo}, {name: broken, provider: cli, command: ['false'], max_retries: 0}]\n";
    fs::write(folder.join("targets.yaml"), targets).unwrap();
    let graded = |says: &str, execution: &str| {
        let evaluators = r#"[{"type": "contains", "value": "a", "weight": 7}, {"type": "contains", "value": "b", "weight": 3}]"#;
        format!(r#""outcome": "x", "input": "{says}", "evaluators": {evaluators}{execution}"#)
    };
    let broken = r#", "execution": {"target": "broken"}"#;
    let kinds = [
        ("pass", cases.pass, graded("ab", "")),
        ("borderline", cases.borderline, graded("a", "")),
        ("fail", cases.fail, graded("c", "")),
        ("error", cases.error, graded("ab", broken)),
        (
            "ungraded",
            cases.ungraded,
            r#""input": {"userMessage": "hi"}"#.to_owned(),
        ),
        (
            "skipped",
            cases.skipped,
            r#""input": "no outcome""#.to_owned(),
        ),
    ];
    let mut rows = String::new();
    for (name, number, fields) in kinds {
        for index in 0..number {
            rows.push_str(&format!("{{\"id\": \"{name}-{index}\", {fields}}}\n"));
        }
    }
    fs::write(folder.join("cases.jsonl"), rows).unwrap();
}

/// Runs a command; returns its exit code and everything that it printed.
fn exit_code(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_agentv"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    (output.status.code().unwrap(), printed)
}

/// Runs two shards in the folder; returns the runs, or `None` if a shard has no case.
fn run_shards(folder: &Path, flags: &[&str]) -> Option<[String; 2]> {
    let results = folder.join(".agentv/results");
    let _ = fs::remove_dir_all(&results);
    let mut runs = Vec::new();
    for shard in ["1/2", "2/2"] {
        let arguments = [&["run", "cases.jsonl", "--shard", shard], flags].concat();
        exit_code(folder, &arguments);
        let names = fs::read_dir(&results).ok()?;
        let mut names = names.map(|name| name.unwrap().file_name().into_string().unwrap());
        runs.push(names.find(|name| !runs.contains(name))?);
    }
    runs.try_into().ok()
}

#[test]
fn merged_shards_exit_with_the_code_of_the_whole_run() {
    let mut merged = 0;
    for (cases, flags, expected) in TABLE {
        let folder = tempfile::tempdir().unwrap();
        write_project(folder.path(), cases);
        let flags: Vec<&str> = flags.split_whitespace().collect();
        // A threshold is one of the shards, the other flags are gates of the whole.
        let is_threshold = flags.first() == Some(&"--pass-threshold");
        let (of_shards, of_merge) = if is_threshold {
            (flags, Vec::new())
        } else {
            (Vec::new(), flags)
        };
        let Some([one, other]) = run_shards(folder.path(), &of_shards) else {
            continue;
        };
        let arguments = [vec!["merge", &*one, &*other], of_merge].concat();
        let (found, printed) = exit_code(folder.path(), &arguments);
        assert_eq!(found, *expected, "{cases:?} {arguments:?}\n{printed}");
        merged += 1;
    }
    assert!(merged > 15, "{merged}");
}

#[test]
fn a_run_and_its_grading_exit_with_the_same_code() {
    for (cases, flags, expected) in TABLE {
        let folder = tempfile::tempdir().unwrap();
        write_project(folder.path(), cases);
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let mut commands = vec![vec!["run", "cases.jsonl"]];
        if cases.answers() > 0 {
            commands.push(vec!["grade", "latest"]);
        }
        for command in commands {
            let arguments = [command, flags.clone()].concat();
            let (found, printed) = exit_code(folder.path(), &arguments);
            assert_eq!(found, *expected, "{cases:?} {arguments:?}\n{printed}");
        }
    }
}
