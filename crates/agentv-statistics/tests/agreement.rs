//! Agreement with scikit-learn, statsmodels and scipy, whose results `expectations/agreement.py` wrote down.

use agentv_statistics::{
    Interval, Level, kappa, kappa_interval, spearman, weighted_kappa, weighted_kappa_interval,
};
use proptest::prelude::*;
use serde_json::Value;

fn near(found: Option<f64>, expected: &Value) -> bool {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
        (None, None) => true,
        _ => false,
    }
}

fn numbers(values: &Value) -> impl Iterator<Item = f64> {
    values
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_f64().unwrap())
}

#[test]
fn kappas_and_rank_correlations_are_those_of_scikit_learn_and_scipy() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("expectations/agreement.json")).unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let confusion: [[u64; 3]; 3] = serde_json::from_value(case["confusion"].clone()).unwrap();
        let scores = numbers(&case["human_scores"]).zip(numbers(&case["judge_scores"]));
        let scores: Vec<(f64, f64)> = scores.collect();
        assert!(near(kappa(&confusion), &case["kappa"]), "{case}");
        assert!(
            near(weighted_kappa(&confusion), &case["weighted_kappa"]),
            "{case}"
        );
        let error = |found: Option<Interval>| found.and_then(|found| found.standard_error);
        let found = error(kappa_interval(&confusion, Level::NINETY_FIVE));
        assert!(near(found, &case["kappa_error"]), "{found:?} {case}");
        let found = error(weighted_kappa_interval(&confusion, Level::NINETY_FIVE));
        assert!(
            near(found, &case["weighted_kappa_error"]),
            "{found:?} {case}"
        );
        assert!(near(spearman(&scores), &case["spearman"]), "{case}");
    }
}

proptest! {
    #[test]
    fn no_figure_is_ever_outside_its_range(
        counts in prop::array::uniform3(prop::array::uniform3(0_u64..5)),
        scores in prop::collection::vec((0_u8..5, 0_u8..5), 0..30),
    ) {
        let scores = scores.into_iter().map(|(one, other)| (f64::from(one), f64::from(other)));
        let scores: Vec<(f64, f64)> = scores.collect();
        for figure in [kappa(&counts), weighted_kappa(&counts), spearman(&scores)] {
            prop_assert!(figure.is_none_or(|figure| (-1.0..=1.0).contains(&figure)));
        }
        let level = Level::NINETY_FIVE;
        for found in [kappa_interval(&counts, level), weighted_kappa_interval(&counts, level)] {
            let Some(found) = found else { continue };
            prop_assert!(-1.0 <= found.low && found.low <= found.estimate, "{found:?}");
            prop_assert!(found.estimate <= found.high && found.high <= 1.0, "{found:?}");
            prop_assert!(found.low < found.high, "{found:?}");
        }
    }
}
