//! Laws for any two runs.

use agentv_core::ResultRecord;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use super::support::{STYLE, gate, in_conversation, judged, on, trial, with_runs, written};
use crate::compare::{Comparison, ComparisonFormat, compare};
use crate::samples::{errored, graded, measured};

fn any_run() -> impl Strategy<Value = Vec<ResultRecord>> {
    let score = prop_oneof![
        4 => (0u8..=4).prop_map(|quarter| Some(f64::from(quarter) / 4.0)),
        2 => (0.0..=1.0f64).prop_map(Some),
        1 => Just(None),
    ];
    let any = (0u8..8, 1u32..3, prop::bool::ANY, score, 0u8..3);
    let any = any.prop_map(|(id, number, other, score, conversation)| {
        let id = format!("case-{id}");
        let record = match score {
            Some(score) => judged(graded(&id, score), &[("exact", score)]),
            None => errored(&id, "no"),
        };
        let record = match conversation {
            0 => record,
            other => in_conversation(&format!("{other}"), record),
        };
        let target = if other { "x" } else { "y" };
        measured(on(target, trial(number, record)), 5.0, 0.25)
    });
    prop::collection::vec(any, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(20_261_115),
        failure_persistence: None,
        ..ProptestConfig::with_cases(96)
    })]

    #[test]
    fn exchanging_the_runs_turns_every_difference(a in any_run(), b in any_run()) {
        with_runs(&[&a, &b], |runs| {
            let found = [compare(&runs[0], &runs[1], 0.1), compare(&runs[1], &runs[0], 0.1)];
            let [Ok(there), Ok(back)] = &found else {
                prop_assert!(found.iter().all(Result::is_err));
                return Ok(());
            };
            let (one, other) = (there.summary(), back.summary());
            prop_assert_eq!((one.wins, one.losses, one.ties), (other.losses, other.wins, other.ties));
            prop_assert_eq!(one.only_in_a, other.only_in_b);
            prop_assert_eq!((one.graded_only_in_a, one.trials_a), (other.graded_only_in_b, other.trials_b));
            prop_assert_eq!(one.scores.is_some(), other.scores.is_some());
            if let Some((one, other)) = one.scores.as_ref().zip(other.scores.as_ref()) {
                prop_assert_eq!(one.mean_delta, other.mean_delta.map(|delta| -delta));
                prop_assert_eq!(one.significant, other.significant);
                prop_assert_eq!(one.statistics.permutation.p_value, other.statistics.permutation.p_value);
            }
            prop_assert_eq!(there.targets().len(), back.targets().len());
            let deltas = |of: &Comparison<'_>| -> Vec<Option<f64>> {
                of.cases.iter().map(crate::compare::cases::Case::delta).collect()
            };
            let turned: Vec<_> = deltas(back).iter().map(|delta| delta.map(|delta| -delta)).collect();
            prop_assert_eq!(deltas(there), turned);
            let members = |of: &Comparison<'_>| [of.evaluators(), of.targets()].concat();
            for (one, other) in members(there).iter().zip(&members(back)) {
                prop_assert_eq!(one.mean_delta, -other.mean_delta);
                prop_assert_eq!(one.corrected_p_value, other.corrected_p_value);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_run_and_itself_tie(run in any_run()) {
        with_runs(&[&run, &run], |runs| {
            let found = compare(&runs[0], &runs[1], 0.0).unwrap();
            let summary = found.summary();
            prop_assert_eq!((summary.wins, summary.losses), (0, 0));
            prop_assert_eq!(summary.ties + summary.graded_in_neither, summary.total);
            prop_assert_eq!(summary.missing, 0);
            let statistics = summary.scores.iter().map(|scores| &scores.statistics);
            let of_targets = found.targets().iter().filter_map(|target| target.statistics.as_ref());
            for statistics in statistics.chain(of_targets) {
                prop_assert_eq!(statistics.permutation.p_value, 1.0);
                prop_assert_eq!(statistics.wins.p_value, Some(1.0));
                let difference = statistics.difference.map_or(0.0, |found| found.difference.estimate);
                prop_assert_eq!(difference, 0.0);
            }
            prop_assert_eq!(gate(&found).met, summary.compared() > 0);
            Ok(())
        })?;
    }

    #[test]
    fn all_formats_show_the_same_figures(a in any_run(), b in any_run()) {
        with_runs(&[&a, &b], |runs| {
            let Ok(found) = compare(&runs[0], &runs[1], 0.1) else { return Ok(()) };
            let [table, json, markdown] = [
                ComparisonFormat::Table,
                ComparisonFormat::Json,
                ComparisonFormat::Markdown,
            ]
            .map(|format| written(&found, format));
            let json: Value = serde_json::from_str(&json).unwrap();
            let listed = |name: &str, field: &str, value: &str| {
                let entries = json[name].as_array().unwrap().iter();
                entries.filter(|entry| entry[field] == value).count() as u64
            };
            let summary = found.summary();
            prop_assert_eq!(json["summary"]["matched"].as_u64(), Some(json["matched"].as_array().unwrap().len() as u64));
            prop_assert_eq!(listed("matched", "outcome", "win"), summary.wins);
            prop_assert_eq!(listed("matched", "outcome", "loss"), summary.losses);
            prop_assert_eq!(listed("matched", "outcome", "tie"), summary.ties);
            prop_assert_eq!(listed("unmatched", "only_in", "a"), summary.only_in_a);
            prop_assert_eq!(listed("unmatched", "only_in", "b"), summary.only_in_b);
            let statistics = crate::compare::wording::statistics(found.figures(), STYLE);
            for told in crate::compare::wording::outcomes(summary)
                .iter()
                .chain(&crate::compare::wording::matched(summary, ["A", "B"]))
                .chain(statistics.iter().flat_map(|(_, parts)| parts))
            {
                let in_one_line = table.split_whitespace().collect::<Vec<_>>().join(" ");
                prop_assert!(in_one_line.contains(told.as_str()), "{told} in {table}");
                prop_assert!(markdown.contains(&told.replace('<', "&lt;")), "{told} in {markdown}");
            }
            Ok(())
        })?;
    }
}
