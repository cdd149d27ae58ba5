//! An entry of the list of evaluators, and the facts that it states about its kind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{Effort, Evaluator, Judge};
use agentv_syntax::{Kind, Node, Problem};

use crate::builder::Builder;
use crate::error::BuildError;
use crate::options::Options;

/// One kind of evaluator: its name and options, its facts, and the function that builds it.
pub(crate) struct EvaluatorKind {
    /// The entry of the registry: name, documentation and options.
    pub(crate) kind: Kind,
    /// A list of evaluators, as YAML, that together set every option of the kind. The reference page
    /// shows it, and tests check it.
    pub(crate) example: &'static str,
    /// Everything that the rest of the program needs to know about evaluators of this kind.
    pub(crate) facts: Facts,
    /// Builds an evaluator from its options.
    pub(crate) build: Build,
}

/// Builds an evaluator from its options, and refuses those that cannot be used.
pub(crate) type Build = fn(&Options<'_>, &Builder) -> Result<Arc<dyn Evaluator>, BuildError>;

/// Facts about the evaluators of one kind, as functions of their options. A kind with members answers
/// for its members too.
pub(crate) struct Facts {
    /// The effort that judging takes.
    pub(crate) effort: fn(&Options<'_>) -> Effort,
    /// The judges that are asked.
    pub(crate) judges: fn(&Options<'_>) -> Result<Vec<Judge>, BuildError>,
    /// True if commands are run, which `--no-scripts` forbids.
    pub(crate) runs_commands: fn(&Options<'_>) -> bool,
    /// The files that are read or run, given the root of the project. Their content is part of the
    /// identity of a grade.
    pub(crate) files: fn(&Options<'_>, &Path) -> Vec<PathBuf>,
    /// True if the evaluator works in the workspace of a trial that has one.
    pub(crate) needs_workspace: fn(&Options<'_>) -> bool,
    /// The ids of the other cases whose answers are compared with the answer; `None` if nothing is compared, not
    /// even the answers of other targets.
    pub(crate) compares: fn(&Options<'_>) -> Option<Vec<String>>,
    /// The option that lists evaluators as members, if the kind has such an option.
    pub(crate) members: Option<&'static str>,
    /// True if the evaluator reads `negate` itself, to say more about a negated check.
    pub(crate) negates: bool,
    /// A problem of options that are each valid, but not together.
    pub(crate) problem: fn(Node<'_>) -> Option<Problem>,
}

impl Facts {
    /// Facts about an evaluator that needs nothing but the answer.
    pub(crate) const CHECK: Facts = Facts {
        effort: |_| Effort::Check,
        judges: |_| Ok(Vec::new()),
        runs_commands: |_| false,
        files: |_, _| Vec::new(),
        needs_workspace: |_| false,
        compares: |_| None,
        members: None,
        negates: false,
        problem: |_| None,
    };
}
