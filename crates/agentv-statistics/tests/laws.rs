//! Laws of the statistics, for any scores.

use agentv_statistics::{
    Bounds, CaseTrials, ClusteredFold, Interval, Level, Pair, PassTable, Power, ScoreFold,
    detectable_paired_pass_rates, detectable_pass_rates, flakes, holm, mcnemar, mean_score,
    paired_difference, pass_among, pass_at_k, pass_hat_k, pass_rate, permutation_test,
    variance_components, wins,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// No bounds, as for costs and times.
pub(crate) const UNBOUNDED: Bounds = Bounds {
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
};

/// The seed of the examples; another number tries others.
const SEED: u64 = 20_261_115;

pub(crate) fn seeded() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn any_score() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => Just(0.0),
        2 => Just(1.0),
        2 => (0u8..=10).prop_map(|tenths| f64::from(tenths) / 10.0),
        2 => 0.0..=1.0f64,
        1 => Just(f64::MIN_POSITIVE),
    ]
}

fn any_level() -> impl Strategy<Value = Level> {
    (1e-6..0.999_999f64).prop_map(|share| Level::new(share).unwrap())
}

fn any_cluster() -> impl Strategy<Value = Option<&'static str>> {
    prop::option::of(prop::sample::select(vec!["a", "b", "c", "d"]))
}

fn any_scores() -> impl Strategy<Value = Vec<(f64, Option<&'static str>)>> {
    prop::collection::vec((any_score(), any_cluster()), 0..60)
}

fn any_pairs() -> impl Strategy<Value = Vec<Pair<'static>>> {
    let pair = (any_score(), any_score(), any_cluster());
    let pair = pair.prop_map(|(a, b, cluster)| Pair { a, b, cluster });
    prop::collection::vec(pair, 0..28)
}

fn any_cases() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(any_score(), 0..6), 0..12)
}

fn trials(cases: &[Vec<f64>]) -> Vec<CaseTrials> {
    let trials = |scores: &Vec<f64>| {
        let mut trials = CaseTrials::new(None);
        let scores = scores.iter();
        scores.for_each(|score| trials.add(*score, *score >= 0.8));
        trials
    };
    cases.iter().map(trials).collect()
}

fn swapped(pairs: &[Pair<'static>]) -> Vec<Pair<'static>> {
    let swap = |pair: &Pair<'static>| Pair {
        a: pair.b,
        b: pair.a,
        ..*pair
    };
    pairs.iter().map(swap).collect()
}

fn in_two_orders<T: Clone + std::fmt::Debug>(
    values: impl Strategy<Value = Vec<T>>,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    values.prop_flat_map(|values| (Just(values.clone()), Just(values).prop_shuffle()))
}

fn holds_its_estimate(interval: &Interval, bounds: Bounds) -> bool {
    bounds.low <= interval.low
        && interval.low <= interval.estimate
        && interval.estimate <= interval.high
        && interval.high <= bounds.high
}

fn is_within(outer: &Interval, inner: &Interval) -> bool {
    outer.low <= inner.low && inner.high <= outer.high
}

/// Returns JSON: equal texts are equal bits.
fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn sorted(one: Level, other: Level) -> (Level, Level) {
    if one <= other {
        (one, other)
    } else {
        (other, one)
    }
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn a_pass_rate_lies_in_its_interval_which_widens_with_the_level(
        n in 1u64..1_000_000, share in 0.0..=1.0f64, one in any_level(), other in any_level()
    ) {
        let passed = (n as f64 * share) as u64;
        let (low, high) = sorted(one, other);
        let (narrow, wide) = (pass_rate(passed, n, low).unwrap(), pass_rate(passed, n, high).unwrap());
        prop_assert!(holds_its_estimate(&narrow, Bounds::SCORE), "{narrow:?}");
        prop_assert!(is_within(&wide, &narrow), "{wide:?} {narrow:?}");
        let mirrored = pass_rate(n - passed, n, low).unwrap();
        prop_assert!((mirrored.low - (1.0 - narrow.high)).abs() < 1e-12);
    }

    #[test]
    fn a_mean_lies_in_its_interval_which_widens_with_the_level(
        scores in any_scores(), one in any_level(), other in any_level()
    ) {
        let (low, high) = sorted(one, other);
        let narrow = mean_score(scores.iter().copied(), low);
        let wide = mean_score(scores.iter().copied(), high);
        let (Ok(narrow), Ok(wide)) = (narrow, wide) else {
            let mut clusters: Vec<_> = scores.iter().map(|(_, cluster)| cluster).collect();
            clusters.dedup();
            prop_assert!(scores.len() < 2 || clusters.len() == 1 && clusters[0].is_some());
            return Ok(());
        };
        prop_assert!(holds_its_estimate(&narrow, Bounds::SCORE), "{narrow:?}");
        prop_assert!(is_within(&wide, &narrow), "{wide:?} {narrow:?}");
    }

    #[test]
    fn the_order_of_scores_changes_no_bit((scores, shuffled) in in_two_orders(any_scores())) {
        let mean = |scores: &[(f64, _)]| written(&mean_score(scores.iter().copied(), Level::NINETY_FIVE));
        prop_assert_eq!(mean(&scores), mean(&shuffled));
        let fold = |scores: &[(f64, _)]| {
            let mut fold = ScoreFold::new();
            scores.iter().for_each(|(score, _)| fold.add(*score));
            let figures = [Some(fold.sum()), fold.mean(), fold.variance(), fold.standard_deviation()];
            (fold.count(), figures.map(|figure| figure.map(f64::to_bits)))
        };
        prop_assert_eq!(fold(&scores), fold(&shuffled));
    }

    #[test]
    fn merging_the_folds_of_parts_gives_the_fold_of_all(scores in any_scores(), at in 0.0..=1.0f64) {
        let (first, rest) = scores.split_at((scores.len() as f64 * at) as usize);
        let fold = |scores: &[(f64, Option<&str>)]| {
            let (mut plain, mut clustered) = (ScoreFold::new(), ClusteredFold::new());
            for (score, cluster) in scores {
                plain.add(*score);
                clustered.add(*score, *cluster);
            }
            (plain, clustered)
        };
        let (plain, clustered) = fold(&scores);
        let ((mut plain_parts, mut clustered_parts), (plain_rest, clustered_rest)) = (fold(first), fold(rest));
        plain_parts.merge(&plain_rest);
        clustered_parts.merge(&clustered_rest);
        prop_assert_eq!(plain.variance(), plain_parts.variance());
        prop_assert_eq!(plain.mean(), plain_parts.mean());
        let interval = |fold: &ClusteredFold| fold.interval(Level::NINETY_FIVE, UNBOUNDED);
        prop_assert_eq!(interval(&clustered), interval(&clustered_parts));
        prop_assert_eq!(clustered.mean(), plain.mean());
    }

    #[test]
    fn a_fold_has_the_figures_of_the_plain_formulas(values in prop::collection::vec(any_score(), 2..60)) {
        let mut fold = ScoreFold::new();
        values.iter().for_each(|value| fold.add(*value));
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        prop_assert!((fold.mean().unwrap() - mean).abs() < 1e-12);
        prop_assert!((fold.variance().unwrap() - variance).abs() < 1e-12);
    }

    #[test]
    fn swapping_the_runs_negates_the_difference_and_keeps_the_p_values(
        pairs in any_pairs(), level in any_level()
    ) {
        let back = swapped(&pairs);
        prop_assert_eq!(written(&permutation_test(&pairs)), written(&permutation_test(&back)));
        let (there, here) = (wins(&pairs, 0.1), wins(&back, 0.1));
        prop_assert_eq!((there.wins, there.losses, there.ties), (here.losses, here.wins, here.ties));
        prop_assert_eq!(there.p_value, here.p_value);
        let there = paired_difference(&pairs, level, Bounds::DIFFERENCE);
        let here = paired_difference(&back, level, Bounds::DIFFERENCE);
        let (Ok(there), Ok(here)) = (there, here) else {
            prop_assert_eq!(there.err(), here.err());
            return Ok(());
        };
        let (one, other) = (there.difference, here.difference);
        prop_assert_eq!((one.estimate, one.low, one.high), (-other.estimate, -other.high, -other.low));
        prop_assert_eq!(there.detectable, here.detectable);
        prop_assert!(holds_its_estimate(&one, Bounds::DIFFERENCE));
    }

    #[test]
    fn the_order_of_cases_changes_no_bit_of_a_comparison((pairs, shuffled) in in_two_orders(any_pairs())) {
        let all = |pairs: &[Pair<'_>]| {
            let difference = paired_difference(pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE);
            written(&(difference, permutation_test(pairs), wins(pairs, 0.0)))
        };
        prop_assert_eq!(all(&pairs), all(&shuffled));
    }

    #[test]
    fn p_values_lie_from_nothing_to_one(pairs in any_pairs(), only_a in 0u64..5_000, only_b in 0u64..5_000) {
        let passes = PassTable { both: 0, only_a, only_b, neither: 0 };
        let mirrored = PassTable { only_a: only_b, only_b: only_a, ..passes };
        let found = mcnemar(passes).p_value;
        prop_assert!((0.0..=1.0).contains(&found), "{found}");
        prop_assert_eq!(found, mcnemar(mirrored).p_value);
        let found = permutation_test(&pairs).p_value;
        prop_assert!(found > 0.0 && found <= 1.0, "{found}");
        let found = wins(&pairs, 0.0).p_value.unwrap();
        prop_assert!(found > 0.0 && found <= 1.0, "{found}");
    }

    #[test]
    fn more_on_one_side_is_less_likely(only_a in 0u64..2_000, more in 0u64..2_000) {
        let p_value = |only_b| mcnemar(PassTable { only_a, only_b, ..PassTable::default() }).p_value;
        prop_assert!(p_value(only_a + more + 1) <= p_value(only_a + more));
    }

    #[test]
    fn a_correction_never_lowers_a_p_value_nor_changes_the_order(
        p_values in prop::collection::vec(prop_oneof![0.0..=1.0f64, Just(0.0), Just(1.0)], 0..20)
    ) {
        let corrected = holm(&p_values);
        prop_assert_eq!(corrected.len(), p_values.len());
        for (one, other) in corrected.iter().zip(&p_values) {
            prop_assert!(other <= one && *one <= 1.0);
        }
        for (i, j) in (0..p_values.len()).flat_map(|i| (0..p_values.len()).map(move |j| (i, j))) {
            prop_assert!(p_values[i] > p_values[j] || corrected[i] <= corrected[j]);
        }
    }

    #[test]
    fn all_of_several_pass_no_more_often_than_one_of_them(trials in 1u64..2_000, passed in 0.0..=1.0f64, k in 1u64..2_000) {
        let passed = (trials as f64 * passed) as u64;
        let (Some(at), Some(hat)) = (pass_at_k(trials, passed, k), pass_hat_k(trials, passed, k)) else {
            prop_assert!(k > trials);
            return Ok(());
        };
        prop_assert!(0.0 <= hat && hat <= at && at <= 1.0, "{hat} {at}");
        if k < trials {
            prop_assert!(pass_at_k(trials, passed, k + 1).unwrap() >= at - 1e-12);
            prop_assert!(pass_hat_k(trials, passed, k + 1).unwrap() <= hat + 1e-12);
        }
        // All trials pass exactly as often as none fails.
        let failing = pass_at_k(trials, trials - passed, k).unwrap();
        prop_assert!((hat - (1.0 - failing)).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_cases_and_trials_changes_no_bit(
        (cases, shuffled) in in_two_orders(any_cases()), k in 1u64..4
    ) {
        let mut shuffled = shuffled;
        shuffled.iter_mut().for_each(|scores| scores.reverse());
        let all = |cases: &[Vec<f64>]| {
            let trials = trials(cases);
            written(&(pass_among(&trials, k), flakes(&trials), variance_components(&trials)))
        };
        prop_assert_eq!(all(&cases), all(&shuffled));
    }

    #[test]
    fn figures_of_repeated_trials_stay_in_bounds(cases in any_cases(), k in 1u64..4) {
        let trials = trials(&cases);
        if let Some(found) = pass_among(&trials, k) {
            prop_assert!(found.pass_hat_k <= found.pass_at_k + 1e-12);
            prop_assert_eq!(found.cases + found.left_out, cases.len() as u64);
        }
        if let Some(found) = flakes(&trials) {
            prop_assert!((0.0..=1.0).contains(&found.flake_rate));
            prop_assert_eq!(found.disagreement > 0.0, found.flaky > 0);
        }
        if let Some(found) = variance_components(&trials) {
            prop_assert!(found.within >= 0.0 && found.between >= 0.0);
            prop_assert!(found.between_share.is_none_or(|share| (0.0..=1.0).contains(&share)));
        }
    }

    #[test]
    fn larger_suites_show_smaller_differences(n in 2u64..100_000, discordance in 0.01..1.0f64) {
        let (level, power) = (Level::NINETY_FIVE, Power::EIGHTY);
        let unpaired = |n| detectable_pass_rates(n, level, power).map(|found| found.difference);
        let paired = |n| detectable_paired_pass_rates(discordance, n, level, power).map(|found| found.difference);
        if let (Some(small), Some(large)) = (unpaired(n), unpaired(2 * n)) {
            prop_assert!(large < small && small <= 1.0);
        }
        if let Some(small) = paired(n) {
            prop_assert!(paired(2 * n).unwrap() < small && small <= discordance);
        }
    }
}
