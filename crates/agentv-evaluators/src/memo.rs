//! Checks of options, done once for values that repeat from case to case.

use std::cell::RefCell;

use agentv_syntax::{Code, Node, Problem};
use serde_json::Value;

use crate::cache::Cache;

/// Half the number of results to keep per thread.
const KEPT: usize = 256;

/// The remembered problems of one option's values. There is one for each thread and option.
pub(crate) struct Memo(RefCell<Cache<Option<String>>>);

impl Memo {
    pub(crate) fn new() -> Memo {
        Memo(RefCell::new(Cache::new(KEPT)))
    }

    /// Returns the problem that `judge` finds in a value.
    pub(crate) fn problem<E: std::error::Error>(
        &self,
        node: Node<'_>,
        judge: impl FnOnce(&Value) -> Result<(), E>,
    ) -> Option<Problem> {
        let value = node.to_value();
        let mut cache = self.0.borrow_mut();
        let wrong = cache.get(&value).unwrap_or_else(|| {
            let wrong = judge(&value).err().map(|error| error.to_string());
            cache.put(value, wrong.clone());
            wrong
        });
        wrong.map(|wrong| Problem::error(Code::InvalidExpression, node.span(), wrong))
    }
}
