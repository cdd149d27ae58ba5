//! The evaluator that combines others.

use std::sync::Arc;

use agentv_core::{
    BoxFuture, Effort, Evaluation, Evaluator, EvaluatorError, EvaluatorResult, Subject,
};
use futures_util::future::join_all;
use serde_json::Value;
use thiserror::Error;

use super::MOST_NESTED;
use super::aggregator::{self, Aggregator};
use super::members::{Member, names};
use crate::builder::Builder;
use crate::error::{BuildError, could_not_judge};
use crate::options::Options;
use crate::words::quoted;

/// A member that could not do its work.
#[derive(Debug, Error)]
#[error("{member}: {source}")]
struct MemberError {
    member: String,
    source: EvaluatorError,
}

pub(super) fn build(
    options: &Options<'_>,
    builder: &Builder,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    refuse_too_deep(options)?;
    let aggregator = options.object("aggregator")?;
    let members = members(options, builder)?;
    let own = members.iter().map(Member::weight);
    let mut weights: Vec<f64> = own.collect();
    let given = aggregator.as_ref().map(|it| it.object("weights"));
    if let Some(given) = given.transpose()?.flatten() {
        for (member, weight) in members.iter().zip(&mut weights) {
            *weight = given.amount(member.name())?.unwrap_or(*weight);
        }
    }
    Ok(Arc::new(Composite {
        members,
        weights,
        aggregator: Aggregator::of(aggregator.as_ref(), builder)?,
    }))
}

pub(super) fn refuse_too_deep(options: &Options<'_>) -> Result<(), BuildError> {
    if levels(options.get("evaluators"), MOST_NESTED + 1) > MOST_NESTED {
        let problem = format!("composites can be nested at most {MOST_NESTED} levels deep");
        Err(options.invalid("evaluators", problem))
    } else {
        Ok(())
    }
}

/// Returns the nesting depth of composites, counted up to `most`.
fn levels(members: Option<&Value>, most: usize) -> usize {
    let Some(members) = members.and_then(Value::as_array).filter(|_| most > 0) else {
        return 0;
    };
    let inside = members
        .iter()
        .map(|member| levels(member.get("evaluators"), most - 1));
    1 + inside.max().unwrap_or(0)
}

fn members(options: &Options<'_>, builder: &Builder) -> Result<Vec<Member>, BuildError> {
    let members = options.objects("evaluators")?.unwrap_or_default();
    if members.is_empty() {
        return Err(options.invalid("evaluators", "expected at least one evaluator"));
    }
    let named = members.iter().map(|member| {
        let name = member.text("name")?.map(str::to_owned);
        Ok((name, member.required_text("type")?.to_owned()))
    });
    let names = names(&named.collect::<Result<Vec<_>, _>>()?);
    let members = members.iter().zip(names);
    members
        .map(|(member, name)| Member::build(member, name, builder))
        .collect()
}

struct Composite {
    members: Vec<Member>,
    /// The weight of each member.
    weights: Vec<f64>,
    aggregator: Aggregator,
}

impl Evaluator for Composite {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(self.join(subject))
    }
}

impl Composite {
    async fn join(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let mut results: Vec<Option<EvaluatorResult>> = vec![None; self.members.len()];
        let mut failed: Vec<&Member> = Vec::new();
        let mut is_spared = false;
        let threshold = subject.pass_threshold();
        let rounds = Effort::rounds(0..self.members.len(), subject.spares, |at| {
            self.members[at].effort()
        });
        for group in rounds {
            if let Some(first) = failed.first().filter(|_| subject.spares) {
                is_spared = true;
                let reason = format!("{} is required and did not pass", quoted(first.name()));
                for at in group {
                    results[at] = Some(self.members[at].skipped(self.weights[at], reason.clone()));
                }
                continue;
            }
            let members = group.iter().map(|at| &self.members[*at]);
            let asked = members.map(|member| member.evaluator.evaluate(subject));
            for (at, evaluation) in group.iter().zip(join_all(asked).await) {
                let member = &self.members[*at];
                let evaluation = evaluation.map_err(|source| {
                    let member = quoted(member.name());
                    could_not_judge(MemberError { member, source })
                })?;
                if member.fails_all(&evaluation, threshold) {
                    failed.push(member);
                }
                results[*at] = Some(member.result(evaluation, self.weights[*at], threshold));
            }
        }
        let results: Vec<EvaluatorResult> = results.into_iter().flatten().collect();
        // If members were skipped to save effort, so is a script or judge as aggregator.
        let joined = if is_spared {
            aggregator::average(&results)
        } else {
            self.aggregator.join(subject, &results).await?
        };
        let mut joined = aggregator::with_findings(joined, &results, threshold);
        if !failed.is_empty() {
            joined.lacks_required = true;
            let required = failed
                .iter()
                .map(|member| format!("{} is required and did not pass", quoted(member.name())));
            joined.misses.splice(0..0, required);
        }
        joined.members = results;
        Ok(joined)
    }
}
