//! Several runs side by side.

use agentv_core::ResultRecord;

use super::support::{on, trial};
use crate::compare::{ComparedRun, Pairwise, SideBySide, SideFilter, SideOrder, read_runs};
use crate::samples::{errored, graded, results_in};

fn read(runs: &[Vec<ResultRecord>]) -> Vec<ComparedRun> {
    let folder = tempfile::tempdir().unwrap();
    let written = runs.iter().enumerate();
    let written: Vec<_> = written
        .map(|(at, records)| results_in(&folder.path().join(format!("{at}.jsonl")), records))
        .collect();
    read_runs(&written).unwrap()
}

fn ids(sides: &SideBySide, filter: &SideFilter, order: SideOrder) -> Vec<String> {
    let found = sides.find(filter, order).into_iter();
    found.map(|item| sides.row(item).unwrap().id).collect()
}

fn of_outcome(outcome: &str) -> SideFilter {
    SideFilter {
        outcome: Some(outcome.to_owned()),
        ..SideFilter::default()
    }
}

#[test]
fn the_worst_change_of_any_run_comes_first_and_lost_grades_before_gains() {
    let runs = read(&[
        vec![
            graded("better", 0.2),
            graded("errs", 0.9),
            graded("gone", 1.0),
            graded("same", 0.5),
            graded("worse", 0.9),
        ],
        vec![
            graded("better", 0.9),
            errored("errs", "broken"),
            graded("same", 0.5),
            graded("worse", 0.8),
        ],
        vec![
            graded("better", 0.1),
            graded("errs", 0.9),
            graded("new", 1.0),
            graded("same", 0.5),
            graded("worse", 0.2),
        ],
    ]);
    let sides = SideBySide::of(runs, 0.1);
    let all = SideFilter::default();
    // 0.2 − 0.9 = −0.7, 0.1 − 0.2 = −0.1; `errs` and `gone` lost a grade; `new` cannot be compared.
    assert_eq!(
        ids(&sides, &all, SideOrder::Regression),
        ["worse", "better", "errs", "gone", "same", "new"]
    );
    assert_eq!(
        ids(&sides, &all, SideOrder::Improvement)[..2],
        ["better", "errs"]
    );
    assert_eq!(
        ids(&sides, &all, SideOrder::Name),
        ["better", "errs", "gone", "new", "same", "worse"]
    );
    assert_eq!(
        ids(&sides, &of_outcome("loss"), SideOrder::Name),
        ["better", "worse"]
    );
    assert_eq!(ids(&sides, &of_outcome("win"), SideOrder::Name), ["better"]);
    assert_eq!(
        ids(&sides, &of_outcome("tie"), SideOrder::Name),
        ["errs", "same"]
    );
    assert_eq!(
        ids(&sides, &of_outcome("missing"), SideOrder::Name),
        ["errs", "gone"]
    );
    assert_eq!(
        ids(&sides, &of_outcome("unmatched"), SideOrder::Name),
        ["gone", "new"]
    );
    assert_eq!(sides.counts(), [2, 1, 2, 2, 2, 0]);
    let new = sides.find(
        &SideFilter {
            text: "NEW".into(),
            ..all
        },
        SideOrder::Name,
    );
    let cells = sides.row(new[0]).unwrap().cells;
    assert!(cells[0].is_none() && cells[1].is_none());
    assert_eq!(cells[2].as_ref().unwrap().delta, None);
}

#[test]
fn repeats_are_one_cell_with_the_mean_of_their_grades() {
    let runs = read(&[
        vec![
            trial(1, graded("a", 1.0)),
            trial(2, graded("a", 0.5)),
            trial(3, errored("a", "late")),
        ],
        vec![trial(1, graded("a", 0.25))],
    ]);
    let sides = SideBySide::of(runs, 0.1);
    assert_eq!(sides.len(), 1);
    let cells = sides.row(0).unwrap().cells;
    let [first, second] = [0, 1].map(|at| cells[at].clone().unwrap());
    assert_eq!((first.score, first.count, first.passed), (Some(0.75), 3, 1));
    assert_eq!(first.trials.len(), 3);
    assert_eq!(first.delta, None);
    assert_eq!(second.delta, Some(-0.5));
}

#[test]
fn targets_of_one_run_are_compared_as_runs_of_their_own() {
    let of = |target: &str, score: f64| ["a", "b", "c"].map(|id| on(target, graded(id, score)));
    let both = read(&[[of("large", 1.0), of("small", 0.5)].concat()]).remove(0);
    let apart = [both.of_target("large"), both.of_target("small")];
    let figures = Pairwise::of(&apart, 0.1);
    let summary = &figures.ends().unwrap().figures.as_ref().unwrap().summary;
    assert!(!summary.of_one_run);
    assert_eq!((summary.matched, summary.losses), (3, 3));
    assert_eq!(summary.scores.as_ref().unwrap().mean_delta, Some(-0.5));
    let sides = SideBySide::of(apart.into(), 0.1);
    assert_eq!(sides.len(), 3);
    let row = sides.row(0).unwrap();
    assert_eq!(row.target, None);
    assert_eq!(row.cells[1].as_ref().unwrap().target, "small");
    // Together, each target has a row of its own.
    let whole = SideBySide::of(vec![both], 0.1);
    assert_eq!(whole.len(), 6);
    assert_eq!(whole.row(0).unwrap().target.as_deref(), Some("large"));
}
