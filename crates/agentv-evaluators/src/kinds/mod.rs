//! One file or folder for each kind of evaluator, and the list of them.

use std::collections::HashMap;
use std::sync::LazyLock;

use agentv_syntax::Kind;

use crate::kind::EvaluatorKind;

/// Declares the module of each kind and lists its `KIND`.
macro_rules! kinds {
    ($($kind:ident,)*) => {
        $(mod $kind;)*

        /// Every kind of evaluator, in the order of the reference page.
        pub(crate) const EVALUATORS: &[&EvaluatorKind] = &[$(&$kind::KIND,)*];
    };
}

// To add an evaluator, write its file in this folder and add its name here. `CONTRIBUTING.md` has
// the other steps.
kinds! {
    llm_judge,
    rubric,
    select_best,
    code_judge,
    composite,
    tool_trajectory,
    field_accuracy,
    latency,
    cost,
    token_usage,
    execution_metrics,
    file_changes,
    workspace_command,
    contains,
    contains_any,
    contains_all,
    equals,
    starts_with,
    ends_with,
    regex,
    is_json,
    contains_json,
    json_schema,
    similarity,
    word_count,
    last_number,
    skill_used,
    javascript,
    python,
}

/// Every kind of evaluator as the registry has it.
pub const ALL: &[&Kind] = &{
    let mut kinds = [&EVALUATORS[0].kind; EVALUATORS.len()];
    let mut at = 0;
    while at < kinds.len() {
        kinds[at] = &EVALUATORS[at].kind;
        at += 1;
    }
    kinds
};

/// Returns the example of an evaluator: a list of evaluators of that type, as YAML.
pub fn example(kind: &str) -> Option<&'static str> {
    named(kind).map(|evaluator| evaluator.example)
}

/// Returns the kind with this name or alias.
pub(crate) fn named(name: &str) -> Option<&'static EvaluatorKind> {
    static BY_NAME: LazyLock<HashMap<&str, &EvaluatorKind>> = LazyLock::new(|| {
        // The first kind with a name counts.
        let names = EVALUATORS.iter().rev().flat_map(|evaluator| {
            let names = [evaluator.kind.name].into_iter();
            let names = names.chain(evaluator.kind.aliases.iter().copied());
            names.map(|name| (name, *evaluator))
        });
        names.collect()
    });
    BY_NAME.get(name).copied()
}
