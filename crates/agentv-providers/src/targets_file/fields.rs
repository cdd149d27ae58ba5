//! Fields of the objects in a `targets.yaml`.

use agentv_syntax::Node;

use crate::target::snake_case;

/// Returns the path of a field of the object at `path`.
pub(super) fn inside(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Returns the key and value of the field that is called `name` in either spelling, unless it is
/// null.
pub(super) fn field<'t>(object: Node<'t>, name: &str) -> Option<(Node<'t>, Node<'t>)> {
    object
        .fields()
        .find(|(key, value)| snake_case(&key.text()) == name && !value.is_null())
}
