//! Loads all cases of an eval file at once.

use std::ops::ControlFlow;
use std::path::Path;

use agentv_core::EvalCase;
use agentv_syntax::{Code, Diagnostic, Severity};
use thiserror::Error;

use crate::dataset::Dataset;
use crate::options::LoadOptions;

/// The reason why a file cannot be loaded.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}: {diagnostic}", .diagnostic.file)]
pub struct LoadError {
    /// The problem.
    pub diagnostic: Box<Diagnostic>,
}

impl From<Diagnostic> for LoadError {
    fn from(diagnostic: Diagnostic) -> Self {
        LoadError {
            diagnostic: Box::new(diagnostic),
        }
    }
}

/// The result of [`load_eval_cases`].
#[derive(Debug)]
pub struct Loaded {
    /// The cases, in file order.
    pub cases: Vec<EvalCase>,
    /// Problems of cases that were skipped, and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads all cases of an eval file. For files that are larger than memory use [`Dataset`].
///
/// ```
/// use agentv_dataset::{Definitions, LoadOptions, load_eval_cases};
///
/// # let folder = tempfile::tempdir()?;
/// # std::env::set_current_dir(folder.path())?;
/// # std::fs::create_dir("evals")?;
/// # std::fs::write("evals/test.jsonl", concat!(
/// #     "{\"id\": \"sum\", \"expected_outcome\": \"4\", \"input\": \"What is 2+2?\"}\n",
/// #     "{\"id\": \"no-outcome\", \"input\": \"Hello\"}\n",
/// # ))?;
/// // The evaluators and providers that files may name.
/// let definitions = Definitions {
///     evaluators: &agentv_evaluators::REGISTRY,
///     targets: &agentv_providers::REGISTRY,
/// };
/// let options = LoadOptions::new(definitions, std::env::current_dir()?);
/// let loaded = load_eval_cases("evals/test.jsonl", &options)?;
/// assert_eq!(loaded.cases[0].id, "sum");
/// assert_eq!(loaded.diagnostics[0].to_string(), "Line 2: missing expected_outcome");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the file cannot be read, has an unknown extension, or has a problem that makes all of it
/// unusable: a line that is not JSON, a sidecar that is not valid.
pub fn load_eval_cases(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let dataset = Dataset::open(path, options)?;
    let mut diagnostics = Vec::new();
    let mut fatal = None;
    let checked = dataset.check(&mut |diagnostic| {
        // An empty dataset is an empty list here; the caller decides if that is an error.
        if diagnostic.severity() == Severity::Fatal && diagnostic.code() != Code::NoCases {
            fatal = Some(diagnostic);
            return ControlFlow::Break(());
        }
        diagnostics.push(diagnostic);
        ControlFlow::Continue(())
    });
    if let Some(fatal) = fatal {
        return Err(fatal.into());
    }
    if checked.cases == 0 {
        return Ok(Loaded {
            cases: Vec::new(),
            diagnostics,
        });
    }
    let cases = dataset.cases(&checked)?.collect::<Result<_, _>>()?;
    Ok(Loaded { cases, diagnostics })
}
