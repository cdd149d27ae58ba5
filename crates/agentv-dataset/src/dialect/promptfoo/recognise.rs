//! The marks of a promptfoo configuration.

use std::path::Path;

use agentv_syntax::{Node, NodeKind};

use super::super::detect::key;

/// The keys that only promptfoo has.
pub(super) const OWN_KEYS: &[&str] = &[
    "defaultTest",
    "evaluateOptions",
    "commandLineOptions",
    "outputPath",
    "nunjucksFilters",
    "derivedMetrics",
    "writeLatestResults",
    "redteam",
];

/// The keys that only AgentV 5 has, which otherwise has those of promptfoo.
const OTHERS: &[&str] = &[
    "default_test",
    "evaluate_options",
    "environment",
    "derived_metrics",
    "evalcases",
    "eval_cases",
];

/// Returns the key of the cases, or of the prompts, if a file is a promptfoo configuration.
pub(super) fn recognised<'t>(root: Node<'t>, path: Option<&Path>) -> Option<Node<'t>> {
    let has = |names: &[&str]| names.iter().any(|name| key(root, name).is_some());
    let cases = ["tests", "scenarios", "prompts"];
    let own = cases.into_iter().find_map(|name| key(root, name))?;
    if has(OTHERS)
        || !has(&[
            "prompts",
            "providers",
            "targets",
            "scenarios",
            "defaultTest",
        ])
    {
        return None;
    }
    let is_named = path.is_some_and(has_its_name);
    let is_marked = || path.is_some() && mentions_its_schema(root.source());
    (has(OWN_KEYS) || is_named || has_its_providers(root) || is_marked()).then_some(own)
}

fn has_its_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("promptfooconfig")
}

/// Checks the first lines for a comment that names the schema.
fn mentions_its_schema(text: &str) -> bool {
    const FIRST_LINES: usize = 2048;
    let start = &text[..text.floor_char_boundary(FIRST_LINES)];
    start.contains("promptfoo.dev/config-schema")
}

/// Checks if the providers are written as promptfoo does, and the tests as AgentV does not.
fn has_its_providers(root: Node<'_>) -> bool {
    let providers = root.get("providers").or_else(|| root.get("targets"));
    let Some(providers) = providers.filter(|_| root.get("prompts").is_some()) else {
        return false;
    };
    let is_id = |node: Node<'_>| {
        let id = node.as_str().or_else(|| node.get("id")?.as_str());
        id.is_some_and(|id| id == "echo" || id.contains(':'))
    };
    let is_listed = match providers.kind() {
        NodeKind::Array => providers.items().all(is_id) && providers.items().next().is_some(),
        _ => is_id(providers),
    };
    let tests = root.get("tests").into_iter().flat_map(Node::items);
    let is_of_agentv = |test: Node<'_>| {
        let words = ["id", "input", "criteria", "expected_output"];
        words.iter().any(|name| test.get(name).is_some())
    };
    is_listed && !tests.take(20).any(is_of_agentv)
}
