//! Runs and targets side by side.

use std::fs;

use agentv_journal::RunFolder;
use agentv_report::compare::{ComparisonFormat, Pairwise, read_runs, write_pairwise};
use agentv_report::{RunResults, Style};
use agentv_testkit::runs::{Trial, errored, trial, write_run};
use serde_json::{Value, json};

use crate::client::Running;

fn scored(scores: &[f64]) -> Vec<Trial> {
    let scores = scores.iter().enumerate();
    scores
        .map(|(at, score)| trial(&format!("case-{at}"), *score, "It arrives."))
        .collect()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn compare(server: &Running, path: &str, columns: &Value, more: &str) -> Value {
    let columns = encoded(&columns.to_string());
    let answer = server.get(&format!("/api/compare{path}?columns={columns}{more}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn the_statistics_are_those_of_the_command_compare() {
    let root = tempfile::tempdir().unwrap();
    let scores = [
        [0.2, 0.4, 0.9, 0.8, 0.7, 1.0],
        [0.9, 0.5, 0.9, 0.2, 0.6, 0.4],
        [0.1; 6],
    ];
    for (run, scores) in scores.iter().enumerate() {
        write_run(
            root.path(),
            &format!("run-{run}"),
            &json!({}),
            scored(scores),
        );
    }
    let server = Running::of(root.path());
    let columns = json!([["run-0"], ["run-1"], ["run-2"]]);
    let shown = compare(&server, "", &columns, "&threshold=0.15");
    let results: Vec<RunResults> = (0..3)
        .map(|run| RunFolder::open(&root.path().join(format!("run-{run}"))).unwrap())
        .map(|folder| RunResults::of_folder(&folder).unwrap())
        .collect();
    let runs = read_runs(&results).unwrap();
    let style = Style {
        colour: false,
        width: usize::MAX,
        unicode: true,
    };
    let mut written = Vec::new();
    let pairwise = Pairwise::of(&runs, 0.15);
    write_pairwise(&pairwise, &[], ComparisonFormat::Json, style, &mut written).unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(shown["pairs"].as_array().unwrap().len(), 3);
    for (shown, mut written) in shown["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .zip(written["pairs"].as_array().unwrap().clone())
    {
        let fields = written.as_object_mut().unwrap();
        fields.remove("matched");
        fields.remove("unmatched");
        assert_eq!(shown, &written);
    }
    assert_eq!(shown["runs"][1]["totals"], written["runs"][1]["totals"]);
    assert_eq!(shown["runs"][2]["label"], "C");
}

#[test]
fn rows_are_sorted_by_regression_filtered_and_delivered_in_pages() {
    let root = tempfile::tempdir().unwrap();
    write_run(
        root.path(),
        "old",
        &json!({}),
        scored(&[0.5, 0.9, 0.5, 1.0]),
    );
    let mut new = scored(&[0.9, 0.1, 0.5]);
    new.push(errored("case-3", "slow down"));
    let folder = write_run(root.path(), "new", &json!({}), new);
    let server = Running::of(root.path());
    let columns = json!([["old"], ["new"]]);
    let ids = |more: &str| -> Vec<String> {
        let rows = compare(&server, "/rows", &columns, more)["rows"].clone();
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(""), ["case-1", "case-3", "case-2", "case-0"]);
    assert_eq!(ids("&sort=improvement")[0], "case-0");
    assert_eq!(ids("&sort=name&first=1&count=2"), ["case-1", "case-2"]);
    assert_eq!(ids("&outcome=missing"), ["case-3"]);
    assert_eq!(ids("&q=CASE-2"), ["case-2"]);
    let about = compare(&server, "", &columns, "");
    assert_eq!(about["outcomes"][0], json!(["loss", 1]));
    // More results are read without being asked for.
    let more = trial("case-3", 0.2, "Late.").result.to_string() + "\n";
    fs::write(
        folder.join("results.jsonl"),
        fs::read_to_string(folder.join("results.jsonl")).unwrap() + &more,
    )
    .unwrap();
    assert_eq!(ids("&outcome=loss"), ["case-1", "case-3"]);
}

#[test]
fn a_comparison_that_cannot_be_made_says_why() {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), "one", &json!({}), scored(&[0.5]));
    write_run(
        root.path(),
        "other",
        &json!({}),
        [trial("elsewhere", 1.0, "Yes.")],
    );
    let server = Running::of(root.path());
    let status = |columns: &str, more: &str| {
        let answer = server.get(&format!("/api/compare?columns={}{more}", encoded(columns)));
        (answer.status, answer.text())
    };
    for (columns, more, code, part) in [
        ("[[\"one\"]]", "", 400, "needs 2 to 12"),
        ("nothing", "", 400, "must be a JSON array"),
        ("[[\"one\"],[\"one\"]]", "", 400, "named twice"),
        ("[[\"one\"],[\"none\"]]", "", 404, "not found"),
        ("[[\"../one\"],[\"one\"]]", "", 404, "not found"),
        (
            "[[\"one\"],[\"other\"]]",
            "&threshold=7",
            400,
            "from 0 to 1",
        ),
    ] {
        let (found, text) = status(columns, more);
        assert_eq!(found, code, "{text}");
        assert!(text.contains(part), "{text}");
    }
    let (found, text) = status("[[\"one\"],[\"other\"]]", "");
    assert_eq!(found, 200);
    assert!(text.contains("the runs share no case"), "{text}");
}
