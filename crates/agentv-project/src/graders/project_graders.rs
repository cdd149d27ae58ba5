//! The evaluators of a run.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{Effort, EvalCase, Evaluator, EvaluatorError, EvaluatorSpec, FileDigest, Judge};
use agentv_evaluators::{
    BuildContext, Builder, ReadTexts, ScriptPlaces, effort, files_of, judges_of, runs_commands,
};
use agentv_providers::Environment;
use agentv_runner::{EvalFile, Graders, digest_of_file};

use crate::fd_limit::FdLimit;

/// Builds evaluators for the projects of a run.
pub(crate) struct ProjectGraders {
    allow_outside_root: bool,
    allow_scripts: bool,
    /// In a rehearsal no judge is asked.
    dry_run: bool,
    /// Shared by the scripts of all projects.
    scripts: ScriptPlaces,
    /// The variables of each eval file, by its index.
    environments: HashMap<usize, Environment>,
    /// Where the paths of evaluators start, where that is not the root of the eval file.
    root: Option<PathBuf>,
    /// What is read in place of files that are not there.
    kept_texts: Arc<BTreeMap<String, String>>,
    read_texts: ReadTexts,
    builders: Mutex<HashMap<usize, Arc<Builder>>>,
    /// `None` of what is no file.
    digests: Mutex<HashMap<PathBuf, Option<String>>>,
}

/// The paths whose digests are remembered, at most.
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

    /// The same where scripts get the variables of the project around their eval file.
    pub(crate) fn with_environments(self, environments: HashMap<usize, Environment>) -> Self {
        ProjectGraders {
            environments,
            // What was built so far has none of them.
            builders: Mutex::default(),
            ..self
        }
    }

    /// The same where no evaluator may run a command, if so.
    pub(crate) fn without_scripts(self, no_scripts: bool) -> ProjectGraders {
        ProjectGraders {
            allow_scripts: !no_scripts,
            ..self
        }
    }

    /// The same, for evaluators of a file in another project.
    pub(crate) fn at_root(self, root: Option<PathBuf>) -> ProjectGraders {
        ProjectGraders { root, ..self }
    }

    /// The same, with texts to read in place of files that are not there.
    pub(crate) fn with_kept_texts(self, texts: BTreeMap<String, String>) -> ProjectGraders {
        ProjectGraders {
            kept_texts: Arc::new(texts),
            ..self
        }
    }

    /// What evaluators have read so far, and are going to.
    pub(crate) fn read_texts(&self) -> ReadTexts {
        self.read_texts.clone()
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

    /// The digest of a file, computed once a run; of one that cannot be read, its path.
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
        built.map_err(|error| {
            let text = error.to_string();
            // The name stands before every error of an evaluator.
            let named = format!("evaluator `{}`: ", spec.name);
            EvaluatorError(text.strip_prefix(&named).unwrap_or(&text).to_owned())
        })
    }

    fn leaves_out(&self, spec: &EvaluatorSpec) -> bool {
        self.dry_run && self.effort(spec) == Effort::Judge
    }

    fn effort(&self, spec: &EvaluatorSpec) -> Effort {
        effort(spec)
    }

    fn judges_of(&self, spec: &EvaluatorSpec) -> Result<Vec<Judge>, EvaluatorError> {
        judges_of(spec).map_err(|error| EvaluatorError(error.to_string()))
    }

    fn check(&self, file: &EvalFile, case: &EvalCase) -> Result<(), EvaluatorError> {
        // What stands in the eval file itself was checked when it was read.
        let is_open = |spec: &&EvaluatorSpec| {
            let is_forbidden = !self.allow_scripts && runs_commands(spec);
            is_forbidden || !files_of(spec, self.root(file)).is_empty()
        };
        let mut specs = case.evaluators.iter().filter(is_open);
        specs.try_for_each(|spec| match self.builder(file).build(spec) {
            Ok(_) => Ok(()),
            Err(error) => Err(EvaluatorError(error.to_string())),
        })
    }

    fn files(&self, file: &EvalFile, case: &EvalCase) -> Vec<FileDigest> {
        let specs = case.evaluators.iter();
        let paths = specs.flat_map(|spec| files_of(spec, self.root(file)));
        let digests = paths.filter_map(|path| {
            let digest = self.digest(path.clone())?;
            let path = path.into();
            Some(FileDigest { path, digest })
        });
        digests.collect()
    }
}
