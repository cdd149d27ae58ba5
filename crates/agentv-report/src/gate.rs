//! The requirements that a run must meet.

use agentv_core::GateOutcome;

use crate::Style;
use crate::compare::ComparisonSummary;
use crate::figures::{count, counted, p_value, percent};
use crate::summary::{Statuses, Summary};
use agentv_statistics::is_significantly_below;

/// The largest number that counts as a rounding error.
const ROUNDING: f64 = 1e-9;

/// The requirements for the results of a run. Errored and ungraded trials are excluded from the
/// mean and the rate; if nothing was graded, neither requirement is met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GateSpec {
    /// The lowest permitted mean score.
    pub fail_under: Option<f64>,
    /// The lowest permitted share of graded trials that pass.
    pub min_pass_rate: Option<f64>,
}

/// The permitted drop relative to another run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DropGate {
    /// The rule that decides if a run is worse.
    pub rule: GateRule,
    /// The permitted drop of the mean score.
    pub max_drop: f64,
}

/// The rule that decides if a run is worse than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateRule {
    /// The mean is lower.
    #[default]
    Mean,
    /// The mean is lower by more than the permitted drop, and by more than chance.
    Significant,
}

impl GateSpec {
    /// Checks the results against the requirements, in the order of the fields.
    pub fn judge(&self, summary: &Summary) -> Vec<GateOutcome> {
        let beside = beside(summary);
        let gates = [
            self.fail_under.map(|least| {
                let mean = summary.scores.map(|scores| scores.mean);
                at_least("fail_under", "mean score", least, mean, fixed, &beside)
            }),
            self.min_pass_rate.map(|least| {
                let rate = summary.pass_rate;
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

/// Describes the trials that are excluded from the figures.
fn beside(summary: &Summary) -> String {
    let statuses = &summary.statuses;
    let counts = [(statuses.error, "errored"), (statuses.ungraded, "ungraded")];
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    let told: Vec<String> = counts
        .map(|(number, what)| format!("{} {what}", count(*number)))
        .collect();
    match told.is_empty() {
        true => String::new(),
        false => format!(" (excluding {})", told.join(", ")),
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

/// Returns two scores with as many decimals as needed to distinguish them, from three to six.
fn fixed(scores: [f64; 2]) -> [String; 2] {
    let written = |decimals: usize| scores.map(|score| format!("{score:.decimals$}"));
    let apart = |decimals: &usize| {
        let [one, other] = written(*decimals);
        one != other
    };
    let differ = (scores[0] - scores[1]).abs() > ROUNDING;
    let decimals = (3..6).find(apart).filter(|_| differ);
    written(decimals.unwrap_or(if differ { 6 } else { 3 }))
}

/// Returns two shares, as percentages if these can be distinguished.
fn shares(shares: [f64; 2]) -> [String; 2] {
    let written = shares.map(percent);
    let differ = (shares[0] - shares[1]).abs() > ROUNDING;
    match differ && written[0] == written[1] {
        true => fixed(shares.map(|share| share * 100.0)).map(|share| share + "%"),
        false => written,
    }
}

impl DropGate {
    /// Checks if the second run of a comparison is too much worse than the first, which `baseline`
    /// names. The mean is lower by more than the permitted drop or, with [`GateRule::Significant`],
    /// the difference [is significantly below](is_significantly_below) it. If nothing could be
    /// compared, the gate is not met.
    pub fn judge(&self, summary: &ComparisonSummary, baseline: &str) -> GateOutcome {
        let Some(delta) = summary.mean_delta else {
            return self.outcome(
                baseline,
                "no case has a grade in both runs".to_owned(),
                false,
            );
        };
        let met = match self.rule {
            GateRule::Mean => -delta <= self.max_drop + ROUNDING,
            GateRule::Significant => !summary.interval().is_some_and(|interval| {
                is_significantly_below(&interval, summary.p_value, -self.max_drop)
            }),
        };
        self.outcome(baseline, self.found(summary, delta, met), met)
    }

    /// Returns a gate that cannot be checked, with the reason: it is not met.
    pub fn not_judged(&self, baseline: &str, why: String) -> GateOutcome {
        self.outcome(baseline, why, false)
    }

    fn outcome(&self, baseline: &str, found: String, met: bool) -> GateOutcome {
        let drop = match self.max_drop {
            drop if drop > 0.0 => format!("more than {drop} below"),
            _ => "below".to_owned(),
        };
        GateOutcome {
            gate: "baseline".to_owned(),
            required: match self.rule {
                GateRule::Mean => format!("mean score not {drop} {baseline}"),
                GateRule::Significant => format!("mean score not significantly {drop} {baseline}"),
            },
            found,
            met,
        }
    }

    fn found(&self, summary: &ComparisonSummary, delta: f64, met: bool) -> String {
        let [size, drop] = fixed([delta.abs(), self.max_drop]);
        let told = match delta {
            delta if delta.abs() < ROUNDING => "the same".to_owned(),
            delta if delta > 0.0 => format!("{size} above"),
            _ => format!("{size} below"),
        };
        let [graded, matched] = [summary.statistics.cases, summary.matched_cases];
        let cases = counted(matched, "matched case", "matched cases");
        let told = format!("{told} on {} of {cases}", count(graded));
        if self.rule == GateRule::Mean || delta.abs() < ROUNDING {
            return told;
        }
        let Some(interval) = summary.interval() else {
            return format!("{told}, too few for an interval");
        };
        let chance = match (met, self.max_drop > 0.0 && delta < 0.0) {
            (true, true) => format!("not significantly more than {drop}"),
            (false, true) => format!("significantly more than {drop}"),
            _ if summary.significant => "a significant difference".to_owned(),
            _ => "which may be chance".to_owned(),
        };
        let [low, high] = [interval.low, interval.high].map(signed);
        let p_value = p_value(summary.p_value);
        format!("{told}, {chance} (95% interval {low} to {high}, {p_value})")
    }
}

/// Returns a bound of an interval, with a sign if it is negative.
fn signed(end: f64) -> String {
    format!("{end:.3}").replace('-', "−")
}

/// Returns a gate on one line: the requirement, the result, and the verdict.
pub fn gate_line(gate: &GateOutcome, style: Style) -> String {
    let dash = if style.unicode { "—" } else { "-" };
    let met = if gate.met { "met" } else { "not met" };
    let found = match style.unicode {
        true => gate.found.clone(),
        false => gate.found.replace('−', "-"),
    };
    format!("{}: found {found} {dash} {met}", gate.required)
}

#[cfg(test)]
mod tests {
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
        let outcomes = spec.judge(&fold.finish(0));
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
