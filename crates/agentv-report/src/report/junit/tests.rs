//! Any text can appear in a report, and trials have unique names.

use agentv_core::ResultRecord;
use agentv_journal::{RecordFile, RunFolder};
use proptest::prelude::*;
use serde_json::json;

use super::schema::assert_fits;
use super::*;
use crate::results::RunResults;
use crate::samples::{errored, failed, graded, record, report_of};

fn written(records: &[ResultRecord]) -> String {
    let text = report_of(&FORMAT, records);
    assert_fits(&text);
    text
}

fn read_back(records: &[ResultRecord]) -> junit_parser::TestSuites {
    junit_parser::from_reader(written(records).as_bytes()).unwrap()
}

fn names(suites: &junit_parser::TestSuites) -> Vec<&str> {
    let cases = suites.suites.iter().flat_map(|suite| &suite.cases);
    cases.map(|case| case.original_name.as_str()).collect()
}

#[test]
fn a_rich_report_fits_the_schema() {
    assert_fits(include_str!("../../../tests/formats/golden/report.xml"));
}

#[test]
fn no_results_are_no_suites() {
    let suites = read_back(&[]);
    assert_eq!((suites.tests, suites.suites.len()), (0, 0));
}

/// Returns the report of a run with this many planned trials of two files; `None` has no results
/// file.
fn of_a_run(planned: u64, records: Option<&[ResultRecord]>) -> junit_parser::TestSuites {
    let results = tempfile::tempdir().unwrap();
    let now = "2026-11-15T10:43:07.309Z".parse().unwrap();
    let folder = RunFolder::create_at(results.path(), now).unwrap();
    let file = folder.file(RecordFile::Results);
    let files = ["evals/geography.yaml", "evals/untouched.yaml"]
        .map(|path| json!({"path": path, "digest": "d", "cases": 1}));
    let run = json!({
        "schema_version": 1, "version": "0.1.0", "started_at": "2026-11-15T10:43:07Z", "trials": 1,
        "finished_at": "2026-11-15T10:44:07Z", "planned": planned, "files": files,
    });
    std::fs::write(file.with_file_name("run.json"), run.to_string()).unwrap();
    if let Some(records) = records {
        let lines = records
            .iter()
            .map(|record| serde_json::to_string(record).unwrap() + "\n");
        std::fs::write(&file, lines.collect::<String>()).unwrap();
    }
    let mut out = Vec::new();
    let run = RunResults::of_folder(&folder).unwrap();
    FORMAT.write(&[run], &mut out).unwrap();
    assert_fits(std::str::from_utf8(&out).unwrap());
    junit_parser::from_reader(out.as_slice()).unwrap()
}

#[test]
fn trials_that_were_not_run_are_one_error_and_files_without_results_are_empty() {
    let records = [graded("a", 1.0)];
    for (records, told) in [
        (Some(&records[..]), "2 of 3 trials were not run"),
        (Some(&[]), "3 of 3 trials were not run"),
        (None, "3 of 3 trials were not run"),
    ] {
        let suites = of_a_run(3, records);
        let trials = records.map_or(0, <[_]>::len) as u64;
        assert_eq!((suites.tests, suites.errors), (trials + 1, 1));
        let sizes: Vec<(&str, u64, u64)> = suites
            .suites
            .iter()
            .map(|suite| (&*suite.name, suite.tests, suite.errors))
            .collect();
        let expected = [
            ("evals/geography.yaml", trials, 0),
            ("evals/untouched.yaml", 0, 0),
            ("agentv", 1, 1),
        ];
        assert_eq!(sizes, expected);
        let missing = &suites.suites[2].cases[0];
        assert_eq!(missing.original_name, told);
        assert_eq!(missing.status.error_as_ref().error_type, "incomplete");
    }
}

#[test]
fn a_run_that_has_all_its_trials_has_no_suite_of_its_own() {
    let suites = of_a_run(1, Some(&[graded("a", 1.0)]));
    assert_eq!((suites.tests, suites.errors), (1, 0));
    assert_eq!(suites.suites.len(), 2);
}

#[test]
fn names_say_target_and_trial_only_where_there_are_several() {
    let one = [graded("a", 1.0), graded("b", 1.0)];
    assert_eq!(names(&read_back(&one)), ["a", "b"]);
    let trials = [
        graded("a", 1.0),
        ResultRecord {
            trial: 2,
            ..graded("a", 0.0)
        },
    ];
    assert_eq!(names(&read_back(&trials)), ["a #1", "a #2"]);
    let targets = [
        graded("a", 1.0),
        ResultRecord {
            target: "other".into(),
            ..graded("a", 0.0)
        },
    ];
    assert_eq!(names(&read_back(&targets)), ["a @ default", "a @ other"]);
}

#[test]
fn figures_of_several_targets_are_never_pooled_and_their_judges_are_named() {
    let of = |target: &str, judge: &str, score: f64| {
        let mut record = ResultRecord {
            target: target.into(),
            ..graded("a", score)
        };
        let result = json!({
            "name": "judge", "type": "llm_judge", "weight": 1.0, "score": score,
            "judge_calls": [{"target": judge, "attempts": 1}],
        });
        record.evaluator_results = vec![serde_json::from_value(result).unwrap()];
        record
    };
    let properties = |report: &str| {
        let names = ["pass_rate", "mean_score", "different_judges"];
        let lines = report.lines().map(str::trim);
        let lines = lines.filter(|line| names.iter().any(|name| line.contains(name)));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let report = written(&[of("x", "y", 1.0), of("y", "x", 0.0)]);
    assert_eq!(
        properties(&report),
        [
            r#"<property name="pass_rate[x]" value="1"/>"#,
            r#"<property name="mean_score[x]" value="1"/>"#,
            r#"<property name="pass_rate[y]" value="0"/>"#,
            r#"<property name="mean_score[y]" value="0"/>"#,
            r#"<property name="different_judges" value="x was graded by y, y by x: scores of different judges cannot be compared"/>"#,
        ]
    );
    let report = written(&[of("x", "j", 1.0)]);
    assert_eq!(
        properties(&report),
        [
            r#"<property name="pass_rate" value="1"/>"#,
            r#"<property name="mean_score" value="1"/>"#,
        ]
    );
}

#[test]
fn results_of_a_file_stand_together_whenever_they_ended() {
    let of = |file: &str, id: &str| ResultRecord {
        eval_file: file.into(),
        ..graded(id, 1.0)
    };
    let suites = read_back(&[
        of("b.yaml", "1"),
        of("a.yaml", "2"),
        of("b.yaml", "3"),
        of("a.yaml", "4"),
    ]);
    let files: Vec<&str> = suites.suites.iter().map(|suite| &*suite.name).collect();
    assert_eq!(files, ["a.yaml", "b.yaml"]);
    assert_eq!(names(&suites), ["2", "4", "1", "3"]);
}

#[test]
fn each_ending_has_its_element() {
    let suites = read_back(&[
        graded("pass", 1.0),
        graded("borderline", 0.7),
        failed("fail", 0.1, "says <nothing>"),
        errored("error", "timed out\nafter 3 attempts"),
        record("ungraded"),
    ]);
    let cases = &suites.suites[0].cases;
    assert!(cases[0].status.is_success());
    assert_eq!(cases[1].status.failure_as_ref().failure_type, "borderline");
    let failure = cases[2].status.failure_as_ref();
    assert_eq!(failure.message, "says <nothing>");
    let error = cases[3].status.error_as_ref();
    assert_eq!(error.error_type, "target");
    assert_eq!(error.message, "timed out after 3 attempts");
    assert_eq!(error.text, "timed out\nafter 3 attempts");
    assert!(cases[4].status.is_skipped());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn the_report_is_well_formed_whatever_text_it_contains(
        id in any::<String>(),
        file in "[\\x00-\\u{ffff}]{0,20}",
        miss in "([<>&'\"\\]\\x00-\\x1f\\u{fffe}\\u{ffff}]|\\]\\]>|<!--|&#0;|\\PC){0,20}",
        message in any::<String>(),
    ) {
        let of = |record: ResultRecord| ResultRecord {
            eval_file: file.as_str().into(),
            ..record
        };
        let records = [of(failed(&id, 0.0, &miss)), of(errored("error", &message))];
        let suites = read_back(&records);
        let cases: Vec<_> = suites.suites.iter().flat_map(|suite| &suite.cases).collect();
        prop_assert_eq!(cases.len(), 2);
        prop_assert!(cases[0].status.is_failure());
        prop_assert!(cases[1].status.is_error());
        let illegal = |letter: char| matches!(letter, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
        let found = written(&records).contains(illegal);
        prop_assert!(!found);
    }
}
