//! All cases of an eval file at once.

use std::ops::ControlFlow;
use std::path::Path;

use agentv_core::EvalCase;
use agentv_syntax::{Code, Diagnostic, Severity};

use crate::dataset::Dataset;
use crate::options::LoadOptions;

/// A file that cannot be loaded, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadError {
    /// What is wrong.
    pub diagnostic: Box<Diagnostic>,
}

impl From<Diagnostic> for LoadError {
    fn from(diagnostic: Diagnostic) -> Self {
        LoadError {
            diagnostic: Box::new(diagnostic),
        }
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.diagnostic.file, self.diagnostic)
    }
}

impl std::error::Error for LoadError {}

/// What [`load_eval_cases`] gives.
#[derive(Debug)]
pub struct Loaded {
    /// The cases, in file order.
    pub cases: Vec<EvalCase>,
    /// Why cases were skipped, and other remarks.
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
/// // What may be named as an evaluator or a provider.
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
/// When the file cannot be read, has an unknown extension, or something in it makes all of it
/// unusable: a line that is not JSON, a sidecar that is not valid.
pub fn load_eval_cases(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let dataset = Dataset::open(path, options)?;
    let mut diagnostics = Vec::new();
    let mut fatal = None;
    let checked = dataset.check(&mut |diagnostic| {
        // An empty dataset is for the caller to judge: here it is an empty list.
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
