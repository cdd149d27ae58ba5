//! Reading runs from all kinds of files.

use std::fs;

use agentv_core::ResultRecord;

use crate::RunResults;
use crate::compare::{ShownCases, compare, read_runs};
use crate::samples::{failed, graded, results_in};

#[test]
fn the_last_record_of_a_trial_counts_and_damaged_lines_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let results = results_in(
        &path,
        &[graded("a", 0.0), graded("b", 1.0), graded("a", 1.0)],
    );
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{{\"torn\n{text}")).unwrap();
    let runs = read_runs(&[results]).unwrap();
    assert_eq!(runs[0].damaged_lines(), 1);
    assert_eq!(runs[0].totals().trials, 2);
    assert_eq!(runs[0].totals().mean_score, Some(1.0));
}

#[test]
fn an_array_is_read_like_lines() {
    let folder = tempfile::tempdir().unwrap();
    let lines = results_in(
        &folder.path().join("a.jsonl"),
        &[graded("a", 1.0), graded("b", 1.0)],
    );
    let records = [failed("a", 0.0, "no | city"), graded("b", 1.0)];
    let path = folder.path().join("b.json");
    fs::write(&path, serde_json::to_string_pretty(&records).unwrap()).unwrap();
    let runs = read_runs(&[lines, RunResults::of_file(&path)]).unwrap();
    let found = compare(&runs[0], &runs[1], 0.1).unwrap();
    let shown = ShownCases::of(&found, 10).unwrap();
    assert_eq!(shown.losses[0].b.reason.as_deref(), Some("no | city"));
    fs::write(&path, "{}").unwrap();
    let error = read_runs(&[RunResults::of_file(&path)])
        .unwrap_err()
        .to_string();
    assert!(error.contains("expected an array of results"), "{error}");
}

#[test]
fn a_file_of_results_needs_no_newline_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let line = |record: &ResultRecord| serde_json::to_string(record).unwrap();
    let [first, last] = [graded("a", 1.0), failed("b", 0.5, "no city")].map(|record| line(&record));
    fs::write(&path, format!("{first}\n{last}")).unwrap();
    let results = RunResults::of_file(&path);
    let runs = read_runs(&[results.clone(), results.clone()]).unwrap();
    assert_eq!((runs[0].totals().trials, runs[0].damaged_lines()), (2, 0));
    assert_eq!(results.summary().unwrap().statuses.total(), 2);
    let place = runs[0].rows[1].place;
    let again = runs[0].records(&[place]).unwrap();
    assert_eq!(again[0].as_ref().unwrap().reason(), Some("no city"));
    assert!(results.at().unwrap().get::<ResultRecord>(place).is_ok());
    fs::write(&path, format!("{first}\n{}", &last[..20])).unwrap();
    let runs = read_runs(&[results]).unwrap();
    assert_eq!((runs[0].totals().trials, runs[0].damaged_lines()), (1, 1));
}

#[test]
fn a_json_report_of_a_run_is_read_like_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let records = [failed("a", 0.0, "no | city"), failed("b", 0.5, "no river")];
    let lines = results_in(&folder.path().join("a.jsonl"), &records);
    let path = folder.path().join("a.json");
    let mut report = Vec::new();
    let json = crate::ReportFormat::named("json").unwrap();
    json.write(std::slice::from_ref(&lines), &mut report)
        .unwrap();
    fs::write(&path, report).unwrap();
    let runs = read_runs(&[lines, RunResults::of_file(&path)]).unwrap();
    assert_eq!(runs[0].totals(), runs[1].totals());
    let places: Vec<u64> = runs[1].rows.iter().map(|row| row.place).collect();
    let again = runs[1].records(&places).unwrap();
    let reasons: Vec<_> = again.iter().flatten().map(ResultRecord::reason).collect();
    assert_eq!(reasons, [Some("no | city"), Some("no river")]);
}
