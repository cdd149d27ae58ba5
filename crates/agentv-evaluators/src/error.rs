//! The errors of evaluators.

use agentv_core::EvaluatorError;
use thiserror::Error;

/// The reason why an evaluator cannot be built from its spec.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    /// No evaluator has that type.
    #[error("evaluator `{evaluator}`: unknown evaluator type `{kind}`")]
    UnknownKind {
        /// The evaluator's name.
        evaluator: String,
        /// The type that was asked for.
        kind: String,
    },
    /// An option is missing, or its value cannot be used.
    #[error("evaluator `{evaluator}`: `{option}`: {problem}")]
    InvalidOption {
        /// The evaluator's name.
        evaluator: String,
        /// The path of the option, such as `fields[0].path`.
        option: String,
        /// The problem of its value, in words.
        problem: String,
    },
}

/// Returns the error of an evaluator that could not judge for this reason.
pub(crate) fn could_not_judge(reason: impl std::error::Error) -> EvaluatorError {
    EvaluatorError(reason.to_string())
}
