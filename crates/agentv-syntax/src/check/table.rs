//! The fields of an object, arranged for looking them up.

use smallvec::SmallVec;

use crate::registry::Registry;
use crate::shape::{Field, Kind, Record};
use crate::tree::{Node, same_name};

/// Places in a table; a power of two.
const SLOTS: usize = 64;
const EMPTY: u8 = u8::MAX;
const CROWDED: u8 = u8::MAX - 1;

/// A set of fields of one table, a bit each.
pub(super) type FieldSet = u128;

/// The fields of a record, or of a kind with those that all kinds have, arranged for looking them up.
#[derive(Debug)]
pub(super) struct FieldTable {
    /// The record that the table was made for.
    record: &'static Record,
    fields: Vec<&'static Field>,
    /// The index of the field whose name falls into the slot, if it is the only one.
    slots: [u8; SLOTS],
    /// The fields of each required group.
    required: SmallVec<[FieldSet; 4]>,
}

impl FieldTable {
    pub(super) fn of_record(record: &'static Record) -> FieldTable {
        let fields = record.fields.iter().collect();
        FieldTable::new(record, fields, record.required.iter())
    }

    pub(super) fn of_kind(registry: &'static Registry, kind: &'static Kind) -> FieldTable {
        let fields = registry.common.fields.iter().chain(kind.options.fields);
        let groups = registry.common.required.iter().chain(kind.options.required);
        FieldTable::new(&kind.options, fields.collect(), groups)
    }

    fn new<'g>(
        record: &'static Record,
        fields: Vec<&'static Field>,
        groups: impl Iterator<Item = &'g &'static [&'static str]>,
    ) -> FieldTable {
        debug_assert!(fields.len() <= FieldSet::BITS as usize);
        let mut slots = [EMPTY; SLOTS];
        for (index, field) in fields.iter().enumerate() {
            let slot = &mut slots[slot_of(field.name.as_bytes())];
            *slot = if *slot == EMPTY { index as u8 } else { CROWDED };
        }
        let bit = |name: &&str| position_of(name.as_bytes(), &fields).map_or(0, |index| 1 << index);
        let required = groups
            .map(|group| {
                group
                    .iter()
                    .map(bit)
                    .fold(0, |all, bit: FieldSet| all | bit)
            })
            .collect();
        FieldTable {
            record,
            fields,
            slots,
            required,
        }
    }

    #[inline]
    pub(super) fn is_of(&self, record: &'static Record) -> bool {
        std::ptr::eq(self.record, record)
    }

    /// Returns the index of the field that `key` names.
    #[inline]
    pub(super) fn position(&self, key: Node<'_>) -> Option<usize> {
        match key.plain() {
            Some(name) => self.position_of(name),
            None => self.position_of(key.text().as_bytes()),
        }
    }

    /// Returns the index of the field with this name.
    #[inline]
    pub(super) fn position_of(&self, name: &[u8]) -> Option<usize> {
        match self.slots[slot_of(name)] {
            EMPTY => None,
            CROWDED => position_of(name, &self.fields),
            index => {
                let index = usize::from(index);
                same_name(self.fields[index].name.as_bytes(), name).then_some(index)
            }
        }
    }

    /// Returns the field at this index.
    #[inline]
    pub(super) fn field(&self, index: usize) -> &'static Field {
        self.fields[index]
    }

    /// Checks if one field of the required group is among those given.
    #[inline]
    pub(super) fn has_group(&self, group: usize, given: FieldSet) -> bool {
        self.required[group] & given != 0
    }
}

fn position_of(name: &[u8], fields: &[&Field]) -> Option<usize> {
    fields
        .iter()
        .position(|field| same_name(field.name.as_bytes(), name))
}

/// Returns the place of a name in a table of this many slots.
#[inline]
pub(super) fn slot_of(name: &[u8]) -> usize {
    let end = |byte: Option<&u8>| byte.copied().map_or(0, usize::from);
    (end(name.first()) * 3 + end(name.last()) * 5 + name.len() * 11) % SLOTS
}
