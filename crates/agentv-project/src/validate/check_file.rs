//! A check of one file for what it is.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_dataset::{
    Dataset, Diagnostic, FileRole, FoundFile, LoadOptions, Project as ProjectFolder, check_config,
    check_sidecar, read_source,
};

use agentv_providers::{Environment, Surroundings, Targets, targets_file};

use super::broken_lines::BrokenLines;
use crate::targets::OpenSuite;

/// A receiver of problems, which can end the check.
type Report<'r> = &'r mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send);

/// Checks a file for what it is. Returns the number of its cases.
pub(super) fn check_file(file: &FoundFile, options: &LoadOptions, report: Report<'_>) -> u64 {
    let diagnostics = match file.role {
        FileRole::EvalFile => return check_dataset(file, options, report),
        FileRole::Sidecar => check_sidecar(&file.path, options),
        FileRole::Config => check_config(&file.path, options),
        FileRole::Targets => check_targets(file, options),
    };
    for diagnostic in diagnostics {
        if report(diagnostic).is_break() {
            break;
        }
    }
    0
}

fn check_targets(file: &FoundFile, options: &LoadOptions) -> Vec<Diagnostic> {
    let name: Arc<str> = file.path.to_string_lossy().into();
    let source = match read_source(&file.path, &options.unsaved) {
        Ok(source) => source,
        Err(diagnostic) => return vec![diagnostic],
    };
    let mut problems = targets_file::check(&source, &name);
    let environment = environment_of(file, options);
    problems.extend(targets_file::unset_variables(&source, &name, &environment));
    problems
}

/// Returns the variables that targets of a file can use. A `.env` that cannot be read is reported when a
/// run needs it.
fn environment_of(file: &FoundFile, options: &LoadOptions) -> Environment {
    let process = Environment::of_process();
    let path = options.working_dir.join(&file.path);
    let folder = path.parent().unwrap_or(&options.working_dir);
    let project = ProjectFolder::around(folder);
    let surroundings = Surroundings {
        folder: project.folder,
        root: project.root,
        working_dir: options.working_dir.clone(),
    };
    let dotenv = surroundings.dotenv_file();
    let with_dotenv = dotenv.and_then(|dotenv| process.with_dotenv(&dotenv).ok());
    with_dotenv.unwrap_or(process)
}

/// Returns the problems of the targets that a suite defines itself. They are warnings: a run may use others.
fn problems_of_targets(
    dataset: &Dataset,
    file: &FoundFile,
    options: &LoadOptions,
) -> Vec<Diagnostic> {
    let Some(suite) = OpenSuite::of(dataset, &file.path) else {
        return Vec::new();
    };
    let project = dataset.project().clone();
    let mut targets = Targets::built_in(&Surroundings {
        folder: project.folder.clone(),
        root: project.root,
        working_dir: options.working_dir.clone(),
    });
    suite.add_to(&mut targets, &project.folder);
    targets.problems_of_suite()
}

fn check_dataset(file: &FoundFile, options: &LoadOptions, report: Report<'_>) -> u64 {
    let dataset = match Dataset::open(&file.path, options) {
        Ok(dataset) => dataset,
        Err(error) => {
            let _ = report(*error.diagnostic);
            return 0;
        }
    };
    for problem in problems_of_targets(&dataset, file, options) {
        if report(problem).is_break() {
            return 0;
        }
    }
    let mut broken = BrokenLines::default();
    let checked = dataset.check(&mut |diagnostic| {
        if broken.lets_through(&diagnostic) {
            report(diagnostic)
        } else {
            ControlFlow::Continue(())
        }
    });
    if let Some(rest) = broken.rest() {
        let _ = report(rest);
    }
    checked.cases + checked.skipped
}
