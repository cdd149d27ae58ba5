//! A builder of evaluators for the eval files of a run.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{
    Effort, EvalCase, Evaluator, EvaluatorError, EvaluatorSpec, FileDigest, Judge, WorkspaceSpec,
};
use agentv_evaluators::{
    BuildContext, Builder, ReadTexts, ScriptPlaces, compares, effort, files_of, judges_of,
    needs_workspace, runs_commands, without_secrets,
};
use agentv_providers::Environment;
use agentv_runner::{EvalFile, Graders, digest_of_file};

use crate::fd_limit::FdLimit;

/// A builder of evaluators for the eval files of a run.
pub(crate) struct ProjectGraders {
    allow_outside_root: bool,
    allow_scripts: bool,
    /// Set in a dry run, which asks no judge.
    dry_run: bool,
    /// The limit of scripts at a time, for all projects together.
    scripts: ScriptPlaces,
    /// The variables of each eval file, by its index.
    environments: HashMap<usize, Environment>,
    /// The root of evaluators' paths, if it is not that of the eval file.
    root: Option<PathBuf>,
    /// The texts that replace files that do not exist.
    kept_texts: Arc<BTreeMap<String, String>>,
    read_texts: ReadTexts,
    builders: Mutex<HashMap<usize, Arc<Builder>>>,
    /// The digest of each path; `None` if it is not a regular file.
    digests: Mutex<HashMap<PathBuf, Option<String>>>,
}

/// The most paths whose digests are remembered.
const MOST_DIGESTS: usize = 100_000;

impl ProjectGraders {
    pub(crate) fn new(allow_outside_root: bool, dry_run: bool) -> ProjectGraders {
        ProjectGraders {
            allow_outside_root,
            allow_scripts: true,
            dry_run,
            scripts: FdLimit::of_this_process().script_places(),
            environments: HashMap::new(),
            root: None,
            kept_texts: Arc::default(),
            read_texts: ReadTexts::default(),
            builders: Mutex::default(),
            digests: Mutex::default(),
        }
    }

    /// Sets the variables that scripts of each eval file get.
    pub(crate) fn with_environments(self, environments: HashMap<usize, Environment>) -> Self {
        ProjectGraders {
            environments,
            // Builders that exist do not have the variables.
            builders: Mutex::default(),
            ..self
        }
    }

    /// Forbids evaluators that run a command.
    pub(crate) fn without_scripts(self, no_scripts: bool) -> ProjectGraders {
        ProjectGraders {
            allow_scripts: !no_scripts,
            ..self
        }
    }

    /// Sets the root of evaluators' paths, for evaluators of another project.
    pub(crate) fn at_root(self, root: Option<PathBuf>) -> ProjectGraders {
        ProjectGraders { root, ..self }
    }

    /// Sets texts that replace files that do not exist.
    pub(crate) fn with_kept_texts(self, texts: BTreeMap<String, String>) -> ProjectGraders {
        ProjectGraders {
            kept_texts: Arc::new(texts),
            ..self
        }
    }

    /// Returns the texts that evaluators read, now and later.
    pub(crate) fn read_texts(&self) -> ReadTexts {
        self.read_texts.clone()
    }

    /// Returns the files that the evaluators of a case read.
    pub(crate) fn read_paths(&self, file: &EvalFile, case: &EvalCase) -> Vec<PathBuf> {
        let specs = case.evaluators.iter();
        specs
            .flat_map(|spec| files_of(spec, self.root(file)))
            .collect()
    }

    fn root<'a>(&'a self, file: &'a EvalFile) -> &'a Path {
        self.root.as_deref().unwrap_or(&file.root)
    }

    fn builder(&self, file: &EvalFile) -> Arc<Builder> {
        let mut builders = self.builders.lock().unwrap_or_else(PoisonError::into_inner);
        let builder = builders.entry(file.index).or_insert_with(|| {
            let mut context = BuildContext::new(self.root(file));
            context.allow_outside_root = self.allow_outside_root;
            context.allow_scripts = self.allow_scripts;
            context.scripts = self.scripts.clone();
            context.kept_texts = Arc::clone(&self.kept_texts);
            context.read_texts = self.read_texts.clone();
            let added = self.environments.get(&file.index).map(Environment::added);
            let added = added.into_iter().flatten();
            context.environment = added.map(|(k, v)| (k.into(), v.into())).collect();
            Arc::new(Builder::new(context))
        });
        Arc::clone(builder)
    }

    /// Returns the digest of a file, which is computed once per run. Returns the path if the file cannot be read,
    /// and `None` if there is no such file.
    fn digest(&self, path: PathBuf) -> Option<String> {
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = digests.get(&path) {
            return known.clone();
        }
        let digest = path
            .is_file()
            .then(|| digest_of_file(&path).unwrap_or_else(|_| path.to_string_lossy().into_owned()));
        if digests.len() < MOST_DIGESTS {
            digests.insert(path, digest.clone());
        }
        digest
    }
}

impl Graders for ProjectGraders {
    fn build(
        &self,
        file: &EvalFile,
        spec: &EvaluatorSpec,
    ) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
        let built = self.builder(file).build(spec);
        // The caller puts the name of the evaluator in front.
        built.map_err(|error| EvaluatorError::new(error.source))
    }

    fn skips(&self, spec: &EvaluatorSpec) -> bool {
        self.dry_run && self.effort(spec) == Effort::Judge
    }

    fn effort(&self, spec: &EvaluatorSpec) -> Effort {
        effort(spec)
    }

    fn without_secrets(&self, own: &EvaluatorSpec, redacted: &EvaluatorSpec) -> EvaluatorSpec {
        without_secrets(own, redacted)
    }

    fn needs_workspace(&self, spec: &EvaluatorSpec) -> bool {
        needs_workspace(spec)
    }

    fn compares(&self, spec: &EvaluatorSpec) -> Option<Vec<String>> {
        compares(spec)
    }

    fn judges_of(&self, spec: &EvaluatorSpec) -> Result<Vec<Judge>, EvaluatorError> {
        judges_of(spec).map_err(EvaluatorError::new)
    }

    fn check(&self, file: &EvalFile, case: &EvalCase) -> Result<(), EvaluatorError> {
        if !self.allow_scripts
            && let Some(field) = case.workspace.as_deref().and_then(command_field)
        {
            return Err(EvaluatorError::new(format!(
                "`{field}` would run a command, which `--no-scripts` forbids"
            )));
        }
        // Evaluators without files were checked with their eval file.
        let is_open = |spec: &&EvaluatorSpec| {
            let is_forbidden = !self.allow_scripts && runs_commands(spec);
            is_forbidden || !files_of(spec, self.root(file)).is_empty()
        };
        let mut specs = case.evaluators.iter().filter(is_open);
        specs.try_for_each(|spec| match self.builder(file).build(spec) {
            Ok(_) => Ok(()),
            Err(error) => Err(EvaluatorError::new(error)),
        })
    }

    fn files(&self, file: &EvalFile, case: &EvalCase) -> Vec<FileDigest> {
        let paths = self.read_paths(file, case).into_iter();
        let digests = paths.filter_map(|path| {
            let digest = self.digest(path.clone())?;
            let path = path.into();
            Some(FileDigest { path, digest })
        });
        digests.collect()
    }
}

/// Returns the field of a workspace that runs commands, if one does.
fn command_field(workspace: &WorkspaceSpec) -> Option<&'static str> {
    match (workspace.setup.is_empty(), workspace.teardown.is_empty()) {
        (false, _) => Some("workspace.setup"),
        (true, false) => Some("workspace.teardown"),
        (true, true) => None,
    }
}
