//! A bounded cache of results that are expensive to make.

use std::collections::HashMap;

use serde_json::Value;

/// The results for the most recently used values.
///
/// It holds at most twice `most` results, so a million different values do not exhaust memory. When
/// the newer half is full, it replaces the older half, and results that were not used since then
/// are dropped.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    newer: HashMap<Value, T>,
    older: HashMap<Value, T>,
    most: usize,
}

impl<T: Clone> Cache<T> {
    pub(crate) fn new(most: usize) -> Cache<T> {
        Cache {
            newer: HashMap::new(),
            older: HashMap::new(),
            most,
        }
    }

    /// Returns the result for `value`, if it is still cached.
    pub(crate) fn get(&mut self, value: &Value) -> Option<T> {
        if let Some(made) = self.newer.get(value) {
            return Some(made.clone());
        }
        let (value, made) = self.older.remove_entry(value)?;
        self.put(value, made.clone());
        Some(made)
    }

    /// Caches the result for `value`.
    pub(crate) fn put(&mut self, value: Value, made: T) {
        if self.newer.len() >= self.most {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(value, made);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_values_do_not_add_up() {
        let mut cache = Cache::new(8);
        for number in 0..1_000_000_u64 {
            cache.put(Value::from(number), number);
            assert!(cache.newer.len() + cache.older.len() <= 16);
        }
    }

    #[test]
    fn what_is_asked_for_again_stays() {
        let mut cache = Cache::new(8);
        cache.put(Value::from("kept"), 1);
        for number in 0..1_000_u64 {
            cache.put(Value::from(number), 0);
            if number % 4 == 0 {
                assert_eq!(cache.get(&Value::from("kept")), Some(1));
            }
        }
        assert_eq!(cache.get(&Value::from(3)), None);
    }
}
