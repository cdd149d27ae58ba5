//! One document from its text to the tree.

use std::borrow::Cow;

use super::error::{BrokenEscape, InvalidYaml};
use super::flatten::Flattener;
use super::reader::{DEEPEST, Reader};
use crate::tree::Tree;
use crate::{json, surrogates};

/// Values that a document of any size may expand to, before its length counts.
const BASE_BUDGET: usize = 500_000;
/// Further values for each byte of the file: every honest value costs at least a byte.
const BUDGET_PER_BYTE: usize = 16;

/// Reads the one YAML document in `source` into `tree`. An empty document is `null`.
///
/// # Errors
/// Fails if it is not YAML, holds more than one document, nests too deeply, or expands too far.
pub fn parse(source: &str, tree: &mut Tree) -> Result<(), InvalidYaml> {
    tree.start(source);
    if u32::try_from(source.len()).is_err() {
        return Err(InvalidYaml::new("the file is larger than 4 GiB", 0));
    }
    // JSON is YAML, and JSON's escapes for characters beyond 16 bits are not YAML's.
    if source.trim_start().starts_with('{')
        && json::parse(source, tree).is_ok()
        && !tree.has_lone_surrogate
    {
        return Ok(());
    }
    tree.start(source);
    let mut reader = Reader::new(source);
    let root = reader.document()?;
    tree.may_repeat_keys = true;
    tree.deepest = DEEPEST;
    tree.may_overflow = true;
    tree.has_long_number = true;
    let budget = BASE_BUDGET.saturating_add(source.len().saturating_mul(BUDGET_PER_BYTE));
    // Offsets into expanded text are kept in 32 bits.
    let budget = budget.min(u32::MAX as usize);
    Flattener {
        nodes: &reader.nodes,
        tree,
        budget,
    }
    .value(root, 0)
}

/// The number of broken escapes that are always found, and of bytes that are read again for further ones.
const ALWAYS_FOUND: usize = 20;
const MOST_READ_AGAIN: usize = 64 << 20;

/// Reads a document as [`parse`] does, except that an escape of a surrogate is read as U+FFFD, and
/// [`Node::broken_escapes`](crate::Node::broken_escapes) finds it.
///
/// # Errors
/// Fails as [`parse`] does, and if there are very many such escapes.
pub fn parse_with_broken_escapes(source: &str, tree: &mut Tree) -> Result<(), InvalidYaml> {
    let mut repaired = Cow::Borrowed(source);
    let mut broken: Vec<BrokenEscape> = Vec::new();
    loop {
        let reason = match parse(&repaired, tree) {
            Ok(()) => break,
            Err(reason) => reason,
        };
        let is_allowed =
            broken.len() < ALWAYS_FOUND || broken.len() * source.len() < MOST_READ_AGAIN;
        let Some(place) = reason.escape.clone().filter(|_| is_allowed) else {
            return Err(reason);
        };
        let replacement = surrogates::REPLACEMENT.repeat(place.len() / 6);
        repaired.to_mut().replace_range(place.clone(), &replacement);
        broken.push(BrokenEscape { place, reason });
    }
    tree.set_broken_escapes(source, broken);
    Ok(())
}
