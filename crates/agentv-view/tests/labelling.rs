//! Labels: who may write them, what is written, and that none is lost.

use std::fs;
use std::path::{Path, PathBuf};

use agentv_testkit::runs::{Trial, errored, merged, ten, trial, write_run};
use serde_json::{Value, json};

use crate::client::{Answer, Running};

const ID: &str = "2026-11-15T10-43-07Z-4f1a";

/// A project with a run of ten trials, on a server.
struct Labelled {
    root: tempfile::TempDir,
    server: Running,
}

impl Labelled {
    fn of(trials: Vec<Trial>) -> Labelled {
        let root = tempfile::tempdir().unwrap();
        let results = results_in(root.path());
        write_run(&results, ID, &json!({}), trials);
        let server = Running::with(
            agentv_view::Runs::of_folder(&results).with_user("Ada"),
            agentv_view::Binding::loopback(0),
        );
        Labelled { root, server }
    }

    fn file(&self) -> PathBuf {
        self.root.path().join(".agentv/labels.jsonl")
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.file()).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn id_of(&self, item: u32) -> Value {
        let path = format!("/api/runs/{ID}/trials/{item}/label");
        self.server.get(&path).json()["id"].clone()
    }

    fn item(&self, id: &str) -> u32 {
        let path =
            format!("/api/runs/{ID}/locate?file=evals/support.yaml&id={id}&target=default&trial=1");
        self.server.get(&path).json()["item"].as_u64().unwrap() as u32
    }

    fn label(&self, id: &str, change: Value) -> Answer {
        let item = self.item(id);
        let body = json!({"run": ID, "item": item, "id": self.id_of(item)});
        self.server.post("/api/labels", &merged(&body, change))
    }
}

fn results_in(root: &Path) -> PathBuf {
    let results = root.join(".agentv/results");
    fs::create_dir_all(&results).unwrap();
    results
}

#[test]
fn a_label_is_a_case_with_an_answer_a_grade_a_user_and_a_time() {
    let view = Labelled::of(ten());
    let answer = view.label(
        "case-9",
        json!({"verdict": "fail", "score": 0.25, "note": " too vague ", "blind": true}),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    let line = view.lines().remove(0);
    assert!(
        line["id"].as_str().unwrap().starts_with("case-9~"),
        "{line}"
    );
    assert_eq!(
        (
            &line["human_verdict"],
            &line["human_score"],
            &line["human_note"]
        ),
        (&json!("fail"), &json!(0.25), &json!("too vague"))
    );
    assert_eq!(line["labelled"]["by"], "Ada");
    assert_eq!(line["labelled"]["blind"], true);
    assert!(line["labelled"]["at"].as_str().unwrap().contains('T'));
    assert_eq!(line["expected_outcome"], "Says when it arrives");
    assert_eq!(
        line["output_messages"][1]["content"],
        "It arrives on Tuesday, I hope."
    );
    // The text of a file is kept: the file may change.
    assert_eq!(
        line["input_messages"][1]["content"][1],
        json!({"type": "text", "value": "Be brief."})
    );
}

#[test]
fn labels_are_replaced_and_removed_and_other_lines_stay_as_they_are() {
    let view = Labelled::of(ten());
    let foreign = "{\"id\":\"by hand\",\"human_score\":1}\nnot a label\n";
    fs::write(view.file(), foreign).unwrap();
    assert_eq!(view.label("case-1", json!({"verdict": "pass"})).status, 200);
    assert_eq!(view.label("case-2", json!({"score": 0.5})).status, 200);
    let seen = view.label("case-2", json!({})).json()["label"]["labelled"]["at"].clone();
    assert_eq!(
        view.label("case-2", json!({"verdict": "fail", "seen": seen}))
            .status,
        200
    );
    let text = fs::read_to_string(view.file()).unwrap();
    assert!(text.starts_with(foreign), "{text}");
    assert_eq!(text.lines().count(), 4);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["human_verdict"], &last["human_score"]),
        (&json!("fail"), &Value::Null)
    );
    let seen = last["labelled"]["at"].clone();
    assert_eq!(view.label("case-2", json!({"seen": seen})).status, 200);
    assert_eq!(fs::read_to_string(view.file()).unwrap().lines().count(), 3);
}

#[test]
fn a_label_that_changed_in_the_meantime_is_not_overwritten() {
    let view = Labelled::of(ten());
    assert_eq!(view.label("case-1", json!({"verdict": "pass"})).status, 200);
    let answer = view.label("case-1", json!({"verdict": "fail"}));
    assert_eq!(answer.status, 409);
    assert_eq!(answer.json()["label"]["human_verdict"], "pass");
    assert_eq!(view.lines()[0]["human_verdict"], "pass");
}

#[test]
fn labels_of_many_tabs_at_once_are_all_kept() {
    let trials: Vec<Trial> = (0..24)
        .map(|at| trial(&format!("case-{at}"), 1.0, "Yes."))
        .collect();
    let view = Labelled::of(trials);
    // A second server on the same project.
    let other = Running::of(&view.root.path().join(".agentv/results"));
    std::thread::scope(|scope| {
        for at in 0..24 {
            let (view, other) = (&view, &other);
            scope.spawn(move || {
                let item = view.item(&format!("case-{at}"));
                let body =
                    json!({"run": ID, "item": item, "id": view.id_of(item), "verdict": "pass"});
                let server = if at % 2 == 0 { &view.server } else { other };
                assert_eq!(server.post("/api/labels", &body).status, 200);
            });
        }
    });
    assert_eq!(view.lines().len(), 24);
}

#[test]
fn agreement_is_that_of_the_command_calibrate_and_follows_the_answer_to_other_runs() {
    let view = Labelled::of(ten());
    // Scores 0.9 and 0.8 pass, 0.1 and 0.5 fail. The person disagrees once.
    for (id, verdict) in [
        ("case-9", "pass"),
        ("case-8", "fail"),
        ("case-1", "fail"),
        ("case-5", "fail"),
    ] {
        assert_eq!(view.label(id, json!({"verdict": verdict})).status, 200);
    }
    let labels = view.server.get(&format!("/api/runs/{ID}/labels")).json();
    let [whole, tone] = [0, 1].map(|at| labels["agreements"][at].clone());
    assert_eq!(
        (&whole["evaluator"], &tone["evaluator"]),
        (&Value::Null, &json!("tone"))
    );
    assert_eq!(whole["cases"], 4);
    assert_eq!(whole["accuracy"], 0.75);
    // Both say pass once, the judge alone once, nobody else: (0.75 - 0.5) / (1 - 0.5) = 0.5.
    assert_eq!(whole["kappa"], 0.5);
    assert_eq!(whole["confusion"], json!([[1, 0, 0], [0, 0, 0], [1, 0, 2]]));
    // Graded again with other scores: the same answers have their labels.
    let again: Vec<Trial> = (1..=9)
        .map(|at| trial(&format!("case-{at}"), 0.0, "It arrives on Tuesday, I hope."))
        .collect();
    write_run(
        &results_in(view.root.path()),
        "again",
        &json!({"graded_from": ID}),
        again,
    );
    let labels = view.server.get("/api/runs/again/labels").json();
    assert_eq!(labels["labels"].as_array().unwrap().len(), 4);
    assert_eq!(labels["agreements"][0]["accuracy"], 0.75);
    // Another answer has none.
    write_run(
        &results_in(view.root.path()),
        "other",
        &json!({}),
        [trial("case-9", 0.0, "No.")],
    );
    let labels = view.server.get("/api/runs/other/labels").json();
    assert_eq!(labels["labels"], json!([]));
}

#[test]
fn what_cannot_be_labelled_is_refused_with_the_reason() {
    let mut trials = ten();
    trials.push(errored("case-11", "down"));
    trials.push(Trial {
        transcript: None,
        ..trial("case-12", 1.0, "Yes.")
    });
    let view = Labelled::of(trials);
    for (id, change, part) in [
        (
            "case-10",
            json!({"verdict": "pass", "id": "x"}),
            "cannot be labelled",
        ),
        (
            "case-12",
            json!({"verdict": "pass", "id": "x"}),
            "its question is not recorded",
        ),
        ("case-1", json!({"score": 1.5}), "from 0 to 1"),
        ("case-1", json!({"verdict": "great"}), "unknown variant"),
        (
            "case-1",
            json!({"verdict": "pass", "id": "case-1~0000"}),
            "another answer",
        ),
        (
            "case-1",
            json!({"verdict": "pass", "note": "x".repeat(10_001)}),
            "at most 10000",
        ),
        (
            "case-1",
            json!({"verdict": "pass", "extra": 1}),
            "unknown field",
        ),
        (
            "case-1",
            json!({"verdict": "pass", "run": "../elsewhere"}),
            "not found",
        ),
    ] {
        let answer = view.label(id, change);
        assert!(matches!(answer.status, 400 | 404), "{answer:?}");
        assert!(answer.text().contains(part), "{part}: {}", answer.text());
    }
    assert!(!view.file().exists());
    // Runs outside of a project have no place for labels.
    let bare = tempfile::tempdir().unwrap();
    write_run(bare.path(), ID, &json!({}), ten());
    let server = Running::of(bare.path());
    let id = server.get(&format!("/api/runs/{ID}/trials/0/label")).json()["id"].clone();
    let answer = server.post(
        "/api/labels",
        &json!({"run": ID, "item": 0, "id": id, "verdict": "pass"}),
    );
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains(".agentv"), "{}", answer.text());
}

#[test]
fn a_forged_request_writes_nothing() {
    let view = Labelled::of(ten());
    let (server, host) = (&view.server, view.server.address.to_string());
    let own = format!("http://{host}");
    let item = view.item("case-1");
    let body =
        json!({"run": ID, "item": item, "id": view.id_of(item), "verdict": "pass"}).to_string();
    let good = [
        ("host", &*host),
        ("origin", &*own),
        ("content-type", "application/json"),
    ];
    let with = |name: &str, value: Option<&str>| -> Vec<(String, String)> {
        let kept = good.iter().filter(|(one, _)| *one != name);
        let kept = kept.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        kept.chain(value.map(|value| (name.to_owned(), value.to_owned())))
            .collect()
    };
    let port = server.address.port();
    for headers in [
        with("origin", None),
        with("origin", Some("http://evil.example")),
        with("origin", Some("null")),
        with("origin", Some(&format!("https://{host}"))),
        with("origin", Some(&format!("http://localhost:{port}"))),
        with("host", Some(&format!("evil.example:{port}"))),
        with("host", None),
        with("content-type", Some("text/plain")),
        with("content-type", Some("application/x-www-form-urlencoded")),
        with("content-type", Some("multipart/form-data; boundary=x")),
        with("content-type", None),
        with("sec-fetch-site", Some("cross-site")),
        with("sec-fetch-site", Some("same-site")),
    ] {
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let answer = server.send_body("POST", "/api/labels", &headers, &body);
        assert!(
            matches!(answer.status, 400 | 403),
            "{headers:?}: {answer:?}"
        );
    }
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        assert_eq!(
            server.send_body(method, "/api/labels", &good, &body).status,
            405
        );
    }
    assert_eq!(
        server.send_body("POST", "/api/runs", &good, &body).status,
        405
    );
    assert!(!view.file().exists());
    assert_eq!(
        server.send_body("POST", "/api/labels", &good, &body).status,
        200
    );
    assert_eq!(view.lines().len(), 1);
}
