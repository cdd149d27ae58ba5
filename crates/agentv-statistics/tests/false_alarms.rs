//! The share of simulated comparisons of a target with itself in which the gate finds a drop.

use agentv_statistics::{
    Bounds, CasePair, CaseValues, Level, Pair, case_permutation_test, is_significantly_below,
    paired_difference,
};

use crate::simulated::{Random, is_long};

/// Two runs of one target.
#[derive(Debug, Clone, Copy)]
struct Design {
    cases: u64,
    /// The number of trials per case in each run.
    trials: [u64; 2],
    /// The number of cases in a conversation.
    talk: u64,
    rate: f64,
    /// The correlation of the trials of a case, which is the same target in both runs.
    correlation: f64,
}

impl Design {
    /// Returns the outcomes of the cases of a conversation. Those of one run and trial number are
    /// drawn together: a conversation that went wrong is wrong in all of its cases.
    fn talk(&self, random: &mut Random) -> Vec<CaseValues> {
        let [a, b] = self.trials;
        let drawn = random.cluster(a + b, self.rate, self.correlation);
        let values: Vec<Option<f64>> = drawn
            .iter()
            .map(|passed| Some(f64::from(u8::from(*passed))))
            .collect();
        let (a, b) = values.split_at(a as usize);
        let case = CaseValues {
            a: a.to_vec(),
            b: b.to_vec(),
        };
        vec![case; self.talk as usize]
    }

    fn is_alarm(&self, random: &mut Random) -> bool {
        let names: Vec<String> = (0..self.cases).map(|talk| talk.to_string()).collect();
        let mut cases = Vec::new();
        for name in &names {
            for values in self.talk(random) {
                let mean = |values: &[Option<f64>]| {
                    values.iter().flatten().sum::<f64>() / values.len() as f64
                };
                let pair = Pair {
                    a: mean(&values.a),
                    b: mean(&values.b),
                    cluster: (self.talk > 1).then_some(name.as_str()),
                };
                let trials = Some(values);
                cases.push(CasePair { pair, trials });
            }
        }
        let pairs: Vec<Pair<'_>> = cases.iter().map(|case| case.pair).collect();
        let found = paired_difference(&pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE).unwrap();
        // The test takes long, and cannot turn a difference that is not below 0 into an alarm.
        is_significantly_below(&found.difference, 0.0, 0.0)
            && is_significantly_below(
                &found.difference,
                case_permutation_test(&cases).p_value,
                0.0,
            )
    }
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "the figures of the simulation, with --show-output"
)]
fn a_target_is_not_worse_than_itself_more_than_once_in_twenty_times() {
    let (repeats, sizes): (u32, &[u64]) = if is_long() {
        (1_000, &[3, 6, 10, 20, 50, 100])
    } else {
        (300, &[6, 20])
    };
    let mut random = Random::seeded(20_261_117);
    let (mut highest, mut sum, mut designs) = (0.0_f64, 0.0, 0.0);
    for cases in sizes {
        for trials in [[1, 1], [5, 5], [1, 5], [5, 1], [3, 2]] {
            for (talk, rate) in [(1, 0.5), (1, 0.8), (1, 0.95), (4, 0.7)] {
                for correlation in [0.0, 0.5] {
                    let design = Design {
                        cases: *cases,
                        trials,
                        talk,
                        rate,
                        correlation,
                    };
                    let alarms = (0..repeats)
                        .filter(|_| design.is_alarm(&mut random))
                        .count();
                    let share = alarms as f64 / f64::from(repeats);
                    // Within the error of the simulation.
                    let allowed = 0.05 + 2.0 * (0.05 * 0.95 / f64::from(repeats)).sqrt();
                    assert!(share <= allowed, "{design:?}: {share}");
                    highest = highest.max(share);
                    sum += share;
                    designs += 1.0;
                }
            }
        }
    }
    let mean = sum / designs;
    println!("{designs} designs: false alarms {mean:.4} on average, {highest:.4} at most");
    assert!(mean <= 0.03, "{mean}");
}
