//! Runs to compare.

use agentv_core::{EvaluatorResult, EvaluatorSpec, GateOutcome, ResultRecord, Score};

use crate::compare::*;
use crate::samples::results_in;
use crate::{DropGate, GateRule, RunResults, Style};

pub(super) const STYLE: Style = Style {
    colour: false,
    width: 100,
    unicode: true,
};

/// Calls `test` with runs that have these records.
pub(super) fn with_runs<T>(runs: &[&[ResultRecord]], test: impl FnOnce(&[ComparedRun]) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let written: Vec<RunResults> = runs
        .iter()
        .enumerate()
        .map(|(index, records)| results_in(&folder.path().join(format!("{index}.jsonl")), records))
        .collect();
    test(&read_runs(&written).unwrap())
}

pub(super) fn on(target: &str, record: ResultRecord) -> ResultRecord {
    ResultRecord {
        target: target.into(),
        grade_key: format!("{target} {}", record.eval_id),
        ..record
    }
}

pub(super) fn trial(trial: u32, record: ResultRecord) -> ResultRecord {
    ResultRecord { trial, ..record }
}

pub(super) fn in_conversation(id: &str, record: ResultRecord) -> ResultRecord {
    ResultRecord {
        conversation_id: Some(id.to_owned()),
        ..record
    }
}

pub(super) fn judged(record: ResultRecord, scores: &[(&str, f64)]) -> ResultRecord {
    let result = |(name, score): &(&str, f64)| EvaluatorResult {
        name: (*name).to_owned(),
        score: Score::new(*score),
        ..EvaluatorResult::unsaid(&EvaluatorSpec::of_kind("contains"))
    };
    ResultRecord {
        evaluator_results: scores.iter().map(result).collect(),
        ..record
    }
}

/// Returns the scores of two runs with one target each.
pub(super) fn scores<'c>(comparison: &'c Comparison<'_>) -> &'c ScoreDifference {
    comparison.summary().scores.as_ref().unwrap()
}

/// Returns the outcome of the gate that permits no drop of the mean.
pub(super) fn gate(comparison: &Comparison<'_>) -> GateOutcome {
    gates(comparison).swap_remove(0)
}

/// Returns the outcomes of the gates that permit no drop of the mean.
pub(super) fn gates(comparison: &Comparison<'_>) -> Vec<GateOutcome> {
    let gate = DropGate {
        rule: GateRule::Mean,
        ..DropGate::default()
    };
    gate.judge(comparison.figures(), "A")
}

pub(super) fn written(comparison: &Comparison<'_>, format: ComparisonFormat) -> String {
    let showing = ShownCases::of(comparison, 10).unwrap();
    let mut out = Vec::new();
    write_comparison(
        comparison,
        &showing,
        &gates(comparison),
        format,
        STYLE,
        &mut out,
    )
    .unwrap();
    String::from_utf8(out).unwrap()
}
