//! Keys that stand twice.

use crate::code::Code;
use crate::problem::Problem;
use crate::tree::Node;

/// The error that `key` stands twice in an object of `node`.
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
        .hint("keep one of them: the other's value would be lost")
}

/// Repeated keys that are told of one value: what has more is not worth the time.
const MOST_REPEATED_KEYS: usize = 100;

/// Adds an error for every key that stands twice in one object of `node`, up to a hundred.
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
