//! A file that is read for its evaluators alone.

use std::path::Path;
use std::sync::Arc;

use agentv_core::EvaluatorSpec;
use agentv_syntax::{Code, Diagnostic, Problem, Severity};

use crate::defaults::Defaults;
use crate::files::FileLibrary;
use crate::format::{Document, unreadable};
use crate::options::LoadOptions;
use crate::project::{Project, folder_of};
use crate::shapes::SIDECAR_FIELDS;

/// The evaluators of a file, and the project that their paths start from.
#[derive(Debug, Clone)]
pub struct EvaluatorsFile {
    /// The evaluators, named, with shorthands expanded.
    pub evaluators: Arc<[EvaluatorSpec]>,
    /// The project around the file.
    pub project: Project,
    /// Warnings about the file.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the dataset-level evaluators of a YAML file: a suite, a sidecar, or a file with `evaluators`
/// and nothing else.
///
/// # Errors
/// Fails with the problems of the file, or if there are no evaluators in it.
pub fn read_evaluators(
    path: &Path,
    options: &LoadOptions,
) -> Result<EvaluatorsFile, Vec<Diagnostic>> {
    let file: Arc<str> = path.to_string_lossy().into();
    let document =
        Document::open(path, &file, &options.unsaved).map_err(|diagnostic| vec![diagnostic])?;
    let folder = std::fs::canonicalize(folder_of(path));
    let folder = folder.map_err(|error| vec![unreadable(&file, &error)])?;
    let project = Project::around(&folder);
    let files = FileLibrary::new(
        project.clone(),
        options.working_dir.clone(),
        options.allow_outside_root,
    )
    .with_unsaved(&options.unsaved);
    let mut problems = Vec::new();
    let defaults = Defaults::read(
        document.root(),
        &SIDECAR_FIELDS,
        "",
        options.definitions,
        &files,
        &mut problems,
    );
    let is_wrong = |problem: &Problem| problem.severity != Severity::Warning;
    let wrong = problems.iter().any(is_wrong);
    let one = defaults.evaluator.map(EvaluatorSpec::of_kind);
    let evaluators = defaults
        .evaluators
        .unwrap_or_else(|| one.into_iter().collect());
    if evaluators.is_empty() && !wrong {
        let message = "the file has no evaluators; expected `evaluators` with at least one";
        let hint = "write them as in a suite or a sidecar: `evaluators: [{contains: Paris}]`";
        let problem = Problem::error(Code::MissingField, document.root().span(), message);
        problems.push(problem.at("evaluators").hint(hint));
    }
    let failed = problems.iter().any(is_wrong);
    let place = |problem| document.place_problem(problem);
    let diagnostics = problems.into_iter().map(place).collect();
    if failed {
        Err(diagnostics)
    } else {
        Ok(EvaluatorsFile {
            evaluators,
            project,
            warnings: diagnostics,
        })
    }
}
