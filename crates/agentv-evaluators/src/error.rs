//! Why an evaluator cannot be built.

use std::fmt;

/// Why an evaluator cannot be built from what the user wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// There is no evaluator of that type.
    UnknownKind {
        /// The evaluator's name.
        evaluator: String,
        /// The type that was asked for.
        kind: String,
    },
    /// An option is missing, or its value cannot be used.
    InvalidOption {
        /// The evaluator's name.
        evaluator: String,
        /// The option, such as `fields[0].path`.
        option: String,
        /// What is wrong with it, in words.
        problem: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::UnknownKind { evaluator, kind } => write!(
                f,
                "evaluator `{evaluator}`: there is no evaluator of type `{kind}`"
            ),
            BuildError::InvalidOption {
                evaluator,
                option,
                problem,
            } => write!(f, "evaluator `{evaluator}`: `{option}`: {problem}"),
        }
    }
}

impl std::error::Error for BuildError {}
