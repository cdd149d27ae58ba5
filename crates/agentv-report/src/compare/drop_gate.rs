//! The requirement that a run is not worse than another.

use agentv_core::GateOutcome;
use agentv_statistics::{Interval, is_significantly_below};

use super::comparison::Figures;
use super::families::Member;
use super::labels::listed;
use super::summary::ComparisonSummary;
use crate::figures::{count, counted, p_value};
use crate::gate::{ROUNDING, fixed};
use crate::text::one_line;

/// The fewest cases, or conversations, among which a drop can be significant if each has one trial.
const FEWEST: u64 = 6;

/// The permitted drop relative to another run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DropGate {
    /// The rule that decides if a run is worse.
    pub rule: GateRule,
    /// The permitted drop of the mean score.
    pub max_drop: f64,
    /// The permitted number of cases that the other run graded and this one did not; `None` for any
    /// number.
    pub max_missing: Option<u64>,
}

/// The rule that decides if a run is worse than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateRule {
    /// The mean is lower.
    Mean,
    /// The mean is lower by more than the permitted drop, and by more than chance.
    #[default]
    Significant,
}

impl DropGate {
    /// Checks if the second run of a comparison is too much worse than the first, which `baseline`
    /// names, or lacks too many of its graded cases.
    ///
    /// A run is worse if its mean is lower by more than the permitted drop or, with
    /// [`GateRule::Significant`], if the difference [is significantly below](is_significantly_below)
    /// it. If there are several targets, none of them may be worse. If nothing could be compared, the
    /// gate is not met.
    pub fn judge(&self, figures: &Figures, baseline: &str) -> Vec<GateOutcome> {
        let mut gates = vec![self.judge_drop(figures, baseline)];
        gates.extend(
            self.max_missing
                .map(|most| judge_missing(most, &figures.summary, baseline)),
        );
        gates
    }

    /// Returns a gate that cannot be checked, with the reason: it is not met.
    pub fn not_judged(&self, baseline: &str, why: String) -> GateOutcome {
        self.outcome(baseline, why, false)
    }

    fn judge_drop(&self, figures: &Figures, baseline: &str) -> GateOutcome {
        let drops = Drop::all(figures);
        // A drop that is not allowed, or else the largest.
        let order = |one: &&Drop, other: &&Drop| {
            let met = self.allows(one).cmp(&self.allows(other));
            met.then(one.delta.total_cmp(&other.delta))
        };
        match drops.iter().min_by(order) {
            Some(drop) => {
                let found = self.found(drop) + &remarks(&figures.summary, baseline);
                let is_compared = figures.summary.targets_without_grades.is_empty();
                self.outcome(baseline, found, is_compared && self.allows(drop))
            }
            None => self.not_judged(baseline, "no case has a grade in both runs".to_owned()),
        }
    }

    fn allows(&self, drop: &Drop) -> bool {
        match self.rule {
            GateRule::Mean => -drop.delta <= self.max_drop + ROUNDING,
            GateRule::Significant => !drop.interval.is_some_and(|interval| {
                is_significantly_below(&interval, drop.p_value, -self.max_drop)
            }),
        }
    }

    fn outcome(&self, baseline: &str, found: String, met: bool) -> GateOutcome {
        let drop = match self.max_drop {
            drop if drop > 0.0 => format!("more than {drop} below"),
            _ => "below".to_owned(),
        };
        GateOutcome {
            gate: "baseline".to_owned(),
            required: match self.rule {
                GateRule::Mean => format!("mean score not {drop} that of {baseline}"),
                GateRule::Significant => {
                    format!("mean score not significantly {drop} that of {baseline}")
                }
            },
            found,
            met,
        }
    }

    fn found(&self, drop: &Drop) -> String {
        let Drop { delta, .. } = *drop;
        let [size, allowed] = fixed([delta.abs(), self.max_drop]);
        let found = match delta {
            delta if delta.abs() < ROUNDING => "the same".to_owned(),
            delta if delta > 0.0 => format!("{size} above"),
            _ => format!("{size} below"),
        };
        let found = format!("{}{found} on {}", drop.name, drop.on);
        if self.rule == GateRule::Mean || delta.abs() < ROUNDING {
            return found;
        }
        let Some(interval) = drop.interval else {
            return format!("{found}, too few for an interval{}", drop.hint());
        };
        let chance = match (self.allows(drop), self.max_drop > 0.0 && delta < 0.0) {
            (true, true) => format!("not significantly more than {allowed}"),
            (false, true) => format!("significantly more than {allowed}"),
            _ if drop.is_significant => "a significant difference".to_owned(),
            _ => "which may be chance".to_owned(),
        };
        let spread = if interval.has_width() {
            let [low, high] = [interval.low, interval.high].map(signed);
            format!("95% interval {low} to {high}")
        } else {
            "by the same amount in all, which gives no interval".to_owned()
        };
        let p_value = p_value(drop.p_value);
        let hint = drop.hint();
        format!("{found}, {chance} ({spread}, {p_value}){hint}")
    }
}

/// Returns what a reader must know about the compared cases: those that are not the same in both runs, and the
/// targets that are not compared.
fn remarks(summary: &ComparisonSummary, baseline: &str) -> String {
    let mut text = String::new();
    match summary.changed {
        0 => {}
        1 => text.push_str("; 1 of these cases has changed since"),
        changed => text.push_str(&format!(
            "; {} of these cases have changed since",
            count(changed)
        )),
    }
    if !summary.targets_only_in_b.is_empty() {
        let names = listed(summary.targets_only_in_b.iter().map(|name| &**name), 3);
        text.push_str(&format!("; {baseline} does not have {names}"));
    }
    if !summary.targets_without_grades.is_empty() {
        let names = listed(summary.targets_without_grades.iter().map(|name| &**name), 3);
        text.push_str(&format!("; no case of {names} has a grade in both runs"));
    }
    text
}

/// Checks if the second run lacks too many of the cases that the first graded.
fn judge_missing(most: u64, summary: &ComparisonSummary, baseline: &str) -> GateOutcome {
    let lost = summary.missing - summary.graded_only_in_a;
    let mut found = match summary.missing {
        0 => "none".to_owned(),
        missing => format!(
            "{}: {} not run, {} errored or not graded",
            count(missing),
            count(lost),
            count(summary.graded_only_in_a)
        ),
    };
    if !summary.targets_only_in_a.is_empty() {
        let names = summary.targets_only_in_a.iter().map(|name| &**name);
        let names = listed(names, 3);
        found.push_str(&format!(
            "; not compared, because this run does not have it: {names}"
        ));
    }
    GateOutcome {
        gate: "max_missing".to_owned(),
        required: format!(
            "at most {} of the graded cases of {baseline} without a grade now",
            count(most)
        ),
        found,
        met: summary.missing <= most,
    }
}

/// The difference of the means of two runs, on all cases or on those of one target.
struct Drop {
    /// The target and a colon, if there are several.
    name: String,
    delta: f64,
    interval: Option<Interval>,
    p_value: f64,
    is_significant: bool,
    /// The cases that are compared, in words.
    on: String,
    /// True if no drop on so few cases could be significant.
    is_too_small: bool,
}

impl Drop {
    /// Returns the difference of each target if there are several, and else of all cases.
    fn all(figures: &Figures) -> Vec<Drop> {
        let is_uneven = figures.summary.trials_a != figures.summary.trials_b;
        let targets = figures.targets.iter();
        let targets = targets.map(|target| Drop::of_target(target, is_uneven));
        let whole = Drop::of_all(&figures.summary, is_uneven);
        whole.into_iter().chain(targets).collect()
    }

    fn of_target(target: &Member, is_uneven: bool) -> Drop {
        let interval = target.difference.map(|found| found.difference);
        Drop {
            name: format!("`{}` ", one_line(&target.name)),
            delta: target.mean_delta,
            interval,
            p_value: target.corrected_p_value,
            is_significant: target.significant,
            on: counted(target.cases, "case", "cases"),
            is_too_small: !is_uneven && is_too_small(interval.as_ref()),
        }
    }

    fn of_all(summary: &ComparisonSummary, is_uneven: bool) -> Option<Drop> {
        let scores = summary.scores.as_ref()?;
        let cases = counted(summary.matched, "matched case", "matched cases");
        let interval = scores.interval();
        Some(Drop {
            name: String::new(),
            delta: scores.mean_delta?,
            interval,
            p_value: scores.p_value,
            is_significant: scores.significant,
            on: format!("{} of {cases}", count(scores.statistics.cases)),
            is_too_small: !is_uneven && is_too_small(interval.as_ref()),
        })
    }

    /// Returns advice for a drop that the rule cannot find.
    fn hint(&self) -> &'static str {
        if self.is_too_small && self.delta < 0.0 {
            "; no drop on so few cases is significant: add cases, or use `--gate mean`"
        } else {
            ""
        }
    }
}

fn is_too_small(interval: Option<&Interval>) -> bool {
    interval.is_none_or(|found| found.clusters.unwrap_or(found.n) < FEWEST)
}

/// Returns a bound of an interval, with a sign if it is negative.
fn signed(end: f64) -> String {
    format!("{end:.3}").replace('-', "−")
}
