//! Assertions that a language model judges.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::assertions::Assertions;
use crate::dialect::rubrics as checklist;

/// Moves the options of a judge.
pub(super) fn judge(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let mut config = item.take("config");
    if let Some(prompt) = item.take("prompt") {
        put_prompt(prompt, config.take(), ours);
    }
    if let Some(rubrics) = item.take("rubrics") {
        put_items(of, rubrics, ours);
    }
    match item.take("value") {
        Some(list) if list.value.kind() == NodeKind::Array => put_items(of, list, ours),
        Some(text) => ours.put_as("expected_outcome", text),
        None => {}
    }
    for name in ["target", "provider"] {
        let asked = item.take(name);
        if let Some(asked) = asked.filter(|_| ours.given("target").is_none()) {
            ours.put_as("target", asked);
        }
    }
    if let Some(threshold) = item.take("threshold")
        && ours.given("min_score").is_none()
    {
        ours.put_as("min_score", threshold);
    }
    unused(of, config, item);
    Some(())
}

/// Warns of options that have no effect.
fn unused(of: &mut Assertions<'_, '_>, config: Option<PlacedField>, item: &mut Placed) {
    let settings = "set it on the target that judges";
    for field in config.into_iter().chain(item.take("config")) {
        of.notes
            .unused_because(&field, "only a script that prints the prompt can use it");
    }
    for name in ["model", "temperature", "max_steps", "maxSteps"] {
        if let Some(field) = item.take(name) {
            of.notes.unused_because(&field, settings);
        }
    }
    if let Some(field) = item.take("preprocessors") {
        let instead = "let a `code_judge` script read the answer's files itself";
        of.notes.unsupported(&field.name, field.span, instead);
    }
}

/// Puts the prompt: a text, a file, or a script.
fn put_prompt(mut prompt: PlacedField, config: Option<PlacedField>, ours: &mut Placed) {
    if let PlacedValue::Text(text) = &mut prompt.value.value
        && let Some(path) = text.strip_prefix("file://")
    {
        *text = path.to_owned();
    }
    if prompt.value.kind() == NodeKind::Object {
        if let Some(command) = prompt.value.take("command") {
            prompt.value.take("script");
            prompt.value.put_as("script", command);
        }
        if let Some(config) = config.filter(|_| prompt.value.given("config").is_none()) {
            prompt.value.put_as("config", config);
        }
    }
    ours.put_as("prompt", prompt);
}

fn put_items(of: &mut Assertions<'_, '_>, mut list: PlacedField, ours: &mut Placed) {
    if list.value.kind() == NodeKind::Array {
        list.value = checklist::items(&list.value, of.notes);
    }
    ours.put_as("rubrics", list);
}

/// Moves the options of a checklist.
pub(super) fn rubrics(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let list = item.take("criteria").or_else(|| item.take("rubrics"));
    if let Some(list) = list.or_else(|| item.take("rubric_items")) {
        put_items(of, list, ours);
    }
    if let Some(target) = item.take("target") {
        ours.put_as("target", target);
    }
    unused(of, None, item);
    Some(())
}

/// Makes the goal the outcome that the judge looks for.
pub(super) fn goal(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    if let Some(mut value) = item.take("value") {
        if let Some(goal) = value.value.take("goal") {
            value = goal;
        }
        ours.put_as("expected_outcome", value);
    }
    judge(of, item, ours)
}
