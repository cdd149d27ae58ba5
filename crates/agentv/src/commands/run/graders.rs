//! The evaluators of a run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{Effort, EvalCase, Evaluator, EvaluatorSpec, Judge};
use agentv_evaluators::{BuildContext, Builder, effort, judges_of};
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
        self.dry_run && self.effort(spec) == Effort::Judge
    }

    fn effort(&self, spec: &EvaluatorSpec) -> Effort {
        effort(spec)
    }

    fn judges_of(&self, spec: &EvaluatorSpec) -> Result<Vec<Judge>, String> {
        judges_of(spec).map_err(|error| error.to_string())
    }

    fn files(&self, file: &EvalFile, case: &EvalCase) -> Vec<String> {
        let options = || {
            case.evaluators
                .iter()
                .flat_map(|spec| spec.options.values())
        };
        // Resolved cases name files of the project by their path from the root.
        let paths = options()
            .filter_map(Value::as_str)
            .filter(|text| !text.contains('\n'))
            .filter_map(|text| text.strip_prefix('/'));
        let files = paths.map(|path| file.root.join(path));
        let scripts = options().flat_map(|option| script_files(option, &file.root));
        let files = files.chain(scripts);
        files
            .filter(|path| path.is_file())
            .map(|path| self.digest(path))
            .collect()
    }
}

/// What may be files among the words of a script, which are relative to its folder.
fn script_files(option: &Value, root: &Path) -> Vec<PathBuf> {
    let words = option.get("script").and_then(Value::as_array);
    let Some(words) = words else {
        return Vec::new();
    };
    let folder = option.get("cwd").and_then(Value::as_str);
    let folder = root.join(folder.unwrap_or_default().trim_start_matches('/'));
    let words = words.iter().filter_map(Value::as_str);
    words.map(|word| folder.join(word)).collect()
}
