//! The figures of a comparison.

use agentv_core::ResultRecord;
use serde_json::Value;

use super::support::{STYLE, in_conversation, judged, scores, trial, with_runs, written};
use crate::compare::{ComparisonFormat, Pairwise, ShownCases, compare};
use crate::samples::{errored, graded, record};
use crate::{DropGate, GateRule};

#[test]
fn trials_are_averaged_within_their_case() {
    let of_a = [
        trial(1, graded("a", 1.0)),
        trial(2, graded("a", 0.0)),
        graded("b", 1.0),
    ];
    let of_b = [
        trial(1, graded("a", 1.0)),
        trial(2, graded("a", 1.0)),
        graded("b", 0.0),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!(scores(&found).mean_delta, Some(-0.25));
        assert_eq!((summary.wins, summary.losses, summary.ties), (1, 1, 0));
        assert_eq!((summary.matched, summary.trials_a), (2, 3));
        let cases = &scores(&found).statistics;
        assert_eq!((cases.cases, cases.wins.wins, cases.wins.losses), (2, 1, 1));
        let shown = ShownCases::of(&found, 1).unwrap();
        assert_eq!(
            (shown.wins[0].name.as_str(), shown.wins[0].b.trials),
            ("a", 2)
        );
        assert_eq!(shown.wins[0].delta, 0.5);
    });
}

#[test]
fn errored_and_ungraded_trials_are_counted_separately() {
    let of_a = [graded("a", 1.0), graded("b", 1.0), record("c")];
    let of_b = [
        graded("a", 0.5),
        errored("b", "timed out"),
        graded("c", 1.0),
    ];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.matched, summary.missing), (3, 1));
        let one_sided = (summary.graded_only_in_a, summary.graded_only_in_b);
        assert_eq!((one_sided, summary.graded_in_neither), ((1, 1), 0));
        assert_eq!(scores(&found).mean_delta, Some(-0.5));
        assert!(!scores(&found).significant, "one case tells nothing");
        let table = written(&found, ComparisonFormat::Table);
        assert!(
            table
                .starts_with("no significant difference: B − A is −50.0 points; an interval needs"),
            "{table}"
        );
        assert!(
            table.contains("1 graded only in A · 1 graded only in B"),
            "{table}"
        );
        assert!(table.contains("graded only in A\n  b\n"), "{table}");
        assert!(table.contains("1 errored"), "{table}");
    });
}

#[test]
fn cases_of_a_conversation_count_as_one_where_they_agree() {
    let run = |first: f64, second: f64| -> Vec<ResultRecord> {
        let case = |id: usize| match id % 2 {
            0 => in_conversation("one", graded(&format!("{id}"), first)),
            _ => in_conversation("two", graded(&format!("{id}"), second)),
        };
        (0..10).map(case).collect()
    };
    with_runs(&[&run(0.5, 0.5), &run(0.6, 1.0)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let statistics = &scores(&found).statistics;
        let interval = statistics.difference.unwrap().difference;
        assert_eq!((interval.n, interval.clusters), (10, Some(2)));
        assert!(statistics.mcnemar.is_none());
        assert_eq!(statistics.pass_rates.unwrap().n, 1);
    });
}

#[test]
fn conversations_and_independent_cases_are_distinguished() {
    let run = |score: f64| -> Vec<ResultRecord> {
        let case = |id: usize| graded(&format!("{id}"), score);
        let talks = (0..4).map(|id| in_conversation(["one", "two"][id % 2], case(id)));
        talks.chain((4..7).map(case)).collect()
    };
    with_runs(&[&run(0.5), &run(0.75)], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let table = written(&found, ComparisonFormat::Table);
        let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            table.contains("7 cases · 2 conversations and 3 cases "),
            "{table}"
        );
        assert!(
            table.contains("in each of 2 conversations and 3 cases on average"),
            "{table}"
        );
    });
}

#[test]
fn the_smallest_detectable_difference_of_passes_is_shown_if_there_is_one() {
    let run = |passes: fn(usize) -> bool, talks: bool| -> Vec<ResultRecord> {
        let case = |id: usize| {
            let case = graded(&format!("{id}"), f64::from(u8::from(passes(id))));
            if talks {
                in_conversation(["one", "two"][id % 2], case)
            } else {
                case
            }
        };
        (0..100).map(case).collect()
    };
    let told = |passes: [fn(usize) -> bool; 2], talks: bool| {
        let [a, b] = passes.map(|passes| run(passes, talks));
        with_runs(&[&a, &b], |runs| {
            let found = compare(&runs[0], &runs[1], 0.1).unwrap();
            let json: Value =
                serde_json::from_str(&written(&found, ComparisonFormat::Json)).unwrap();
            let method = &json["summary"]["statistics"]["detectable_pass_rate"]["method"];
            let told = crate::compare::wording::statistics(found.figures(), STYLE);
            let of_passes = told
                .iter()
                .flat_map(|(_, parts)| parts)
                .find(|part| part.contains("pass rate differences"))
                .cloned();
            (of_passes, method.as_str().map(str::to_owned))
        })
    };
    // Exactly one run passes in 20 of 100 cases, then in 2.
    let often: [fn(usize) -> bool; 2] = [|id| id % 10 != 0, |id| id % 10 != 1];
    let rarely: [fn(usize) -> bool; 2] = [|id| id != 0, |id| id != 1];
    assert_eq!(
        told(often, false),
        (
            Some("detects pass rate differences of 12.4% or more".to_owned()),
            Some("paired_pass_rates".to_owned())
        )
    );
    assert_eq!(told(rarely, false), (None, None));
    assert_eq!(told(often, true), (None, None));
}

#[test]
fn evaluators_are_compared_by_name() {
    let case = |id: &str, exact: f64| judged(graded(id, exact), &[("exact", exact), ("json", 1.0)]);
    let of_a = [case("a", 1.0), case("b", 1.0)];
    let of_b = [case("a", 0.0), case("b", 0.5)];
    with_runs(&[&of_a, &of_b], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let told: Vec<_> = found
            .evaluators()
            .iter()
            .map(|member| (member.name.as_str(), member.cases, member.mean_delta))
            .collect();
        assert_eq!(told, [("exact", 2, -0.75), ("json", 2, 0.0)]);
    });
}

#[test]
fn significant_needs_the_interval_and_the_test_everywhere() {
    let run = |scores: &[f64]| -> Vec<ResultRecord> {
        let cases = scores.iter().enumerate();
        cases
            .map(|(id, score)| graded(&format!("{id}"), *score))
            .collect()
    };
    let [good, bad] = [run(&[0.95, 0.97, 0.99]), run(&[0.05, 0.04, 0.01])];
    let rule = GateRule::Significant;
    with_runs(&[&good, &bad, &bad], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let scores = scores(&found);
        assert!(scores.interval().unwrap().high < 0.0);
        assert!(!scores.significant, "p = {}", scores.p_value);
        let sentence = found.figures().sentence("A", "B", STYLE);
        assert!(
            sentence.ends_with("which may still be chance: p = 0.25"),
            "{sentence}"
        );
        let gate = DropGate {
            rule,
            ..DropGate::default()
        };
        let gate = &gate.judge(found.figures(), "A")[0];
        let told = "which may be chance (95% interval −1.000 to";
        assert!(gate.met && gate.found.contains(told), "{}", gate.found);
        let hint = "no drop on so few cases is significant: add cases, or use `--gate mean`";
        assert!(gate.found.ends_with(hint), "{}", gate.found);
        let pairwise = Pairwise::of(runs, 0.1);
        let ends = pairwise.ends().unwrap().figures.as_ref().unwrap();
        let scores = ends.summary.scores.as_ref().unwrap();
        assert_eq!((scores.significant, scores.p_value), (false, 0.75));
        let sentence = ends.sentence("A", "C", STYLE);
        assert!(sentence.ends_with("p = 0.75"), "{sentence}");
    });
}

#[test]
fn a_case_counts_by_the_mean_of_its_trials_however_many_each_run_has() {
    let ids = || (0..12).map(|id| format!("{id}"));
    let once: Vec<ResultRecord> = ids().map(|id| graded(&id, 1.0)).collect();
    let five: Vec<ResultRecord> = ids()
        .flat_map(|id| {
            (1..=5).map(move |number| trial(number, graded(&id, f64::from(u8::from(number == 1)))))
        })
        .collect();
    with_runs(&[&once, &five], |runs| {
        let found = compare(&runs[0], &runs[1], 0.1).unwrap();
        let summary = found.summary();
        assert_eq!((summary.matched, summary.losses), (12, 12));
        assert_eq!((summary.trials_a, summary.trials_b), (12, 60));
        let scores = scores(&found);
        assert!((scores.mean_delta.unwrap() + 0.8).abs() < 1e-9);
        assert!(scores.significant, "p = {}", scores.p_value);
        let statistics = &scores.statistics;
        assert!(statistics.mcnemar.is_none() && statistics.wins.p_value.is_none());
        assert!(statistics.pass_rates.unwrap().p_value < 0.001);
        let outcome = DropGate::default().judge(found.figures(), "A");
        assert!(!outcome[0].met);
        let table = written(&found, ComparisonFormat::Table);
        assert!(
            table.contains("12 cases · 12 trials in A, 60 in B"),
            "{table}"
        );
        assert!(table.contains("mean of 1 trial and of 5"), "{table}");
    });
}
