//! The evaluator that compares figures of a transcript with limits.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Score, Subject};

use super::exploration;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::limits::Limit;
use crate::options::Options;
use crate::words::{Findings, figure};

pub(super) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let amount = |option: &str| options.amount(option);
    let given = [
        (amount("max_tool_calls")?, Figure::ToolCalls),
        (amount("max_llm_calls")?, Figure::ModelCalls),
        (amount("max_turns")?, Figure::Turns),
        (amount("max_tokens")?, Figure::Tokens),
        (amount("max_cost_usd")?, Figure::Cost),
        (amount("max_duration_ms")?, Figure::Duration),
    ];
    let limits = given
        .into_iter()
        .filter_map(|(most, figure)| Some((figure, figure.limit(most?))))
        .collect::<Vec<_>>();
    let tolerance = options.fraction("exploration_tolerance")?;
    let exploration = options
        .fraction("target_exploration_ratio")?
        .map(|target| Exploration {
            target,
            tolerance: tolerance.unwrap_or(Exploration::DEFAULT_TOLERANCE),
        });
    if limits.is_empty() && exploration.is_none() {
        return Err(options.invalid("max_tool_calls", "expected at least one limit"));
    }
    Ok(evaluator(Metrics {
        limits,
        exploration,
    }))
}

/// A figure that can be limited.
#[derive(Debug, Clone, Copy)]
enum Figure {
    ToolCalls,
    ModelCalls,
    Turns,
    Tokens,
    Cost,
    Duration,
}

impl Figure {
    fn limit(self, most: f64) -> Limit {
        let (name, unit) = match self {
            Figure::ToolCalls => ("tool calls", ""),
            Figure::ModelCalls => ("model calls", ""),
            Figure::Turns => ("turns", ""),
            Figure::Tokens => ("tokens", ""),
            Figure::Cost => ("cost", " USD"),
            Figure::Duration => ("duration", " ms"),
        };
        Limit { name, unit, most }
    }

    /// Returns the figure, if it is known.
    fn of(self, subject: &Subject<'_>) -> Option<f64> {
        let trace = subject.trace;
        match self {
            Figure::ToolCalls => Some(trace.event_count as f64),
            Figure::ModelCalls | Figure::Turns => turns(subject),
            Figure::Tokens => trace.token_usage.map(|usage| usage.total() as f64),
            Figure::Cost => trace.cost_usd,
            Figure::Duration => trace.duration_ms,
        }
    }
}

/// Returns the number of turns, if there is any. Each is at least one call of a model.
fn turns(subject: &Subject<'_>) -> Option<f64> {
    let turns = subject.transcript.turns();
    (turns > 0).then_some(turns as f64)
}

/// The expected share of tool calls that explore.
struct Exploration {
    target: f64,
    tolerance: f64,
}

impl Exploration {
    const DEFAULT_TOLERANCE: f64 = 0.2;

    fn judge(&self, subject: &Subject<'_>, findings: &mut Findings) -> bool {
        let share = exploration::share(&subject.trace.tool_calls_by_name);
        // Shares such as 0.1 are not exact in binary, and a value on the edge is within it.
        let slack = 1e-9;
        let is_near =
            share.is_some_and(|share| (share - self.target).abs() <= self.tolerance + slack);
        findings.add(is_near, || {
            let wanted = format!("{} ± {}", figure(self.target), figure(self.tolerance));
            match share {
                Some(share) => {
                    let share = figure(share);
                    format!("exploration ratio {share}, expected {wanted}")
                }
                None => format!("exploration ratio unknown (no tool calls), expected {wanted}"),
            }
        });
        is_near
    }
}

struct Metrics {
    limits: Vec<(Figure, Limit)>,
    exploration: Option<Exploration>,
}

impl Check for Metrics {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let mut findings = Findings::default();
        let (mut kept, mut given) = (0, 0);
        for (figure, limit) in &self.limits {
            given += 1;
            kept += u32::from(limit.judge(figure.of(subject), &mut findings)?);
        }
        if let Some(exploration) = &self.exploration {
            given += 1;
            kept += u32::from(exploration.judge(subject, &mut findings));
        }
        let score = Score::ratio(f64::from(kept), f64::from(given));
        Ok(findings.evaluation(score))
    }
}
