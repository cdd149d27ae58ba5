//! The requirements that a run must meet.

use agentv_core::GateOutcome;

use crate::Style;
use crate::figures::{count, percent};
use crate::summary::{Statuses, Summary, TargetSummary};
use crate::text::one_line;

/// The largest number that counts as a rounding error.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The requirements for the results of a run. If several targets were given the same cases, each must meet
/// them. Errored and ungraded trials are excluded from the mean and the rate; if nothing was graded, neither
/// requirement is met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GateSpec {
    /// The lowest permitted mean score.
    pub fail_under: Option<f64>,
    /// The lowest permitted share of graded trials that pass.
    pub min_pass_rate: Option<f64>,
}

impl GateSpec {
    /// Checks the results against the requirements, in the order of the fields. `trials` is the number of
    /// trials per case and target.
    pub fn judge(&self, summary: &Summary, trials: u32) -> Vec<GateOutcome> {
        let beside = beside(summary);
        let targets = with_same_cases(summary, trials);
        let gates = [
            self.fail_under.map(|least| {
                let mean = summary.mean_of_all();
                let (mean, target) = lowest(targets, mean, |target| target.mean_score);
                let beside = target + &beside;
                at_least("fail_under", "mean score", least, mean, fixed, &beside)
            }),
            self.min_pass_rate.map(|least| {
                let rate = summary.statuses.pass_rate();
                let (rate, target) = lowest(targets, rate, |target| target.pass_rate);
                let beside = target + &beside;
                at_least("min_pass_rate", "pass rate", least, rate, shares, &beside)
            }),
        ];
        gates.into_iter().flatten().collect()
    }
}

/// Returns true if all gates are met. Without gates, every graded trial must have passed: a borderline one
/// has not. A run in which nothing was graded because there is nothing to grade by meets that; a run in
/// which nothing was graded because trials errored does not.
pub fn gates_met(gates: &[GateOutcome], statuses: &Statuses) -> bool {
    if !gates.is_empty() {
        return gates.iter().all(|gate| gate.met);
    }
    match statuses.graded() {
        0 => statuses.error == 0,
        graded => statuses.pass == graded,
    }
}

/// Returns the gate of a run without other gates in which nothing was graded because trials errored: that all
/// graded trials pass says nothing then. The same holds for one of several targets with the same cases.
/// `trials` is the number of trials per case and target.
pub fn nothing_graded(summary: &Summary, trials: u32) -> Option<GateOutcome> {
    let is_empty = |statuses: &Statuses| statuses.graded() == 0 && statuses.error > 0;
    let found = if is_empty(&summary.statuses) {
        format!("no graded trial{}", beside(summary))
    } else {
        let mut targets = with_same_cases(summary, trials).iter();
        let target = targets.find(|target| is_empty(&target.statuses))?;
        format!(
            "no graded trial for `{}` (excluding {} errored)",
            one_line(&target.target),
            count(target.statuses.error)
        )
    };
    Some(GateOutcome {
        gate: GateOutcome::ALL_PASS.to_owned(),
        required: "every graded trial passes".to_owned(),
        found,
        met: false,
    })
}

/// Returns the targets, if they have the same cases. If each case names its own target, a target has only
/// some of the cases.
fn with_same_cases(summary: &Summary, trials: u32) -> &[TargetSummary] {
    let single = summary.cases.saturating_mul(u64::from(trials.max(1)));
    if summary.trials > single {
        &summary.targets
    } else {
        &[]
    }
}

/// Returns the lowest figure of several targets, and the words that name its target; without several, the
/// figure of the run. A target without a figure is lower than any other.
fn lowest(
    targets: &[TargetSummary],
    whole: Option<f64>,
    figure: fn(&TargetSummary) -> Option<f64>,
) -> (Option<f64>, String) {
    let by_figure = |one: &&TargetSummary, other: &&TargetSummary| {
        let rank = |target: &TargetSummary| figure(target).unwrap_or(f64::NEG_INFINITY);
        rank(one).total_cmp(&rank(other))
    };
    match targets.iter().min_by(by_figure) {
        Some(target) if targets.len() > 1 => {
            let name = one_line(&target.target);
            let of = count(targets.len() as u64);
            (
                figure(target),
                format!(" for `{name}`, the lowest of {of} targets"),
            )
        }
        Some(_) | None => (whole, String::new()),
    }
}

/// Describes the trials that are excluded from the figures.
fn beside(summary: &Summary) -> String {
    let statuses = &summary.statuses;
    let counts = [(statuses.error, "errored"), (statuses.ungraded, "ungraded")];
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    let told: Vec<String> = counts
        .map(|(number, what)| format!("{} {what}", count(*number)))
        .collect();
    if told.is_empty() {
        String::new()
    } else {
        format!(" (excluding {})", told.join(", "))
    }
}

fn at_least(
    gate: &str,
    what: &str,
    least: f64,
    found: Option<f64>,
    write: fn([f64; 2]) -> [String; 2],
    beside: &str,
) -> GateOutcome {
    let [required, written] = write([least, found.unwrap_or(least)]);
    let found_text = match found {
        Some(_) => written,
        None => "no graded trial".to_owned(),
    };
    GateOutcome {
        gate: gate.to_owned(),
        required: format!("{what} at least {required}"),
        found: found_text + beside,
        met: found.is_some_and(|found| found >= least - ROUNDING),
    }
}

/// Returns two scores with as many decimals as needed to distinguish them, from three to ten.
pub(crate) fn fixed(scores: [f64; 2]) -> [String; 2] {
    let written = |decimals: usize| scores.map(|score| format!("{score:.decimals$}"));
    let apart = |decimals: &usize| {
        let [one, other] = written(*decimals);
        one != other
    };
    let differ = (scores[0] - scores[1]).abs() > ROUNDING;
    let decimals = (3..=10).find(apart).filter(|_| differ);
    written(decimals.unwrap_or(3))
}

/// Returns two shares, as percentages if these can be distinguished.
fn shares(shares: [f64; 2]) -> [String; 2] {
    let written = shares.map(percent);
    let differ = (shares[0] - shares[1]).abs() > ROUNDING;
    if differ && written[0] == written[1] {
        fixed(shares.map(|share| share * 100.0)).map(|share| share + "%")
    } else {
        written
    }
}

/// Returns a gate on one line: the requirement, the result, and the verdict.
pub fn gate_line(gate: &GateOutcome, style: Style) -> String {
    let dash = if style.unicode { "—" } else { "-" };
    let met = if gate.met { "met" } else { "not met" };
    let found = if style.unicode {
        gate.found.clone()
    } else {
        gate.found.replace('−', "-")
    };
    format!("{}: found {found} {dash} {met}", gate.required)
}

#[cfg(test)]
mod tests {
    use agentv_core::ResultRecord;

    use super::*;
    use crate::SummaryFold;
    use crate::samples::{errored, graded};

    const STYLE: Style = Style {
        colour: false,
        width: 80,
        unicode: true,
    };

    fn lines(spec: GateSpec, scores: &[f64], errors: u64) -> Vec<String> {
        let mut fold = SummaryFold::new();
        scores
            .iter()
            .for_each(|score| fold.add(&graded("a", *score)));
        (0..errors).for_each(|_| fold.add(&errored("b", "no")));
        let outcomes = spec.judge(&fold.finish(0), 1);
        outcomes.iter().map(|gate| gate_line(gate, STYLE)).collect()
    }

    #[test]
    fn every_gate_says_what_was_required_and_found() {
        let spec = GateSpec {
            fail_under: Some(0.9),
            min_pass_rate: Some(0.5),
        };
        assert_eq!(
            lines(spec, &[1.0, 0.748], 2),
            [
                "mean score at least 0.900: found 0.874 (excluding 2 errored) — not met",
                "pass rate at least 50.0%: found 50.0% (excluding 2 errored) — met",
            ]
        );
    }

    #[test]
    fn a_figure_just_below_its_limit_never_reads_as_the_limit() {
        let spec = GateSpec {
            fail_under: Some(0.8),
            min_pass_rate: None,
        };
        assert_eq!(
            lines(spec, &[0.799_999_9], 0),
            ["mean score at least 0.8000000: found 0.7999999 — not met"]
        );
        assert_eq!(
            lines(spec, &[0.799_999_999_9], 0),
            ["mean score at least 0.800: found 0.800 — met"]
        );
    }

    #[test]
    fn each_target_must_meet_the_requirements() {
        let mut fold = SummaryFold::new();
        // Together they pass 4 of 6 with a mean of 0.667. One that errored has no figure at all.
        for (target, score) in [("good", 1.0), ("bad", 0.0)] {
            for id in ["a", "b", "c"] {
                let score = if id == "c" { 1.0 } else { score };
                fold.add(&ResultRecord {
                    target: target.into(),
                    ..graded(id, score)
                });
            }
        }
        let spec = GateSpec {
            fail_under: Some(0.5),
            min_pass_rate: Some(0.5),
        };
        let found = |fold: &SummaryFold| -> Vec<String> {
            let outcomes = spec.judge(&fold.finish(0), 1);
            outcomes.iter().map(|gate| gate_line(gate, STYLE)).collect()
        };
        assert_eq!(
            found(&fold),
            [
                "mean score at least 0.500: found 0.333 for `bad`, the lowest of 2 targets — not met",
                "pass rate at least 50.0%: found 33.3% for `bad`, the lowest of 2 targets — not met",
            ]
        );
        fold.add(&ResultRecord {
            target: "absent".into(),
            ..errored("a", "no")
        });
        // Cases that each name their own target are one suite.
        let mut own = SummaryFold::new();
        for (id, target, score) in [("a", "good", 1.0), ("b", "bad", 0.0)] {
            own.add(&ResultRecord {
                target: target.into(),
                ..graded(id, score)
            });
        }
        assert!(found(&own).iter().all(|line| line.ends_with("— met")));
        let lines = found(&fold);
        let none = "found no graded trial for `absent`, the lowest of 3 targets (excluding 1 errored) — not met";
        assert!(lines.iter().all(|line| line.ends_with(none)), "{lines:?}");
    }

    #[test]
    fn nothing_graded_meets_no_mean_and_no_rate() {
        let spec = GateSpec {
            fail_under: Some(0.0),
            min_pass_rate: Some(0.0),
        };
        assert_eq!(
            lines(spec, &[], 1),
            [
                "mean score at least 0.000: found no graded trial (excluding 1 errored) — not met",
                "pass rate at least 0%: found no graded trial (excluding 1 errored) — not met",
            ]
        );
    }

    #[test]
    fn given_gates_alone_decide_and_without_any_every_graded_trial_must_pass() {
        let of = |pass, borderline, fail, error, ungraded| Statuses {
            pass,
            borderline,
            fail,
            error,
            ungraded,
        };
        let gate = |met| GateOutcome {
            met,
            ..GateOutcome::default()
        };
        let without = |statuses| gates_met(&[], &statuses);
        assert!(without(of(3, 0, 0, 0, 0)));
        assert!(without(of(3, 0, 0, 1, 1)));
        assert!(without(of(0, 0, 0, 0, 3)));
        assert!(!without(of(0, 0, 0, 1, 3)));
        assert!(!without(of(3, 1, 0, 0, 0)));
        assert!(!without(of(3, 0, 1, 0, 0)));
        let bad = of(0, 1, 1, 0, 0);
        assert!(gates_met(&[gate(true)], &bad));
        assert!(!gates_met(&[gate(true), gate(false)], &of(3, 0, 0, 0, 0)));
    }

    #[test]
    fn a_value_just_below_a_limit_does_not_read_as_meeting_it() {
        let under = |least| GateSpec {
            fail_under: Some(least),
            ..GateSpec::default()
        };
        assert_eq!(
            lines(under(0.9), &[0.899_98], 0),
            ["mean score at least 0.90000: found 0.89998 — not met"]
        );
        assert_eq!(
            lines(under(0.9), &[0.9, 0.9, 0.9], 0),
            ["mean score at least 0.900: found 0.900 — met"]
        );
        let rate = GateSpec {
            min_pass_rate: Some(0.666_7),
            ..GateSpec::default()
        };
        assert_eq!(
            lines(rate, &[1.0, 1.0, 0.0], 0),
            ["pass rate at least 66.670%: found 66.667% — not met"]
        );
    }
}
