//! Errors of targets that cannot be asked.

use std::sync::Arc;

/// A target that cannot be asked as it is written. The error never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(file.as_ref(), *line))]
pub struct TargetError {
    /// The name that was asked for.
    pub target: String,
    /// The targets file that defines the target, by the name that the user knows.
    pub file: Option<Arc<str>>,
    /// The line, from 1, of the wrong field or of the target.
    pub line: Option<u64>,
    /// A sentence that names the target and says what is wrong.
    pub message: String,
    /// Advice for the user.
    pub hint: Option<String>,
    /// Set if only a variable is missing.
    pub is_missing_variable: bool,
}

fn place(file: Option<&Arc<str>>, line: Option<u64>) -> String {
    match (file, line) {
        (None, _) => String::new(),
        (Some(file), None) => format!("{file}: "),
        (Some(file), Some(line)) => format!("{file}:{line}: "),
    }
}
