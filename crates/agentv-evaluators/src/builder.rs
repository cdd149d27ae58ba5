//! From what the user asked for to an evaluator that judges.

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

use crate::cache::Cache;
use crate::error::BuildError;
use crate::facts::known;
use crate::judge::Template;
use crate::options::Options;
use crate::read_texts::ReadTexts;
use crate::script::ScriptPlaces;

/// What evaluators need of the world to be built.
#[derive(Clone)]
#[non_exhaustive]
pub struct BuildContext {
    /// The project root, where the paths of resolved cases start.
    pub root: PathBuf,
    /// Whether files that lie outside the root may be read.
    pub allow_outside_root: bool,
    /// Whether evaluators may run commands.
    pub allow_scripts: bool,
    /// Variables that scripts get beyond those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// What runs scripts: this program as their supervisor, unless set.
    pub runner: Runner,
    /// How many scripts run at a time; shared by contexts that are given the same places.
    pub scripts: ScriptPlaces,
    /// What is read in place of files that are not there, by their paths from the root.
    pub kept_texts: Arc<BTreeMap<String, String>>,
    /// Remembers the files that were read; shared by contexts that are given the same.
    pub read_texts: ReadTexts,
}

/// Shows the names of variables, and no values.
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
    /// The context of the project at `root`, whose evaluators read files inside it only.
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

/// An evaluator ready to judge; everything in its options is checked here.
///
/// Who builds many uses a [`Builder`], which compiles what repeats once.
///
/// # Errors
/// When the type is unknown, or when an option cannot be used.
pub fn build(
    spec: &EvaluatorSpec,
    context: &BuildContext,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    Builder::new(context.clone()).build(spec)
}

/// Builds the evaluators of many cases. Regular expressions and schemas that repeat are compiled
/// once; how many are kept is bounded, so a file of a million different ones does not grow memory.
#[derive(Debug)]
pub struct Builder {
    context: BuildContext,
    // Shared and not copied: a copy begins again with what it learns while it matches.
    pub(crate) expressions: Shared<Arc<Regex>>,
    pub(crate) expressions_ignoring_case: Shared<Arc<Regex>>,
    pub(crate) schemas: Shared<Arc<Validator>>,
    pub(crate) templates: Shared<Arc<Template>>,
}

/// Regular expressions kept, times two.
const KEPT_EXPRESSIONS: usize = 128;
/// Schemas kept, times two.
const KEPT_SCHEMAS: usize = 32;
/// Prompts of judges kept, times two.
const KEPT_TEMPLATES: usize = 32;

impl Builder {
    /// A builder that has compiled nothing yet.
    pub fn new(context: BuildContext) -> Builder {
        Builder {
            context,
            expressions: Shared::new(KEPT_EXPRESSIONS),
            expressions_ignoring_case: Shared::new(KEPT_EXPRESSIONS),
            schemas: Shared::new(KEPT_SCHEMAS),
            templates: Shared::new(KEPT_TEMPLATES),
        }
    }

    /// An evaluator ready to judge; everything in its options is checked here.
    ///
    /// # Errors
    /// When the type is unknown, or when an option cannot be used.
    pub fn build(&self, spec: &EvaluatorSpec) -> Result<Arc<dyn Evaluator>, BuildError> {
        (known(spec)?.build)(&Options::of(spec), self)
    }

    pub(crate) fn context(&self) -> &BuildContext {
        &self.context
    }
}

/// A cache that many threads use.
#[derive(Debug)]
pub(crate) struct Shared<T>(Mutex<Cache<T>>);

impl<T: Clone> Shared<T> {
    fn new(most: usize) -> Shared<T> {
        Shared(Mutex::new(Cache::new(most)))
    }

    /// What was made from `value`, made now if it is not here.
    ///
    /// Nobody waits while another makes something: at worst two make the same.
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
