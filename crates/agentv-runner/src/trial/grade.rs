//! Grading: all evaluators of a case judge the answer, and their scores become one.

use std::borrow::Cow;
use std::sync::Arc;

use agentv_core::{
    Effort, EvalCase, EvalFile, Evaluator, EvaluatorError, EvaluatorResult, EvaluatorSpec,
    FileDigest, Judge, Judging, PassThreshold, Score, Stage, Status, Subject, Trial, TrialError,
    Verdict,
};
use futures_util::future::join_all;

use crate::trial::execute::Executor;
use crate::trial::graded_turns::GradedTurns;
use crate::trial::judges::TrialJudges;

/// A source of evaluators.
pub trait Graders: Send + Sync {
    /// Returns the evaluator for `spec`.
    ///
    /// # Errors
    /// Fails if it cannot be built.
    fn build(
        &self,
        file: &EvalFile,
        spec: &EvaluatorSpec,
    ) -> Result<Arc<dyn Evaluator>, EvaluatorError>;

    /// Checks, before anything is asked, that the evaluators of a case can be built.
    ///
    /// # Errors
    /// Names the one that cannot be built.
    fn check(&self, _file: &EvalFile, _case: &EvalCase) -> Result<(), EvaluatorError> {
        Ok(())
    }

    /// Returns true if an evaluator is omitted in this run. The others grade the answer.
    fn skips(&self, _spec: &EvaluatorSpec) -> bool {
        false
    }

    /// Returns the effort of an evaluator.
    fn effort(&self, _spec: &EvaluatorSpec) -> Effort {
        Effort::Check
    }

    /// Returns an evaluator as it grades an answer without secrets: `redacted` is the same one with options
    /// that hold none.
    fn without_secrets(&self, _own: &EvaluatorSpec, redacted: &EvaluatorSpec) -> EvaluatorSpec {
        redacted.clone()
    }

    /// Returns true if an evaluator works in the workspace of a trial, so that it cannot grade an answer
    /// whose workspace is gone.
    fn needs_workspace(&self, _spec: &EvaluatorSpec) -> bool {
        false
    }

    /// Returns the ids of the other cases whose answers an evaluator compares with the answer; `None` if it compares
    /// nothing, not even the answers of other targets.
    fn compares(&self, _spec: &EvaluatorSpec) -> Option<Vec<String>> {
        None
    }

    /// Returns the files that the evaluators of a case read. Their content is part of the grade's
    /// identity.
    fn files(&self, _file: &EvalFile, _case: &EvalCase) -> Vec<FileDigest> {
        Vec::new()
    }

    /// Returns the judges that an evaluator asks.
    ///
    /// # Errors
    /// Fails if its options are wrong.
    fn judges_of(&self, _spec: &EvaluatorSpec) -> Result<Vec<Judge>, EvaluatorError> {
        Ok(Vec::new())
    }

    /// Returns the judges that the evaluators of a case ask, each once.
    ///
    /// # Errors
    /// Fails if the options of an evaluator are wrong.
    fn judges(&self, case: &EvalCase) -> Result<Vec<Judge>, EvaluatorError> {
        judges_asked(self, &case.evaluators, !case.rubrics.is_empty())
    }
}

/// A function that builds evaluators.
impl<F> Graders for F
where
    F: Fn(&EvalFile, &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, EvaluatorError> + Send + Sync,
{
    fn build(
        &self,
        file: &EvalFile,
        spec: &EvaluatorSpec,
    ) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        self(file, spec)
    }
}

/// Returns the judges of some evaluators, each once, and the usual judge if there is a checklist.
pub(crate) fn judges_asked<G: Graders + ?Sized>(
    graders: &G,
    evaluators: &[EvaluatorSpec],
    has_rubrics: bool,
) -> Result<Vec<Judge>, EvaluatorError> {
    let mut judges = Vec::new();
    if has_rubrics {
        judges.push(Judge::Usual);
    }
    for spec in evaluators {
        judges.extend(graders.judges_of(spec)?);
    }
    judges.sort();
    judges.dedup();
    Ok(judges)
}

/// The grade of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grade {
    pub(crate) status: Status,
    pub(crate) score: Option<Score>,
    pub(crate) hits: Vec<String>,
    pub(crate) misses: Vec<String>,
    pub(crate) reasoning: Option<String>,
    pub(crate) results: Vec<EvaluatorResult>,
    pub(crate) error: Option<TrialError>,
}

impl Grade {
    /// Returns an error in place of a grade.
    pub(crate) fn errored(stage: Stage, message: String) -> Grade {
        Grade {
            status: Status::Error,
            score: None,
            hits: Vec::new(),
            misses: Vec::new(),
            reasoning: None,
            results: Vec::new(),
            error: Some(TrialError { stage, message }),
        }
    }
}

/// Asks the evaluators of a case and combines their results; `None` if the run was stopped while
/// they asked judges.
///
/// They run side by side. If required evaluators may spare others, those with the least effort go
/// first, and the others are skipped once a required one has failed the case.
pub(crate) async fn grade(
    executor: &Executor,
    trial: &Trial,
    subject: &Subject<'_>,
    graded: &GradedTurns,
) -> Option<Grade> {
    let graders = executor.graders.as_ref();
    let specs = specs_of(&trial.case);
    let mut results: Vec<Option<EvaluatorResult>> = specs
        .iter()
        .map(|spec| {
            if graders.skips(spec) {
                return Some(EvaluatorResult::skipped(spec, REHEARSAL));
            }
            graded.result(spec)
        })
        .collect();
    let asked = (0..specs.len()).filter(|at| results[*at].is_none());
    let rounds = Effort::rounds(asked, executor.stop_on_required, |at| {
        graders.effort(&specs[at])
    });
    for group in rounds {
        let failed = if executor.stop_on_required {
            failed_by(&specs, &results)
        } else {
            None
        };
        if let Some(reason) = failed {
            for at in group {
                results[at] = Some(EvaluatorResult::skipped(&specs[at], &reason));
            }
            continue;
        }
        match group.as_slice() {
            // Most cases have a single evaluator, which needs no joining.
            [at] => results[*at] = Some(ask(executor, trial, &specs[*at], subject).await?),
            group => {
                for asked in ask_together(executor, trial, &specs, subject, group).await {
                    let (at, result) = asked?;
                    results[at] = Some(result);
                }
            }
        }
    }
    let mut results: Vec<EvaluatorResult> = results.into_iter().flatten().collect();
    for (spec, result) in specs.iter().zip(&mut results) {
        result
            .judge_calls
            .splice(0..0, graded.calls_of_members(spec));
    }
    Some(one_grade(&specs, results, subject.pass_threshold()))
}

/// Asks several evaluators side by side. Those that work in the workspace go one after the other: they
/// would disturb each other there.
async fn ask_together(
    executor: &Executor,
    trial: &Trial,
    specs: &[EvaluatorSpec],
    subject: &Subject<'_>,
    group: &[usize],
) -> Vec<Option<(usize, EvaluatorResult)>> {
    let graders = executor.graders.as_ref();
    let is_inside =
        |at: &usize| subject.workspace.is_some() && graders.needs_workspace(&specs[*at]);
    let (inside, elsewhere): (Vec<usize>, Vec<usize>) = group.iter().copied().partition(is_inside);
    let ask_one = |at: usize| async move {
        let result = ask(executor, trial, &specs[at], subject).await;
        Some((at, result?))
    };
    let in_turn = async {
        let mut asked = Vec::new();
        for at in inside {
            asked.push(ask_one(at).await);
        }
        asked
    };
    let (mut asked, others) =
        futures_util::future::join(in_turn, join_all(elsewhere.into_iter().map(ask_one))).await;
    asked.extend(others);
    asked
}

/// Returns the evaluators of a case. They are copied only if a checklist precedes them.
fn specs_of(case: &EvalCase) -> Cow<'_, [EvaluatorSpec]> {
    if case.rubrics.is_empty() {
        Cow::Borrowed(&case.evaluators)
    } else {
        Cow::Owned(case.graders())
    }
}

const REHEARSAL: &str = "judges are not asked in a dry run";

/// Returns the reason for which the case has already failed, if it has.
fn failed_by(specs: &[EvaluatorSpec], results: &[Option<EvaluatorResult>]) -> Option<String> {
    specs.iter().zip(results).find_map(|(spec, result)| {
        let result = result.as_ref()?;
        let is_missed = result
            .verdict
            .is_some_and(|verdict| verdict != Verdict::Pass);
        match (spec.required && is_missed, result.lacks_required) {
            (true, _) => Some(format!("`{}` is required and did not pass", spec.name)),
            (false, true) => Some(format!("a required part of `{}` did not pass", spec.name)),
            (false, false) => None,
        }
    })
}

/// Asks one evaluator; `None` if the run was stopped while it asked judges.
pub(crate) async fn ask(
    executor: &Executor,
    trial: &Trial,
    spec: &EvaluatorSpec,
    subject: &Subject<'_>,
) -> Option<EvaluatorResult> {
    let graders = executor.graders.as_ref();
    let judges = TrialJudges::new(executor, trial);
    let subject = Subject {
        judging: Some(Judging(&judges)),
        spares: executor.stop_on_required,
        ..*subject
    };
    let evaluation = match graders.build(&trial.file, spec) {
        Ok(evaluator) => evaluator.evaluate(&subject).await,
        Err(error) => Err(error),
    };
    if judges.was_given_up() {
        return None;
    }
    let threshold = subject.pass_threshold();
    let judge_calls = judges.into_calls(evaluation.is_err());
    let result = match evaluation {
        Ok(evaluation) => EvaluatorResult::said(spec, evaluation, threshold),
        Err(error) => EvaluatorResult::errored(spec, &error),
    };
    Some(EvaluatorResult {
        judge_calls,
        ..result
    })
}

/// Combines the results of all evaluators. An error of any evaluator makes the case errored; a case
/// without results is ungraded; a required evaluator that does not pass, or that misses a part it
/// requires, fails the case; otherwise the mean decides.
fn one_grade(
    specs: &[EvaluatorSpec],
    results: Vec<EvaluatorResult>,
    threshold: PassThreshold,
) -> Grade {
    let errored = results.iter().find_map(|result| {
        let error = result.error.as_ref()?;
        Some(TrialError {
            stage: Stage::Evaluator,
            message: format!("evaluator `{}`: {error}", result.name),
        })
    });
    let is_asked = |result: &EvaluatorResult| result.skipped.is_none();
    let missed_required = specs.iter().zip(&results).any(|(spec, result)| {
        let is_missed = spec.required && is_asked(result) && result.verdict != Some(Verdict::Pass);
        is_missed || result.lacks_required
    });
    let scores = || {
        results
            .iter()
            .filter_map(|result| Some((result.score?, result.weight)))
    };
    let (status, score) = match (&errored, results.iter().any(is_asked)) {
        (Some(_), _) => (Status::Error, None),
        (None, false) => (Status::Ungraded, None),
        (None, true) => {
            let score = Score::weighted_mean(scores());
            let status = if missed_required {
                Status::Fail
            } else {
                score.verdict(threshold).into()
            };
            (status, Some(score))
        }
    };
    let all = |texts: fn(&EvaluatorResult) -> &[String]| {
        let lists = results.iter().flat_map(texts);
        lists.cloned().collect::<Vec<_>>()
    };
    let decided = score
        .filter(|_| status != Status::Pass)
        .and_then(|score| decided_by(specs, &results, score, threshold));
    let mut misses = all(|result| &result.misses);
    misses.splice(0..0, decided);
    let reasons = results.iter().filter_map(|result| result.reasoning.clone());
    let reasons: Vec<String> = reasons.chain(not_asked(&results)).collect();
    Grade {
        status,
        score,
        hits: all(|result| &result.hits),
        misses,
        reasoning: (!reasons.is_empty()).then(|| reasons.join("\n")),
        error: errored,
        results,
    }
}

/// Says what decided that a case did not pass, if the findings of its evaluators do not show it.
fn decided_by(
    specs: &[EvaluatorSpec],
    results: &[EvaluatorResult],
    score: Score,
    threshold: PassThreshold,
) -> Option<String> {
    let has_passed = |result: &EvaluatorResult| result.verdict == Some(Verdict::Pass);
    let mut asked = results.iter().filter(|result| result.score.is_some());
    let is_weightless = asked.clone().all(|result| result.weight == 0.0);
    let reached = score.verdict(threshold) == Verdict::Pass;
    let required = specs.iter().zip(results).find(|(spec, result)| {
        let decides = spec.required || result.lacks_required;
        decides && result.score.is_some() && !has_passed(result)
    });
    let required = required.filter(|(_, result)| result.misses.is_empty());
    if reached {
        required.map(|(spec, _)| format!("`{}` is required and did not pass", spec.name))
    } else if is_weightless {
        Some("all weights are 0, so the score is 0".to_owned())
    } else if asked.all(has_passed) {
        let score = score.rounded(3, threshold);
        Some(format!(
            "every evaluator passed, but the score of the case, {score}, is below its threshold {threshold}"
        ))
    } else {
        None
    }
}

/// Lists the evaluators that were omitted.
fn not_asked(results: &[EvaluatorResult]) -> Option<String> {
    let skipped = results.iter().filter(|result| result.skipped.is_some());
    let names: Vec<String> = skipped.map(|result| format!("`{}`", result.name)).collect();
    (!names.is_empty()).then(|| format!("not asked: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use agentv_core::Evaluation;

    use super::*;

    fn spec(weight: f64, required: bool) -> EvaluatorSpec {
        EvaluatorSpec {
            weight,
            required,
            ..EvaluatorSpec::of_kind("contains")
        }
    }

    fn graded(parts: &[(EvaluatorSpec, Result<f64, &str>)]) -> (Status, Option<f64>) {
        graded_at(0.8, parts)
    }

    fn graded_at(
        threshold: f64,
        parts: &[(EvaluatorSpec, Result<f64, &str>)],
    ) -> (Status, Option<f64>) {
        let threshold = PassThreshold::new(threshold).unwrap();
        let specs: Vec<_> = parts.iter().map(|(spec, _)| spec.clone()).collect();
        let results = parts.iter().map(|(spec, score)| match score {
            Ok(score) => {
                let evaluation = Evaluation::of(Score::new(*score).unwrap());
                EvaluatorResult::said(spec, evaluation, threshold)
            }
            Err(error) => EvaluatorResult::errored(spec, &EvaluatorError::new(*error)),
        });
        let grade = one_grade(&specs, results.collect(), threshold);
        (grade.status, grade.score.map(Score::value))
    }

    #[test]
    fn the_weighted_mean_decides() {
        let parts = [(spec(3.0, false), Ok(1.0)), (spec(1.0, false), Ok(0.0))];
        assert_eq!(graded(&parts), (Status::Borderline, Some(0.75)));
    }

    #[test]
    fn a_required_evaluator_that_does_not_pass_fails_the_case() {
        let parts = [(spec(9.0, false), Ok(1.0)), (spec(0.0, true), Ok(0.7))];
        assert_eq!(graded(&parts), (Status::Fail, Some(1.0)));
    }

    #[test]
    fn the_threshold_decides_the_mean_and_what_is_required() {
        let mean = [(spec(1.0, false), Ok(1.0)), (spec(1.0, false), Ok(0.0))];
        assert_eq!(graded_at(0.5, &mean), (Status::Pass, Some(0.5)));
        assert_eq!(graded_at(0.51, &mean), (Status::Fail, Some(0.5)));
        let required = [(spec(9.0, false), Ok(1.0)), (spec(1.0, true), Ok(0.7))];
        assert_eq!(graded_at(0.7, &required).0, Status::Pass);
        assert_eq!(graded_at(0.8, &required).0, Status::Fail);
        let nearly = [(spec(1.0, false), Ok(0.85))];
        assert_eq!(graded_at(0.9, &nearly).0, Status::Borderline);
    }

    #[test]
    fn a_missed_required_part_fails_the_case_whatever_the_mean() {
        let spec = spec(1.0, false);
        let mut evaluation = Evaluation::of(Score::new(0.9).unwrap());
        evaluation.lacks_required = true;
        let threshold = PassThreshold::default();
        let result = EvaluatorResult::said(&spec, evaluation, threshold);
        let grade = one_grade(&[spec], vec![result], threshold);
        assert_eq!(grade.status, Status::Fail);
        assert_eq!(grade.score.map(Score::value), Some(0.9));
    }

    #[test]
    fn an_evaluator_that_fails_makes_the_case_errored_and_never_zero() {
        let parts = [
            (spec(1.0, false), Ok(1.0)),
            (spec(1.0, true), Err("no judge")),
        ];
        assert_eq!(graded(&parts), (Status::Error, None));
    }

    #[test]
    fn a_case_says_what_decided_if_its_evaluators_do_not() {
        let said = |spec: EvaluatorSpec, score: f64, verdict: Option<Verdict>| {
            let threshold = PassThreshold::default();
            let mut evaluation = Evaluation::of(Score::new(score).unwrap());
            evaluation.verdict = verdict;
            let sure = EvaluatorSpec::of_kind("equals");
            let passed = Evaluation::of(Score::ONE);
            let sure_weight = if spec.weight == 0.0 { 0.0 } else { 1.0 };
            let sure = EvaluatorSpec {
                weight: sure_weight,
                ..sure
            };
            let results = vec![
                EvaluatorResult::said(&spec, evaluation, threshold),
                EvaluatorResult::said(&sure, passed, threshold),
            ];
            one_grade(&[spec, sure], results, threshold).misses
        };
        let required = "`contains` is required and did not pass";
        assert_eq!(said(spec(0.1, true), 0.5, None), [required]);
        let weightless = "all weights are 0, so the score is 0";
        assert_eq!(said(spec(0.0, false), 1.0, None), [weightless]);
        let below =
            "every evaluator passed, but the score of the case, 0.750, is below its threshold 0.8";
        assert_eq!(said(spec(1.0, false), 0.5, Some(Verdict::Pass)), [below]);
        assert_eq!(said(spec(1.0, false), 0.5, None), [""; 0]);
    }

    #[test]
    fn nothing_to_grade_by_is_not_a_pass() {
        assert_eq!(graded(&[]), (Status::Ungraded, None));
    }
}
