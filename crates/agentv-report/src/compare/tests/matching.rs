//! The matching of trials.

use agentv_core::ResultRecord;

use super::support::{on, trial, with_runs};
use crate::compare::compare;
use crate::samples::graded;

#[test]
fn trials_match_by_file_case_and_number_whatever_a_single_target_is_called() {
    let elsewhere = ResultRecord {
        eval_file: "evals/other.yaml".into(),
        ..graded("a", 1.0)
    };
    let of_a = [graded("a", 1.0), graded("b", 0.5), elsewhere];
    let of_b = [
        on("new", graded("b", 0.5)),
        on("new", trial(2, graded("b", 1.0))),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.total, summary.matched), (4, 1));
        assert_eq!((summary.only_in_a, summary.only_in_b), (2, 1));
        assert!(found.targets().is_empty());
    });
}

#[test]
fn several_targets_are_compared_by_name_with_corrected_p_values() {
    let run = |x: f64, y: f64| -> Vec<ResultRecord> {
        let ids = (0..8).map(|id| format!("case-{id}"));
        ids.flat_map(|id| [on("x", graded(&id, x)), on("y", graded(&id, y))])
            .collect()
    };
    with_runs(&[&run(1.0, 0.5), &run(0.5, 0.5)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let [x, y] = found.targets() else {
            panic!("{:?}", found.targets())
        };
        assert_eq!(
            (x.name.as_str(), x.mean_delta, x.significant),
            ("x", -0.5, true)
        );
        assert_eq!((x.p_value, x.corrected_p_value), (2.0 / 256.0, 4.0 / 256.0));
        assert_eq!((y.mean_delta, y.p_value, y.significant), (0.0, 1.0, false));
        // Both targets of a case form one case.
        assert_eq!(found.summary().statistics.cases, 8);
        assert_eq!(found.summary().mean_delta, Some(-0.25));
    });
}

#[test]
fn runs_that_share_nothing_say_what_differs() {
    let told = |a: &[ResultRecord], b: &[ResultRecord]| {
        with_runs(&[a, b], |runs| {
            let nothing = compare(&runs[0], &runs[1], 0.1).unwrap_err().to_string();
            nothing
                .replace(runs[0].name(), "A")
                .replace(runs[1].name(), "B")
        })
    };
    let elsewhere = ResultRecord {
        eval_file: "evals/other.yaml".into(),
        ..graded("a", 1.0)
    };
    assert_eq!(
        told(&[graded("a", 1.0)], &[elsewhere]),
        "the runs share no case: `A` has the files `evals/geography.yaml`, but `B` has \
         `evals/other.yaml`"
    );
    assert_eq!(
        told(&[graded("a", 1.0)], &[graded("b", 1.0)]),
        "the runs share no case: `A` has the cases `a`, but `B` has `b`"
    );
    assert_eq!(
        told(
            &[on("x", graded("a", 1.0)), on("y", graded("a", 1.0))],
            &[on("z", graded("a", 1.0))]
        ),
        "the runs share no case: `A` has the targets `x`, `y`, but `B` has `z`"
    );
    let numbered = |numbers: &[u32], target: &str| -> Vec<ResultRecord> {
        let trials = numbers
            .iter()
            .map(|number| trial(*number, graded("a", 1.0)));
        trials.map(|record| on(target, record)).collect()
    };
    assert_eq!(
        told(&numbered(&[1, 2], "old"), &numbered(&[10, 4], "new")),
        "the runs share no case: `A` has the trials `1`, `2`, but `B` has `4`, `10`"
    );
    let other = trial(2, graded("b", 1.0));
    assert_eq!(
        told(&[graded("a", 1.0), other], &[trial(2, graded("a", 1.0))]),
        "the runs share no case: no trial has the same case and number in both"
    );
    assert_eq!(
        told(&[graded("a", 1.0)], &[]),
        "the runs share no case: `B` has no results"
    );
}

#[test]
fn results_alone_do_not_show_whether_a_case_changed() {
    let edited = ResultRecord {
        grade_key: "other".to_owned(),
        ..graded("a", 1.0)
    };
    with_runs(
        &[
            &[graded("a", 1.0), graded("b", 1.0)],
            &[edited, graded("b", 1.0)],
        ],
        |runs| {
            let found = compare(&runs[0], &runs[1], 0.1).unwrap();
            assert_eq!(
                (found.summary().changed, found.summary().changed_unknown),
                (0, 1)
            );
        },
    );
}
