//! Building evaluators from the specs that users write.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ::regex::Regex;
use agentv_core::{Evaluator, EvaluatorSpec};
use agentv_process::Runner;
use jsonschema::Validator;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::adjusted::adjusted;
use crate::cache::Cache;
use crate::error::BuildError;
use crate::facts::known;
use crate::judge::Template;
use crate::of_turn::of_turn;
use crate::options::Options;
use crate::read_texts::ReadTexts;
use crate::script::ScriptPlaces;

/// The surroundings that evaluators are built in.
#[derive(Clone)]
#[non_exhaustive]
pub struct BuildContext {
    /// The project root. The paths in resolved cases are relative to it.
    pub root: PathBuf,
    /// Allows reading files outside the root.
    pub allow_outside_root: bool,
    /// Allows evaluators to run commands.
    pub allow_scripts: bool,
    /// Environment variables of scripts, in addition to those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// The runner of scripts (default: supervised by this program).
    pub runner: Runner,
    /// Limits how many scripts run at a time. Contexts with clones of the same places share the
    /// limit.
    pub scripts: ScriptPlaces,
    /// Texts that replace missing files, by path from the root.
    pub kept_texts: Arc<BTreeMap<String, String>>,
    /// Remembers the files that were read. Contexts with clones of the same value share it.
    pub read_texts: ReadTexts,
}

/// Shows the names of variables, but not their values.
impl fmt::Debug for BuildContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("BuildContext")
            .field("root", &self.root)
            .field("allow_outside_root", &self.allow_outside_root)
            .field("environment", &names)
            .finish_non_exhaustive()
    }
}

impl BuildContext {
    /// Returns the context of the project at `root`. Its evaluators read only files inside the
    /// project.
    pub fn new(root: impl Into<PathBuf>) -> BuildContext {
        BuildContext {
            root: root.into(),
            allow_outside_root: false,
            allow_scripts: true,
            environment: Vec::new(),
            runner: Runner::of_this_program(),
            scripts: ScriptPlaces::default(),
            kept_texts: Arc::default(),
            read_texts: ReadTexts::default(),
        }
    }
}

/// Builds an evaluator and checks all of its options.
///
/// To build many, use a [`Builder`], which compiles repeated expressions and schemas once.
///
/// # Errors
/// Fails if the type is unknown or an option cannot be used.
pub fn build(
    spec: &EvaluatorSpec,
    context: &BuildContext,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    Builder::new(context.clone()).build(spec)
}

/// A builder for the evaluators of many cases. It compiles repeated regular expressions and schemas
/// once. It keeps a bounded number of them, so a file with a million different ones does not
/// exhaust memory.
#[derive(Debug)]
pub struct Builder {
    context: BuildContext,
    // Shared, because a copy would lose the state that an expression builds up while it matches.
    pub(crate) expressions: Shared<Arc<Regex>>,
    pub(crate) expressions_ignoring_case: Shared<Arc<Regex>>,
    pub(crate) schemas: Shared<Arc<Validator>>,
    pub(crate) templates: Shared<Arc<Template>>,
    /// The judges' verdicts on pairs of answers.
    pub(crate) preferences: Arc<Shared<Arc<OnceCell<f64>>>>,
}

/// Half the number of regular expressions to keep.
const KEPT_EXPRESSIONS: usize = 128;
/// Half the number of schemas to keep.
const KEPT_SCHEMAS: usize = 32;
/// Half the number of judge prompts to keep.
const KEPT_TEMPLATES: usize = 32;
/// Half the number of verdicts on pairs of answers to keep.
const KEPT_PREFERENCES: usize = 4096;

impl Builder {
    /// Returns a builder with an empty cache.
    pub fn new(context: BuildContext) -> Builder {
        Builder {
            context,
            expressions: Shared::new(KEPT_EXPRESSIONS),
            expressions_ignoring_case: Shared::new(KEPT_EXPRESSIONS),
            schemas: Shared::new(KEPT_SCHEMAS),
            templates: Shared::new(KEPT_TEMPLATES),
            preferences: Arc::new(Shared::new(KEPT_PREFERENCES)),
        }
    }

    /// Builds an evaluator and checks all of its options.
    ///
    /// # Errors
    /// Fails if the type is unknown or an option cannot be used.
    pub fn build(&self, spec: &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, BuildError> {
        let kind = known(spec)?;
        let options = Options::of(spec);
        let evaluator = (kind.build)(&options, self)?;
        let evaluator = of_turn(evaluator, &options)?;
        adjusted(evaluator, &options, kind.facts.negates)
    }

    pub(crate) fn context(&self) -> &BuildContext {
        &self.context
    }
}

/// A cache that threads share.
#[derive(Debug)]
pub(crate) struct Shared<T>(Mutex<Cache<T>>);

impl<T: Clone> Shared<T> {
    fn new(most: usize) -> Shared<T> {
        Shared(Mutex::new(Cache::new(most)))
    }

    /// Returns the cached result for `value`, or caches `new`. All threads get the same.
    pub(crate) fn get_or_put(&self, value: &Value, new: T) -> T {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.get(value) {
            return known;
        }
        cache.put(value.clone(), new.clone());
        new
    }

    /// Returns the cached result for `value`, or makes and caches it.
    ///
    /// Threads do not wait for each other: at worst, two make the same result.
    pub(crate) fn get_or_make<E>(
        &self,
        value: &Value,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let cache = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = cache().get(value) {
            return Ok(made);
        }
        let made = make()?;
        cache().put(value.clone(), made.clone());
        Ok(made)
    }
}
