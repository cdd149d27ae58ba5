//! Facts about an evaluator that its users need before it is built.

use std::path::{Path, PathBuf};

use agentv_core::{Effort, EvaluatorSpec, Extra, Judge};
use serde_json::Value;

use crate::error::BuildError;
use crate::kind::EvaluatorKind;
use crate::kinds;
use crate::options::Options;

/// Returns the effort of an evaluator, including that of its members. An unknown type counts as a
/// check.
///
/// ```
/// use agentv_core::{Effort, EvaluatorSpec};
/// use agentv_evaluators::effort;
///
/// assert_eq!(effort(&EvaluatorSpec::of_kind("llm_judge")), Effort::Judge);
/// assert_eq!(effort(&EvaluatorSpec::of_kind("code_judge")), Effort::Script);
/// assert_eq!(effort(&EvaluatorSpec::of_kind("is_json")), Effort::Check);
/// let members = r#"{"name": "all", "type": "composite", "evaluators": [{"type": "rubric"}]}"#;
/// assert_eq!(effort(&serde_json::from_str(members).unwrap()), Effort::Judge);
/// ```
pub fn effort(spec: &EvaluatorSpec) -> Effort {
    kinds::named(&spec.kind).map_or(Effort::Check, |kind| {
        (kind.facts.effort)(&Options::of(spec))
    })
}

/// Returns the judges that an evaluator asks.
///
/// # Errors
/// Fails if the type is unknown or an option cannot be used.
pub fn judges_of(spec: &EvaluatorSpec) -> Result<Vec<Judge>, BuildError> {
    (known(spec)?.facts.judges)(&Options::of(spec))
}

/// Returns true if an evaluator or one of its members runs commands.
pub fn runs_commands(spec: &EvaluatorSpec) -> bool {
    kinds::named(&spec.kind).is_some_and(|kind| (kind.facts.runs_commands)(&Options::of(spec)))
}

/// Returns true if an evaluator or one of its members works in the workspace of a trial that has one. It
/// cannot grade an answer whose workspace is gone.
pub fn needs_workspace(spec: &EvaluatorSpec) -> bool {
    kinds::named(&spec.kind).is_some_and(|kind| (kind.facts.needs_workspace)(&Options::of(spec)))
}

/// Returns the ids of the other cases whose answers an evaluator or one of its members compares with the answer;
/// `None` if it compares nothing, not even the answers of other targets.
///
/// ```
/// use agentv_core::EvaluatorSpec;
/// use agentv_evaluators::compares;
///
/// assert_eq!(compares(&EvaluatorSpec::of_kind("equals")), None);
/// assert_eq!(compares(&EvaluatorSpec::of_kind("select_best")), Some(Vec::new()));
/// ```
pub fn compares(spec: &EvaluatorSpec) -> Option<Vec<String>> {
    (kinds::named(&spec.kind)?.facts.compares)(&Options::of(spec))
}

/// Returns an evaluator with the options that hold no secrets, as the record of a case stores them. An
/// evaluator that runs a program or asks a judge keeps its own options, which may need a key; its members are
/// treated one by one.
pub fn without_secrets(own: &EvaluatorSpec, redacted: &EvaluatorSpec) -> EvaluatorSpec {
    EvaluatorSpec {
        options: options_without_secrets(&own.kind, &own.options, &redacted.options),
        ..own.clone()
    }
}

fn options_without_secrets(kind: &str, own: &Extra, redacted: &Extra) -> Extra {
    let Some(kind) = kinds::named(kind) else {
        return redacted.clone();
    };
    if (kind.facts.effort)(&Options::of_values(own)) == Effort::Check {
        return redacted.clone();
    }
    let mut options = own.clone();
    let members = kind.facts.members.and_then(|name| options.get_mut(name));
    let stored = kind.facts.members.and_then(|name| redacted.get(name));
    let members = members.and_then(Value::as_array_mut).into_iter().flatten();
    let stored = stored.and_then(Value::as_array).into_iter().flatten();
    for (member, stored) in members.zip(stored) {
        if let (Value::Object(own), Value::Object(stored)) = (&mut *member, stored) {
            let kind = own.get("type").and_then(Value::as_str).unwrap_or_default();
            *own = options_without_secrets(kind, own, stored);
        }
    }
    options
}

/// Returns the paths of the files that an evaluator of a resolved case may read or run. Some may
/// not exist, since not every word of a command is a file.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// let spec = r#"{"name": "tone", "type": "llm_judge", "prompt": "/prompts/tone.md"}"#;
/// let files = agentv_evaluators::files_of(&serde_json::from_str(spec).unwrap(), Path::new("/project"));
/// assert_eq!(files, [PathBuf::from("/project/prompts/tone.md")]);
/// ```
pub fn files_of(spec: &EvaluatorSpec, root: &Path) -> Vec<PathBuf> {
    kinds::named(&spec.kind).map_or_else(Vec::new, |kind| {
        (kind.facts.files)(&Options::of(spec), root)
    })
}

/// Returns the kind of an evaluator.
pub(crate) fn known(spec: &EvaluatorSpec) -> Result<&'static EvaluatorKind, BuildError> {
    kinds::named(&spec.kind).ok_or_else(|| Options::of(spec).unknown_kind(&spec.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_are_seen_wherever_an_evaluator_names_them() {
        let options = json!({
            "name": "all",
            "type": "composite",
            "evaluators": [
                {"type": "code_judge", "script": ["python3", "judge.py", "--rules=rules.json"], "cwd": "/evals"},
                {"type": "code_judge", "script": "cat 'a.txt'|sh ./b.sh", "cwd": "/evals/deep", "limits": ["/limits.json"]},
                {"type": "llm_judge", "prompt": {"script": ["sh", "prompt.sh"], "cwd": "/", "config": {"style": "/style.md"}}},
                {"type": "llm_judge", "prompt": "/judge.md"},
                {"type": "llm_judge", "prompt": "/judge\n{{ candidate_answer }}"},
                {"type": "json_schema", "schema": "/schema.json"},
                {"type": "contains", "value": "/not-a-file"},
                {"type": "composite", "evaluators": [{"type": "json_schema", "schema": "/inner.json"}]},
            ],
            "aggregator": {"type": "code_judge", "path": "/evals/join.py"},
        });
        let spec = serde_json::from_value(options).unwrap();
        let paths = files_of(&spec, Path::new("/root"));
        for expected in [
            "/root/evals/judge.py",
            "/root/evals/rules.json",
            "/root/evals/deep/a.txt",
            "/root/evals/deep/./b.sh",
            "/root/limits.json",
            "/root/prompt.sh",
            "/root/style.md",
            "/root/judge.md",
            "/root/schema.json",
            "/root/inner.json",
            "/root/evals/join.py",
        ] {
            assert!(
                paths.contains(&PathBuf::from(expected)),
                "{expected}: {paths:?}"
            );
        }
        let unexpected = |path: &&PathBuf| {
            let path = path.to_string_lossy();
            path.contains('\n') || path.contains("not-a-file")
        };
        assert_eq!(paths.iter().find(unexpected), None);
    }

    #[test]
    fn commands_are_seen_wherever_an_evaluator_runs_them() {
        for (options, expected) in [
            (json!({"type": "code_judge", "script": ["a"]}), true),
            (
                json!({"type": "llm_judge", "prompt": {"script": ["a"]}}),
                true,
            ),
            (json!({"type": "llm_judge", "prompt": "/a.md"}), false),
            (json!({"type": "rubric", "rubrics": ["a"]}), false),
            (json!({"type": "contains", "value": "a"}), false),
            (
                json!({"type": "composite", "evaluators": [{"type": "contains", "value": "a"}]}),
                false,
            ),
            (
                json!({"type": "composite", "evaluators": [{"type": "code_judge", "script": ["a"]}]}),
                true,
            ),
            (
                json!({"type": "composite", "evaluators": [], "aggregator": {"type": "code_judge", "path": "/a.py"}}),
                true,
            ),
            (json!({"type": "unknown"}), false),
        ] {
            let mut written = options.clone();
            written["name"] = "it".into();
            let spec = serde_json::from_value(written).unwrap();
            assert_eq!(runs_commands(&spec), expected, "{options}");
        }
    }
}
