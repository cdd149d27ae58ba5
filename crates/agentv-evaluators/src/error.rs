//! The errors of evaluators.

use agentv_core::EvaluatorError;
use thiserror::Error;

/// An evaluator that cannot be built from its spec.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("evaluator `{evaluator}`: {source}")]
pub struct BuildError {
    /// The evaluator's name.
    pub evaluator: String,
    /// The reason.
    pub source: SpecError,
}

/// The reason why an evaluator cannot be built from its spec.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No evaluator has that type.
    #[error("unknown evaluator type `{kind}`")]
    UnknownKind {
        /// The type that was asked for.
        kind: String,
    },
    /// An option is missing, or its value cannot be used.
    #[error("`{option}`: {problem}")]
    InvalidOption {
        /// The path of the option, such as `fields[0].path`.
        option: String,
        /// The problem of its value, in words.
        problem: String,
    },
}

/// Returns the error of an evaluator that could not judge for this reason.
pub(crate) fn could_not_judge(
    reason: impl std::error::Error + Send + Sync + 'static,
) -> EvaluatorError {
    EvaluatorError::new(reason)
}
