//! The members of a composite evaluator: their names, weights and results.

use std::sync::Arc;

use agentv_core::{
    Effort, Evaluation, Evaluator, EvaluatorResult, EvaluatorSpec, PassThreshold, Verdict,
};

use crate::builder::Builder;
use crate::error::BuildError;
use crate::facts::effort;
use crate::options::Options;

/// An evaluator within a composite.
pub(super) struct Member {
    spec: EvaluatorSpec,
    pub(super) evaluator: Arc<dyn Evaluator>,
}

impl Member {
    /// Builds the member that `options` describe.
    pub(super) fn build(
        options: &Options<'_>,
        name: String,
        builder: &Builder,
    ) -> Result<Member, BuildError> {
        let mut spec = EvaluatorSpec {
            name,
            kind: options.required_text("type")?.to_owned(),
            weight: options.amount("weight")?.unwrap_or(1.0),
            required: options.flag("required", false)?,
            options: options.values().clone(),
        };
        for common in ["type", "name", "weight", "required"] {
            spec.options.shift_remove(common);
        }
        let evaluator = builder.build(&spec)?;
        Ok(Member { spec, evaluator })
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    pub(super) fn weight(&self) -> f64 {
        self.spec.weight
    }

    /// Returns true if the composite fails because of this member, whatever the others score.
    pub(super) fn fails_all(&self, evaluation: &Evaluation, threshold: PassThreshold) -> bool {
        let has_passed = evaluation.verdict_at(threshold) == Verdict::Pass;
        evaluation.lacks_required || self.spec.required && !has_passed
    }

    /// Returns the effort of this member.
    pub(super) fn effort(&self) -> Effort {
        effort(&self.spec)
    }

    /// Returns the result of a member that was not asked.
    pub(super) fn skipped(&self, weight: f64, reason: String) -> EvaluatorResult {
        EvaluatorResult {
            weight,
            ..EvaluatorResult::skipped(&self.spec, reason)
        }
    }

    /// Returns the result of this member.
    pub(super) fn result(
        &self,
        evaluation: Evaluation,
        weight: f64,
        threshold: PassThreshold,
    ) -> EvaluatorResult {
        EvaluatorResult {
            weight,
            ..EvaluatorResult::said(&self.spec, evaluation, threshold)
        }
    }
}

/// Returns the names of members, given the name (if any) and the type of each. The default is the
/// type. A name that is taken gets `-2`, `-3`, ….
pub(super) fn names(members: &[(Option<String>, String)]) -> Vec<String> {
    let given = members.iter().filter_map(|(name, _)| name.clone());
    let mut taken: Vec<String> = given.collect();
    let mut used: Vec<String> = Vec::new();
    let mut name = |(name, kind): &(Option<String>, String)| {
        if let Some(name) = name.as_ref().filter(|name| !used.contains(name)) {
            used.push(name.clone());
            return name.clone();
        }
        let base = name.as_ref().unwrap_or(kind);
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let mut free = std::iter::once(base.clone()).chain(numbered);
        let free = free.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.push(free.clone());
        free
    };
    members.iter().map(&mut name).collect()
}
