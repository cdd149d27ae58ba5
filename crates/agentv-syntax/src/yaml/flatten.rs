//! Parsed values in the tree, with aliases and merge keys expanded.

use std::ops::Range;

use super::error::InvalidYaml;
use super::reader::{DEEPEST, MERGE, Parsed, ParsedValue, too_deep};
use crate::tree::{NodeKind, Tree};

/// A writer of parsed values into the tree, with aliases and merge keys expanded.
pub(super) struct Flattener<'p, 's> {
    pub(super) nodes: &'p [Parsed<'s>],
    pub(super) tree: &'p mut Tree,
    pub(super) budget: usize,
}

impl<'p, 's> Flattener<'p, 's> {
    pub(super) fn value(&mut self, index: usize, depth: usize) -> Result<(), InvalidYaml> {
        let node = &self.nodes[index];
        match &node.value {
            ParsedValue::Scalar(kind, text) => {
                self.spend(index, text.len())?;
                self.tree.decoded_scalar(*kind, node.span.clone(), text);
            }
            ParsedValue::NumberLike(text) => {
                self.spend(index, text.len())?;
                let span = node.span.clone();
                self.tree.decoded_scalar(NodeKind::String, span, text);
                self.tree.mark_number_like();
            }
            ParsedValue::Merge => {
                self.spend(index, MERGE.len())?;
                self.tree
                    .decoded_scalar(NodeKind::String, node.span.clone(), MERGE);
            }
            ParsedValue::Sequence(items) => {
                self.enter(index, depth)?;
                let opened = self.tree.open(NodeKind::Array, node.span.start);
                for item in items {
                    self.value(*item, depth + 1)?;
                }
                self.tree.close(opened, node.span.end);
            }
            ParsedValue::Mapping(fields) => {
                self.enter(index, depth)?;
                let fields = self.merged(fields, depth)?;
                let opened = self.tree.open(NodeKind::Object, node.span.start);
                for (key, value) in &fields {
                    let (span, text) = self.key(*key);
                    self.spend(*key, text.len())?;
                    self.tree.decoded_scalar(NodeKind::String, span, text);
                    self.value(*value, depth + 1)?;
                }
                self.tree.close(opened, node.span.end);
            }
        }
        Ok(())
    }

    /// Takes the cost of one more value from the budget. A text costs its length; otherwise a short file
    /// could repeat a long one without end.
    fn spend(&mut self, index: usize, length: usize) -> Result<(), InvalidYaml> {
        match self.budget.checked_sub(1 + length) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => {
                let reason = "its aliases expand to too many values for a file of this size";
                Err(InvalidYaml::new(reason, self.nodes[index].span.start))
            }
        }
    }

    fn enter(&mut self, index: usize, depth: usize) -> Result<(), InvalidYaml> {
        if depth >= DEEPEST {
            return Err(InvalidYaml::new(too_deep(), self.nodes[index].span.start));
        }
        self.spend(index, 0)
    }

    fn key(&self, index: usize) -> (Range<u32>, &'p str) {
        let node = &self.nodes[index];
        match &node.value {
            ParsedValue::Scalar(_, text) | ParsedValue::NumberLike(text) => {
                (node.span.clone(), text)
            }
            ParsedValue::Merge => (node.span.clone(), MERGE),
            ParsedValue::Sequence(_) | ParsedValue::Mapping(_) => (node.span.clone(), ""),
        }
    }

    /// Returns the fields of a mapping with `<<` replaced by the merged fields: own keys win, and among
    /// several merged mappings the earlier.
    fn merged(
        &mut self,
        fields: &[(usize, usize)],
        depth: usize,
    ) -> Result<Vec<(usize, usize)>, InvalidYaml> {
        let (merges, mut own): (Vec<_>, Vec<_>) = fields
            .iter()
            .partition(|(key, _)| matches!(self.nodes[*key].value, ParsedValue::Merge));
        if merges.is_empty() {
            return Ok(own);
        }
        let mut known: std::collections::HashSet<&str> =
            own.iter().map(|(key, _)| self.key(*key).1).collect();
        for (key, value) in merges {
            let sources: &[usize] = match &self.nodes[value].value {
                ParsedValue::Sequence(items) => items,
                ParsedValue::Mapping(_)
                | ParsedValue::Scalar(..)
                | ParsedValue::NumberLike(_)
                | ParsedValue::Merge => &[value],
            };
            for source in sources {
                let ParsedValue::Mapping(inherited) = &self.nodes[*source].value else {
                    let reason = "`<<` takes a mapping or a list of mappings";
                    return Err(InvalidYaml::new(reason, self.nodes[key].span.start));
                };
                self.enter(key, depth)?;
                self.spend(key, inherited.len())?;
                let inherited = self.merged(inherited, depth + 1)?;
                let fresh = inherited
                    .into_iter()
                    .filter(|(key, _)| known.insert(self.key(*key).1));
                own.extend(fresh);
            }
        }
        Ok(own)
    }
}
