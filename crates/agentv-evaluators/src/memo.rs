//! Checks of options, done once for values that repeat from case to case.

use std::cell::RefCell;
use std::collections::VecDeque;

use agentv_syntax::{Code, Node, Problem};
use serde_json::Value;

use crate::cache::Cache;

/// Half the number of results to keep per thread.
const KEPT: usize = 256;

/// Strings kept that are known to be right: few, so that comparing them all costs less than decoding one.
const KEPT_RIGHT: usize = 8;
/// Longest string that is kept as known to be right, in bytes.
const LONGEST_RIGHT: usize = 256;

/// The remembered problems of one option's values. There is one for each thread and option.
pub(crate) struct Memo {
    verdicts: RefCell<Cache<Option<String>>>,
    /// Strings as written that are right.
    right: RefCell<VecDeque<Box<[u8]>>>,
}

impl Memo {
    pub(crate) fn new() -> Memo {
        Memo {
            verdicts: RefCell::new(Cache::new(KEPT)),
            right: RefCell::default(),
        }
    }

    /// Returns the problem that `judge` finds in a value.
    pub(crate) fn problem<E: std::error::Error>(
        &self,
        node: Node<'_>,
        judge: impl FnOnce(&Value) -> Result<(), E>,
    ) -> Option<Problem> {
        let written = node.as_written().filter(|text| text.len() <= LONGEST_RIGHT);
        if written.is_some_and(|text| self.is_right(text)) {
            return None;
        }
        let value = node.to_value();
        let mut verdicts = self.verdicts.borrow_mut();
        let wrong = verdicts.get(&value).unwrap_or_else(|| {
            let wrong = judge(&value).err().map(|error| error.to_string());
            verdicts.put(value, wrong.clone());
            wrong
        });
        match wrong {
            Some(wrong) => Some(Problem::error(Code::InvalidExpression, node.span(), wrong)),
            None => {
                written.into_iter().for_each(|text| self.remember(text));
                None
            }
        }
    }

    fn is_right(&self, written: &[u8]) -> bool {
        self.right.borrow().iter().any(|right| **right == *written)
    }

    fn remember(&self, written: &[u8]) {
        let mut right = self.right.borrow_mut();
        right.truncate(KEPT_RIGHT - 1);
        right.push_front(written.into());
    }
}
