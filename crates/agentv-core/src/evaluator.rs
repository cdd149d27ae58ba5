//! What the user asked to grade by.

use serde::{Deserialize, Serialize};

use crate::Extra;

/// One evaluator of a case, as the user asked for it.
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
    /// Unique within the case; the type where the user gave none.
    pub name: String,
    /// The type, as the registry of evaluators names it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its share in the case's score.
    #[serde(default = "one")]
    pub weight: f64,
    /// Whether the case fails when this evaluator does not pass.
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

    /// An evaluator of this type with nothing set.
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
