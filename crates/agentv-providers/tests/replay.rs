//! Recordings as targets.

use std::sync::Arc;

use agentv_core::{Cause, EvalCase, Timing, Transcript, TranscriptRecord};
use agentv_journal::{RecordFile, RunFolder};
use libtest_mimic::Trial;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::project::{Project, block_on};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        answers_of_a_file_are_found_by_id,
        a_case_that_is_not_there_is_an_error_of_that_case,
        a_broken_line_is_named_before_the_run,
        several_trials_have_answers_of_their_own,
        a_run_is_replayed_by_its_folder_or_its_id,
        a_run_of_several_targets_is_not_guessed_at,
        many_look_at_the_same_file_at_the_same_time,
        a_path_that_leads_nowhere_is_reported,
    ]
}

fn replay(content: &str) -> Project {
    let project = Project::of(json!({"provider": "replay", "path": "answers.jsonl"}));
    project.write("answers.jsonl", content);
    project
}

fn answer(project: &Project, id: &str) -> String {
    match project.answer(&project.request(id, "Hi")) {
        Ok(transcript) => transcript.answer(),
        Err(error) => error.message,
    }
}

fn answers_of_a_file_are_found_by_id() {
    let project = replay(concat!(
        "\u{feff}{\"id\": \"a\", \"text\": \"A\"}\r\n",
        "\n",
        "{\"id\": \"b\", \"output_messages\": [{\"role\": \"assistant\", \"content\": \"B\"}], ",
        "\"token_usage\": {\"input\": 3, \"output\": 4}, \"cost_usd\": 0.5, \"duration_ms\": 7}\n",
        "{\"id\": \"c\", \"text\": \"no line end\"}",
    ));
    assert_eq!(answer(&project, "a"), "A");
    assert_eq!(answer(&project, "c"), "no line end");
    let transcript = project.answer(&project.request("b", "Hi")).unwrap();
    assert_eq!(transcript.answer(), "B");
    assert_eq!(transcript.token_usage.unwrap().total(), 7);
    assert_eq!(
        (transcript.cost_usd, transcript.duration_ms),
        (Some(0.5), Some(7.0))
    );
}

fn a_case_that_is_not_there_is_an_error_of_that_case() {
    let project = replay("{\"id\": \"greeting\", \"text\": \"A\"}\n");
    let error = project
        .answer(&project.request("greetign", "Hi"))
        .unwrap_err();
    assert_eq!(error.cause, Cause::Missing);
    let expected = "`answers.jsonl` has no answer to `greetign`; did you mean `greeting`?";
    assert_eq!(error.message, expected);
    assert_eq!(
        answer(&project, "x"),
        "`answers.jsonl` has no answer to `x`"
    );
}

fn a_broken_line_is_named_before_the_run() {
    let fine = "{\"id\": \"a\", \"text\": \"A\"}";
    for (line, expected) in [
        (
            "{\"id\": \"b\", \"text\"",
            "line 3 of `answers.jsonl`: invalid JSON: EOF",
        ),
        (
            "[]",
            "line 3 of `answers.jsonl`: expected an object with `id`, found an array",
        ),
        ("{\"text\": \"b\"}", "line 3 of `answers.jsonl`: missing id"),
        (
            "{\"id\": \"b\"}",
            "line 3 of `answers.jsonl`: expected `text` or `output_messages`",
        ),
        (
            "{\"id\": \"b\", \"text\": 5}",
            "line 3 of `answers.jsonl`: `text`: expected a string",
        ),
        (
            fine,
            "line 3 of `answers.jsonl` is a second answer to `a`; ",
        ),
    ] {
        let project = replay(&format!("{fine}\n\n{line}\n"));
        let error = project.resolve("t", &[]).unwrap_err();
        let start = format!("target `t`: `path`: {expected}");
        assert!(error.message.starts_with(&start), "{error}");
    }
}

fn several_trials_have_answers_of_their_own() {
    let project = replay(concat!(
        "{\"id\": \"a\", \"trial\": 2, \"text\": \"second\"}\n",
        "{\"id\": \"a\", \"trial\": 1, \"text\": \"first\"}\n",
        "{\"id\": \"b\", \"text\": \"always\"}\n",
    ));
    let ask = |id: &str, trial| {
        let mut request = project.request(id, "Hi");
        request.trial = trial;
        project
            .answer(&request)
            .map(|transcript| transcript.answer())
    };
    assert_eq!(ask("a", 1).unwrap(), "first");
    assert_eq!(ask("a", 2).unwrap(), "second");
    assert_eq!(ask("b", 7).unwrap(), "always");
    let error = ask("a", 3).unwrap_err();
    assert_eq!(error.cause, Cause::Missing);
    assert!(error.message.ends_with("but none for trial 3"), "{error}");
}

/// Creates a run with these answers: target, id, trial, text.
fn record(project: &Project, id: &str, answers: &[(&str, &str, u32, &str)]) {
    let results = project.root().join(".agentv/results");
    let folder = RunFolder::create(&results, &id.parse().unwrap()).unwrap();
    let now = "2026-11-15T10:43:07Z".parse().unwrap();
    let mut writer = folder.write(now).unwrap();
    let mut transcripts = writer.append(RecordFile::Transcripts).unwrap();
    let case = json!({"id": "x", "dataset": "d", "input_messages": []});
    let case: Arc<EvalCase> = Arc::new(serde_json::from_value(case).unwrap());
    for (target, eval_id, trial, text) in answers {
        let record = TranscriptRecord {
            timestamp: "2026-11-15T10:43:07Z".to_owned(),
            eval_file: Arc::from("evals/cases.jsonl"),
            position: None,
            eval_id: (*eval_id).to_owned(),
            target: Arc::from(*target),
            trial: *trial,
            answer_key: "k".to_owned(),
            identity: None,
            case: Arc::clone(&case),
            transcript: Transcript::of_text(*text),
            timing: Timing::default(),
            attempts: 1,
            cached: false,
            redacted: false,
            dry_run: false,
            error: None,
            unfinished: false,
            outdated: false,
            of_other_run: false,
        };
        let now = std::time::Instant::now();
        transcripts.append(&record, now).unwrap();
    }
    transcripts.finish().unwrap();
}

fn a_run_is_replayed_by_its_folder_or_its_id() {
    for path in [
        "nightly",
        ".agentv/results/nightly",
        ".agentv/results/nightly/transcripts.jsonl",
    ] {
        let project = Project::of(json!({"provider": "replay", "path": path}));
        let answers = [
            ("gpt", "a", 1, "outdated"),
            ("gpt", "b", 1, "B"),
            ("gpt", "a", 1, "A"),
            ("gpt", "a", 2, "A2"),
        ];
        record(&project, "nightly", &answers);
        assert_eq!(answer(&project, "a"), "A", "{path}");
        assert_eq!(answer(&project, "b"), "B");
        let mut request = project.request("a", "Hi");
        request.trial = 2;
        assert_eq!(project.answer(&request).unwrap().answer(), "A2");
        request.eval_id = "b".to_owned();
        assert_eq!(project.answer(&request).unwrap().answer(), "B");
    }
}

fn a_run_of_several_targets_is_not_guessed_at() {
    let project = Project::of(json!({"provider": "replay", "path": "nightly"}));
    let answers = [
        ("gpt", "a", 1, "A"),
        ("claude", "a", 1, "A2"),
        ("gpt", "b", 1, "B"),
        ("t", "b", 1, "own"),
    ];
    record(&project, "nightly", &answers);
    let error = project.answer(&project.request("a", "Hi")).unwrap_err();
    assert_eq!(error.cause, Cause::Missing);
    assert!(
        error
            .message
            .contains("from several targets (`claude`, `gpt`)"),
        "{error}"
    );
    assert_eq!(answer(&project, "b"), "own");
}

fn many_look_at_the_same_file_at_the_same_time() {
    let text = |number: usize| format!("{number} {}", "x".repeat(number * 7 % 50_000));
    let lines: Vec<String> = (0..2_000)
        .map(|number| json!({"id": number.to_string(), "text": text(number)}).to_string())
        .collect();
    let project = replay(&lines.join("\n"));
    let provider = project.provider();
    let cancel = CancellationToken::new();
    block_on(async {
        let asking = (0..2_000).map(|number| {
            let request = project.request(&number.to_string(), "Hi");
            let (provider, cancel) = (provider.clone(), cancel.clone());
            tokio::spawn(async move {
                let transcript = provider.answer(&request, &cancel).await.unwrap();
                assert_eq!(transcript.answer(), text(number));
            })
        });
        for asked in asking.collect::<Vec<_>>() {
            asked.await.unwrap();
        }
    });
}

fn a_path_that_leads_nowhere_is_reported() {
    let project = Project::of(json!({"provider": "replay", "path": "nightyl"}));
    record(&project, "nightly", &[]);
    let error = project.resolve("t", &[]).unwrap_err();
    assert!(error.message.contains("`nightyl` not found in "), "{error}");
    assert_eq!(
        error.hint.as_deref(),
        Some("did you mean the run `nightly`?")
    );
    let project = Project::of(json!({"provider": "replay", "path": "evals"}));
    let error = project.resolve("t", &[]).unwrap_err();
    assert!(
        error
            .message
            .contains("a folder without `transcripts.jsonl`"),
        "{error}"
    );
}
