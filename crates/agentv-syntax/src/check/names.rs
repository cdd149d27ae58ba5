//! Which field a key names.

use std::borrow::Cow;

use crate::shape::Field;
use crate::tree::{Node, same_name};

/// Whether a string is one of these words.
pub(super) fn is_one_of(node: Node<'_>, words: &[&str]) -> bool {
    match node.plain() {
        Some(text) => words.iter().any(|word| same_name(text, word.as_bytes())),
        None => words.iter().any(|word| node.is_text(word)),
    }
}

/// The field that `key` names, looked for from `likely` on.
pub(super) fn position(key: Node<'_>, fields: &[Field], likely: usize) -> Option<usize> {
    let decoded;
    let name = match key.plain() {
        Some(name) => name,
        None => {
            decoded = key.text();
            decoded.as_bytes()
        }
    };
    let named = |field: &Field| same_name(field.name.as_bytes(), name);
    let (before, after) = fields.split_at(likely.min(fields.len()));
    match after.iter().position(named) {
        Some(index) => Some(before.len() + index),
        None => before.iter().position(named),
    }
}

/// Whether one of the names is among the fields that are given, a bit each.
pub(super) fn holds_one(mut given: u64, fields: &[Field], names: &[&str]) -> bool {
    while given != 0 {
        let name = fields[given.trailing_zeros() as usize].name.as_bytes();
        if names.iter().any(|other| same_name(name, other.as_bytes())) {
            return true;
        }
        given &= given - 1;
    }
    false
}

/// A key's name, `camelCase` turned into `snake_case` where that is accepted.
pub(super) fn key_name(key: Node<'_>, camel_case: bool) -> Cow<'_, str> {
    let name = key.text();
    if !camel_case || !name.contains(|letter: char| letter.is_ascii_uppercase()) {
        return name;
    }
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    Cow::Owned(snake)
}
