//! The path to the value that is being checked.

use crate::tree::Node;

/// One step of a field's path.
#[derive(Clone, Copy)]
pub(super) enum Step<'t> {
    Start,
    Key(Node<'t>),
    Name(&'static str),
    Index(usize),
}

/// The path to the value that is being checked. It is on the stack, and is rendered only if there is a
/// problem.
#[derive(Clone, Copy)]
pub(super) struct At<'a, 't> {
    parent: Option<&'a At<'a, 't>>,
    step: Step<'t>,
}

/// The value that the checker was given.
pub(super) const START: At<'static, 'static> = At {
    parent: None,
    step: Step::Start,
};

impl<'a, 't> At<'a, 't> {
    pub(super) fn then(&'a self, step: Step<'t>) -> At<'a, 't> {
        At {
            parent: Some(self),
            step,
        }
    }

    pub(super) fn write(&self, path: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(path);
        }
        match self.step {
            Step::Start => {}
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Name(name) => push_key(path, name),
            Step::Key(key) => push_key(path, &key.text()),
        }
    }
}

pub(super) fn push_key(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}
