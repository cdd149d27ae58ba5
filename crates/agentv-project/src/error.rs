//! The error of a project that cannot be prepared.

use std::error::Error;

use agentv_syntax::Diagnostic;

/// The reason why a project was not prepared. Nothing was asked of any target.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Problems in files that the user wrote, each with its place.
    #[error("{}", joined(.0))]
    Problems(Vec<Diagnostic>),
    /// A request that cannot be met: a name is wrong, a file is missing, or two options contradict each
    /// other.
    #[error("{message}")]
    Refused {
        /// A sentence for the user.
        message: String,
        /// A way to solve it.
        hint: Option<String>,
        /// The error that caused it.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// A file or folder that could not be written.
    #[error("{message}")]
    NotWritten {
        /// A sentence for the user.
        message: String,
        /// The error that caused it.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
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
            source: None,
        }
    }

    /// Refuses a request because of another error, in the words of that error.
    pub fn from_error(error: impl Error + Send + Sync + 'static) -> ProjectError {
        ProjectError::Refused {
            message: error.to_string(),
            hint: None,
            source: Some(Box::new(error)),
        }
    }

    /// Reports that something could not be written, in the words of the error.
    pub fn not_written(error: impl Error + Send + Sync + 'static) -> ProjectError {
        ProjectError::NotWritten {
            message: error.to_string(),
            source: Some(Box::new(error)),
        }
    }
}

fn joined(diagnostics: &[Diagnostic]) -> String {
    let sentences: Vec<String> = diagnostics.iter().map(Diagnostic::to_string).collect();
    sentences.join("; ")
}
