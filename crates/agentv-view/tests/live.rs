//! A run that is followed while it is written, killed and resumed.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use agentv_journal::RunFolder;
use agentv_testkit::runs::{Trial, ten, trial, write_run};
use serde_json::json;

use crate::client::Running;

const ID: &str = "2026-11-15T10-43-07Z-4f1a";

fn append(run: &Path, trial: &Trial) {
    let open = |name: &str| {
        OpenOptions::new()
            .append(true)
            .open(run.join(name))
            .unwrap()
    };
    if let Some(transcript) = &trial.transcript {
        writeln!(open("transcripts.jsonl"), "{transcript}").unwrap();
    }
    writeln!(open("results.jsonl"), "{}", trial.result).unwrap();
}

#[test]
fn news_arrive_while_a_run_is_written_and_when_it_ends() {
    let root = tempfile::tempdir().unwrap();
    let run = write_run(root.path(), ID, &json!({}), ten());
    let folder = RunFolder::open(&run).unwrap();
    let lock = folder
        .write("2026-11-15T10:43:08Z".parse().unwrap())
        .unwrap();
    let server = Running::of(root.path());
    let mut events = server.events(&format!("/api/runs/{ID}/events"));
    let first = events.next().unwrap();
    assert_eq!(
        (first["total"].as_u64(), first["running"].as_bool()),
        (Some(10), Some(true))
    );
    append(&run, &trial("case-11", 1.0, "New"));
    let mut until = |total: u64, running: bool| {
        events
            .by_ref()
            .find(|news| news["total"] == total && news["running"] == running)
            .unwrap()
    };
    let grown = until(11, true);
    assert!(grown["version"].as_u64() > first["version"].as_u64());
    let trials = server
        .get(&format!("/api/runs/{ID}/trials?q=case-11"))
        .json();
    assert_eq!(trials["rows"][0]["score"], 1.0);
    // A later record of the same trial replaces the earlier one.
    append(&run, &trial("case-11", 0.0, "Other"));
    append(&run, &trial("case-12", 0.0, "Last"));
    until(12, true);
    drop(lock);
    until(12, false);
    let trials = server
        .get(&format!("/api/runs/{ID}/trials?q=case-11"))
        .json();
    assert_eq!(trials["rows"][0]["score"], 0.0);
    let facts = server.get(&format!("/api/runs/{ID}/facts")).json();
    assert_eq!(facts["facts"]["summary"]["trials"], 12);
    assert_eq!(facts["facts"]["summary"]["statuses"]["fail"], 7);
}

#[test]
fn a_run_that_is_resumed_after_it_was_shown_is_read_again() {
    let root = tempfile::tempdir().unwrap();
    let run = write_run(root.path(), ID, &json!({}), ten());
    let server = Running::of(root.path());
    assert_eq!(server.get(&format!("/api/runs/{ID}")).json()["total"], 10);
    append(&run, &trial("case-11", 1.0, "New"));
    let about = server.get(&format!("/api/runs/{ID}")).json();
    assert_eq!(about["total"], 11);
    assert_eq!(
        server.get(&format!("/api/runs/{ID}/trials")).json()["length"],
        11
    );
}
