//! Laws of the intervals of pass rates, for any clusters.

use agentv_statistics::{Interval, Level, PassFold, pass_rate};
use proptest::prelude::*;

/// The sizes of clusters and the number of their trials that passed.
type Clusters = Vec<(u64, u64)>;

fn interval(clusters: &Clusters) -> Interval {
    let mut fold = PassFold::new();
    for (at, (size, passed)) in clusters.iter().enumerate() {
        let name = at.to_string();
        for trial in 0..*size {
            let cluster = (*size > 1).then_some(name.as_str());
            fold.add(trial < *passed, cluster);
        }
    }
    fold.interval(Level::NINETY_FIVE).unwrap()
}

fn clusters(sizes: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Clusters> {
    let ending = prop_oneof![3 => 0.0..=1.0f64, 2 => Just(1.0), 1 => Just(0.0)];
    let cluster =
        (sizes, ending).prop_map(|(size, share)| (size, (size as f64 * share).round() as u64));
    prop::collection::vec(cluster, 1..50)
}

/// Returns clusters of one size, as the trials of cases, or of many, as conversations.
fn any_clusters() -> impl Strategy<Value = Clusters> {
    prop_oneof![
        (1u64..8).prop_flat_map(|size| clusters(Just(size))),
        clusters(1u64..6),
        clusters(prop_oneof![3 => Just(1u64), 1 => 2u64..40]),
    ]
}

fn is_lowered(before: &Interval, after: &Interval) -> bool {
    let rounding = 1e-12;
    after.low <= before.low + rounding && after.high <= before.high + rounding
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..crate::laws::seeded() })]

    #[test]
    fn one_more_failure_never_raises_a_bound(clusters in any_clusters(), at in any::<prop::sample::Index>()) {
        let passing: Vec<usize> = (0..clusters.len()).filter(|at| clusters[*at].1 > 0).collect();
        prop_assume!(!passing.is_empty());
        let mut after = clusters.clone();
        after[passing[at.index(passing.len())]].1 -= 1;
        let [before, after] = [interval(&clusters), interval(&after)];
        prop_assert!(is_lowered(&before, &after), "{before:?} {after:?}");
    }

    #[test]
    fn clusters_never_narrow_the_interval(clusters in any_clusters()) {
        let found = interval(&clusters);
        let [trials, passed] = [0, 1].map(|part| {
            clusters.iter().map(|(size, passed)| [*size, *passed][part]).sum::<u64>()
        });
        let independent = pass_rate(passed, trials, Level::NINETY_FIVE).unwrap();
        prop_assert!(found.low <= independent.low && found.high >= independent.high);
        prop_assert!(found.low <= found.estimate && found.estimate <= found.high);
        prop_assert!(found.low < found.high);
        let mirrored = clusters.iter().map(|(size, passed)| (*size, size - passed)).collect();
        prop_assert!((interval(&mirrored).low - (1.0 - found.high)).abs() < 1e-9);
    }
}

/// Tries every result of `cases` cases of `trials` trials, and every further failure of each.
fn check_all(cases: u64, trials: u64) {
    let mut results: Vec<Clusters> = vec![Vec::new()];
    for _ in 0..cases {
        results = results
            .iter()
            .flat_map(|result| {
                // Cases are sorted, because their order does not matter.
                let least = result.last().map_or(0, |(_, passed)| *passed);
                (least..=trials)
                    .map(move |passed| [result.clone(), vec![(trials, passed)]].concat())
            })
            .collect();
    }
    for result in &results {
        let before = interval(result);
        for at in (0..result.len()).filter(|at| result[*at].1 > 0) {
            let mut after = result.clone();
            after[at].1 -= 1;
            let after = interval(&after);
            assert!(
                is_lowered(&before, &after),
                "{result:?} {before:?} {after:?}"
            );
        }
    }
}

#[test]
fn no_failure_raises_a_bound_in_any_result_of_a_small_suite() {
    check_all(10, 2);
    check_all(12, 3);
    check_all(4, 6);
}

#[test]
fn an_interval_has_a_width_for_any_number_of_clusters() {
    for clusters in [1, 2, 9, 10, 1_000, 99_999] {
        for passed in [0, 1, 2] {
            let found = interval(&vec![(2, passed); clusters]);
            assert!(found.high - found.low > 1e-5, "{clusters} {found:?}");
        }
    }
}

#[test]
fn large_suites_take_no_time() {
    // 200,000 cases of 5 trials, and 20,000 conversations of up to 60 cases.
    let cases: Clusters = (0..200_000)
        .map(|at| (5, [5, 5, 5, 4, 0][at % 5]))
        .collect();
    let conversations: Clusters = (0..20_000)
        .map(|at| (1 + at % 60, (1 + at % 60) * (at % 7) / 7))
        .collect();
    for clusters in [cases, conversations] {
        let found = interval(&clusters);
        assert!(found.high - found.low < 0.02, "{found:?}");
    }
}
