//! Which evaluators ask a judge.

use agentv_core::EvaluatorSpec;
use serde_json::Value;

/// Whether an evaluator asks a target for its judgement, by itself or through a member.
///
/// ```
/// use agentv_core::EvaluatorSpec;
/// use agentv_evaluators::asks_judge;
///
/// assert!(asks_judge(&EvaluatorSpec::of_kind("llm_judge")));
/// assert!(!asks_judge(&EvaluatorSpec::of_kind("is_json")));
/// let members = r#"{"name": "all", "type": "composite", "evaluators": [{"type": "rubric"}]}"#;
/// assert!(asks_judge(&serde_json::from_str(members).unwrap()));
/// ```
pub fn asks_judge(spec: &EvaluatorSpec) -> bool {
    let aggregator = spec.options.get("aggregator");
    is_judge(&spec.kind)
        || aggregator.is_some_and(asks)
        || members(spec.options.get("evaluators")).any(asks)
}

fn asks(written: &Value) -> bool {
    let kind = written.get("type").and_then(Value::as_str);
    kind.is_some_and(is_judge)
        || written.get("aggregator").is_some_and(asks)
        || members(written.get("evaluators")).any(asks)
}

fn members(written: Option<&Value>) -> impl Iterator<Item = &Value> {
    written.and_then(Value::as_array).into_iter().flatten()
}

fn is_judge(kind: &str) -> bool {
    matches!(kind, "llm_judge" | "rubric")
}
