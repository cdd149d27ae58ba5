//! Gates of a comparison.

use agentv_core::{GateOutcome, ResultRecord};

use super::support::{STYLE, gate, gates, on, scores, with_runs, written};
use crate::compare::{Comparison, ComparisonFormat, Pairwise, compare, write_pairwise};
use crate::samples::{errored, graded};
use crate::{DropGate, GateRule};

fn judged(rule: GateRule, max_drop: f64, comparison: &Comparison<'_>) -> GateOutcome {
    let gate = DropGate {
        rule,
        max_drop,
        max_missing: None,
    };
    gate.judge(comparison.figures(), "`A`").swap_remove(0)
}

#[test]
fn nothing_graded_in_both_is_never_good() {
    with_runs(&[&[graded("a", 1.0)], &[errored("a", "no")]], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        assert_eq!(scores(&found).mean_delta, None);
        assert!(!gate(&found).met);
    });
}

#[test]
fn a_gate_of_significance_lets_chance_pass() {
    let of_a: Vec<ResultRecord> = (0..4).map(|id| graded(&format!("{id}"), 0.5)).collect();
    let scores = [0.4, 0.6, 0.3, 0.5];
    let of_b: Vec<ResultRecord> = (0..4)
        .map(|id| graded(&format!("{id}"), scores[id]))
        .collect();
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let judge = |rule, max_drop| judged(rule, max_drop, &found);
        let mean = judge(GateRule::Mean, 0.0);
        assert!(!mean.met);
        assert_eq!(mean.required, "mean score not below that of `A`");
        assert_eq!(mean.found, "0.050 below on 4 of 4 matched cases");
        assert!(judge(GateRule::Mean, 0.05).met);
        let significant = judge(GateRule::Significant, 0.0);
        assert!(significant.met);
        assert!(
            significant.found.contains("which may be chance"),
            "{}",
            significant.found
        );
    });
}

#[test]
fn a_gate_of_significance_asks_for_more_than_the_drop_that_is_allowed() {
    let run = |drop: f64| -> Vec<ResultRecord> {
        let case = |id: u32| {
            graded(
                &format!("{id}"),
                0.9 - drop - 0.02 * drop * f64::from(id % 3),
            )
        };
        (0..30).map(case).collect()
    };
    with_runs(&[&run(0.0), &run(0.1)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let rule = GateRule::Significant;
        let judge = |max_drop| judged(rule, max_drop, &found);
        let [none, less, about, more] = [0.0, 0.09, 0.1019, 0.2].map(judge);
        assert_eq!(
            [none.met, less.met, about.met, more.met],
            [false, false, true, true]
        );
        assert_eq!(
            less.required,
            "mean score not significantly more than 0.09 below that of `A`"
        );
        let told = [&none, &less, &about].map(|gate| gate.found.as_str());
        assert_eq!(
            told,
            [
                "0.102 below on 30 of 30 matched cases, a significant difference (95% interval \
                 −0.103 to −0.101, p = 0.0001)",
                "0.102 below on 30 of 30 matched cases, significantly more than 0.090 (95% interval \
                 −0.103 to −0.101, p = 0.0001)",
                "0.1020 below on 30 of 30 matched cases, not significantly more than 0.1019 (95% \
                 interval −0.103 to −0.101, p = 0.0001)",
            ]
        );
    });
}

#[test]
fn a_gate_says_on_how_many_matched_cases_it_is_based() {
    let of_a: Vec<ResultRecord> = (0..5).map(|id| graded(&format!("{id}"), 1.0)).collect();
    let of_b: Vec<ResultRecord> = (0..5)
        .map(|id| match id {
            0 | 1 => graded(&format!("{id}"), 1.0),
            id => errored(&format!("{id}"), "no"),
        })
        .collect();
    with_runs(&[&of_a, &of_b, &of_b[..4]], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        assert_eq!(gate(&found).found, "the same on 2 of 5 matched cases");
        assert!(found.summary().is_mostly_without_grade());
        let half = compare(&runs[0], &runs[2], 0.1).unwrap();
        assert_eq!(gate(&half).found, "the same on 2 of 4 matched cases");
        assert!(!half.summary().is_mostly_without_grade());
    });
}

#[test]
fn cases_of_the_baseline_that_have_no_grade_now_are_missing() {
    let cases = |ids: std::ops::Range<usize>| ids.map(|id| graded(&format!("{id}"), 1.0));
    let of_a: Vec<ResultRecord> = cases(0..20).collect();
    let few: Vec<ResultRecord> = cases(0..5).collect();
    let broken: Vec<ResultRecord> = cases(0..10)
        .chain((10..20).map(|id| errored(&format!("{id}"), "no")))
        .collect();
    let found = |now: &[ResultRecord], max_missing| {
        with_runs(&[&of_a, now], |runs| {
            let found = compare(&runs[0], &runs[1], 0.1).unwrap();
            let gate = DropGate {
                max_missing: Some(max_missing),
                ..DropGate::default()
            };
            let [drop, missing] = &gate.judge(found.figures(), "`A`")[..] else {
                panic!("two gates");
            };
            assert!(drop.met, "{drop:?}");
            (missing.found.clone(), missing.met)
        })
    };
    let told = "15: 15 not run, 0 errored or not graded".to_owned();
    assert_eq!(found(&few, 0), (told.clone(), false));
    assert_eq!(found(&few, 15), (told, true));
    let told = "10: 0 not run, 10 errored or not graded".to_owned();
    assert_eq!(found(&broken, 9), (told, false));
    assert_eq!(found(&of_a, 0), ("none".to_owned(), true));
}

#[test]
fn a_target_that_is_worse_is_not_hidden_by_one_that_is_better() {
    let run = |x: f64, y: f64| -> Vec<ResultRecord> {
        let ids = (0..10).map(|id| format!("{id}"));
        ids.flat_map(|id| [on("x", graded(&id, x)), on("y", graded(&id, y))])
            .collect()
    };
    with_runs(&[&run(1.0, 0.0), &run(0.5, 0.5)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        assert_eq!(found.summary().scores, None);
        let drop = judged(GateRule::Significant, 0.0, &found);
        assert!(
            !drop.met && drop.found.starts_with("`x` 0.500 below on 10 cases"),
            "{drop:?}"
        );
        assert_eq!(gates(&found).len(), 1);
    });
}

#[test]
fn a_baseline_with_more_targets_is_compared_by_case() {
    let run = |targets: &[&str]| -> Vec<ResultRecord> {
        let ids = (0..10).map(|id| format!("{id}"));
        let of = |id: String| {
            targets
                .iter()
                .map(move |target| on(target, graded(&id, 1.0)))
        };
        ids.flat_map(of).collect()
    };
    let (both, only_x) = (run(&["x", "y"]), run(&["x"]));
    let mut without_one = only_x.clone();
    without_one.remove(3);
    let mut errored_on_y = both.clone();
    errored_on_y[1] = on("y", errored("0", "no"));
    let found = |now: &[ResultRecord]| {
        with_runs(&[&both, now], |runs| {
            let found = compare(&runs[0], &runs[1], 0.1).unwrap();
            let gate = DropGate {
                max_missing: Some(0),
                ..DropGate::default()
            };
            let gates = gate.judge(found.figures(), "`A`");
            (gates[1].found.clone(), gates[1].met)
        })
    };
    let absent = "; not compared, because this run does not have it: `y`";
    assert_eq!(found(&only_x), (format!("none{absent}"), true));
    let told = format!("1: 1 not run, 0 errored or not graded{absent}");
    assert_eq!(found(&without_one), (told, false));
    let told = "1: 0 not run, 1 errored or not graded".to_owned();
    assert_eq!(found(&errored_on_y), (told, false));
}

#[test]
fn targets_that_move_in_opposite_directions_are_not_the_same() {
    let run = |x: f64, y: f64| -> Vec<ResultRecord> {
        let ids = (0..10).map(|id| format!("{id}"));
        ids.flat_map(|id| [on("x", graded(&id, x)), on("y", graded(&id, y))])
            .collect()
    };
    with_runs(&[&run(1.0, 0.0), &run(0.0, 1.0), &run(1.0, 0.0)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let table = written(&found, ComparisonFormat::Table);
        assert!(
            table.starts_with(
                "B is better on 1 and worse on 1 of 2 targets\n\n\
                 x: B is worse by 100.0 points in each of 10 cases\n\
                 y: B is better by 100.0 points in each of 10 cases\n"
            ),
            "{table}"
        );
        for format in [
            ComparisonFormat::Table,
            ComparisonFormat::Json,
            ComparisonFormat::Markdown,
        ] {
            let text = written(&found, format);
            assert!(
                !text.contains("no difference") && !text.contains("difference 0.000"),
                "{text}"
            );
        }
        let pairwise = Pairwise::of(runs, 0.1);
        for format in [ComparisonFormat::Table, ComparisonFormat::Markdown] {
            let mut out = Vec::new();
            write_pairwise(&pairwise, &[], format, STYLE, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            for part in ["−1.000", "+1.000"] {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
    });
}
