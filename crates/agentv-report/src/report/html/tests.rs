//! The page as a whole, without a browser.

use std::fs;
use std::io::Read;
use std::path::Path;

use agentv_core::ResultRecord;
use agentv_journal::{RecordFile, RunFolder};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use snapbox::{Assert, file};

use super::format::write_with;
use crate::results::RunResults;
use crate::samples::{errored, failed, graded, measured, record};

/// A run with these results, and with the transcripts of some.
fn run(root: &Path, results: &[ResultRecord], transcripts: &[Value]) -> RunResults {
    let started = "2026-11-15T10:43:07.309Z";
    let folder = RunFolder::create_at(root, started.parse().unwrap()).unwrap();
    let asked = json!({
        "schema_version": 1, "version": "0.1.0", "started_at": started, "trials": 1, "planned": results.len(),
        "files": [{"path": "evals/geography.yaml", "digest": "d", "cases": results.len(), "skipped": 1}],
    });
    let results_file = folder.file(RecordFile::Results);
    fs::write(results_file.with_file_name("run.json"), asked.to_string()).unwrap();
    let lines = results
        .iter()
        .map(|one| serde_json::to_string(one).unwrap() + "\n");
    fs::write(&results_file, lines.collect::<String>()).unwrap();
    let lines = transcripts.iter().map(|one| format!("{one}\n"));
    fs::write(
        folder.file(RecordFile::Transcripts),
        lines.collect::<String>(),
    )
    .unwrap();
    RunResults::of_folder(&folder).unwrap()
}

fn transcript(eval_id: &str, answer_key: &str) -> Value {
    json!({
        "eval_id": eval_id, "answer_key": answer_key,
        "case": {"id": eval_id, "input_messages": [{"role": "user", "content": [
            {"type": "text", "value": "Capital of\nFrance?"}, {"type": "file", "value": "map.txt", "text": "…"}]}]},
        "transcript": {"output_messages": [{"role": "assistant", "content": "Paris"}]},
    })
}

fn page(runs: &[RunResults], most_trials: usize) -> String {
    let mut page = Vec::new();
    write_with(runs, most_trials, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// Returns the unpacked blocks of a kind.
fn blocks(page: &str, kind: &str) -> Vec<String> {
    let begin = format!("data-block=\"{kind}\">");
    let found = page.split(&begin).skip(1);
    let unpack = |text: &str| {
        let packed = STANDARD.decode(text.split_once('<').unwrap().0).unwrap();
        let mut unpacked = String::new();
        GzDecoder::new(&packed[..])
            .read_to_string(&mut unpacked)
            .unwrap();
        unpacked
    };
    found.map(unpack).collect()
}

fn json_blocks(page: &str, kind: &str) -> Vec<Value> {
    let blocks = blocks(page, kind);
    let lines = blocks.iter().flat_map(|block| block.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn damaged_lines_are_counted() {
    let root = tempfile::tempdir().unwrap();
    let run = run(root.path(), &[graded("one", 1.0), graded("two", 1.0)], &[]);
    let text = fs::read_to_string(run.results_file()).unwrap();
    let wrong_status = text.replace("\"eval_id\":\"two\"", "\"eval_id\":\"two\",\"score\":\"?\"");
    fs::write(run.results_file(), wrong_status + "{\"torn\n").unwrap();
    page(std::slice::from_ref(&run), 10);
    assert_eq!(run.damaged_lines(), 2);
}

#[test]
fn a_small_run_has_the_blocks_that_the_script_reads() {
    let root = tempfile::tempdir().unwrap();
    let results = [
        measured(graded("passed", 1.0), 120.0, 0.25),
        failed("failed", 0.25, "names no <city>"),
        errored("errored", "timed out"),
        record("ungraded"),
    ];
    let run = run(root.path(), &results, &[transcript("passed", "aaaaaaaa")]);
    let page = page(&[run], 100);
    let found = json!({
        "facts": json_blocks(&page, "facts"),
        "rows": json_blocks(&page, "rows"),
        "details": json_blocks(&page, "details"),
    });
    let found = serde_json::to_string_pretty(&found).unwrap();
    Assert::new()
        .action_env("SNAPSHOTS")
        .eq(found, file!["blocks.json"].raw());
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let root = tempfile::tempdir().unwrap();
    // Enough for several threads.
    let results: Vec<_> = (0..6_000)
        .map(|at| graded(&format!("case-{at}"), f64::from(at % 11) / 10.0))
        .collect();
    let run = [run(root.path(), &results, &[])];
    let first = page(&run, 100_000);
    assert_eq!(blocks(&first, "rows").len(), 3);
    assert!(first == page(&run, 100_000), "two pages of one run differ");
}

#[test]
fn a_sample_contains_trials_that_did_not_pass_and_totals_cover_all() {
    let root = tempfile::tempdir().unwrap();
    let mut results: Vec<_> = (0..1_000)
        .map(|at| graded(&format!("case-{at}"), 1.0))
        .collect();
    results[500] = failed("case-500", 0.1, "wrong");
    results[501] = errored("case-501", "down");
    let page = page(&[run(root.path(), &results, &[])], 100);
    let facts = &json_blocks(&page, "facts")[0]["runs"][0];
    assert_eq!(
        (&facts["shown"], &facts["summary"]["trials"]),
        (&json!(100), &json!(1_000))
    );
    let rows = &json_blocks(&page, "rows")[0];
    let ids: Vec<&str> = rows["id"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 100);
    assert!(ids.contains(&"case-500") && ids.contains(&"case-501"));
    assert_eq!(json_blocks(&page, "details").len(), 100);
}

#[test]
fn two_samples_have_the_same_trials() {
    let roots = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let passed: Vec<_> = (0..1_000)
        .map(|at| graded(&format!("case-{at}"), 1.0))
        .collect();
    let mut other = passed.clone();
    other[7] = failed("case-7", 0.1, "wrong");
    let runs = [
        run(roots[0].path(), &passed, &[]),
        run(roots[1].path(), &other, &[]),
    ];
    let rows = json_blocks(&page(&runs, 50), "rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["id"], rows[1]["id"]);
    assert!(rows[0]["id"].as_array().unwrap().contains(&json!("case-7")));
}

#[test]
fn an_answer_that_cases_share_is_found_for_each() {
    let root = tempfile::tempdir().unwrap();
    let results = [
        graded("first", 1.0),
        graded("second", 0.0),
        errored("third", "down"),
    ];
    let page = page(
        &[run(
            root.path(),
            &results,
            &[transcript("first", "aaaaaaaa")],
        )],
        100,
    );
    let details = json_blocks(&page, "details");
    assert_eq!(details[0]["transcript"]["eval_id"], "first");
    assert_eq!(details[1]["transcript"]["eval_id"], "first");
    assert_eq!(details[2].get("transcript"), None);
    assert_eq!(
        json_blocks(&page, "rows")[0]["question"],
        json!(["Capital of France?", "Capital of France?", ""])
    );
}

#[test]
fn all_text_of_a_record_is_inside_blocks() {
    let root = tempfile::tempdir().unwrap();
    let marked = failed("mark-of-an-id", 0.1, "mark-of-a-miss</script>");
    let page = page(&[run(root.path(), &[marked], &[])], 100);
    assert!(!page.contains("mark-of"));
    assert!(!page.contains("2026-11-15"));
}
