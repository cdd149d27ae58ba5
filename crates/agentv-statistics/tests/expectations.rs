//! Agreement with scipy, statsmodels and numpy, whose results `expectations/make.py` wrote down.

use std::sync::Arc;
use std::sync::LazyLock;

use agentv_statistics::{
    CaseTrials, Level, Pair, PassFold, PassTable, PermutationMethod, Power, ScoreFold,
    detectable_paired_pass_rates, detectable_pass_rates, detectable_scores, holm, mcnemar,
    mean_score, paired_difference, pass_at_k, pass_hat_k, pass_rate, permutation_test,
    variance_components,
};
use serde_json::Value;

use crate::laws::UNBOUNDED;

static ALL: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/expectations/statistics.json"
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
});

fn cases(section: &str) -> &'static [Value] {
    let cases = ALL[section].as_array().unwrap();
    assert!(cases.len() >= 7, "{section}");
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn level(case: &Value) -> Level {
    Level::new(number(&case["level"])).unwrap()
}

fn power(case: &Value) -> Power {
    Power::new(number(&case["power"])).unwrap()
}

fn clusters(case: &Value) -> impl Iterator<Item = Option<&str>> {
    let names = case["cluster_names"].as_array().unwrap();
    names.iter().map(Value::as_str)
}

fn assert_within(found: f64, expected: f64, relative: f64, case: &Value) {
    let allowed = relative * expected.abs().max(1e-3);
    assert!(
        (found - expected).abs() <= allowed,
        "{found} is not {expected} in {case}"
    );
}

fn assert_near(found: f64, expected: &Value, case: &Value) {
    assert_within(found, number(expected), 1e-9, case);
}

#[test]
fn effective_sample_sizes_follow_from_the_robust_errors_of_statsmodels() {
    for case in cases("clustered_rates") {
        let mut fold = PassFold::new();
        for (cluster, passed) in case["passed"].as_array().unwrap().iter().enumerate() {
            let name = cluster.to_string();
            let trials = 0..whole(&case["size"]);
            trials.for_each(|trial| fold.add(trial < whole(passed), Some(&name)));
        }
        let found = fold.interval(Level::NINETY_FIVE).unwrap();
        let expected = number(&case["effective_n"]);
        assert_within(found.effective_n.unwrap(), expected, 1e-9, case);
    }
}

#[test]
fn pass_rates_have_the_wilson_interval_of_statsmodels() {
    for case in cases("wilson") {
        let (passed, n) = (whole(&case["passed"]), whole(&case["n"]));
        let found = pass_rate(passed, n, level(case)).unwrap();
        assert_near(found.low, &case["low"], case);
        assert_near(found.high, &case["high"], case);
    }
}

#[test]
fn means_have_the_cluster_robust_interval_of_statsmodels() {
    for case in cases("means") {
        let scores = numbers(&case["values"]).into_iter().zip(clusters(case));
        let found = mean_score(scores, level(case)).unwrap();
        assert_near(found.estimate, &case["mean"], case);
        assert_near(found.standard_error.unwrap(), &case["standard_error"], case);
        assert_eq!(
            found.clusters.unwrap_or(found.n),
            whole(&case["clusters"]),
            "{case}"
        );
        assert_within(found.low, number(&case["low"]).max(0.0), 1e-9, case);
        assert_within(found.high, number(&case["high"]).min(1.0), 1e-9, case);
    }
}

#[test]
fn differences_have_the_cluster_robust_interval_of_statsmodels() {
    for case in cases("paired") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let values = a.into_iter().zip(b).zip(clusters(case));
        let pairs: Vec<Pair<'_>> = values
            .map(|((a, b), cluster)| Pair { a, b, cluster })
            .collect();
        let found = paired_difference(&pairs, level(case), UNBOUNDED).unwrap();
        let interval = found.difference;
        assert_near(interval.estimate, &case["mean"], case);
        assert_near(interval.low, &case["low"], case);
        assert_near(interval.high, &case["high"], case);
        assert_near(found.mean_b - found.mean_a, &case["mean"], case);
        // The sum of two quantiles approximates the noncentral t distribution.
        if let Some(expected) = case["detectable"].as_f64() {
            let detectable = found.detectable.unwrap();
            assert_within(detectable.difference, expected, 0.05, case);
        }
    }
}

#[test]
fn passes_among_trials_are_those_of_whole_fractions() {
    for case in cases("draws") {
        let [trials, passed, k] = ["trials", "passed", "k"].map(|name| whole(&case[name]));
        let (at, hat) = (pass_at_k(trials, passed, k), pass_hat_k(trials, passed, k));
        assert_near(at.unwrap(), &case["pass_at_k"], case);
        assert_near(hat.unwrap(), &case["pass_hat_k"], case);
    }
}

#[test]
fn variance_components_are_those_of_the_analysis_of_variance_of_statsmodels() {
    for case in cases("components") {
        let trials = case["cases"].as_array().unwrap().iter().map(|scores| {
            let mut trials = CaseTrials::new(None::<Arc<str>>);
            let scores = numbers(scores).into_iter();
            scores.for_each(|score| trials.add(score, true));
            trials
        });
        let trials: Vec<CaseTrials> = trials.collect();
        let found = variance_components(&trials).unwrap();
        assert_near(found.within, &case["within"], case);
        assert_near(found.between_estimate, &case["between_estimate"], case);
        assert_near(found.trials_per_case, &case["trials_per_case"], case);
        assert_eq!(found.between, found.between_estimate.max(0.0));
    }
}

#[test]
fn mcnemar_is_that_of_statsmodels() {
    for case in cases("mcnemars") {
        let passes = PassTable {
            both: 3,
            only_a: whole(&case["only_a"]),
            only_b: whole(&case["only_b"]),
            neither: 4,
        };
        let (found, expected) = (mcnemar(passes).p_value, number(&case["p_value"]));
        let relative = (found - expected).abs() / expected.max(f64::MIN_POSITIVE);
        assert!(relative < 1e-9, "{found} is not {expected} in {case}");
    }
}

#[test]
fn permutation_tests_are_those_of_scipy_or_near_when_drawn() {
    let mut drawn = 0;
    for case in cases("permutations") {
        let pairs: Vec<Pair<'_>> = numbers(&case["differences"])
            .into_iter()
            .map(|b| Pair {
                a: 0.0,
                b,
                cluster: None,
            })
            .collect();
        let found = permutation_test(&pairs);
        let expected = number(&case["p_value"]);
        match found.method {
            PermutationMethod::PermutationExact => {
                assert_near(found.p_value, &case["p_value"], case)
            }
            PermutationMethod::PermutationMonteCarlo => {
                drawn += 1;
                let samples = found.samples.unwrap() as f64;
                let stray = (expected * (1.0 - expected) / samples).sqrt();
                let away = (found.p_value - expected).abs();
                assert!(away <= 4.0 * stray + 2.0 / samples, "{found:?} {expected}");
            }
            PermutationMethod::PermutationNormal => panic!("{found:?}"),
        }
    }
    assert_eq!(drawn, 12);
}

#[test]
fn the_correction_of_holm_is_that_of_statsmodels() {
    for case in cases("families") {
        let found = holm(&numbers(&case["p_values"]));
        for (found, expected) in found.iter().zip(case["adjusted"].as_array().unwrap()) {
            assert_near(*found, expected, case);
        }
    }
}

#[test]
fn detectable_pass_rates_have_the_power_that_statsmodels_says() {
    for case in cases("unpaired_rates") {
        let found = detectable_pass_rates(whole(&case["n"]), level(case), power(case)).unwrap();
        assert_within(found.difference, number(&case["difference"]), 1e-5, case);
    }
    for case in cases("paired_rates") {
        let (discordance, n) = (number(&case["discordance"]), whole(&case["n"]));
        let found = detectable_paired_pass_rates(discordance, n, level(case), power(case));
        match case["difference"].as_f64() {
            Some(expected) => assert_within(found.unwrap().difference, expected, 1e-9, case),
            None => assert_eq!(found, None, "{case}"),
        }
    }
}

#[test]
fn detectable_scores_are_near_to_the_noncentral_t_of_statsmodels() {
    for case in cases("unpaired_scores") {
        let (deviation, n) = (number(&case["standard_deviation"]), whole(&case["n"]));
        let found = detectable_scores(deviation, n, level(case), power(case)).unwrap();
        let relative = if n >= 1_000 { 1e-4 } else { 0.03 };
        assert_within(
            found.difference,
            number(&case["difference"]),
            relative,
            case,
        );
    }
}

#[test]
fn means_and_variances_are_those_of_whole_fractions_to_the_last_bits() {
    for case in cases("folds") {
        let mut fold = ScoreFold::new();
        let values = numbers(&case["values"]);
        values.iter().for_each(|value| fold.add(*value));
        assert_within(fold.mean().unwrap(), number(&case["mean"]), 1e-15, case);
        match case["variance"].as_f64() {
            Some(expected) => assert_within(fold.variance().unwrap(), expected, 1e-15, case),
            None => assert_eq!(fold.variance(), None),
        }
    }
}
