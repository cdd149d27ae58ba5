//! The YAML file beside a JSONL file, with its dataset-level fields.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Node, Problem};

use crate::dataset::sidecar_path;
use crate::defaults::Defaults;
use crate::files::FileLibrary;
use crate::format::{ALL, Document};
use crate::options::LoadOptions;
use crate::project::{Project, folder_of};
use crate::shapes::SIDECAR_FIELDS;
use crate::unsaved::UnsavedTexts;

/// Returns the defaults of the sidecar of `path`, or the usual ones if there is none.
pub(crate) fn read(
    path: &Path,
    base_name: &str,
    options: &LoadOptions,
    files: &FileLibrary,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Defaults, Option<Document>) {
    let Some(sidecar) = sidecar_path(path) else {
        return (Defaults::named(base_name), None);
    };
    let file: Arc<str> = sidecar.to_string_lossy().into();
    // A broken link or a folder of that name is a mistake to report, not an absence.
    if std::fs::symlink_metadata(&sidecar).is_err() {
        if options.verbose {
            let eval_file: Arc<str> = path.to_string_lossy().into();
            let message = format!("no sidecar `{file}`; the defaults are used");
            let problem = Problem::warning(Code::NoSidecar, 0..0, message);
            diagnostics.push(Diagnostic::of_file(&eval_file, problem));
        }
        return (Defaults::named(base_name), None);
    }
    let document = match Document::open(&sidecar, &file, &options.unsaved) {
        Ok(document) => document,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return (Defaults::named(base_name), None);
        }
    };
    let mut problems = Vec::new();
    let defaults = Defaults::read(
        document.root(),
        &SIDECAR_FIELDS,
        base_name,
        options.definitions,
        files,
        &mut problems,
    );
    problems.extend(double_role(&sidecar, document.root(), &options.unsaved));
    diagnostics.extend(problems.into_iter().map(|p| document.place_problem(p)));
    (defaults, Some(document))
}

/// Warns that a suite is also the sidecar of the JSONL file beside it, if it is.
pub(crate) fn double_role(path: &Path, root: Node<'_>, unsaved: &UnsavedTexts) -> Option<Problem> {
    let key = root
        .fields()
        .find_map(|(key, _)| key.is_text("evalcases").then_some(key))
        .filter(|_| has_jsonl_beside(path, unsaved))?;
    let message =
        "this suite is also the sidecar of a JSONL file: its dataset-level fields apply to both";
    let problem = Problem::warning(Code::DoubleRole, key.span(), message);
    Some(
        problem
            .at("evalcases")
            .hint("rename one of the two files if you do not want that"),
    )
}

/// Checks if the file beside an eval file says what its rows are.
pub(crate) fn serves(path: &Path, unsaved: &UnsavedTexts) -> bool {
    let Some(sidecar) = sidecar_path(path) else {
        return false;
    };
    is_sidecar_of_rows(&sidecar, unsaved)
}

/// Checks if a YAML file has fields that only a sidecar of rows has.
fn is_sidecar_of_rows(path: &Path, unsaved: &UnsavedTexts) -> bool {
    let file: Arc<str> = path.to_string_lossy().into();
    Document::open(path, &file, unsaved).is_ok_and(|document| is_for_rows(document.root()))
}

/// Checks if a document has fields that only a sidecar of rows has.
fn is_for_rows(root: Node<'_>) -> bool {
    let names = ["fields", "prompt", "evaluators", "evaluator"];
    names.iter().any(|name| root.get(name).is_some())
}

/// Checks if a YAML file would be the sidecar of a JSONL file.
pub(crate) fn has_jsonl_beside(path: &Path, unsaved: &UnsavedTexts) -> bool {
    let is_yaml = path
        .extension()
        .is_some_and(|extension| extension == "yaml");
    let base = path.file_stem().unwrap_or_default().to_string_lossy();
    let with_sidecars = ALL.iter().filter(|format| format.has_sidecar);
    is_yaml
        && with_sidecars
            .filter(|format| {
                let mut extensions = format.extensions.iter();
                let beside = |end: &&str| path.with_file_name(format!("{base}{end}")).is_file();
                extensions.any(beside)
            })
            .any(|format| !format.needs_sidecar || is_sidecar_of_rows(path, unsaved))
}

/// Returns the problems of a sidecar, checked by itself.
pub(crate) fn check(path: &Path, file: &Arc<str>, options: &LoadOptions) -> Vec<Diagnostic> {
    let document = match Document::open(path, file, &options.unsaved) {
        Ok(document) => document,
        Err(diagnostic) => return vec![diagnostic],
    };
    let folder = folder_of(path);
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let files = FileLibrary::new(
        Project::around(&folder),
        options.working_dir.clone(),
        options.allow_outside_root,
    )
    .with_unsaved(&options.unsaved);
    let mut problems = Vec::new();
    Defaults::read(
        document.root(),
        &SIDECAR_FIELDS,
        "",
        options.definitions,
        &files,
        &mut problems,
    );
    let place = |problem| document.place_problem(problem);
    problems.into_iter().map(place).collect()
}
