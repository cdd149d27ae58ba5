//! The YAML file beside a JSONL file, with its dataset-level fields.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Problem};

use crate::dataset::sidecar_path;
use crate::defaults::Defaults;
use crate::files::FileLibrary;
use crate::format::Document;
use crate::options::LoadOptions;
use crate::project::Project;
use crate::shapes::SIDECAR_FIELDS;

/// The defaults that the sidecar of `path` gives, or the usual ones where there is none.
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
    // A link to nothing or a folder of that name is a mistake to report, not an absence.
    if std::fs::symlink_metadata(&sidecar).is_err() {
        if options.verbose {
            let eval_file: Arc<str> = path.to_string_lossy().into();
            let message = format!("no sidecar `{file}`, defaults are used");
            let problem = Problem::warning(Code::NoSidecar, 0..0, message);
            diagnostics.push(Diagnostic::of_file(&eval_file, problem));
        }
        return (Defaults::named(base_name), None);
    }
    let document = match Document::open(&sidecar, &file) {
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
    let cases = document
        .root()
        .fields()
        .find(|(key, _)| key.is_text("evalcases"));
    if let Some((key, _)) = cases {
        let message = "this suite is the sidecar of a JSONL file as well: its dataset-level fields serve both";
        let problem = Problem::warning(Code::DoubleRole, key.span(), message);
        problems.push(
            problem
                .at("evalcases")
                .hint("give one of the two files another name if that is not meant"),
        );
    }
    diagnostics.extend(problems.into_iter().map(|p| document.place_problem(p)));
    (defaults, Some(document))
}

/// Everything that is wrong with a sidecar, checked by itself.
pub(crate) fn check(path: &Path, file: &Arc<str>, options: &LoadOptions) -> Vec<Diagnostic> {
    let document = match Document::open(path, file) {
        Ok(document) => document,
        Err(diagnostic) => return vec![diagnostic],
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let files = FileLibrary::new(
        Project::around(&folder),
        options.working_dir.clone(),
        options.allow_outside_root,
    );
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
