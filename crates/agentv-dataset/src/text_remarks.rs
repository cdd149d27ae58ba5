//! Checks of texts in files, the same as of texts in an eval file itself.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use agentv_syntax::{Node, Problem, Tree, json};
use serde_json::Value;

/// Number of remarks kept in memory.
const KEPT: usize = 10_000;

/// A check of a text.
pub(crate) type TextCheck = fn(Node<'_>) -> Option<Problem>;

/// Results of checking texts in files, for references that come again in every case.
#[derive(Debug, Default)]
pub(crate) struct TextRemarks {
    /// The results by check and reference.
    kept: RwLock<HashMap<(usize, String), Option<Problem>>>,
}

impl TextRemarks {
    /// Returns the problem that `check` finds in the text of a file, which cases call `reference`. The
    /// message has the place within the text.
    pub(crate) fn of(&self, reference: &str, text: &str, check: TextCheck) -> Option<Problem> {
        let key = (check as usize, reference.to_owned());
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&key) {
            return known.clone();
        }
        drop(kept);
        let remark = asked(text, check).map(|problem| Problem {
            message: format!("`{reference}`: {}", problem.message),
            ..problem
        });
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, remark.clone());
        remark
    }
}

/// Checks a text as if it were in an eval file.
fn asked(text: &str, check: TextCheck) -> Option<Problem> {
    let source = Value::from(text).to_string();
    let mut tree = Tree::default();
    json::parse(&source, &mut tree).ok()?;
    check(tree.root())
}
