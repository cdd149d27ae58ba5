//! Why a target cannot be asked.

use std::fmt;
use std::sync::Arc;

/// A target that cannot be asked as it is written, and why. Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetError {
    /// The name that was asked for.
    pub target: String,
    /// The targets file, as the user calls it, where one defines the target.
    pub file: Option<Arc<str>>,
    /// The line, from 1, of the field at fault or of the target.
    pub line: Option<u64>,
    /// What is wrong, a sentence that names the target.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for TargetError {}
