//! Facts that checks of earlier values have brought up.

use super::guesses::Guesses;
use super::table::FieldTable;
use crate::registry::Registry;
use crate::shape::{Kind, Record};
use crate::tree::{Node, name_slot, same_name};

/// Facts that checks of earlier values have brought up. Kept from case to case, because the cases of a
/// file have the same fields.
#[derive(Debug, Default)]
pub struct CheckCache {
    pub(super) guesses: Guesses,
    tables: Vec<FieldTable>,
    /// The kind that was named last, for each slot that a name can fall into.
    kinds: Vec<Option<NamedKind>>,
}

#[derive(Debug, Clone, Copy)]
struct NamedKind {
    registry: &'static Registry,
    name: &'static str,
    kind: &'static Kind,
}

impl CheckCache {
    /// Returns the number of the record's table, which is made on first use.
    pub(super) fn table_of(&mut self, record: &'static Record) -> usize {
        self.table_or(record, || FieldTable::of_record(record))
    }

    /// Returns the number of the table of a kind, which is made on first use.
    pub(super) fn table_of_kind(
        &mut self,
        registry: &'static Registry,
        kind: &'static Kind,
    ) -> usize {
        self.table_or(&kind.options, || FieldTable::of_kind(registry, kind))
    }

    fn table_or(&mut self, record: &'static Record, made: impl FnOnce() -> FieldTable) -> usize {
        let is_its = |table: &FieldTable| table.is_of(record);
        self.tables.iter().position(is_its).unwrap_or_else(|| {
            self.tables.push(made());
            self.tables.len() - 1
        })
    }

    /// Returns the table with this number.
    #[inline]
    pub(super) fn table(&self, number: usize) -> &FieldTable {
        &self.tables[number]
    }

    /// Returns the kind of a registry that a string names.
    pub(super) fn kind(
        &mut self,
        registry: &'static Registry,
        node: Node<'_>,
    ) -> Option<&'static Kind> {
        let Some(text) = node.plain() else {
            return registry.kind(&node.text());
        };
        let slot = name_slot(text);
        if let Some(Some(known)) = self.kinds.get(slot)
            && std::ptr::eq(known.registry, registry)
            && same_name(known.name.as_bytes(), text)
        {
            return Some(known.kind);
        }
        let (name, kind) = registry.named(&node.text())?;
        self.kinds.resize(self.kinds.len().max(slot + 1), None);
        self.kinds[slot] = Some(NamedKind {
            registry,
            name,
            kind,
        });
        Some(kind)
    }
}
