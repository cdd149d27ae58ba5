//! The laws of the fold.

use agentv_core::{
    EvaluatorResult, EvaluatorSpec, JudgeCall, ResultRecord, Score, Status, TokenUsage,
};
use proptest::prelude::*;

use super::*;
use crate::samples::{errored, failed, graded, measured, record};

fn fold<'r>(records: impl IntoIterator<Item = &'r ResultRecord>) -> Summary {
    let mut fold = SummaryFold::new();
    records.into_iter().for_each(|record| fold.add(record));
    fold.finish(3)
}

fn any_record() -> impl Strategy<Value = ResultRecord> {
    let score = prop_oneof![
        (0u8..=4).prop_map(|quarters| f64::from(quarters) / 4.0),
        0.0..=1.0f64
    ];
    let graded = (0u8..30, score, "[a-c]{0,2}")
        .prop_map(|(id, score, miss)| failed(&format!("case-{id}"), score, &miss));
    let errored = (0u8..30, 0u32..200_000)
        .prop_map(|(id, number)| errored(&format!("case-{id}"), &format!("HTTP {number}")));
    let ungraded = (0u8..30).prop_map(|id| record(&format!("case-{id}")));
    let outcome = prop_oneof![6 => graded, 1 => errored, 1 => ungraded];
    let took = (0.0..1e5f64, 0.0..0.1f64, any::<bool>(), "[ab]", 1u32..3);
    (outcome, proptest::option::of(took)).prop_map(|(record, took)| {
        let Some((total_ms, cost_usd, cached, target, attempts)) = took else {
            return record;
        };
        ResultRecord {
            cached,
            attempts,
            target: target.into(),
            ..measured(record, total_ms, cost_usd)
        }
    })
}

fn records_in_two_orders() -> impl Strategy<Value = (Vec<ResultRecord>, Vec<ResultRecord>)> {
    let records = proptest::collection::vec(any_record(), 0..120);
    records.prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle()))
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6
}

fn naive_median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

proptest! {
    #[test]
    fn the_order_of_records_changes_no_byte((records, shuffled) in records_in_two_orders()) {
        let written = serde_json::to_string(&fold(&records)).unwrap();
        prop_assert_eq!(&written, &serde_json::to_string(&fold(&shuffled)).unwrap());
        let read: Summary = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(read, fold(&records));
    }

    #[test]
    fn the_figures_are_those_of_the_plain_formulas(
        records in proptest::collection::vec(any_record(), 0..200)
    ) {
        let of_one_target = |record| ResultRecord { target: "one".into(), ..record };
        let records: Vec<ResultRecord> = records.into_iter().map(of_one_target).collect();
        let summary = fold(&records);
        let mut scores: Vec<f64> = records.iter().filter_map(|r| r.score).map(Score::value).collect();
        scores.sort_by(f64::total_cmp);
        prop_assert_eq!(summary.graded, scores.len() as u64);
        prop_assert_eq!(summary.trials, records.len() as u64);
        let Some(found) = summary.scores else {
            prop_assert!(scores.is_empty() && summary.pass_rate.is_none());
            return Ok(());
        };
        let count = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / count;
        prop_assert!(near(found.mean.unwrap(), mean));
        prop_assert!(near(found.median.unwrap(), naive_median(&scores)));
        prop_assert!(near(found.min, scores[0]) && near(found.max, scores[scores.len() - 1]));
        prop_assert_eq!(found.histogram.iter().sum::<u64>(), found.count);
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        match found.standard_deviation {
            Some(deviation) => prop_assert!(near(deviation, (squares / (count - 1.0)).sqrt())),
            None => prop_assert_eq!(scores.len(), 1),
        }
        let paid: f64 = records.iter().filter(|r| !r.cached).filter_map(ResultRecord::answer_cost_usd).sum();
        prop_assert!(near(summary.costs.cost_usd.unwrap_or(0.0), paid));
        let passed = records.iter().filter(|r| r.status == Status::Pass).count();
        prop_assert!(near(summary.pass_rate.unwrap(), passed as f64 / count));
    }

    #[test]
    fn the_lists_are_the_first_of_all_sorted(
        records in proptest::collection::vec(any_record(), 0..60)
    ) {
        let summary = fold(&records);
        let mut slow: Vec<f64> = records
            .iter()
            .filter(|record| !record.cached)
            .filter_map(|record| record.timing.total_ms)
            .collect();
        slow.sort_by(|a, b| b.total_cmp(a));
        slow.truncate(5);
        let found: Vec<f64> = summary.slowest.iter().map(|trial| trial.total_ms).collect();
        prop_assert_eq!(found, slow);
        let mut low: Vec<f64> = records
            .iter()
            .filter(|record| matches!(record.status, Status::Fail | Status::Borderline))
            .filter_map(|record| record.score)
            .map(Score::value)
            .collect();
        low.sort_by(f64::total_cmp);
        low.truncate(5);
        let found: Vec<f64> = summary.worst.iter().map(|trial| trial.score.value()).collect();
        prop_assert_eq!(found, low);
    }
}

proptest! {
    #[test]
    fn mean_and_deviation_are_those_of_the_statistics_to_the_last_bit(
        scores in proptest::collection::vec((0.0..=1.0f64, 0..3u8), 0..60)
    ) {
        let mut exact = agentv_statistics::ScoreFold::new();
        scores.iter().rev().for_each(|(score, _)| exact.add(*score));
        let records = |name: fn(u8) -> u8| -> Vec<ResultRecord> {
            let record = |(score, target): &(f64, u8)| ResultRecord {
                target: format!("target {}", name(*target)).into(),
                ..graded("case", *score)
            };
            scores.iter().map(record).collect()
        };
        let single = fold(&records(|_| 0));
        let found = single.scores.and_then(|scores| scores.mean);
        prop_assert_eq!((found, single.mean_of_all()), (exact.mean(), exact.mean()));
        let deviation = single.scores.and_then(|scores| scores.standard_deviation);
        prop_assert_eq!(deviation, exact.standard_deviation());
        // The averages of several targets are those of none of them.
        let several = fold(&records(|target| target));
        let nearly = |mean: Option<f64>| mean.map(|mean| (mean * 1e9).round());
        prop_assert_eq!(nearly(several.mean_of_all()), nearly(exact.mean()));
        if several.targets.len() > 1 {
            let averages = several.scores.map(|scores| (scores.mean, scores.median, scores.standard_deviation));
            prop_assert_eq!((averages, several.pass_rate), (Some((None, None, None)), None));
        }
    }
}

#[test]
fn errored_and_ungraded_trials_are_excluded_from_every_mean_and_rate() {
    let records = [
        graded("a", 1.0),
        graded("b", 0.5),
        errored("c", "timed out"),
        record("d"),
    ];
    let summary = fold(&records);
    assert_eq!((summary.trials, summary.graded, summary.skipped), (4, 2, 3));
    assert_eq!(summary.pass_rate, Some(0.5));
    assert_eq!(summary.scores.unwrap().mean, Some(0.75));
    assert_eq!((summary.statuses.error, summary.statuses.ungraded), (1, 1));
    assert_eq!(summary.errors[0].message, "timed out");
}

#[test]
fn nothing_graded_gives_no_rate_and_no_score() {
    let summary = fold(&[errored("a", "timed out"), record("b")]);
    assert_eq!((summary.pass_rate, summary.scores), (None, None));
}

#[test]
fn an_answer_from_the_cache_costs_nothing_and_takes_no_time() {
    let cached = ResultRecord {
        cached: true,
        ..measured(graded("a", 1.0), 900.0, 0.5)
    };
    let summary = fold(&[cached, measured(graded("b", 1.0), 100.0, 0.25)]);
    assert_eq!((summary.cached, summary.costs.cost_usd), (1, Some(0.25)));
    assert_eq!((summary.slowest.len(), summary.costliest.len()), (1, 1));
    assert_eq!(summary.latency.unwrap().count, 1);
    assert_eq!(summary.tokens.unwrap().input, 1_200);
}

#[test]
fn trials_that_are_equally_bad_are_listed_by_name() {
    let ids = ["e", "b", "f", "a", "d", "c"];
    let records = ids.map(|id| failed(id, 0.0, "wrong"));
    let summary = fold(&records);
    let worst: Vec<&str> = summary
        .worst
        .iter()
        .map(|w| w.trial.eval_id.as_str())
        .collect();
    assert_eq!(worst, ["a", "b", "c", "d", "e"]);
}

#[test]
fn each_target_has_its_own_figures() {
    let other = ResultRecord {
        target: "other".into(),
        ..measured(graded("a", 0.0), 5.0, 0.5)
    };
    let summary = fold(&[graded("a", 1.0), other, errored("b", "down")]);
    let targets: Vec<_> = summary
        .targets
        .iter()
        .map(|t| (&*t.target, t.pass_rate, t.costs.cost_usd))
        .collect();
    assert_eq!(
        targets,
        [
            ("default", Some(1.0), None),
            ("other", Some(0.0), Some(0.5))
        ]
    );
}

#[test]
fn no_figure_of_a_score_below_a_threshold_reaches_it() {
    let summary = fold(&[
        graded("a", 0.799_999_99),
        graded("b", 0.7),
        graded("c", 0.8),
    ]);
    let scores = summary.scores.unwrap();
    assert_eq!(
        (scores.median.unwrap(), scores.min, scores.max),
        (0.799_999_99, 0.7, 0.8)
    );
    let shown = crate::render::score(scores.median.unwrap());
    assert_eq!(
        (shown.as_str(), scores.histogram[7], scores.histogram[8]),
        ("0.799", 2, 1)
    );
}

#[test]
fn a_judge_is_not_part_of_the_cost_of_a_target() {
    let judged = |record: ResultRecord, cost_usd: Option<f64>| ResultRecord {
        evaluator_results: vec![EvaluatorResult {
            judge_calls: vec![JudgeCall {
                target: "judge".to_owned(),
                token_usage: Some(TokenUsage::default()),
                cost_usd,
                ..JudgeCall::default()
            }],
            ..EvaluatorResult::unsaid(&EvaluatorSpec::of_kind("llm_judge"))
        }],
        ..record
    };
    let priced = judged(measured(graded("a", 1.0), 5.0, 0.5), Some(0.25));
    let mut unpriced = judged(measured(graded("a", 1.0), 5.0, 0.0), Some(0.125));
    unpriced.target = "free".into();
    unpriced.trace_summary.as_mut().unwrap().cost_usd = None;
    let summary = fold(&[priced, unpriced.clone()]);
    let words = |target: usize| summary.targets[target].costs.in_words().join(", ");
    assert_eq!(
        [words(0), words(1)],
        ["$0.5000, judges $0.2500", "unpriced, judges $0.1250"]
    );
    assert_eq!(
        summary.costs.in_full().join(" · "),
        "$0.5000 + unpriced: free · judges $0.3750 · total $0.8750 + unpriced"
    );
    // The costliest answers have prices of their own.
    assert_eq!(summary.costliest.len(), 1);
    assert_eq!(summary.costliest[0].cost_usd, 0.5);
    let nothing_known = fold(&[judged(unpriced, None)]);
    assert_eq!(
        nothing_known.costs.in_full().join(" · "),
        "unpriced: free · judges unpriced: judge"
    );
}
