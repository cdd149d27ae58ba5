//! Today's spelling of a word that is still understood.

use agentv_providers::{REGISTRY, name_of_today};
use agentv_syntax::{Registry, snake_case};

use super::context::Context;
use super::quick_fixes::Edit;
use crate::loose::{Spot, SpotKind, Step};
use crate::meaning::{Language, ShapePlace, kind_of};

/// Returns the change that writes the word at an offset as it is written today.
pub(super) fn newer_spelling(context: &Context<'_>, offset: usize) -> Option<Edit> {
    let tree = context.outline(context.text(), offset);
    let spot = tree.spot(offset)?;
    let Language::Ours(shape) = context.language(&tree) else {
        return None;
    };
    let place = ShapePlace::at(shape, &tree.root, &spot.path);
    let newer = match (spot.kind, place) {
        (SpotKind::Value, Some(place)) => kind_name(place.names_kind_of?, &spot.text)?,
        (SpotKind::Value, None) => return None,
        (SpotKind::Key, place) => {
            if let Some(edit) = nested_field(context, place.as_ref(), &spot) {
                return Some(edit);
            }
            field_name(place.as_ref(), &spot)?
        }
    };
    Some(Edit {
        title: format!("Write `{newer}`, the spelling of today"),
        uri: context.document.uri.clone(),
        range: context.encoding.range(context.text(), &spot.span),
        new_text: newer,
    })
}

fn kind_name(registry: &'static Registry, written: &str) -> Option<String> {
    let kind = registry.kind(written)?;
    (kind.name != written).then(|| kind.name.to_owned())
}

/// Returns the name of a field that is written in `camelCase`, or with an older name.
fn field_name(place: Option<&ShapePlace>, spot: &Spot<'_>) -> Option<String> {
    if let Some(field) = place.and_then(|place| place.field) {
        return (field.name != spot.text).then(|| field.name.to_owned());
    }
    let kind = kind_of(&REGISTRY, spot.object)?;
    let written = snake_case(&spot.text);
    let newer = name_of_today(&written);
    let is_known = kind
        .options
        .field(newer)
        .or_else(|| REGISTRY.common.field(newer))
        .is_some();
    (is_known && newer != written).then(|| newer.to_owned())
}

/// Returns the change of a field that is a part of another one today: `target: x` is `execution: {target: x}`.
fn nested_field(
    context: &Context<'_>,
    place: Option<&ShapePlace>,
    spot: &Spot<'_>,
) -> Option<Edit> {
    let doc = place?.field?.doc;
    let newer = doc.strip_prefix("Older spelling of `")?.split('`').next()?;
    let (outer, inner) = newer.split_once('.')?;
    let object = spot.object?;
    let entry = object
        .entries()
        .iter()
        .find(|entry| entry.key.inner() == spot.span)?;
    let value = entry.value.text()?;
    // Two objects of the same name would be an error.
    let is_free = object.get(outer).is_none() && spot.path == [Step::Key(spot.text.clone())];
    is_free.then(|| Edit {
        title: format!("Write `{newer}`, the spelling of today"),
        uri: context.document.uri.clone(),
        range: context.encoding.range(
            context.text(),
            &(entry.key.span.start..entry.value.span.end),
        ),
        new_text: format!("{outer}: {{{inner}: {value}}}"),
    })
}
