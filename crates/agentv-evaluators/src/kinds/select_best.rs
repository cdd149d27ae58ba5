//! `select_best`: the best of several answers, by comparing them in pairs.

use std::sync::Arc;

use agentv_core::{
    BoxFuture, Effort, Evaluation, Evaluator, EvaluatorError, Judge, Judging, Score, Subject,
};
use agentv_syntax::shape::{FILLED, TEXTS};
use agentv_syntax::{Field, Kind, Others, Record};
use futures_util::future::join_all;
use serde_json::json;
use thiserror::Error;
use tokio::sync::OnceCell;

use crate::builder::Builder;
use crate::error::{BuildError, could_not_judge};
use crate::judge::{self, TARGET, preference};
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "select_best",
        aliases: &[],
        doc: "Compares the answers of all targets to a case in pairs, each pair in both orders. The best answer scores 1, the others 0.",
        options: Record {
            name: "select_best",
            fields: &[
                Field {
                    name: "value",
                    shape: &FILLED,
                    doc: "The criterion by which a judge prefers one of two answers.",
                },
                Field {
                    name: "among",
                    shape: &TEXTS,
                    doc: "The ids of cases of the same file whose answers are compared, too, such as the same question with another prompt.",
                },
                TARGET,
            ],
            required: &[&["value"]],
            others: Others::Warn,
        },
        shorthand: Some("value"),
    },
    example: "\
- {type: select_best, value: is the most helpful, among: [short-prompt, long-prompt], target: judge}
- select_best: is the kindest
",
    facts: Facts {
        effort: |_| Effort::Judge,
        judges: judge::judges,
        compares: |options| {
            let among = options.texts("among").ok().flatten();
            let among = among.unwrap_or_default().into_iter();
            Some(among.map(str::to_owned).collect())
        },
        ..Facts::CHECK
    },
    build,
};

/// The verdict of each comparison, shared by the answers that it compares.
pub(crate) type Preferences = crate::builder::Shared<Arc<OnceCell<f64>>>;

/// The reason why answers cannot be compared.
#[derive(Debug, Error)]
enum CompareError {
    #[error(
        "there is no other answer to compare with: run the case on two targets or more \
         (answers are not compared with `--engine`, nor in a workspace)"
    )]
    NoOther,
    #[error(
        "the run has no answer to `{id}`, with which this one is compared: select that case, too"
    )]
    Missing { id: String },
}

struct SelectBest {
    criterion: String,
    among: Vec<String>,
    judge: Judge,
    preferences: Arc<Preferences>,
}

fn build(options: &Options<'_>, builder: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let among = options.texts("among")?.unwrap_or_default();
    let judge = judge::judges(options)?.into_iter().next();
    Ok(Arc::new(SelectBest {
        criterion: options.required_text("value")?.to_owned(),
        among: among.into_iter().map(str::to_owned).collect(),
        judge: judge.unwrap_or(Judge::Usual),
        preferences: Arc::clone(&builder.preferences),
    }))
}

impl Evaluator for SelectBest {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(self.compare(subject))
    }
}

impl SelectBest {
    async fn compare(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let own = &subject.case.id;
        let is_there = |id: &String| id == own || subject.rivals.iter().any(|it| it.eval_id == *id);
        if let Some(id) = self.among.iter().find(|id| !is_there(id)) {
            return Err(could_not_judge(CompareError::Missing { id: id.clone() }));
        }
        let is_meant = |id: &str| id == own || self.among.iter().any(|other| other == id);
        let rivals = subject.rivals.iter();
        let rivals: Vec<_> = rivals.filter(|rival| is_meant(&rival.eval_id)).collect();
        if rivals.is_empty() {
            return Err(could_not_judge(CompareError::NoOther));
        }
        let mut answers = vec![subject.answer];
        answers.extend(rivals.iter().map(|rival| rival.answer.as_str()));
        let points = self.points(subject, &answers).await?;
        let names: Vec<String> = rivals
            .iter()
            .map(|rival| {
                if rival.eval_id == *own {
                    format!("`{}`", rival.target)
                } else {
                    format!("`{}` of `{}`", rival.target, rival.eval_id)
                }
            })
            .collect();
        Ok(evaluation(&points, &names))
    }

    /// Compares every pair of answers, in both orders. Returns the points of each: 1 for each other that it beats, and
    /// a half for each that it ties with.
    async fn points(
        &self,
        subject: &Subject<'_>,
        answers: &[&str],
    ) -> Result<Vec<f64>, EvaluatorError> {
        let pairs = (0..answers.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let compared = pairs.iter().map(|&(one, other)| async move {
            let forth = self.prefers(subject, answers[one], answers[other]);
            let back = self.prefers(subject, answers[other], answers[one]);
            let (forth, back) = futures_util::future::join(forth, back).await;
            Ok::<f64, EvaluatorError>(forth? + 1.0 - back?)
        });
        let mut points = vec![0.0; answers.len()];
        for (&(one, other), sum) in pairs.iter().zip(join_all(compared).await) {
            let won = match sum?.total_cmp(&1.0) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
            points[one] += won;
            points[other] += 1.0 - won;
        }
        Ok(points)
    }

    /// Returns 1 if the judge prefers the first answer, 0 if the second, and 0.5 if neither. A judge is asked once for
    /// all answers of a group.
    async fn prefers(
        &self,
        subject: &Subject<'_>,
        first: &str,
        second: &str,
    ) -> Result<f64, EvaluatorError> {
        if first == second {
            return Ok(0.5);
        }
        let judge = match subject.judging {
            Some(Judging(judges)) => judges.name(&self.judge),
            None => "",
        };
        let question = &subject.prompt.question;
        let key = json!([judge, self.criterion, question, first, second]);
        let known = self.preferences.get_or_put(&key, Arc::default());
        let asked = known
            .get_or_try_init(|| preference(subject, &self.judge, &self.criterion, [first, second]));
        asked.await.copied()
    }
}

/// Returns the evaluation of the first of several answers by their points.
fn evaluation(points: &[f64], rivals: &[String]) -> Evaluation {
    let own = points[0];
    let most = points.iter().copied().fold(own, f64::max);
    let best = points.iter().filter(|points| **points == most).count();
    let better = rivals.iter().zip(&points[1..]);
    let better = better.filter(|(_, points)| **points > own);
    let better: Vec<&str> = better.map(|(name, _)| name.as_str()).collect();
    let count = points.len();
    let (score, said) = match (own == most, best) {
        (true, 1) => (1.0, format!("the best of {count} answers")),
        (true, best) => (
            1.0 / best as f64,
            format!(
                "as good as {} of {count} answers: none is the best",
                best - 1
            ),
        ),
        (false, _) => (
            0.0,
            format!(
                "worse than {} of {count} answers: {}",
                better.len(),
                better.join(", ")
            ),
        ),
    };
    let (mut hits, mut misses) = (Vec::new(), Vec::new());
    if score == 1.0 {
        hits.push(said);
    } else {
        misses.push(said);
    }
    Evaluation {
        hits,
        misses,
        details: Some(json!({"points": own, "most_points": most, "answers": count})),
        ..Evaluation::of(Score::new(score).unwrap_or(Score::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(points: &[f64]) -> f64 {
        let names = vec!["`b`".to_owned(); points.len() - 1];
        evaluation(points, &names).score.value()
    }

    #[test]
    fn only_the_best_answer_scores_1() {
        assert_eq!(scores(&[1.0, 0.0]), 1.0);
        assert_eq!(scores(&[0.0, 1.0]), 0.0);
        // Of six, the second wins four of five comparisons, and is not the best.
        assert_eq!(scores(&[4.0, 5.0, 3.0, 2.0, 1.0, 0.0]), 0.0);
    }

    #[test]
    fn answers_that_tie_share_the_score() {
        assert_eq!(scores(&[0.5, 0.5]), 0.5);
        assert_eq!(scores(&[1.5, 1.5, 0.0]), 0.5);
        assert_eq!(scores(&[0.0, 1.5, 1.5]), 0.0);
        // A beats B, B beats C, and C beats A.
        assert!((scores(&[1.0, 1.0, 1.0]) - 1.0 / 3.0).abs() < 1e-12);
    }
}
