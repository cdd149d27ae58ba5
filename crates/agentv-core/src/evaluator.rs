//! Specifications of evaluators.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// An evaluator of a case, as the user specified it.
///
/// ```
/// use agentv_core::EvaluatorSpec;
///
/// let spec: EvaluatorSpec =
///     serde_json::from_str(r#"{"name": "city", "type": "contains", "value": "Paris"}"#).unwrap();
/// assert_eq!(spec.weight, 1.0);
/// assert_eq!(spec.options["value"], "Paris");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatorSpec {
    /// The name, unique within the case (default: the type).
    pub name: String,
    /// The type, as in the registry of evaluators.
    #[serde(rename = "type")]
    pub kind: String,
    /// The weight in the case's score.
    #[serde(default = "one")]
    pub weight: f64,
    /// True if the case fails unless this evaluator passes.
    #[serde(default)]
    pub required: bool,
    /// The options of its type.
    #[serde(flatten)]
    pub options: Extra,
}

impl EvaluatorSpec {
    /// The type that grades a case without evaluators. One of the two types that the core names.
    pub const DEFAULT_KIND: &str = "llm_judge";

    /// The type that grades the `rubrics` of a case, which are its option of the same name.
    pub const CHECKLIST_KIND: &str = "rubric";

    /// Makes a specification of this type without options.
    pub fn of_kind(kind: impl Into<String>) -> EvaluatorSpec {
        let kind = kind.into();
        EvaluatorSpec {
            name: kind.clone(),
            kind,
            weight: 1.0,
            required: false,
            options: Extra::new(),
        }
    }
}

pub(crate) fn one() -> f64 {
    1.0
}
