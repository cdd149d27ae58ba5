//! What must hold of the texts in files, as of texts that stand in an eval file itself.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use agentv_syntax::{Node, Problem, Tree, json};
use serde_json::Value;

/// Remarks kept in memory.
const KEPT: usize = 10_000;

/// What is asked of a text.
pub(crate) type TextCheck = fn(Node<'_>) -> Option<Problem>;

/// What was said of the texts in files, for the references that come again in every case.
#[derive(Debug, Default)]
pub(crate) struct TextRemarks {
    /// By what was asked, and by the reference.
    kept: RwLock<HashMap<(usize, String), Option<Problem>>>,
}

impl TextRemarks {
    /// What `check` says of the text that a file holds, `reference` being how the file is named. Where
    /// in the text that is, is in the message.
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

/// Asks about a text as if it stood in an eval file.
fn asked(text: &str, check: TextCheck) -> Option<Problem> {
    let source = Value::from(text).to_string();
    let mut tree = Tree::default();
    json::parse(&source, &mut tree).ok()?;
    check(tree.root())
}
