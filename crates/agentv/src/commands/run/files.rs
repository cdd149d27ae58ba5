//! The eval files of a run: found, opened, checked.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::RanFile;
use agentv_dataset::{
    Checked, Dataset, FileRole, LoadOptions, Project, Severity, discover, sidecar_path,
};
use agentv_runner::{CaseSource, EvalFile, SourceError, Visit, digest_of_file};

use super::refused::Refused;
use crate::arguments::RunArguments;
use crate::diagnostics::Teller;
use crate::output;

/// The eval files of a run. All of them were checked as a whole.
pub(crate) struct EvalFiles {
    files: Vec<OpenFile>,
}

struct OpenFile {
    file: Arc<EvalFile>,
    dataset: Dataset,
    checked: Checked,
    path: PathBuf,
}

impl EvalFiles {
    /// Finds the eval files at `paths` and checks everything in them. Cases that cannot be used are
    /// told; with `strict` they make the files unusable.
    pub(crate) fn open(
        arguments: &RunArguments,
        options: &LoadOptions,
    ) -> Result<EvalFiles, Refused> {
        let (paths, strict) = (&arguments.paths, arguments.strict);
        let found = discover(paths).map_err(|error| {
            let mistaken = matches!(arguments.resume, Some(None)).then(|| {
                format!(
                    "to resume a run by its name, write `--resume={}`",
                    error.path
                )
            });
            Refused::with_hint(error.to_string(), error.hint.clone().or(mistaken))
        })?;
        if !found.problems.is_empty() {
            return Err(Refused::diagnostics(found.problems));
        }
        let eval_files = found.files.into_iter();
        let mut opening = Opening {
            teller: if strict {
                Teller::for_checking()
            } else {
                Teller::for_loading()
            },
            root: None,
            refused: false,
            files: Vec::new(),
        };
        for found in eval_files.filter(|file| file.role == FileRole::EvalFile) {
            // What an earlier run wrote into the folder is no eval file.
            let is_out = arguments
                .output
                .out
                .as_ref()
                .is_some_and(|out| is_same(out, &found.path));
            if !is_out || paths.contains(&found.path) {
                opening.open(&found.path, options);
            }
        }
        opening.finish(paths, strict)
    }

    /// The files, as records name them.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.files.iter().map(|open| &*open.file.name).collect()
    }

    /// Whether the run reads this file: a suite, a JSONL file or its sidecar.
    pub(crate) fn uses(&self, path: &Path) -> bool {
        self.files.iter().any(|open| {
            let sidecar = sidecar_path(&open.path);
            is_same(&open.path, path) || sidecar.is_some_and(|sidecar| is_same(&sidecar, path))
        })
    }

    /// The project root of the first file: the run's results lie under it.
    pub(crate) fn root(&self) -> &Path {
        &self.files[0].file.root
    }

    pub(crate) fn projects(&self) -> impl Iterator<Item = (&Arc<EvalFile>, &Project)> {
        let files = self.files.iter();
        files.map(|open| (&open.file, open.dataset.project()))
    }

    /// How many cases were left out because something is wrong with them.
    pub(crate) fn skipped(&self) -> u64 {
        self.files.iter().map(|open| open.checked.skipped).sum()
    }

    /// The files that lost cases, and how many.
    pub(crate) fn skipped_by_file(&self) -> Vec<(String, u64)> {
        let files = self.files.iter();
        files
            .filter(|open| open.checked.skipped > 0)
            .map(|open| (open.path.display().to_string(), open.checked.skipped))
            .collect()
    }

    /// The files as `run.json` lists them.
    pub(crate) fn ran(&self) -> Result<Vec<RanFile>, Refused> {
        let files = self.files.iter();
        files
            .map(|open| {
                let digest = digest_of_file(&open.path).map_err(|error| {
                    Refused::because(format!("cannot read `{}`: {error}", open.path.display()))
                })?;
                Ok(RanFile {
                    path: open.file.name.to_string(),
                    digest,
                    cases: open.checked.cases,
                    skipped: open.checked.skipped,
                })
            })
            .collect()
    }
}

/// Whether two paths lead to the same file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| std::fs::canonicalize(path).ok();
    place(one).is_some() && place(one) == place(other)
}

impl CaseSource for EvalFiles {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        let failed = |error: agentv_dataset::LoadError| SourceError(error.to_string());
        for open in &self.files {
            for case in open.dataset.cases(&open.checked).map_err(failed)? {
                if visit(&open.file, case.map_err(failed)?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Files that are opened one after the other, so that all that is wrong with all of them is told.
struct Opening {
    teller: Teller,
    root: Option<PathBuf>,
    refused: bool,
    files: Vec<OpenFile>,
}

impl Opening {
    fn open(&mut self, path: &Path, options: &LoadOptions) {
        let dataset = match Dataset::open(path, options) {
            Ok(dataset) => dataset,
            Err(error) => {
                self.teller.tell_error(&error.diagnostic);
                self.refused = true;
                return;
            }
        };
        let checked = dataset.check(&mut |diagnostic| {
            self.teller.tell_error(&diagnostic);
            match diagnostic.severity() {
                Severity::Fatal => ControlFlow::Break(()),
                Severity::Error | Severity::Warning => ControlFlow::Continue(()),
            }
        });
        self.refused |= checked.fatal;
        let file = self.named(path, &dataset);
        self.files.push(OpenFile {
            file: Arc::new(file),
            dataset,
            checked,
            path: path.to_owned(),
        });
    }

    /// A file as records name it: relative to the root of the run's first file.
    fn named(&mut self, path: &Path, dataset: &Dataset) -> EvalFile {
        let project = dataset.project();
        let root = self.root.get_or_insert_with(|| project.root.clone());
        let run = Project {
            root: root.clone(),
            folder: project.folder.clone(),
        };
        let name = path.file_name().unwrap_or_default();
        EvalFile {
            index: self.files.len(),
            name: run.display(&project.folder.join(name)).into(),
            folder: project.folder.as_path().into(),
            root: project.root.as_path().into(),
        }
    }

    fn finish(self, paths: &[PathBuf], strict: bool) -> Result<EvalFiles, Refused> {
        let skipped: u64 = self.files.iter().map(|open| open.checked.skipped).sum();
        let cases: u64 = self.files.iter().map(|open| open.checked.cases).sum();
        if self.refused {
            return Err(Refused::because("nothing was run: see above"));
        }
        if strict && skipped > 0 {
            let cannot = output::counted(skipped, "case");
            return Err(Refused::because(format!(
                "nothing was run: {cannot} cannot be used, and --strict refuses files with such"
            )));
        }
        if self.files.is_empty() {
            let shown: Vec<_> = paths
                .iter()
                .map(|path| format!("`{}`", path.display()))
                .collect();
            return Err(Refused::because(format!(
                "nothing was run: there is no eval file in {}",
                shown.join(", ")
            )));
        }
        if cases == 0 {
            return Err(Refused::with_hint(
                "nothing was run: there is no case that can be used",
                Some("mend the cases that are told above, or name other files".to_owned()),
            ));
        }
        Ok(EvalFiles { files: self.files })
    }
}
