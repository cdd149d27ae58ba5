//! The judges of an evaluator, and combining their judgements.

use agentv_core::{Evaluation, Judge, PassThreshold, Score, Verdict};
use serde_json::{Value, json};

use super::judgement::Judgement;
use crate::error::BuildError;
use crate::options::Options;
use crate::words::figure;

/// The maximum number of judges of an evaluator.
pub(crate) const MOST_JUDGES: u64 = 100;

/// The judges of an evaluator, and the way to combine their judgements.
#[derive(Debug)]
pub(crate) struct Panel {
    pub(super) judges: Vec<Judge>,
    aggregate: Aggregate,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Aggregate {
    Median,
    Mean,
    Majority,
}

impl Aggregate {
    fn as_str(self) -> &'static str {
        match self {
            Aggregate::Median => "median",
            Aggregate::Mean => "mean",
            Aggregate::Majority => "majority",
        }
    }
}

/// Reads the judges that an evaluator asks.
pub(crate) fn judges(options: &Options<'_>) -> Result<Vec<Judge>, BuildError> {
    let judge = match options.text("target")? {
        Some(name) => Judge::Named(name.to_owned()),
        None => Judge::Usual,
    };
    match options.get("judges") {
        None => Ok(vec![judge]),
        Some(Value::Array(_)) => {
            let names = options.texts("judges")?.unwrap_or_default();
            if names.is_empty() || names.len() as u64 > MOST_JUDGES {
                let problem = format!("expected 1 to {MOST_JUDGES} targets");
                return Err(options.invalid("judges", problem));
            }
            let named = names.into_iter().map(str::to_owned).map(Judge::Named);
            Ok(named.collect())
        }
        Some(_) => match options.count("judges")? {
            Some(count @ 1..=MOST_JUDGES) => Ok(vec![judge; count as usize]),
            _ => {
                let problem = format!("expected a number from 1 to {MOST_JUDGES}");
                Err(options.invalid("judges", problem))
            }
        },
    }
}

impl Panel {
    pub(crate) fn of(options: &Options<'_>) -> Result<Panel, BuildError> {
        let known = [Aggregate::Median, Aggregate::Mean, Aggregate::Majority];
        let words = known.map(|aggregate| (aggregate.as_str(), aggregate));
        let aggregate = options.one_of("aggregate", &words)?;
        Ok(Panel {
            judges: judges(options)?,
            aggregate: aggregate.unwrap_or(Aggregate::Median),
        })
    }

    /// Combines judgements, each with the name of its judge, into one evaluation.
    pub(super) fn evaluation(
        &self,
        mut judgements: Vec<(&str, Judgement)>,
        threshold: PassThreshold,
    ) -> Evaluation {
        if judgements.len() == 1 {
            return judgements.remove(0).1.into_evaluation();
        }
        let lacking = judgements.iter().filter(|(_, one)| one.lacks_required);
        let lacks_required = 2 * lacking.count() > judgements.len();
        let (score, verdict) = match self.aggregate {
            Aggregate::Median => (median(&judgements), None),
            Aggregate::Mean => (mean(judgements.iter()), None),
            Aggregate::Majority => {
                let (score, verdict) = majority(&judgements, threshold);
                (score, Some(verdict))
            }
        };
        let details = self.details(&judgements, threshold);
        let distance = |one: &Judgement| (one.score.value() - score.value()).abs();
        // The words are those of the judge whose score is nearest to the combined one, and of two the worse.
        judgements.sort_by(|(_, one), (_, other)| {
            let nearer = distance(one).total_cmp(&distance(other));
            nearer.then(one.score.value().total_cmp(&other.score.value()))
        });
        let (_, mut nearest) = judgements.remove(0);
        let lacking = judgements.iter().filter(|(_, one)| one.lacks_required);
        for (target, other) in lacking {
            let misses = other.misses.iter();
            let new = misses.filter(|miss| !nearest.misses.contains(miss));
            let new: Vec<String> = new.map(|miss| format!("[{target}] {miss}")).collect();
            nearest.misses.extend(new);
        }
        Evaluation {
            score,
            verdict,
            lacks_required,
            details: Some(details),
            ..nearest.into_evaluation()
        }
    }

    /// Returns each judgement and the disagreement of the judges.
    fn details(&self, judgements: &[(&str, Judgement)], threshold: PassThreshold) -> Value {
        let each: Vec<Value> = judgements
            .iter()
            .map(|(target, judgement)| {
                let mut one = json!({
                    "target": target,
                    "score": judgement.score,
                    "verdict": judgement.verdict(threshold),
                });
                if let Some(reasoning) = &judgement.reasoning {
                    one["reasoning"] = Value::from(reasoning.as_str());
                }
                if let Some(checks) = judgement.details.as_ref().and_then(|it| it.get("checks")) {
                    one["checks"] = checks.clone();
                }
                one
            })
            .collect();
        json!({
            "aggregate": self.aggregate.as_str(),
            "judges": each,
            "disagreement": disagreement(judgements, threshold),
        })
    }
}

fn mean<'j>(judgements: impl Iterator<Item = &'j (&'j str, Judgement)>) -> Score {
    Score::weighted_mean(judgements.map(|(_, one)| (one.score, 1.0)))
}

/// Returns the median score, or the mean of the two in the middle.
fn median(judgements: &[(&str, Judgement)]) -> Score {
    let mut scores: Vec<Score> = judgements.iter().map(|(_, one)| one.score).collect();
    scores.sort_by(|one, other| one.value().total_cmp(&other.value()));
    let (low, high) = (scores[(scores.len() - 1) / 2], scores[scores.len() / 2]);
    Score::weighted_mean([(low, 1.0), (high, 1.0)])
}

/// Returns the most frequent verdict and the mean of its scores. If verdicts are equally frequent,
/// the worst of them wins.
fn majority(judgements: &[(&str, Judgement)], threshold: PassThreshold) -> (Score, Verdict) {
    let with = |verdict: Verdict| {
        let judgements = judgements.iter();
        judgements.filter(move |(_, one)| one.verdict(threshold) == verdict)
    };
    let from_worst = [Verdict::Fail, Verdict::Borderline, Verdict::Pass];
    let verdict = from_worst
        .into_iter()
        .rev()
        .max_by_key(|verdict| with(*verdict).count())
        .unwrap_or(Verdict::Fail);
    (mean(with(verdict)), verdict)
}

/// Measures the disagreement of judges: the range of their scores, and the share of judges that do
/// not give the most frequent verdict.
fn disagreement(judgements: &[(&str, Judgement)], threshold: PassThreshold) -> Value {
    let scores = || judgements.iter().map(|(_, one)| one.score.value());
    let lowest = scores().fold(f64::INFINITY, f64::min);
    let highest = scores().fold(f64::NEG_INFINITY, f64::max);
    let (_, usual) = majority(judgements, threshold);
    let others = judgements
        .iter()
        .filter(|(_, one)| one.verdict(threshold) != usual);
    let rounded = |number: f64| figure(number).parse::<f64>().unwrap_or(number);
    json!({
        "score_range": rounded(highest - lowest),
        "other_verdicts": rounded(others.count() as f64 / judgements.len() as f64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(scores: &[(f64, bool)]) -> Vec<(&'static str, Judgement)> {
        let judgement = |(score, lacks_required): &(f64, bool)| Judgement {
            score: Score::new(*score).unwrap(),
            lacks_required: *lacks_required,
            hits: vec![score.to_string()],
            misses: Vec::new(),
            reasoning: None,
            details: None,
        };
        scores.iter().map(|one| ("j", judgement(one))).collect()
    }

    fn joined(aggregate: Aggregate, scores: &[(f64, bool)]) -> (f64, Verdict) {
        let panel = Panel {
            judges: Vec::new(),
            aggregate,
        };
        let threshold = PassThreshold::default();
        let evaluation = panel.evaluation(said(scores), threshold);
        (evaluation.score.value(), evaluation.verdict_at(threshold))
    }

    #[test]
    fn several_scores_become_one() {
        let three = [(1.0, false), (0.2, false), (0.9, false)];
        assert_eq!(joined(Aggregate::Median, &three), (0.9, Verdict::Pass));
        assert_eq!(
            joined(Aggregate::Mean, &[(1.0, false), (0.5, false)]),
            (0.75, Verdict::Borderline)
        );
        assert_eq!(joined(Aggregate::Majority, &three), (0.95, Verdict::Pass));
        let four = [(0.0, false), (0.4, false), (0.6, false), (1.0, false)];
        assert_eq!(joined(Aggregate::Median, &four), (0.5, Verdict::Fail));
    }

    #[test]
    fn of_two_verdicts_that_as_many_give_the_worse_counts() {
        let two = [(1.0, false), (0.0, false)];
        assert_eq!(joined(Aggregate::Majority, &two), (0.0, Verdict::Fail));
    }

    #[test]
    fn what_is_required_is_lacking_when_most_judges_say_so() {
        let most = [(0.9, true), (0.9, true), (0.9, false)];
        assert_eq!(joined(Aggregate::Mean, &most).1, Verdict::Fail);
        let few = [(0.9, true), (0.9, false), (0.9, false)];
        assert_eq!(joined(Aggregate::Mean, &few).1, Verdict::Pass);
        assert_eq!(joined(Aggregate::Majority, &most).1, Verdict::Fail);
    }

    #[test]
    fn a_required_part_that_one_judge_misses_is_a_finding() {
        let panel = Panel {
            judges: Vec::new(),
            aggregate: Aggregate::Median,
        };
        let misses = |scores: &[(f64, bool)]| {
            let mut said = said(scores);
            for (_, one) in said.iter_mut().filter(|(_, one)| one.lacks_required) {
                one.misses.push("greets (required)".to_owned());
            }
            panel.evaluation(said, PassThreshold::default()).misses
        };
        let two = [(1.0, false), (0.5, true)];
        assert_eq!(misses(&two), ["greets (required)"]);
        let three = [(1.0, false), (0.5, true), (1.0, false)];
        assert_eq!(misses(&three), ["[j] greets (required)"]);
        let all = [(0.5, true), (0.5, true), (0.5, true)];
        assert_eq!(misses(&all), ["greets (required)"]);
    }

    #[test]
    fn disagreement_is_told() {
        let judgements = said(&[(0.9, false), (0.7, false), (0.8, false)]);
        let found = disagreement(&judgements, PassThreshold::default());
        assert_eq!(
            found,
            json!({"score_range": 0.2, "other_verdicts": 0.333333})
        );
    }
}
