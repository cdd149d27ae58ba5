//! What an evaluator takes, known from how it is written.

use agentv_core::{Effort, EvaluatorSpec};
use serde_json::Value;

/// What an evaluator takes, by itself or through a member.
///
/// ```
/// use agentv_core::{Effort, EvaluatorSpec};
/// use agentv_evaluators::effort;
///
/// assert_eq!(effort(&EvaluatorSpec::of_kind("llm_judge")), Effort::Judge);
/// assert_eq!(effort(&EvaluatorSpec::of_kind("code_judge")), Effort::Script);
/// assert_eq!(effort(&EvaluatorSpec::of_kind("is_json")), Effort::Check);
/// let members = r#"{"name": "all", "type": "composite", "evaluators": [{"type": "rubric"}]}"#;
/// assert_eq!(effort(&serde_json::from_str(members).unwrap()), Effort::Judge);
/// ```
pub fn effort(spec: &EvaluatorSpec) -> Effort {
    of(&spec.kind, |option| spec.options.get(option))
}

fn of<'v>(kind: &str, option: impl Fn(&str) -> Option<&'v Value>) -> Effort {
    match kind {
        "llm_judge" | "rubric" => Effort::Judge,
        "code_judge" if option("target").is_some_and(opens_proxy) => Effort::Judge,
        "code_judge" => Effort::Script,
        "composite" => {
            let members = option("evaluators").and_then(Value::as_array);
            let parts = members.into_iter().flatten().chain(option("aggregator"));
            parts.map(of_written).max().unwrap_or(Effort::Check)
        }
        _ => Effort::Check,
    }
}

fn of_written(written: &Value) -> Effort {
    let kind = written.get("type").and_then(Value::as_str);
    of(kind.unwrap_or_default(), |option| written.get(option))
}

/// Whether the `target` of a script lets it ask targets.
fn opens_proxy(target: &Value) -> bool {
    !matches!(target, Value::Null | Value::Bool(false))
}
