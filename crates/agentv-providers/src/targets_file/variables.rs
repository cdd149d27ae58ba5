//! The variables of a `targets.yaml` that are not set.

use std::collections::HashSet;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Lines, Node, Problem};

use super::dialect::parse;
use crate::Environment;
use crate::environment::{Piece, pieces};

/// Returns a warning for each target and variable that is not set, in the order of the lines. `file` is
/// the name that the user knows the file by.
pub fn unset_variables(
    source: &str,
    file: &Arc<str>,
    environment: &Environment,
) -> Vec<Diagnostic> {
    let lines = Lines::of(source);
    let Ok(tree) = parse(source) else {
        return Vec::new();
    };
    let targets = tree.root().get("targets").into_iter().flat_map(Node::items);
    let mut problems = Vec::new();
    for (index, target) in targets.enumerate() {
        let mut seen = HashSet::new();
        for (key, value) in target.fields() {
            let path = format!("targets[{index}].{}", key.text());
            visit_texts(value, &mut |node, text| {
                for piece in pieces(text) {
                    let Piece::Variable(name) = piece else {
                        continue;
                    };
                    if environment.get(name).is_none() && seen.insert(name.to_owned()) {
                        problems.push(unset(node, name, &path));
                    }
                }
            });
        }
    }
    let placed = problems.into_iter();
    placed
        .map(|problem| lines.place(file, source, problem))
        .collect()
}

fn unset(node: Node<'_>, name: &str, path: &str) -> Problem {
    let message = format!("the variable `{name}` is not set");
    let problem = Problem::warning(Code::UnsetVariable, node.span(), message);
    problem.at(path).hint(format!(
        "a run that needs the target requires it: set `{name}` in the environment or in a `.env` file"
    ))
}

/// Visits every text within a value.
fn visit_texts<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>, &str)) {
    if let Some(text) = node.as_str() {
        visit(node, &text);
    }
    node.items().for_each(|item| visit_texts(item, visit));
    for (_, value) in node.fields() {
        visit_texts(value, visit);
    }
}
