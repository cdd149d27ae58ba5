//! The file, target or template that a value names.

use std::path::{Path, PathBuf};

use gen_lsp_types::{Location, Position, Range};

use super::completion::names_target;
use super::context::Context;
use crate::address::uri_of;
use crate::loose::{Spot, SpotKind, Step};
use crate::targets::defined_targets;

/// The longest text that is looked up as a path.
const LONGEST_PATH: usize = 1_024;

/// Returns the place that the value at a position refers to.
pub(crate) fn definition(context: &Context<'_>, position: Position) -> Option<Location> {
    let offset = context.offset(position);
    let tree = context.outline(context.text(), offset);
    let spot = tree.spot(offset)?;
    if spot.kind == SpotKind::Key {
        return None;
    }
    target(context, &spot).or_else(|| file(context, &spot))
}

/// Returns the name of the last field on the way to a value.
fn field_name<'s>(spot: &'s Spot<'_>) -> Option<&'s str> {
    spot.path.iter().rev().find_map(|step| match step {
        Step::Key(name) => Some(name.as_str()),
        Step::Index(_) => None,
    })
}

fn target(context: &Context<'_>, spot: &Spot<'_>) -> Option<Location> {
    field_name(spot).filter(|name| names_target(name))?;
    let document = &context.document.path;
    let targets = defined_targets(document, context.working_dir, &context.unsaved);
    let target = targets
        .into_iter()
        .find(|target| target.name == spot.text)?;
    Some(Location {
        uri: uri_of(&target.file),
        range: context.encoding.range(&target.text, &target.span),
    })
}

/// Returns the file that a value names, looked up as a run would.
fn file(context: &Context<'_>, spot: &Spot<'_>) -> Option<Location> {
    let written = spot.text.strip_prefix("file://").unwrap_or(&spot.text);
    let named = file_named(context, written);
    let is_template = field_name(spot) == Some("include");
    let template = || {
        let mut places = templates(context, written).into_iter();
        places.find(|place| place.is_file())
    };
    let found = named.or_else(|| is_template.then(template).flatten())?;
    Some(Location {
        uri: uri_of(&std::fs::canonicalize(found).ok()?),
        range: Range::default(),
    })
}

/// Returns the file that a document names, looked up as a run would.
pub(super) fn file_named(context: &Context<'_>, written: &str) -> Option<PathBuf> {
    if written.is_empty() || written.len() > LONGEST_PATH || written.contains('\n') {
        return None;
    }
    let places: Vec<PathBuf> = match written.strip_prefix('/') {
        Some(from_root) => vec![context.root().join(from_root)],
        None => context
            .folders()
            .iter()
            .map(|folder| folder.join(written))
            .collect(),
    };
    places.into_iter().find(|place| place.is_file())
}

/// Returns the places of a template of assertions.
fn templates(context: &Context<'_>, name: &str) -> Vec<PathBuf> {
    let below = Path::new(".agentv").join("templates");
    let folders = context.folders().into_iter();
    let files = folders.flat_map(|folder| {
        ["yaml", "yml"].map(|end| folder.join(&below).join(format!("{name}.{end}")))
    });
    files.collect()
}
