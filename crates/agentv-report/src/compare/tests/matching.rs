//! The matching of cases.

use agentv_core::ResultRecord;

use super::support::{on, scores, trial, with_runs};
use crate::compare::compare;
use crate::samples::graded;

fn in_file(file: &str, record: ResultRecord) -> ResultRecord {
    let stem = file
        .rsplit('/')
        .next()
        .and_then(|name| name.split('.').next());
    ResultRecord {
        eval_file: file.into(),
        dataset: stem.unwrap_or(file).to_owned(),
        ..record
    }
}

#[test]
fn cases_match_by_file_and_id_whatever_a_single_target_is_called() {
    let elsewhere = in_file("evals/other.yaml", graded("a", 1.0));
    let of_a = [graded("a", 1.0), graded("b", 0.5), elsewhere];
    let of_b = [
        on("new", graded("b", 0.5)),
        on("new", trial(2, graded("b", 1.0))),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.total, summary.matched), (3, 1));
        assert_eq!((summary.only_in_a, summary.only_in_b), (2, 0));
        assert_eq!(scores(&found).mean_delta, Some(0.25));
        assert!(found.targets().is_empty());
    });
}

#[test]
fn cases_of_a_renamed_file_match_by_dataset_and_id_where_that_is_unique() {
    let moved = |id: &str| ResultRecord {
        eval_file: "evals/moved.yaml".into(),
        grade_key: "moved".to_owned(),
        ..graded(id, 0.5)
    };
    let twice = |id: &str| ResultRecord {
        eval_file: "evals/twice.yaml".into(),
        ..moved(id)
    };
    let of_a = [graded("a", 1.0), graded("b", 1.0), graded("c", 1.0)];
    let of_b = [graded("a", 0.5), moved("b"), moved("c"), twice("c")];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.matched, summary.renamed), (2, 1));
        assert_eq!((summary.only_in_a, summary.only_in_b), (1, 2));
        assert_eq!(scores(&found).mean_delta, Some(-0.5));
    });
}

#[test]
fn cases_of_a_renamed_file_without_a_dataset_of_its_own_match_by_id() {
    let of_a = [graded("a", 1.0), graded("b", 1.0)];
    let renamed = |id: &str| ResultRecord {
        grade_key: "renamed".to_owned(),
        ..in_file("evals/renamed.yaml", graded(id, 1.0))
    };
    with_runs(&[&of_a, &[renamed("a"), renamed("b")]], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!(
            (summary.matched, summary.renamed, summary.missing),
            (2, 2, 0)
        );
    });
    // Two new files: either could be the old one.
    let other = in_file("evals/other.yaml", graded("b", 1.0));
    with_runs(&[&of_a, &[renamed("a"), other]], |runs| {
        assert!(compare(&runs[0], &runs[1], 0.1).is_err());
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
        // Their average is the figure of neither.
        assert_eq!(found.summary().scores, None);
        assert_eq!(x.statistics.as_ref().unwrap().cases, 8);
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
    let of_two_files = [
        in_file("evals/other.yaml", graded("a", 1.0)),
        in_file("evals/third.yaml", graded("a", 1.0)),
    ];
    assert_eq!(
        told(&[graded("a", 1.0)], &of_two_files),
        "the runs share no case: `A` has the files `evals/geography.yaml`, but `B` has \
         `evals/other.yaml`, `evals/third.yaml`"
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
