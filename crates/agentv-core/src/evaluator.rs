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

    /// The option that names the turn of a conversation that an evaluator grades.
    pub const TURN: &str = "turn";

    /// The option that holds the members of an evaluator that combines others.
    pub const MEMBERS: &str = "evaluators";

    /// Returns the turn of a conversation, from 1, that this evaluator grades, if it grades one alone.
    pub fn turn(&self) -> Option<u64> {
        self.options.get(Self::TURN)?.as_u64()
    }

    /// Returns the evaluators of a turn: this one, or those among its members.
    pub fn of_turn(&self, turn: u64) -> Vec<EvaluatorSpec> {
        if let Some(own) = self.turn() {
            return if own == turn {
                vec![self.clone()]
            } else {
                Vec::new()
            };
        }
        let members = self.options.get(Self::MEMBERS);
        let members = members.and_then(|members| members.as_array());
        let members = members.into_iter().flatten().filter_map(|member| {
            let kind = member.get("type")?.as_str()?;
            let mut spec = EvaluatorSpec::of_kind(kind);
            for (name, value) in member.as_object()? {
                match name.as_str() {
                    "type" => {}
                    "name" => spec.name = value.as_str()?.to_owned(),
                    "weight" => spec.weight = value.as_f64()?,
                    "required" => spec.required = value.as_bool()?,
                    _ => drop(spec.options.insert(name.clone(), value.clone())),
                }
            }
            Some(spec)
        });
        members.flat_map(|member| member.of_turn(turn)).collect()
    }

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
