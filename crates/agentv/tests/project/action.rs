//! The GitHub Action: its scripts run here as GitHub runs them, with a `gh` that records its calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::repository;

/// A job that uses the action in a repository with two cases, on a target that repeats the question.
struct Job {
    folder: TempDir,
}

/// A `gh` that keeps the comments of one pull request as files named by their ids.
const GH: &str = r#"#!/usr/bin/env bash
set -euo pipefail
[ ! -e "$COMMENTS/refused" ] || exit 1
arguments="$*"
case "$arguments" in
  *"--method POST repos/team/project/issues/7/comments"*) cat >"$COMMENTS/$(($(ls "$COMMENTS" | wc -l) + 1))" ;;
  *"--method PATCH repos/team/project/issues/comments/"*)
    id="${arguments#*comments/}" && cat >"$COMMENTS/${id%% *}" ;;
  *"--paginate repos/team/project/issues/7/comments"*)
    mark="${arguments#*startswith(\"}" && mark="${mark%%\"*}"
    { grep -lF -- "$mark" "$COMMENTS"/* 2>/dev/null || true; } | xargs -r -n 1 basename ;;
  *) echo "unexpected: gh $arguments" >&2 && exit 2 ;;
esac
"#;

impl Job {
    fn new() -> Job {
        let job = Job {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(job.path("bin")).unwrap();
        fs::create_dir_all(job.path("comments")).unwrap();
        fs::create_dir_all(job.path("project/evals")).unwrap();
        fs::create_dir_all(job.path("project/.git")).unwrap();
        let agentv = env!("CARGO_BIN_EXE_agentv");
        std::os::unix::fs::symlink(agentv, job.path("bin/agentv")).unwrap();
        fs::write(job.path("bin/gh"), GH).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(job.path("bin/gh"), mode).unwrap();
        job.expect(["Paris", "Rome"]);
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the two cases. A case passes if the question contains the word.
    fn expect(&self, words: [&str; 2]) {
        let case = |id: &str, question: &str, word: &str| {
            format!(
                r#"{{"id": "{id}", "expected_outcome": "o", "input": "{question}", "evaluators": [{{"contains": "{word}"}}]}}"#
            )
        };
        let cases = [
            case("france", "Is it Paris?", words[0]),
            case("italy", "Is it Rome?", words[1]),
        ];
        fs::write(self.path("project/evals/capitals.jsonl"), cases.join("\n")).unwrap();
    }

    /// Runs a script of the action, and returns what it printed.
    fn run(&self, script: &str, variables: &[(&str, &str)]) -> String {
        let path = std::env::var("PATH").unwrap();
        let output = Command::new(repository().join("action").join(script))
            .current_dir(self.path("project"))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("COMMENTS", self.path("comments"))
            .env("GITHUB_OUTPUT", self.path("output"))
            .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
            .env("GITHUB_REPOSITORY", "team/project")
            .env("PULL_REQUEST", "7")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        assert!(output.status.success(), "{script}: {printed}");
        printed
    }

    /// Evaluates with some arguments, and returns the exit code that the action will end with.
    fn evaluate(&self, arguments: &str) -> String {
        self.evaluate_with(&[("AGENTV_ARGUMENTS", arguments)])
    }

    fn evaluate_with(&self, variables: &[(&str, &str)]) -> String {
        let _ = fs::remove_file(self.path("output"));
        self.run(
            "evaluate",
            &[&[("AGENTV_PATHS", "evals")], variables].concat(),
        );
        let output = read(&self.path("output"));
        let code = output
            .lines()
            .find_map(|line| line.strip_prefix("exit-code="));
        code.unwrap().to_owned()
    }

    fn comment(&self, name: &str) -> String {
        self.run("comment", &[("AGENTV_NAME", name)])
    }

    fn comments(&self) -> Vec<String> {
        let mut paths: Vec<PathBuf> = fs::read_dir(self.path("comments"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        paths.iter().map(|path| read(path)).collect()
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_pull_request_that_is_worse_than_its_base_fails_and_one_comment_says_so() {
    let job = Job::new();
    assert_eq!(job.evaluate("--target echo"), "0", "the base branch");
    assert!(
        job.path("project/.agentv-action/evals/baseline.jsonl")
            .exists()
    );

    job.expect(["Paris", "Berlin"]);
    let arguments = "--target echo --min-pass-rate 0 --gate mean";
    assert_eq!(job.evaluate(arguments), "1", "worse than before");
    assert!(read(&job.path("summary.md")).contains("1 of 2 graded trials passed"));
    job.comment("evals");
    let [comment] = &job.comments()[..] else {
        panic!("one comment");
    };
    assert!(
        comment.contains("<!-- agentv: evals -->\n### agentv"),
        "{comment}"
    );
    assert!(comment.contains("1 of 2 graded trials passed"), "{comment}");

    job.expect(["Paris", "Rome"]);
    assert_eq!(job.evaluate("--target echo"), "0", "repaired");
    job.comment("evals");
    let [comment] = &job.comments()[..] else {
        panic!("the comment is updated");
    };
    assert!(comment.contains("2 of 2 graded trials passed"), "{comment}");
    let others = [
        ("AGENTV_NAME", "others"),
        ("AGENTV_ARGUMENTS", "--target echo"),
    ];
    assert_eq!(job.evaluate_with(&others), "0");
    job.comment("others");
    assert_eq!(job.comments().len(), 2, "each evaluation has its own");
}

#[test]
fn the_workflow_of_the_guide_passes_on_the_first_push_and_fails_a_pull_request_that_is_worse() {
    let workflow = read(&repository().join("examples/ci/github.yml"));
    let input = |name: &str| {
        let mut lines = workflow.lines().map(str::trim);
        let given = lines.find_map(|line| line.strip_prefix(&format!("{name}: ")));
        given.unwrap().to_owned()
    };
    let arguments = format!("--target echo {}", input("arguments"));
    let compared = input("compare-arguments");
    let given = [
        ("AGENTV_ARGUMENTS", arguments.as_str()),
        ("AGENTV_COMPARE_ARGUMENTS", compared.as_str()),
    ];
    let job = Job::new();
    assert_eq!(job.evaluate_with(&given), "0", "nothing to compare with");
    job.expect(["Paris", "Berlin"]);
    assert_eq!(job.evaluate_with(&given), "1", "worse than the first push");
}

#[test]
fn evaluations_of_one_job_are_not_compared_with_each_other() {
    let job = Job::new();
    let named = |name| {
        [
            ("AGENTV_NAME", name),
            ("AGENTV_ARGUMENTS", "--target echo --min-pass-rate 0"),
            ("AGENTV_COMPARE_ARGUMENTS", "--gate mean"),
        ]
    };
    assert_eq!(job.evaluate_with(&named("first")), "0");
    job.expect(["Paris", "Berlin"]);
    assert_eq!(job.evaluate_with(&named("second")), "0");
    assert_eq!(job.evaluate_with(&named("first")), "1");
}

#[test]
fn the_lines_of_cases_that_did_not_pass_are_annotated() {
    let job = Job::new();
    job.expect(["Paris", "Berlin"]);
    let printed = job.run(
        "evaluate",
        &[
            ("AGENTV_PATHS", "evals"),
            ("AGENTV_ARGUMENTS", "--target echo"),
            ("GITHUB_ACTIONS", "true"),
        ],
    );
    let annotation = "::error file=evals/capitals.jsonl,line=2";
    assert!(printed.contains(annotation), "{printed}");
}

#[test]
fn arguments_keep_their_quotes_and_nothing_in_them_is_executed() {
    let job = Job::new();
    let arguments =
        "--target echo --eval-id 'fra*'\n--max-errors \"0\" --eval-id '$(touch escaped)'";
    assert_eq!(job.evaluate(arguments), "0");
    assert!(read(&job.path("summary.md")).contains("1 of 1 graded"));
    assert!(!job.path("project/escaped").exists());
}

#[test]
fn evals_that_cannot_run_are_reported_and_keep_the_exit_code() {
    let job = Job::new();
    fs::write(job.path("project/evals/capitals.jsonl"), "{}\n").unwrap();
    let code = job.evaluate("--target echo");
    assert_ne!(code, "0");
    job.comment("evals");
    assert_eq!(job.comments().len(), 1);
}

#[test]
fn a_missing_permission_is_a_warning() {
    let job = Job::new();
    job.evaluate("--target echo");
    fs::write(job.path("comments/refused"), "").unwrap();
    let printed = job.comment("evals");
    assert!(printed.contains("::warning::"), "{printed}");
    assert!(printed.contains("pull-requests: write"), "{printed}");
}
