//! The answers of the server: runs, trials, records, and what can be shown of broken runs.

use std::fs;

use agentv_testkit::runs::{ten, trial, write_run};
use serde_json::json;

use crate::client::Running;

const ID: &str = "2026-11-15T10-43-07Z-4f1a";

#[test]
fn runs_are_listed_with_their_figures_and_with_problems() {
    let root = tempfile::tempdir().unwrap();
    write_run(
        root.path(),
        ID,
        &json!({"finished_at": "2026-11-15T10:59:00Z"}),
        ten(),
    );
    let newer = write_run(root.path(), "newer", &json!({"schema_version": 99}), ten());
    let broken = write_run(root.path(), "broken", &json!({}), ten());
    fs::write(broken.join("run.json"), "{").unwrap();
    let server = Running::of(root.path());
    let listed = server.get("/api/runs").json();
    let runs = listed["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    let of = |id: &str| runs.iter().find(|run| run["id"] == id).unwrap();
    let line = &of(ID)["lines"][0];
    assert_eq!(
        (line["trials"].as_u64(), line["statuses"]["pass"].as_u64()),
        (Some(10), Some(2))
    );
    assert!(line["pass_rate_interval"][0].is_number(), "{line}");
    assert!(
        of("newer")["problem"].as_str().unwrap().contains("version"),
        "{listed}"
    );
    assert!(of("broken")["problem"].is_string());
    for id in ["newer", "broken"] {
        let about = server.get(&format!("/api/runs/{id}")).json();
        assert_eq!(about["total"], 10, "{about}");
        assert!(about["problem"].is_string(), "{about}");
        assert_eq!(
            server.get(&format!("/api/runs/{id}/facts")).json()["facts"]["summary"]["trials"],
            10
        );
    }
    drop(newer);
}

#[test]
fn trials_are_filtered_sorted_and_delivered_in_pages() {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), ID, &json!({}), ten());
    let server = Running::of(root.path());
    let trials = |query: &str| server.get(&format!("/api/runs/{ID}/trials?{query}")).json();
    let ids = |query: &str| -> Vec<String> {
        let rows = trials(query)["rows"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(trials("")["length"], 10);
    assert_eq!(trials("")["statuses"], json!([2, 2, 5, 1, 0]));
    assert_eq!(ids("sort=-score&count=2"), ["case-9", "case-8"]);
    assert_eq!(
        ids("sort=score&first=7&count=5"),
        ["case-8", "case-9", "case-10"]
    );
    assert_eq!(ids("status=pass,error"), ["case-8", "case-9", "case-10"]);
    assert_eq!(ids("q=order%20case-3"), ["case-3"]);
    assert_eq!(ids("q=slow+DOWN"), ["case-10"]);
    assert_eq!(ids("min=0.3&max=0.4"), ["case-3", "case-4"]);
    assert_eq!(ids("evaluator=tone&said=borderline"), ["case-6", "case-7"]);
    assert_eq!(ids("tool=lookupOrder&status=pass"), ["case-8", "case-9"]);
    assert_eq!(ids("first=99"), [""; 0]);
    for wrong in [
        "status=nothing",
        "said=x",
        "min=many",
        "sort=name",
        "count=-1",
        "first=x",
    ] {
        assert_eq!(
            server.get(&format!("/api/runs/{ID}/trials?{wrong}")).status,
            400,
            "{wrong}"
        );
    }
    let located = server.get(&format!(
        "/api/runs/{ID}/locate?file=evals%2Fsupport.yaml&id=case-4&target=default&trial=1"
    ));
    assert_eq!(located.json()["item"], 3);
}

#[test]
fn the_records_of_a_trial_are_complete_and_can_be_read_in_pieces() {
    let root = tempfile::tempdir().unwrap();
    let long = trial("long", 1.0, &"word ".repeat(500_000));
    write_run(
        root.path(),
        ID,
        &json!({}),
        vec![trial("short", 0.5, "Tuesday"), long],
    );
    let server = Running::of(root.path());
    let short = server.get(&format!("/api/runs/{ID}/trials/0")).json();
    assert_eq!(short["result"]["candidate_answer"], "Tuesday");
    assert_eq!(short["transcript"]["case"]["id"], "short");
    assert_eq!(
        (short["cut"].as_u64(), short["row"]["id"].as_str()),
        (Some(0), Some("short"))
    );
    let long = server.get(&format!("/api/runs/{ID}/trials/1"));
    assert!(long.body.len() < 4_200_000, "{}", long.body.len());
    assert!(long.json()["cut"].as_u64().unwrap() > 0);
    let address = format!("/api/runs/{ID}/trials/1/transcript");
    let mut whole = Vec::new();
    loop {
        let range = format!("bytes={}-", whole.len());
        let piece = server.get_with(&address, &[("range", &range)]);
        if piece.status == 416 {
            break;
        }
        assert_eq!(piece.status, 206, "{}", piece.head);
        assert!(piece.body.len() <= 1 << 20);
        whole.extend(piece.body);
    }
    let transcript: serde_json::Value = serde_json::from_slice(&whole).unwrap();
    let messages = transcript["transcript"]["output_messages"]
        .as_array()
        .unwrap();
    assert_eq!(messages[1]["content"].as_str().unwrap().len(), 2_500_000);
    let part = server.get_with(&address, &[("range", "bytes=1-3")]);
    assert_eq!((part.status, part.body.len()), (206, 3));
    assert!(
        part.header("content-range")
            .unwrap()
            .starts_with("bytes 1-3/")
    );
    for wrong in ["bytes=9-1", "bytes=-", "words=1-2", "bytes=999999999-"] {
        assert_eq!(
            server.get_with(&address, &[("range", wrong)]).status,
            416,
            "{wrong}"
        );
    }
    assert_eq!(server.get(&format!("/api/runs/{ID}/trials/2")).status, 404);
    assert_eq!(
        server.get(&format!("/api/runs/{ID}/trials/1/other")).status,
        400
    );
}

#[test]
fn an_empty_or_missing_folder_has_no_runs() {
    let root = tempfile::tempdir().unwrap();
    let server = Running::of(&root.path().join("missing"));
    assert_eq!(server.get("/api/runs").json()["runs"], json!([]));
    fs::create_dir_all(root.path().join("missing/empty-run")).unwrap();
    let listed = server.get("/api/runs").json();
    assert_eq!(listed["runs"][0]["problem"], "it has no `run.json`");
    assert_eq!(server.get("/api/runs/empty-run").json()["total"], 0);
}
