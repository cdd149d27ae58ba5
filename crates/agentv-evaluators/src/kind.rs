//! An entry of the list of evaluators.

use std::sync::Arc;

use agentv_core::{Evaluator, Judge};
use agentv_syntax::{Kind, Node, Problem};

use crate::builder::Builder;
use crate::error::BuildError;
use crate::options::Options;

/// Makes an evaluator of one kind from its options.
pub(crate) type Build = fn(&Options<'_>, &Builder) -> Result<Arc<dyn Evaluator>, BuildError>;

/// The judges that an evaluator of one kind asks.
pub(crate) type AskedJudges = fn(&Options<'_>) -> Result<Vec<Judge>, BuildError>;

/// One kind of evaluator: what may be written in it, and how it is built.
pub(crate) struct EvaluatorKind {
    pub(crate) kind: &'static Kind,
    pub(crate) build: Build,
    /// What is wrong with options that are right each by itself.
    pub(crate) check: Option<fn(Node<'_>) -> Option<Problem>>,
    /// Whom it asks, where it asks anybody.
    pub(crate) judges: Option<AskedJudges>,
}

impl EvaluatorKind {
    pub(crate) const fn new(kind: &'static Kind, build: Build) -> EvaluatorKind {
        EvaluatorKind {
            kind,
            build,
            check: None,
            judges: None,
        }
    }

    /// The same with a check of the options together.
    pub(crate) const fn checked(self, check: fn(Node<'_>) -> Option<Problem>) -> EvaluatorKind {
        EvaluatorKind {
            check: Some(check),
            ..self
        }
    }

    /// The same for a kind that asks judges.
    pub(crate) const fn asking(self, judges: AskedJudges) -> EvaluatorKind {
        EvaluatorKind {
            judges: Some(judges),
            ..self
        }
    }
}
