//! Comparisons of names and keys.

use std::borrow::Cow;

use crate::tree::{Node, same_name};

/// Checks if a string is one of these words.
pub(super) fn is_one_of(node: Node<'_>, words: &[&str]) -> bool {
    match node.plain() {
        Some(text) => words.iter().any(|word| same_name(text, word.as_bytes())),
        None => words.iter().any(|word| node.is_text(word)),
    }
}

/// Returns a key's name, `camelCase` turned into `snake_case`.
pub(super) fn key_name(key: Node<'_>) -> Cow<'_, str> {
    match key.text() {
        Cow::Borrowed(name) => snake_case(name),
        Cow::Owned(name) => Cow::Owned(snake_case(&name).into_owned()),
    }
}

/// Returns a name with `camelCase` turned into `snake_case`.
pub fn snake_case(name: &str) -> Cow<'_, str> {
    if !name.contains(|letter: char| letter.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
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
