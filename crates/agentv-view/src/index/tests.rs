//! An index of runs on disk: what it knows, what it finds, and when it is built again.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use agentv_core::Status;
use agentv_journal::{RecordFile, RunFolder};
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Filter, Query, RunIndex, Sort, TrialName};

struct Run {
    root: TempDir,
    folder: RunFolder,
}

fn result(id: &str, score: f64) -> Value {
    let status = if score >= 0.8 { "pass" } else { "fail" };
    json!({
        "timestamp": "2026-11-15T10:44:00Z", "eval_file": "evals/a.yaml", "eval_id": id, "dataset": "d",
        "target": "default", "trial": 1, "status": status, "score": score, "attempts": 1,
        "candidate_answer": format!("Answer of {id}"), "misses": ["Too short"],
        "evaluator_results": [{"name": "tone", "type": "llm_judge", "score": score, "weight": 1.0}],
        "trace_summary": {"event_count": 1, "tool_names": ["search"], "tool_calls_by_name": {"search": 2}, "error_count": 0, "cost_usd": 0.25},
        "timing": {"total_ms": 100.0 * score}, "answer_key": format!("a {id}"), "grade_key": format!("g {id}"),
    })
}

fn transcript(id: &str, question: &str) -> Value {
    json!({
        "eval_id": id, "answer_key": format!("a {id}"),
        "case": {"id": id, "input_messages": [{"role": "user", "content": question}]},
        "transcript": {"output_messages": [{"role": "assistant", "content": "…"}]},
    })
}

fn with(mut record: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        record[name] = value.clone();
    }
    record
}

impl Run {
    fn new() -> Run {
        let root = tempfile::tempdir().unwrap();
        let now: Timestamp = "2026-11-15T10:43:07.309Z".parse().unwrap();
        let folder = RunFolder::create_at(&root.path().join("results"), now).unwrap();
        Run { root, folder }
    }

    fn with(results: &[Value], transcripts: &[Value]) -> Run {
        let run = Run::new();
        run.append(RecordFile::Transcripts, transcripts);
        run.append(RecordFile::Results, results);
        run
    }

    fn append(&self, name: RecordFile, records: &[Value]) {
        let text: String = records.iter().map(|record| format!("{record}\n")).collect();
        self.append_text(name, &text);
    }

    fn append_text(&self, name: RecordFile, text: &str) {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.file(name));
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn kept(&self) -> PathBuf {
        self.root.path().join("view")
    }

    fn open(&self) -> RunIndex {
        RunIndex::open(&self.folder, Some(&self.kept())).unwrap()
    }
}

fn ids(index: &RunIndex, query: &Query) -> Vec<String> {
    let found = index.find(query, &index.in_file_order(None)).unwrap();
    let shown = found
        .iter()
        .map(|item| index.shown(*item).unwrap().unwrap());
    shown.map(|row| row.name.id).collect()
}

fn filtered(index: &RunIndex, filter: Filter) -> Vec<String> {
    ids(
        index,
        &Query {
            filter,
            ..Query::default()
        },
    )
}

fn three() -> Run {
    Run::with(
        &[
            result("a", 1.0),
            with(
                result("b", 0.5),
                json!({"target": "other", "evaluator_results": [
                {"name": "tone", "type": "llm_judge", "weight": 1.0, "error": "Judge is DOWN"}]}),
            ),
            with(
                result("c", 0.8),
                json!({"trace_summary": null, "dataset": "e", "timing": {}}),
            ),
        ],
        &[
            transcript("a", "Where is München?"),
            transcript("b", "Why?"),
            transcript("c", "Who?\nYou"),
        ],
    )
}

#[test]
fn a_row_shows_what_a_list_needs() {
    let run = three();
    let index = run.open();
    let row = index.shown(1).unwrap().unwrap();
    let shown = serde_json::to_value(&row).unwrap();
    assert_eq!(
        shown,
        json!({
            "item": 1, "file": "evals/a.yaml", "id": "b", "target": "other", "trial": 1, "status": "fail", "score": 0.5,
            "ms": 50.0, "cost": 0.25, "question": "Why?", "reason": "Too short",
        })
    );
    assert_eq!(index.shown(2).unwrap().unwrap().question, "Who? You");
    assert_eq!(index.shown(2).unwrap().unwrap().cost, None);
    assert!(index.shown(3).unwrap().is_none());
    assert_eq!(index.statuses(), [2, 0, 1, 0, 0]);
}

#[test]
fn records_are_read_by_their_places() {
    let run = three();
    let index = run.open();
    let records = index.records(2).unwrap();
    let bytes = index.read(RecordFile::Results, records.result).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&bytes).unwrap()["eval_id"],
        "c"
    );
    let bytes = index
        .read(RecordFile::Transcripts, records.transcript.unwrap())
        .unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&bytes).unwrap()["answer_key"],
        "a c"
    );
}

#[test]
fn every_filter_finds_what_it_names() {
    let run = three();
    let index = run.open();
    let text = |text: &str| {
        filtered(
            &index,
            Filter {
                text: text.to_owned(),
                ..Filter::default()
            },
        )
    };
    assert_eq!(text("münchen"), ["a"]);
    assert_eq!(text(" ANSWER OF B "), ["b"]);
    assert_eq!(text("judge is down"), ["b"]);
    assert_eq!(text("too short"), ["a", "b", "c"]);
    assert_eq!(text("other"), ["b"]);
    assert_eq!(text("nowhere"), [""; 0]);
    let statuses = vec![Status::Fail, Status::Error];
    assert_eq!(
        filtered(
            &index,
            Filter {
                statuses,
                ..Filter::default()
            }
        ),
        ["b"]
    );
    let named = |text: &str| Some(text.to_owned());
    assert_eq!(
        filtered(
            &index,
            Filter {
                target: named("other"),
                ..Filter::default()
            }
        ),
        ["b"]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                dataset: named("e"),
                ..Filter::default()
            }
        ),
        ["c"]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                tool: named("search"),
                ..Filter::default()
            }
        ),
        ["a", "b"]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                tool: named("none"),
                ..Filter::default()
            }
        ),
        [""; 0]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                evaluator: named("tone"),
                said: Some(3),
                ..Filter::default()
            }
        ),
        ["b"]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                said: Some(0),
                ..Filter::default()
            }
        ),
        ["a", "c"]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                evaluator: named("words"),
                ..Filter::default()
            }
        ),
        [""; 0]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                least: Some(0.8),
                ..Filter::default()
            }
        ),
        ["a", "c"]
    );
    assert_eq!(
        filtered(
            &index,
            Filter {
                most: Some(0.8),
                ..Filter::default()
            }
        ),
        ["b", "c"]
    );
}

#[test]
fn trials_without_a_value_come_last_in_every_order() {
    let run = three();
    run.append(
        RecordFile::Results,
        &[with(
            result("B2", 0.0),
            json!({"score": null, "status": "error"}),
        )],
    );
    let index = run.open();
    let sorted = |sort, descending| {
        ids(
            &index,
            &Query {
                sort,
                descending,
                ..Query::default()
            },
        )
    };
    assert_eq!(sorted(Sort::Score, false), ["b", "c", "a", "B2"]);
    assert_eq!(sorted(Sort::Score, true), ["a", "c", "b", "B2"]);
    assert_eq!(sorted(Sort::Ms, false), ["B2", "b", "a", "c"]);
    assert_eq!(sorted(Sort::Id, false), ["B2", "a", "b", "c"]);
    assert_eq!(sorted(Sort::Id, true), ["c", "b", "a", "B2"]);
}

#[test]
fn trials_are_in_the_order_of_their_files() {
    let at = |id: &str, position: u64| with(result(id, 1.0), json!({"position": position}));
    let run = Run::with(
        &[at("c", 3), at("a", 1), result("old", 1.0), at("b", 2)],
        &[],
    );
    assert_eq!(ids(&run.open(), &Query::default()), ["a", "b", "c", "old"]);
}

#[test]
fn the_last_record_of_a_trial_counts_and_keeps_its_row() {
    let run = three();
    run.append(RecordFile::Transcripts, &[transcript("b", "Why again?")]);
    run.append(
        RecordFile::Results,
        &[with(result("b", 0.9), json!({"target": "other"}))],
    );
    let index = run.open();
    assert_eq!(index.len(), 3);
    let row = index.shown(1).unwrap().unwrap();
    assert_eq!((row.score, &*row.question), (Some(0.9), "Why again?"));
    assert_eq!(index.statuses(), [3, 0, 0, 0, 0]);
    let text = Filter {
        text: "judge is down".to_owned(),
        ..Filter::default()
    };
    assert_eq!(
        filtered(&index, text),
        [""; 0],
        "words of the earlier record are gone"
    );
}

#[test]
fn torn_and_damaged_lines_are_left_out_and_counted() {
    let run = three();
    run.append_text(RecordFile::Results, "not a record\n\n{\"eval_id\": 1}\n");
    run.append(RecordFile::Results, &[result("d", 0.1)]);
    run.append_text(RecordFile::Results, "{\"eval_id\": \"torn");
    let index = run.open();
    assert_eq!((index.len(), index.damaged()), (4, 2));
}

#[test]
fn fields_of_later_versions_do_not_hide_a_trial() {
    let run = Run::with(
        &[with(
            result("a", 1.0),
            json!({"new": {"deep": [1]}, "attempts": "many"}),
        )],
        &[],
    );
    assert_eq!(run.open().len(), 1);
}

#[test]
fn a_kept_index_is_the_same_and_a_stale_one_is_built_again() {
    let run = three();
    let built = run.open();
    let path = run.kept().join(format!("{}.index", run.folder.id()));
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    let loaded = run.open();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
    assert_eq!(
        format!("{:?}", loaded.rows()),
        format!("{:?}", built.rows())
    );
    assert_eq!(
        filtered(
            &loaded,
            Filter {
                text: "münchen".to_owned(),
                ..Filter::default()
            }
        ),
        ["a"]
    );
    run.append(RecordFile::Results, &[result("d", 0.1)]);
    assert_eq!(run.open().len(), 4);
    // The same length, but other bytes.
    let text = fs::read_to_string(run.folder.file(RecordFile::Results)).unwrap();
    fs::write(
        run.folder.file(RecordFile::Results),
        text.replace("Answer of d", "Reply by  d"),
    )
    .unwrap();
    assert_eq!(
        filtered(
            &run.open(),
            Filter {
                text: "reply by".to_owned(),
                ..Filter::default()
            }
        ),
        ["d"]
    );
    for broken in ["", "{}", "{\"format\":1}\nxx"] {
        fs::write(&path, broken).unwrap();
        assert_eq!(run.open().len(), 4, "{broken}");
    }
    fs::remove_file(run.kept().join(format!("{}.words", run.folder.id()))).unwrap();
    assert_eq!(run.open().len(), 4);
}

#[test]
fn a_growing_run_is_followed_line_by_line() {
    let run = Run::with(&[], &[]);
    let _writer = run
        .folder
        .write("2026-11-15T10:43:08Z".parse().unwrap())
        .unwrap();
    let mut index = run.open();
    assert!(index.is_empty());
    for at in 0..20 {
        let id = format!("case {at}");
        run.append(
            RecordFile::Transcripts,
            &[transcript(&id, &format!("Question {at}?"))],
        );
        let text = format!("{}\n", result(&id, f64::from(at) / 20.0));
        let (start, end) = text.split_at(text.len() / 2);
        run.append_text(RecordFile::Results, start);
        assert!(index.update().unwrap());
        assert_eq!(index.len(), at as usize, "half a line is not a record");
        run.append_text(RecordFile::Results, end);
        assert!(index.update().unwrap());
        assert_eq!(
            index.shown(at as u32).unwrap().unwrap().question,
            format!("Question {at}?")
        );
    }
    let version = index.version();
    assert!(index.update().unwrap());
    assert_eq!(index.version(), version);
    run.append(RecordFile::Results, &[result("case 3", 1.0)]);
    assert!(index.update().unwrap());
    assert_eq!((index.len(), index.rows()[3].score()), (20, Some(1.0)));
    assert!(index.version() > version);
    assert_eq!(
        filtered(
            &index,
            Filter {
                text: "question 7?".to_owned(),
                ..Filter::default()
            }
        ),
        ["case 7"]
    );
    let fresh = RunIndex::build(&run.folder, None).unwrap();
    let values = |index: &RunIndex| -> Vec<(Option<f64>, u64)> {
        index
            .rows()
            .iter()
            .map(|row| (row.score(), row.at))
            .collect()
    };
    assert_eq!(values(&index), values(&fresh));
    fs::write(run.folder.file(RecordFile::Results), "").unwrap();
    assert!(!index.update().unwrap(), "a replaced file is not followed");
}

#[test]
fn cases_with_the_same_question_share_a_transcript() {
    let shared = with(result("b", 1.0), json!({"answer_key": "a a"}));
    let run = Run::with(&[result("a", 1.0), shared], &[transcript("a", "Same?")]);
    let index = run.open();
    assert_eq!(index.shown(1).unwrap().unwrap().question, "Same?");
    assert_eq!(
        index.records(0).unwrap().transcript,
        index.records(1).unwrap().transcript
    );
}

#[test]
fn a_trial_is_found_by_its_name_and_with_its_siblings() {
    let at = |id: &str, trial: u32, position: u64| {
        with(
            result(id, 1.0),
            json!({"trial": trial, "position": position}),
        )
    };
    let run = Run::with(
        &[
            at("a", 1, 1),
            at("ab", 1, 2),
            at("a", 2, 1),
            result("c", 1.0),
        ],
        &[],
    );
    let index = run.open();
    let name = TrialName {
        file: "evals/a.yaml".to_owned(),
        id: "a".to_owned(),
        target: "default".to_owned(),
        trial: 2,
    };
    assert_eq!(index.locate(&name).unwrap(), Some(2));
    assert_eq!(
        index
            .locate(&TrialName {
                trial: 3,
                ..name.clone()
            })
            .unwrap(),
        None
    );
    assert_eq!(
        index
            .locate(&TrialName {
                id: "b".to_owned(),
                trial: 1,
                ..name
            })
            .unwrap(),
        None
    );
    assert_eq!(index.siblings(0).unwrap(), [0, 2]);
    assert_eq!(index.siblings(3).unwrap(), [3]);
}

#[test]
fn long_texts_are_marked_and_hostile_ids_stay_one_entry() {
    let long = with(
        result("a\u{0}\u{1}b", 1.0),
        json!({"candidate_answer": format!("{}needle", "é".repeat(5_000))}),
    );
    let question = transcript("d", &format!("{}needle", "é".repeat(5_000)));
    let results = [long, result("c", 1.0), result("d", 1.0)];
    let run = Run::with(&results, &[question, transcript("c", "Short?")]);
    let index = run.open();
    assert_eq!(index.cut(), 2, "a long answer and a long question");
    assert_eq!(
        index.shown(0).unwrap().unwrap().name.id,
        "a\u{fffd}\u{fffd}b"
    );
    assert_eq!(index.shown(1).unwrap().unwrap().name.id, "c");
}

#[test]
fn pieces_of_a_large_file_give_the_same_rows_as_one() {
    let results: Vec<Value> = (0..30_000)
        .map(|at| {
            with(
                result(&format!("case {at}"), f64::from(at % 11) / 10.0),
                json!({"position": 30_000 - at}),
            )
        })
        .collect();
    let transcripts: Vec<Value> = (0..30_000)
        .map(|at| transcript(&format!("case {at}"), &format!("Question {at}?")))
        .collect();
    let run = Run::with(&results, &transcripts);
    let length = fs::metadata(run.folder.file(RecordFile::Results))
        .unwrap()
        .len();
    assert!(length > 2 * (4 << 20), "several pieces: {length}");
    let index = run.open();
    assert_eq!((index.len(), index.damaged()), (30_000, 0));
    assert_eq!(
        ids(&index, &Query::default())[..2],
        ["case 29999", "case 29998"]
    );
    for at in [0, 7_777, 29_999] {
        let row = index.shown(at).unwrap().unwrap();
        assert_eq!(
            (row.name.id, row.question),
            (format!("case {at}"), format!("Question {at}?"))
        );
    }
    assert_eq!(
        filtered(
            &index,
            Filter {
                text: "question 12345?".to_owned(),
                ..Filter::default()
            }
        ),
        ["case 12345"]
    );
}
