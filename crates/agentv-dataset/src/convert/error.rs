//! Why nothing was written.

use std::path::PathBuf;

use agentv_syntax::Diagnostic;

use crate::load::LoadError;

/// Why nothing was written.
#[derive(Debug)]
pub enum ConvertError {
    /// The input has problems.
    Problems(Vec<Diagnostic>),
    /// The output's extension does not fit its format.
    Extension {
        /// The output.
        output: PathBuf,
        /// The extensions that fit.
        expected: &'static [&'static str],
    },
    /// The output is the input, or a part of it.
    OwnInput(PathBuf),
    /// A file is there already.
    Exists(PathBuf),
    /// The file that would have to become the sidecar holds cases of its own, or cannot be read.
    NotASidecar(PathBuf),
    /// Fields would be lost.
    Lossy(Vec<Loss>),
    /// A file that a case refers to cannot be reached from the output's place.
    OutOfReach {
        /// The reference as written.
        value: String,
        /// The root of the project that the output lies in.
        root: PathBuf,
    },
    /// The user asked to stop.
    Interrupted,
    /// A file could not be written.
    Io(PathBuf, std::io::Error),
}

/// The fields that one case would lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The line on which the case begins.
    pub line: u64,
    /// The case's id, where it has one.
    pub id: Option<String>,
    /// The fields.
    pub fields: Vec<String>,
}

impl From<LoadError> for ConvertError {
    fn from(error: LoadError) -> Self {
        ConvertError::Problems(vec![*error.diagnostic])
    }
}

impl std::fmt::Display for ConvertError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConvertError::Problems(problems) => {
                write!(
                    f,
                    "the input has problems ({}), nothing was written",
                    problems.len()
                )
            }
            ConvertError::Extension { output, expected } => write!(
                f,
                "`{}` does not end in {}",
                output.display(),
                expected.join(" or ")
            ),
            ConvertError::OwnInput(path) => {
                write!(
                    f,
                    "`{}` belongs to the input and is never replaced",
                    path.display()
                )
            }
            ConvertError::Exists(path) => write!(f, "`{}` is there already", path.display()),
            ConvertError::NotASidecar(path) => write!(
                f,
                "`{}` would become the sidecar of the output, but is something else",
                path.display()
            ),
            ConvertError::Interrupted => write!(f, "interrupted, nothing was written"),
            ConvertError::Lossy(losses) => {
                write!(f, "fields would be lost, nothing was written")?;
                for loss in losses {
                    write!(f, "\n  Line {}: ", loss.line)?;
                    if let Some(id) = &loss.id {
                        write!(f, "case `{id}`: ")?;
                    }
                    f.write_str(&loss.fields.join(", "))?;
                }
                Ok(())
            }
            ConvertError::OutOfReach { value, root } => write!(
                f,
                "the file `{value}` lies outside `{}`, the project that the output is in",
                root.display()
            ),
            ConvertError::Io(path, error) if error.kind() == std::io::ErrorKind::NotFound => {
                write!(f, "`{}`: there is no such folder", path.display())
            }
            ConvertError::Io(path, error) => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ConvertError {}
