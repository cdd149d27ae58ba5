//! The reasons why a conversion writes nothing.

use std::path::PathBuf;

use agentv_syntax::Diagnostic;
use thiserror::Error;

use crate::load::LoadError;

/// The reason why a conversion wrote nothing.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The input has problems.
    #[error("the input has problems ({}); nothing was written", .0.len())]
    Problems(Vec<Diagnostic>),
    /// The output's extension does not fit its format.
    #[error("`{}` does not end in {}", .output.display(), .expected.join(" or "))]
    Extension {
        /// The output.
        output: PathBuf,
        /// The extensions that fit.
        expected: &'static [&'static str],
    },
    /// The output is the input, or a part of it.
    #[error("`{}` is part of the input and is never overwritten", .0.display())]
    OwnInput(PathBuf),
    /// A file exists already.
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    /// The file that would become the sidecar holds cases of its own, or cannot be read.
    #[error("`{}` has the name of the output's sidecar, but is not a sidecar", .0.display())]
    NotASidecar(PathBuf),
    /// Fields would be lost.
    #[error("fields would be lost; nothing was written{}", .0.iter().map(Loss::line).collect::<String>())]
    Lossy(Vec<Loss>),
    /// A file that a case refers to cannot be reached from the output's place.
    #[error("the file `{value}` is outside `{}`, the project of the output", .root.display())]
    OutOfReach {
        /// The reference as written.
        value: String,
        /// The root of the project that the output is in.
        root: PathBuf,
    },
    /// The user asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A file could not be written.
    #[error("`{}`: {}", .0.display(), reason(.1))]
    Io(PathBuf, std::io::Error),
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "the folder does not exist".to_owned(),
        _ => error.to_string(),
    }
}

/// The fields that one case would lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The line on which the case begins.
    pub line: u64,
    /// The case's id, if it has one.
    pub id: Option<String>,
    /// The fields.
    pub fields: Vec<String>,
}

impl Loss {
    /// Returns a line that names the case and its fields.
    fn line(&self) -> String {
        let case = self.id.as_ref().map(|id| format!("case `{id}`: "));
        let (case, fields) = (case.unwrap_or_default(), self.fields.join(", "));
        format!("\n  Line {}: {case}{fields}", self.line)
    }
}

impl From<LoadError> for ConvertError {
    fn from(error: LoadError) -> Self {
        ConvertError::Problems(vec![*error.diagnostic])
    }
}
