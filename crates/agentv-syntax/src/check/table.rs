//! The fields of an object, arranged for looking them up.

use crate::registry::Registry;
use crate::shape::{Field, Form, Kind, Record, Shape, Text};
use crate::tree::{NAME_SLOTS, Node, NodeKind, name_slot, same_name};

const EMPTY: u8 = u8::MAX;
const CROWDED: u8 = u8::MAX - 1;

/// A set of required groups of one table, a bit each.
pub(super) type GroupSet = u64;

/// A set of kinds of values, a bit each.
type KindSet = u8;

const KINDS: [NodeKind; 6] = [
    NodeKind::Null,
    NodeKind::Bool,
    NodeKind::Number,
    NodeKind::String,
    NodeKind::Array,
    NodeKind::Object,
];

/// The fields of a record, or of a kind with those that all kinds have, arranged for looking them up.
#[derive(Debug)]
pub(super) struct FieldTable {
    /// The record that the table was made for.
    record: &'static Record,
    fields: Vec<KnownField>,
    /// The index of the field whose name falls into the slot, if it is the only one.
    slots: [u8; NAME_SLOTS],
    /// All required groups.
    pub(super) required: GroupSet,
}

/// A field with facts that would otherwise be found out for each value.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownField {
    pub(super) field: &'static Field,
    /// The required groups that the field satisfies.
    pub(super) groups: GroupSet,
    /// The kinds of values that are correct whatever they hold.
    free: KindSet,
    /// The kinds of values that are correct unless they are empty.
    filled: KindSet,
}

impl KnownField {
    fn new(field: &'static Field, groups: GroupSet) -> KnownField {
        let kinds = |is_so: fn(&Form) -> bool| {
            let form_of = |kind: &&NodeKind| form_for(field.shape, **kind).is_some_and(is_so);
            let kinds = KINDS.iter().filter(form_of);
            kinds.fold(0, |all, kind| all | bit_of(*kind))
        };
        KnownField {
            field,
            groups,
            free: kinds(|form| {
                matches!(form, Form::Any | Form::Bool | Form::Text(Text::Any))
                    || matches!(form, Form::Map(values) if matches!(values.forms, [Form::Any]))
            }),
            filled: kinds(|form| matches!(form, Form::Text(Text::Filled))),
        }
    }

    /// Checks if the value is correct and names no file, so that no closer look is needed.
    #[inline(always)]
    pub(super) fn surely_takes(&self, value: Node<'_>) -> bool {
        let bit = bit_of(value.kind());
        self.free & bit != 0
            || self.filled & bit != 0 && value.plain().is_none_or(|text| !text.is_empty())
    }
}

/// Returns the form that a value of this kind is compared with.
fn form_for(shape: &'static Shape, kind: NodeKind) -> Option<&'static Form> {
    shape.forms.iter().find(|form| form.takes(kind))
}

#[inline(always)]
fn bit_of(kind: NodeKind) -> KindSet {
    1 << kind as u8
}

impl FieldTable {
    pub(super) fn of_record(record: &'static Record) -> FieldTable {
        FieldTable::new(record, record.fields.iter(), record.required.iter())
    }

    pub(super) fn of_kind(registry: &'static Registry, kind: &'static Kind) -> FieldTable {
        let fields = registry.common.fields.iter().chain(kind.options.fields);
        let groups = registry.common.required.iter().chain(kind.options.required);
        FieldTable::new(&kind.options, fields, groups)
    }

    fn new(
        record: &'static Record,
        fields: impl Iterator<Item = &'static Field>,
        groups: impl Iterator<Item = &'static &'static [&'static str]> + Clone,
    ) -> FieldTable {
        let count = groups.clone().count();
        debug_assert!(count <= GroupSet::BITS as usize);
        let groups_of = |field: &Field| {
            let numbered = groups.clone().enumerate();
            let own = numbered.filter(|(_, group)| group.contains(&field.name));
            own.fold(0, |all, (number, _)| all | 1 << number)
        };
        let fields: Vec<KnownField> = fields
            .map(|field| KnownField::new(field, groups_of(field)))
            .collect();
        let mut slots = [EMPTY; NAME_SLOTS];
        for (index, known) in fields.iter().enumerate() {
            let slot = &mut slots[name_slot(known.field.name.as_bytes())];
            *slot = match u8::try_from(index) {
                Ok(index) if *slot == EMPTY && index < CROWDED => index,
                _ => CROWDED,
            };
        }
        FieldTable {
            record,
            fields,
            slots,
            required: (0..count).fold(0, |all, number| all | 1 << number),
        }
    }

    #[inline]
    pub(super) fn is_of(&self, record: &'static Record) -> bool {
        std::ptr::eq(self.record, record)
    }

    /// Returns the field that `key` names.
    #[inline(always)]
    pub(super) fn find(&self, key: Node<'_>) -> Option<&KnownField> {
        match key.plain() {
            Some(name) => self.find_name(name),
            None => self.find_name(key.text().as_bytes()),
        }
    }

    /// Returns the field with this name.
    #[inline(always)]
    pub(super) fn find_name(&self, name: &[u8]) -> Option<&KnownField> {
        let is_named = |known: &&KnownField| same_name(known.field.name.as_bytes(), name);
        match self.slots[name_slot(name)] {
            EMPTY => None,
            CROWDED => self.fields.iter().find(is_named),
            index => self.fields.get(usize::from(index)).filter(is_named),
        }
    }
}
