//! Fields of the objects in a `targets.yaml`.

use std::borrow::Cow;
use std::collections::HashMap;

use agentv_syntax::{Code, Node, Problem};

use crate::target::snake_case;

/// A target as it is written in the source of a file, and its path within the file.
#[derive(Clone, Copy)]
pub(crate) struct WrittenTarget<'t> {
    pub(crate) source: &'t str,
    pub(crate) node: Node<'t>,
    pub(crate) path: &'t str,
}

/// Returns the path of a field of the object at `path`.
pub(crate) fn inside(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Returns the key and value of the field that is called `name` in either spelling, unless it is
/// null.
pub(crate) fn field<'t>(object: Node<'t>, name: &str) -> Option<(Node<'t>, Node<'t>)> {
    object
        .fields()
        .find(|(key, value)| snake_case(&key.text()) == name && !value.is_null())
}

/// Reports a field in two spellings, such as `judgeTarget` beside `judge_target`: one of the values
/// would be lost.
pub(crate) fn check_spellings(object: Node<'_>, path: &str, problems: &mut Vec<Problem>) {
    let mut seen: HashMap<String, Cow<'_, str>> = HashMap::new();
    for (key, _) in object.fields() {
        let name = key.text();
        let Some(first) = seen.insert(snake_case(&name), name.clone()) else {
            continue;
        };
        if first != name {
            let message = format!("duplicate key `{name}`, another spelling of `{first}`");
            let problem = Problem::error(Code::DuplicateKey, key.span(), message);
            problems.push(problem.at(inside(path, &name)));
        }
    }
}
