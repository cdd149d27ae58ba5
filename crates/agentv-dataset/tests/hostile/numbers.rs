//! Keys, ids, problems and evaluators in unexpected numbers.

use std::ops::ControlFlow;

use agentv_dataset::Dataset;
use agentv_syntax::{Code, Severity};

use super::{MEBIBYTE, codes_of, codes_with_sidecar, line, suite};
use crate::alone::{alone, soon};
use crate::project::TestProject;

#[test]
fn a_key_that_stands_twice_is_an_error_of_that_case_at_any_depth() {
    for twice in [
        r#", "id": "b""#,
        r#", "\u0069d": "b""#,
        r#", "x": {"k": 1, "k": 1}"#,
        r#", "x": [[{"y": {"k": 1, "j": 2, "k": null}}]]"#,
        r#", "execution": {"target": "a", "target": "b"}"#,
        r#", "evaluators": [{"type": "is_json", "type": "is_json"}]"#,
    ] {
        let project = TestProject::new();
        project.write(
            "a.jsonl",
            format!("{}\n{}\n", line("a", twice), line("good", "")),
        );
        let loaded = project.load("a.jsonl").unwrap();
        assert_eq!(loaded.cases.len(), 1, "{twice}");
        assert_eq!(loaded.diagnostics[0].code(), Code::DuplicateKey, "{twice}");
    }
    let many: String = (0..200)
        .map(|index| format!(", \"k{}\": 1", index % 199))
        .collect();
    assert_eq!(codes_of("a.jsonl", line("a", &many)), [Code::DuplicateKey]);
    assert_eq!(
        codes_of("a.yaml", suite("    x: {k: 1, k: 1}\n")),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_of("a.yaml", suite("    x: [{k: {j: 1, j: 2}}]\n")),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_of("a.yaml", suite("dataset: a\ndataset: b\n")),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_with_sidecar("dataset: a\ndataset: b\n"),
        [Code::DuplicateKey]
    );
    assert_eq!(
        codes_with_sidecar("execution: {x: {k: 1, k: 1}}\n"),
        [Code::DuplicateKey]
    );
}

#[test]
fn four_hundred_thousand_different_keys_are_checked_in_time() {
    let keys = |from: usize| -> String {
        (from..from + 200_000)
            .map(|index| format!(", \"k{index}\": 1"))
            .collect()
    };
    let inside = format!(", \"x\": {{\"k\": 1{}}}", keys(0));
    let text = line("a", &(inside + &keys(0)));
    assert_eq!(soon(|| codes_of("a.jsonl", text)), []);
}

#[test]
fn two_hundred_thousand_keys_that_stand_twice_are_told_in_time() {
    alone(
        "hostile::numbers::two_hundred_thousand_keys_that_stand_twice_are_told_in_time",
        1_500 * MEBIBYTE,
        || {
            let twice = r#"{"k": 1, "k": 2},"#.repeat(200_000);
            let text = line("a", &format!(", \"x\": [{}1]", twice));
            assert!(codes_of("a.jsonl", text).contains(&Code::DuplicateKey));
        },
    );
}

#[test]
fn an_id_that_repeats_a_hundred_thousand_times_is_taken_once() {
    let project = TestProject::new();
    project.write(
        "same.jsonl",
        format!("{}\n", line("same", "")).repeat(100_000),
    );
    let loaded = soon(|| project.load("same.jsonl")).unwrap();
    assert_eq!((loaded.cases.len(), loaded.diagnostics.len()), (1, 99_999));
    assert!(
        loaded
            .diagnostics
            .iter()
            .all(|d| d.code() == Code::DuplicateId)
    );
    assert!(loaded.diagnostics.is_sorted_by_key(|d| d.line));
    // Rows are numbered instead.
    project.write(
        "rows.jsonl",
        "{\"input\": {\"userMessage\": \"hi\"}}\n".repeat(100_000),
    );
    let loaded = soon(|| project.load("rows.jsonl")).unwrap();
    assert_eq!((loaded.cases.len(), loaded.diagnostics.len()), (100_000, 0));
    assert!(loaded.cases[99_999].id.ends_with("-100000"));
}

#[test]
fn a_hundred_thousand_problems_are_all_told_and_none_is_kept() {
    alone(
        "hostile::numbers::a_hundred_thousand_problems_are_all_told_and_none_is_kept",
        160 * MEBIBYTE,
        || {
            let project = TestProject::new();
            let text = "{\"id\": 5, \"input\": 6, \"evaluators\": [7]}\n".repeat(100_000);
            let path = project.write("wrong.jsonl", text);
            let dataset = Dataset::open(path, &project.options()).unwrap();
            let mut told = 0_u64;
            let mut last_line = 0;
            let checked = dataset.check(&mut |diagnostic| {
                told += 1;
                assert!(diagnostic.line.unwrap() >= last_line);
                assert_eq!(diagnostic.severity(), Severity::Error);
                last_line = diagnostic.line.unwrap();
                ControlFlow::Continue(())
            });
            assert_eq!(
                (told, checked.cases, checked.skipped),
                (400_000, 0, 100_000)
            );
            // A caller can stop the check.
            let mut told = 0;
            dataset.check(&mut |_| {
                told += 1;
                match told {
                    10 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            });
            assert_eq!(told, 10);
        },
    );
}

#[test]
fn one_case_with_fifty_thousand_problems_is_told_in_time() {
    alone(
        "hostile::numbers::one_case_with_fifty_thousand_problems_is_told_in_time",
        1_500 * MEBIBYTE,
        || {
            let wrong = r#"{"type": "regex", "valu": "é"}, "#.repeat(50_000);
            let text = line("a", &format!(r#", "evaluators": [{wrong}5]"#));
            let codes = codes_of("a.jsonl", text);
            assert!(codes.contains(&Code::MissingField));
        },
    );
}

#[test]
fn a_case_may_have_ten_thousand_evaluators() {
    let project = TestProject::new();
    let many = vec![r#"{"type": "is_json"}"#; 10_000].join(",");
    project.write(
        "many.jsonl",
        line("a", &format!(r#", "evaluators": [{many}]"#)),
    );
    let start = std::time::Instant::now();
    let loaded = project.load("many.jsonl").unwrap();
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let evaluators = &loaded.cases[0].evaluators;
    assert_eq!(evaluators.len(), 10_000);
    assert_eq!(evaluators[9_999].name, "is_json-10000");
}
