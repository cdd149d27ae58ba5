//! The reference of the field, kind or target under the cursor.

use agentv_project::DEFINITIONS;
use agentv_syntax::{Field, Kind, Registry};
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};

use super::completion::names_target;
use super::context::Context;
use crate::loose::{LooseTree, Spot, SpotKind, Step};
use crate::meaning::{Known, Language, ShapePlace, keys_of_schemas, schemas_at};
use crate::targets::defined_targets;

/// Returns the reference of the word at a position.
pub(crate) fn hover(context: &Context<'_>, position: Position) -> Option<Hover> {
    let offset = context.offset(position);
    let tree = context.outline(context.text(), offset);
    let spot = tree.spot(offset)?;
    let value = described(context, &tree, &spot)?;
    Some(Hover {
        contents: Contents::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        }),
        range: Some(context.encoding.range(context.text(), &spot.span)),
    })
}

fn described(context: &Context<'_>, tree: &LooseTree, spot: &Spot<'_>) -> Option<String> {
    let shape = match context.language(tree) {
        Language::Ours(shape) => shape,
        Language::Dialect(schema) => {
            let (Step::Key(name), around) = spot.path.split_last()? else {
                return None;
            };
            let keys = keys_of_schemas(&schemas_at(&schema, around));
            let known = keys.into_iter().find(|key| key.name == *name)?;
            return (spot.kind == SpotKind::Key).then(|| of_known(&known));
        }
    };
    let place = ShapePlace::at(shape, &tree.root, &spot.path)?;
    if spot.kind == SpotKind::Key {
        return place.field.as_ref().map(of_field);
    }
    if let Some(registry) = place.names_kind_of {
        return registry
            .kind(&spot.text)
            .map(|kind| of_kind(registry, kind));
    }
    let Some(Step::Key(name)) = spot.path.last() else {
        return None;
    };
    if name == "evaluator" {
        let evaluators = DEFINITIONS.evaluators;
        return evaluators
            .kind(&spot.text)
            .map(|kind| of_kind(evaluators, kind));
    }
    names_target(name)
        .then(|| of_target(context, &spot.text))
        .flatten()
}

fn of_known(known: &Known) -> String {
    format!("**`{}`** {}\n\n{}", known.name, known.expected, known.doc)
}

fn of_field(field: &Field) -> String {
    format!(
        "**`{}`**: {}\n\n{}",
        field.name, field.shape.expected, field.doc
    )
}

fn of_kind(registry: &Registry, kind: &Kind) -> String {
    let mut text = format!("**`{}`** ({})\n\n{}\n", kind.name, registry.noun, kind.doc);
    for field in kind.options.fields {
        let is_required = kind
            .options
            .required
            .iter()
            .any(|group| *group == [field.name]);
        let required = if is_required { " (required)" } else { "" };
        text.push_str(&format!("\n- `{}`{required}: {}", field.name, field.doc));
    }
    text
}

fn of_target(context: &Context<'_>, name: &str) -> Option<String> {
    let document = &context.document.path;
    let targets = defined_targets(document, context.working_dir, &context.unsaved);
    let target = targets.into_iter().find(|target| target.name == name)?;
    let file = context.project.shown(&target.file);
    Some(format!(
        "**`{name}`**: {}\n\n{}",
        target.summary,
        file.display()
    ))
}
