//! The evaluators of a run.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{EvalCase, Evaluator, EvaluatorSpec};
use agentv_evaluators::{BuildContext, Builder, asks_judge};
use agentv_runner::{EvalFile, Graders, digest_of_file};
use serde_json::Value;

/// Builds evaluators for the projects of a run.
pub(crate) struct ProjectGraders {
    allow_outside_root: bool,
    /// In a rehearsal no judge is asked.
    dry_run: bool,
    builders: Mutex<HashMap<usize, Arc<Builder>>>,
    digests: Mutex<HashMap<PathBuf, String>>,
}

impl ProjectGraders {
    pub(crate) fn new(allow_outside_root: bool, dry_run: bool) -> ProjectGraders {
        ProjectGraders {
            allow_outside_root,
            dry_run,
            builders: Mutex::default(),
            digests: Mutex::default(),
        }
    }

    fn builder(&self, file: &EvalFile) -> Arc<Builder> {
        let mut builders = self.builders.lock().unwrap_or_else(PoisonError::into_inner);
        let builder = builders.entry(file.index).or_insert_with(|| {
            let mut context = BuildContext::new(&*file.root);
            context.allow_outside_root = self.allow_outside_root;
            Arc::new(Builder::new(context))
        });
        Arc::clone(builder)
    }

    /// The digest of a file, computed once a run; of one that cannot be read, its path.
    fn digest(&self, path: PathBuf) -> String {
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = digests.entry(path).or_insert_with_key(|path| {
            digest_of_file(path).unwrap_or_else(|_| path.to_string_lossy().into_owned())
        });
        digest.clone()
    }
}

impl Graders for ProjectGraders {
    fn build(&self, file: &EvalFile, spec: &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, String> {
        let built = self.builder(file).build(spec);
        built.map_err(|error| {
            let text = error.to_string();
            // The name stands before every error of an evaluator.
            let named = format!("evaluator `{}`: ", spec.name);
            text.strip_prefix(&named).unwrap_or(&text).to_owned()
        })
    }

    fn leaves_out(&self, spec: &EvaluatorSpec) -> bool {
        self.dry_run && asks_judge(spec)
    }

    fn files(&self, file: &EvalFile, case: &EvalCase) -> Vec<String> {
        let specs = case.evaluators.iter();
        // Resolved cases name files of the project by their path from the root.
        let paths = specs
            .flat_map(|spec| spec.options.values())
            .filter_map(Value::as_str);
        let paths = paths.filter_map(|text| text.strip_prefix('/'));
        let files = paths
            .filter(|path| !path.contains('\n'))
            .map(|path| file.root.join(path));
        files
            .filter(|path| path.is_file())
            .map(|path| self.digest(path))
            .collect()
    }
}
