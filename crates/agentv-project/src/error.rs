//! The error of a project that cannot be prepared.

use std::error::Error;

use agentv_providers::TargetError;
use agentv_syntax::Diagnostic;

/// The reason why a project was not prepared. No target was called.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Problems in files that the user wrote, each with its place.
    #[error("{}", joined(.0))]
    Problems(Vec<Diagnostic>),
    /// Names that no target has.
    #[error("{}", joined(.0))]
    UnknownTargets(Vec<TargetError>),
    /// A request that cannot be met: a name is wrong, a file is missing, or two options contradict each
    /// other.
    #[error("{message}")]
    Refused {
        /// A sentence for the user.
        message: String,
        /// A way to solve it.
        hint: Option<String>,
    },
    /// A request that cannot be met because of an error elsewhere.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
    /// A file or folder that could not be written.
    #[error(transparent)]
    NotWritten(Box<dyn Error + Send + Sync>),
}

impl ProjectError {
    /// Refuses a request with a sentence.
    pub fn because(message: impl Into<String>) -> ProjectError {
        ProjectError::with_hint(message, None)
    }

    /// Refuses a request with a sentence and a way to solve it.
    pub fn with_hint(message: impl Into<String>, hint: impl Into<Option<String>>) -> ProjectError {
        ProjectError::Refused {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Refuses a request because of another error.
    pub fn from_error(error: impl Error + Send + Sync + 'static) -> ProjectError {
        ProjectError::Failed(Box::new(error))
    }

    /// Reports that something could not be written.
    pub fn not_written(error: impl Error + Send + Sync + 'static) -> ProjectError {
        ProjectError::NotWritten(Box::new(error))
    }
}

fn joined(errors: &[impl ToString]) -> String {
    let sentences: Vec<String> = errors.iter().map(ToString::to_string).collect();
    sentences.join("; ")
}
