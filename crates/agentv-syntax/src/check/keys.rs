//! Keys that an object has twice.

use crate::code::Code;
use crate::problem::Problem;
use crate::tree::Node;

/// Returns the error that an object of `node` has `key` twice.
pub fn repeated_key(node: Node<'_>, key: Node<'_>) -> Problem {
    let problem = Problem {
        expected: Some("every key once".to_owned()),
        found: Some(format!("`{}` twice", key.text())),
        ..Problem::error(
            Code::DuplicateKey,
            key.span(),
            format!("duplicate key `{}`", key.text()),
        )
    };
    problem
        .at(node.path_to(key))
        .hint("keep one of them: the other value would be lost")
}

/// Number of repeated keys that are reported per value.
const MOST_REPEATED_KEYS: usize = 100;

/// Adds an error for every key that an object of `node` has twice, up to a hundred.
pub fn check_keys(node: Node<'_>, problems: &mut Vec<Problem>) {
    if !node.may_repeat_keys() {
        return;
    }
    let repeated = node.objects().filter_map(Node::repeated_key);
    problems.extend(
        repeated
            .take(MOST_REPEATED_KEYS)
            .map(|key| repeated_key(node, key)),
    );
}
