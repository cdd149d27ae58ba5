//! Scripts that grade, as real processes.

use std::fs;
use std::path::Path;

use agentv_core::Evaluation;
use agentv_evaluators::{Builder, ScriptPlaces};
use serde_json::{Value, json};

use crate::support::{Trial, context, spec};

/// Returns the evaluation by a `code_judge` in a folder, or its error.
fn judged(folder: &Path, trial: &Trial, mut options: Value) -> Result<Evaluation, String> {
    options["type"] = json!("code_judge");
    let builder = Builder::new(context(folder));
    let judged = trial.judge_with(&builder, options);
    judged
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
}

fn error_of(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let trial = Trial::answered("Paris");
    judged(folder.path(), &trial, json!({"script": script})).unwrap_err()
}

#[test]
fn a_script_reads_the_case_and_the_answer_and_prints_a_grade() {
    let folder = tempfile::tempdir().unwrap();
    let mut trial = Trial::answered("Paris")
        .expecting(json!("Paris!"))
        .calling(json!([{"tool": "semanticSearch", "input": {"topK": 3}}]));
    trial.case.variables.insert("who".to_owned(), json!("Ada"));
    for (name, value) in [
        ("metadata", json!({"level": null})),
        ("topic", json!("cities")),
        ("nothing", json!(null)),
        ("question", json!("mine")),
    ] {
        trial.case.extra.insert(name.to_owned(), value);
    }
    let options = json!({
        "script": ["sh", "-c", "cat > seen.json; echo '{\"score\": 0.5, \"hits\": [\"a\"], \"details\": {\"z\": 1, \"aB\": 2}}'"],
        "cwd": "/",
        "timeout_seconds": 50,
        "maxWords": 5, "nested_key": {"camelKey": [1]},
    });
    let grade = judged(folder.path(), &trial, options).unwrap();
    assert_eq!(grade.score.value(), 0.5);
    assert_eq!(grade.hits, ["a"]);
    assert_eq!(grade.details.unwrap().to_string(), r#"{"z":1,"aB":2}"#);
    let seen = fs::read_to_string(folder.path().join("seen.json")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let names: Vec<&str> = seen
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        names,
        [
            "eval_id",
            "question",
            "expected_messages",
            "reference_answer",
            "candidate_answer",
            "output_messages",
            "guideline_files",
            "input_files",
            "input_messages",
            "trace_summary",
            "variables",
            "metadata",
            "topic",
            "config",
        ]
    );
    assert_eq!(seen["question"], "?");
    assert_eq!(seen["variables"], json!({"who": "Ada"}));
    assert_eq!(seen["metadata"], json!({"level": null}));
    assert_eq!(seen["reference_answer"], "Paris!");
    assert_eq!(seen["candidate_answer"], "Paris");
    assert_eq!(
        seen["output_messages"][0]["tool_calls"][0]["input"]["topK"],
        3
    );
    assert_eq!(
        seen["trace_summary"]["tool_names"],
        json!(["semanticSearch"])
    );
    let config = json!({"maxWords": 5, "nested_key": {"camelKey": [1]}});
    assert_eq!(seen["config"], config);
}

#[test]
fn files_of_the_case_are_named_by_absolute_paths_and_guidelines_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut trial = Trial::answered("Paris");
    let content = json!({"role": "user", "content": [
        {"type": "file", "value": "style.md", "path": "docs/style.md", "text": "Be kind"},
        {"type": "file", "value": "map.txt", "path": "evals/map.txt", "text": "Seine"},
        {"type": "file", "value": "map.txt", "path": "evals/map.txt", "text": "Seine"},
    ]});
    trial.case.input_messages = vec![serde_json::from_value(content).unwrap()];
    trial.case.guideline_files = vec!["docs/style.md".to_owned()];
    let options = json!({"script": "cat > seen.json; echo '{\"score\": 1}'"});
    judged(folder.path(), &trial, options).unwrap();
    let seen = fs::read_to_string(folder.path().join("seen.json")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    assert_eq!(seen["guideline_files"], json!([path("docs/style.md")]));
    assert_eq!(seen["input_files"], json!([path("evals/map.txt")]));
}

#[test]
fn a_script_need_not_read_what_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let long = Trial::answered(&"x".repeat(1 << 20));
    let grade = judged(
        folder.path(),
        &long,
        json!({"script": "echo '{\"score\": 0.3}'"}),
    );
    assert_eq!(grade.unwrap().score.value(), 0.3);
}

#[test]
fn what_a_script_does_wrong_is_an_error_in_words() {
    for (script, expected) in [
        (
            "echo '{\"score\": 1}'; echo oh no >&2; exit 3",
            "the script failed with exit code 3; stdout: {\"score\": 1}; stderr: oh no",
        ),
        ("kill -9 $$", "the script failed with signal 9 (SIGKILL)"),
        (
            "echo fine; echo careful >&2",
            "the script did not print a valid JSON object: expected ident at line 1 column 2; stdout: fine; stderr: careful",
        ),
        (
            "true",
            "the script printed nothing, expected a JSON object with `score`",
        ),
        (
            "printf '\\377'",
            "the script printed text that is not valid UTF-8; stdout: \u{fffd}",
        ),
        (
            "echo '{\"score\": 40}'",
            "the script printed an invalid `score`: expected a number from 0 to 1, found 40; stdout: {\"score\": 40}",
        ),
    ] {
        assert_eq!(error_of(script), expected);
    }
    let long = error_of("head -c 11000000 /dev/zero");
    assert!(
        long.starts_with("the script printed more than 10 MiB"),
        "{long}"
    );
    let missing = error_of("no-such-program-anywhere");
    assert!(
        missing.starts_with("the script failed with exit code 127; stderr: "),
        "{missing}"
    );
}

#[test]
fn a_program_or_a_folder_that_is_not_there_is_an_error_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let trial = Trial::answered("Paris");
    let judged = |options| judged(folder.path(), &trial, options).unwrap_err();
    assert_eq!(
        judged(json!({"script": ["no-such-program-anywhere"]})),
        "the script: command `no-such-program-anywhere` not found"
    );
    let nowhere = judged(json!({"script": "true", "cwd": "/no-such-folder"}));
    assert!(
        nowhere.contains("`cwd`: folder `/no-such-folder` not found in the project"),
        "{nowhere}"
    );
}

#[test]
fn a_folder_outside_of_the_project_is_no_place_to_run_a_script_in() {
    let project = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let trial = Trial::answered("Paris");
    let options = json!({"script": "true", "cwd": outside.path()});
    let refused = judged(project.path(), &trial, options).unwrap_err();
    assert!(refused.contains("in the project"), "{refused}");
}

#[test]
fn a_script_that_takes_too_long_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let trial = Trial::answered("Paris");
    let options = json!({
        "script": "echo started >&2; echo '{\"score\": 1}'; sleep 1000", "timeout_seconds": 0.2,
    });
    assert_eq!(
        judged(folder.path(), &trial, options).unwrap_err(),
        "the script timed out after 200ms (`timeout_seconds`) and was stopped; stdout: {\"score\": 1}; stderr: started"
    );
}

#[test]
fn a_script_has_the_variables_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let mut context = context(folder.path());
    context.environment = vec![("OF_THE_PROJECT".into(), "0.25".into())];
    assert!(!format!("{context:?}").contains("0.25"));
    let builder = Builder::new(context);
    let options = json!({
        "type": "code_judge", "script": "echo \"{\\\"score\\\": $OF_THE_PROJECT}\"",
    });
    let judged = Trial::answered("Paris").judge_with(&builder, options);
    assert_eq!(judged.unwrap().unwrap().score.value(), 0.25);
}

#[test]
fn scripts_wait_for_their_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mut context = context(folder.path());
    context.scripts = ScriptPlaces::new(2);
    let script = "echo + >> log; sleep 0.05; echo - >> log; echo '{\"score\": 1}'";
    let members: Vec<Value> = (0..8)
        .map(|number| json!({"type": "code_judge", "name": number.to_string(), "script": script}))
        .collect();
    let options = json!({"type": "composite", "evaluators": members});
    let judged = Trial::answered("Paris").judge_with(&Builder::new(context), options);
    assert_eq!(judged.unwrap().unwrap().score.value(), 1.0);
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let (mut running, mut most) = (0, 0);
    for line in log.lines() {
        running += if line == "+" { 1 } else { -1 };
        most = most.max(running);
    }
    assert_eq!((log.lines().count(), most), (16, 2), "{log}");
}

#[test]
fn a_command_that_cannot_be_one_is_refused() {
    let builder = Builder::new(context(Path::new(".")));
    for (options, message) in [
        (json!({"script": []}), "`script`: expected a command"),
        (json!({"script": "  "}), "`script`: expected a command"),
        (json!({"script": 5}), "`script`: expected a command"),
        (
            json!({"script": ["a", 1]}),
            "`script`: expected an array of strings",
        ),
        (
            json!({"script": "true", "timeout_seconds": 0}),
            "`timeout_seconds`: expected a number of seconds that is 0.001 or more",
        ),
        (
            json!({"script": "true", "timeout_seconds": 1e300}),
            "`timeout_seconds`: expected a number of seconds that is 0.001 or more",
        ),
        (
            json!({"script": "true", "target": "gpt"}),
            "`target`: expected an object",
        ),
        (
            json!({"script": "true", "target": {"max_calls": -1}}),
            "`target.max_calls`: expected a whole number",
        ),
    ] {
        let mut options = options;
        options["type"] = json!("code_judge");
        let refused = builder.build(&spec(options)).err().unwrap().to_string();
        assert!(
            refused.starts_with(&format!("evaluator `code_judge`: {message}")),
            "{refused}"
        );
    }
}

#[test]
fn the_prompt_of_a_judge_may_come_from_a_line_for_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Builder::new(context(folder.path()));
    let judges = crate::scripted::ScriptedJudges::saying(&[r#"{"score": 0.75}"#]);
    let prompt = json!({"script": "cat > seen.json; echo Polite?", "timeout_seconds": 50});
    let options = json!({"type": "llm_judge", "prompt": prompt});
    let judged = Trial::answered("Paris").judge_asking(&builder, options, Some(&judges));
    assert_eq!(judged.unwrap().unwrap().score.value(), 0.75);
    assert_eq!(
        crate::scripted::said_by_user(&judges.asked()[0].1),
        "Polite?"
    );
    let seen = fs::read_to_string(folder.path().join("seen.json")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["candidate_answer"], "Paris");
    let delimited = seen["delimited"]["candidate_answer"].as_str().unwrap();
    assert!(delimited.contains("\nParis\n"), "{delimited}");
}

#[test]
fn a_prompt_script_that_fails_is_an_error_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Builder::new(context(folder.path()));
    let judges = crate::scripted::ScriptedJudges::saying(&[]);
    for (script, expected) in [
        (
            "echo no >&2; exit 1",
            "the prompt script failed with exit code 1; stderr: no",
        ),
        ("echo", "the prompt script printed nothing"),
    ] {
        let options = json!({"type": "llm_judge", "prompt": {"script": script}});
        let judged = Trial::answered("Paris").judge_asking(&builder, options, Some(&judges));
        assert_eq!(judged.unwrap().unwrap_err().to_string(), expected);
    }
}
