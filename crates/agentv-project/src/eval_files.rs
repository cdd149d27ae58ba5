//! The eval files of a run: found, opened, checked.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{PassThreshold, RanFile};
use agentv_dataset::{
    Checked, Dataset, Diagnostic, Examined, FileRole, FoundFile, LoadOptions,
    Project as ProjectFolder, RunSettings, Severity, discover, examine, sidecar_path,
};
use agentv_runner::{
    CaseSource, EvalFile, Selection, SourceError, Visit, digest_of_file, digest_of_text,
};

use crate::counted::counted;
use crate::error::ProjectError;
use crate::notices::Notices;
use crate::output_files::{files_around, is_earlier_output, is_same_path};
use crate::skipped_cases::SkippedCases;
use crate::skipped_counting::SkippedCounting;
use crate::targets::OpenSuite;

/// The eval files of a request. All of them were checked as a whole.
pub struct EvalFiles {
    /// The files that the request names, followed by others of the run that it resumes.
    files: Vec<OpenFile>,
}

/// A request for eval files.
pub struct FilesRequest<'a> {
    /// Files, folders or globs.
    pub paths: &'a [PathBuf],
    /// The options to load them with.
    pub load: &'a LoadOptions,
    /// Refuses files in which any case is wrong.
    pub strict: bool,
    /// The files that the caller writes. One that an earlier run wrote is not an eval file unless `paths`
    /// names it.
    pub outputs: &'a [PathBuf],
    /// Set if the newest run is resumed: a path that does not exist may be meant as the name of a run.
    pub resumes_newest: bool,
}

struct OpenFile {
    file: Arc<EvalFile>,
    dataset: Dataset,
    checked: Checked,
    /// The skipped cases that the request selects.
    skipped: u64,
    skipped_cases: SkippedCases,
    path: PathBuf,
}

impl EvalFiles {
    /// Finds the eval files and checks everything in them. Notices list the cases that cannot be used.
    ///
    /// # Errors
    /// If a path is wrong, if a file cannot be used at all, or if there is no case to use.
    pub fn open(
        request: &FilesRequest<'_>,
        notices: &mut dyn Notices,
    ) -> Result<EvalFiles, ProjectError> {
        let found = discover(request.paths).map_err(|error| {
            let mistaken = request
                .resumes_newest
                .then(|| format!("to resume a run by name, write `--resume={}`", error.path));
            ProjectError::with_hint(error.to_string(), error.hint.clone().or(mistaken))
        })?;
        if !found.problems.is_empty() {
            return Err(ProjectError::Problems(found.problems));
        }
        let is_eval_file = |file: &FoundFile| file.role == FileRole::EvalFile;
        // Otherwise, an error lists the files that cannot be used.
        if found.files.iter().any(is_eval_file) {
            let is_output = |path: &Path| {
                let mut outputs = request.outputs.iter();
                outputs.any(|output| is_same_path(output, path))
            };
            let skipped = found.skipped_results(is_output);
            skipped.into_iter().for_each(|it| notices.problem(it));
        }
        let eval_files = found.files.into_iter();
        let mut opening = Opening {
            request,
            notices,
            root: None,
            refused: false,
            files: Vec::new(),
        };
        for found in eval_files.filter(is_eval_file) {
            // Results that an earlier run wrote into the folder are not an eval file.
            let mut outputs = request.outputs.iter();
            let is_output = outputs.any(|output| is_same_path(output, &found.path))
                && is_earlier_output(&found.path);
            if !is_output || request.paths.contains(&found.path) {
                opening.open(&found.path);
            }
        }
        opening.finish()
    }

    /// Opens further files of the run that is resumed, which the request does not name. Those that cannot be
    /// used today are omitted.
    pub(crate) fn open_others(&mut self, ran: &[RanFile], load: &LoadOptions) {
        let root = self.root().to_owned();
        let known: HashSet<String> = self.names().into_iter().map(str::to_owned).collect();
        for ran in ran.iter().filter(|ran| !known.contains(&ran.path)) {
            let path = root.join(&ran.path);
            let Ok(dataset) = Dataset::open(&path, load) else {
                continue;
            };
            let mut skipped_cases = SkippedCases::default();
            let checked = dataset.check(&mut |diagnostic| {
                skipped_cases.add(&diagnostic);
                ControlFlow::Continue(())
            });
            let file = named(&root, self.files.len(), &path, &dataset);
            if !checked.fatal && *file.name == *ran.path {
                self.files.push(OpenFile {
                    file: Arc::new(file),
                    dataset,
                    skipped: checked.skipped,
                    checked,
                    skipped_cases,
                    path,
                });
            }
        }
    }

    /// Returns the paths of the open files that are not among these names.
    pub(crate) fn paths_besides(&self, names: &HashSet<String>) -> Vec<PathBuf> {
        let others = self.files.iter();
        let others = others.filter(|open| !names.contains(&*open.file.name));
        others.map(|open| open.path.clone()).collect()
    }

    /// Sets the lowest score that passes, for all cases.
    pub(crate) fn pass_from(&mut self, threshold: PassThreshold) {
        for open in &mut self.files {
            open.dataset.set_pass_threshold(threshold);
        }
    }

    /// Counts only the skipped cases that one of the selections has.
    ///
    /// # Errors
    /// If a file can no longer be read.
    pub(crate) fn select_skipped(&mut self, selections: &[&Selection]) -> Result<(), ProjectError> {
        if self.skipped() == 0 || selections.iter().any(|selection| selection.is_all()) {
            return Ok(());
        }
        let mut counting = SkippedCounting::new(selections);
        for open in &mut self.files {
            let name = &*open.file.name;
            let counted = counting.of_file(name, &open.dataset, &open.checked);
            let counted = counted.map_err(ProjectError::from_error)?;
            open.skipped = counted.skipped;
            open.skipped_cases
                .retain(|case| counting.includes(name, case, counted.end));
        }
        Ok(())
    }

    /// Visits the file and the id of every case, usable or not.
    ///
    /// # Errors
    /// If a file can no longer be read.
    pub(crate) fn each_id(&self, visit: &mut dyn FnMut(&str, &str)) -> Result<(), ProjectError> {
        for open in &self.files {
            let rows = open.dataset.each_row(&open.checked, &mut |row| {
                let id = row.id.as_deref().into_iter();
                id.for_each(|id| visit(&open.file.name, id));
                ControlFlow::Continue(())
            });
            rows.map_err(ProjectError::from_error)?;
        }
        Ok(())
    }

    /// Returns the names of the files in records.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.files.iter().map(|open| &*open.file.name).collect()
    }

    /// Returns the files that are read: suites, JSONL files, their sidecars, and settings.
    pub(crate) fn read_files(&self) -> Vec<PathBuf> {
        let files = self.files.iter();
        let paths = files.flat_map(|open| {
            let mut around = files_around(&open.path, open.dataset.project());
            around.extend_from_slice(open.dataset.other_files());
            around
        });
        paths.collect()
    }

    /// Returns the settings of runs that the files give. Settings in which they differ are omitted, and
    /// named.
    pub(crate) fn run_settings(&self) -> (RunSettings, Vec<&'static str>) {
        let mut all = self.files.iter().map(|open| open.dataset.run_settings());
        let mut agreed = all.next().cloned().unwrap_or_default();
        let mut differing = Vec::new();
        for other in all {
            let names = agreed.retain_common(other);
            differing.extend(
                names
                    .into_iter()
                    .filter(|name| !differing.contains(name))
                    .collect::<Vec<_>>(),
            );
        }
        (agreed, differing)
    }

    /// Returns the project root of the first file, which holds the results of the run.
    pub(crate) fn root(&self) -> &Path {
        &self.files[0].file.root
    }

    /// Returns the files with their folders.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (&Arc<EvalFile>, &ProjectFolder)> {
        let files = self.files.iter();
        files.map(|open| (&open.file, open.dataset.project()))
    }

    /// Returns the files that define targets of their own, by their indices.
    pub(crate) fn suites(&self) -> HashMap<usize, OpenSuite<'_>> {
        let suites = self.files.iter().filter_map(|open| {
            let suite = OpenSuite::of(&open.dataset, &open.path)?;
            Some((open.file.index, suite))
        });
        suites.collect()
    }

    /// Returns the number of cases that are skipped because they have errors.
    pub(crate) fn skipped(&self) -> u64 {
        self.files.iter().map(|open| open.skipped).sum()
    }

    /// Returns the digests of the files with templates that rows fill, by their paths from the root.
    pub(crate) fn prompt_files(&self) -> BTreeMap<String, String> {
        let prompts = self.files.iter().filter_map(|open| {
            let path = open.dataset.prompt_file()?;
            let digest = digest_of_file(path).ok()?;
            let root = ProjectFolder {
                root: self.root().to_owned(),
                folder: self.root().to_owned(),
            };
            Some((root.display(path), digest))
        });
        prompts.collect()
    }

    /// Returns the files with skipped cases, and the number of those cases.
    pub(crate) fn skipped_by_file(&self) -> Vec<(String, u64)> {
        let files = self.files.iter();
        files
            .filter(|open| open.skipped > 0)
            .map(|open| (open.path.display().to_string(), open.skipped))
            .collect()
    }

    /// Returns the files as `run.json` lists them.
    pub(crate) fn ran(&self) -> Result<Vec<RanFile>, ProjectError> {
        let files = self.files.iter();
        files
            .map(|open| {
                let digest = digest_of_file(&open.path).map_err(|error| {
                    ProjectError::because(format!("cannot read `{}`: {error}", open.path.display()))
                })?;
                Ok(RanFile {
                    path: open.file.name.to_string(),
                    digest,
                    settings_digest: settings_digest(&open.path, &open.dataset),
                    cases: open.checked.cases,
                    skipped: open.skipped,
                    skipped_cases: open.skipped_cases.listed(open.skipped),
                })
            })
            .collect()
    }
}

/// Returns a digest of the files beside an eval file that decide what its cases mean: its sidecar, the
/// settings of the project, and other files with its cases.
fn settings_digest(path: &Path, dataset: &Dataset) -> Option<String> {
    let files = [sidecar_path(path), dataset.project().config_file()];
    let others = dataset.other_files().iter().cloned().map(Some);
    let digests = files.into_iter().chain(others).map(|file| {
        let digest = file.as_ref().and_then(|file| digest_of_file(file).ok());
        digest.unwrap_or_default()
    });
    let digests: Vec<String> = digests.collect();
    let has_any = digests.iter().any(|digest| !digest.is_empty());
    has_any.then(|| digest_of_text(&digests.join(" ")))
}

impl CaseSource for EvalFiles {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        for open in &self.files {
            for case in open
                .dataset
                .cases(&open.checked)
                .map_err(SourceError::load)?
            {
                if visit(&open.file, case.map_err(SourceError::load)?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Returns a file with its name in records: its path from the root of the run.
fn named(root: &Path, index: usize, path: &Path, dataset: &Dataset) -> EvalFile {
    let project = dataset.project();
    let run = ProjectFolder {
        root: root.to_owned(),
        folder: project.folder.clone(),
    };
    let name = path.file_name().unwrap_or_default();
    EvalFile {
        index,
        name: run.display(&project.folder.join(name)).into(),
        folder: project.folder.as_path().into(),
        root: project.root.as_path().into(),
    }
}

/// Files that are being opened. One that cannot be used does not hide the problems of the next.
struct Opening<'a> {
    request: &'a FilesRequest<'a>,
    notices: &'a mut dyn Notices,
    root: Option<PathBuf>,
    refused: bool,
    files: Vec<OpenFile>,
}

impl Opening<'_> {
    fn open(&mut self, path: &Path) {
        let dataset = match Dataset::open(path, self.request.load) {
            Ok(dataset) => dataset,
            Err(error) => {
                self.notice(*error.diagnostic);
                self.refused = true;
                return;
            }
        };
        let mut skipped_cases = SkippedCases::default();
        let checked = dataset.check(&mut |diagnostic| {
            let is_fatal = diagnostic.severity() == Severity::Fatal;
            skipped_cases.add(&diagnostic);
            self.notice(diagnostic);
            if is_fatal {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.refused |= checked.fatal;
        let Checked { cases, skipped, .. } = &checked;
        tracing::info!(path = %path.display(), cases, skipped, "eval file opened");
        let file = self.named(path, &dataset);
        self.files.push(OpenFile {
            file: Arc::new(file),
            dataset,
            skipped: checked.skipped,
            checked,
            skipped_cases,
            path: path.to_owned(),
        });
    }

    fn notice(&mut self, diagnostic: Diagnostic) {
        if self.request.strict {
            self.notices.problem(diagnostic);
        } else {
            self.notices.problem_or_skipped(diagnostic);
        }
    }

    /// Returns a file with its name in records: its path from the root of the run's first file.
    fn named(&mut self, path: &Path, dataset: &Dataset) -> EvalFile {
        let root = self.root.get_or_insert_with(|| dataset.root().to_owned());
        named(root, self.files.len(), path, dataset)
    }

    fn finish(self) -> Result<EvalFiles, ProjectError> {
        let skipped: u64 = self.files.iter().map(|open| open.checked.skipped).sum();
        let cases: u64 = self.files.iter().map(|open| open.checked.cases).sum();
        if self.refused {
            return Err(ProjectError::because(
                "nothing was run because of the errors above",
            ));
        }
        if self.request.strict && skipped > 0 {
            let invalid = counted(skipped, "invalid case");
            return Err(ProjectError::because(format!(
                "nothing was run: found {invalid}, which `--strict` refuses"
            )));
        }
        if self.files.is_empty() {
            let shown: Vec<_> = self
                .request
                .paths
                .iter()
                .map(|path| format!("`{}`", path.display()))
                .collect();
            let examined = examine(self.request.paths);
            return Err(ProjectError::because(format!(
                "nothing was run: no eval file found in {}{}",
                shown.join(", "),
                Examined::list(&examined)
            )));
        }
        if cases == 0 {
            return Err(ProjectError::with_hint(
                "nothing was run: no valid case found",
                Some("fix the cases reported above, or name other files".to_owned()),
            ));
        }
        Ok(EvalFiles { files: self.files })
    }
}
