//! `select-best`: answers that are compared with each other.

use agentv_syntax::{Placed, PlacedField};

use super::assertions::Assertions;

/// Puts the criterion of a comparison, and the judge.
pub(super) fn select_best(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let Some(value) = item.take("value") else {
        of.notes.wrong_type(item, "an assertion with a `value`");
        return None;
    };
    ours.put_as("value", value);
    let own = item.take("provider").map(|mut judge| {
        judge.value = of.translation.judge(&judge.value, of.notes);
        judge
    });
    if let Some(judge) = own.or_else(|| of.judge.clone()) {
        ours.put_as("target", judge);
    }
    if let Some(prompt) = item.take("rubricPrompt") {
        let instead = "write the criterion as `value`: agentv asks about two answers at a time";
        of.notes.unsupported("rubricPrompt", prompt.span, instead);
    }
    Some(())
}

/// Adds to comparisons the cases of the same test with other prompts.
pub(in super::super) fn compared_with(evaluators: &mut PlacedField, ids: &[String]) {
    let list = &evaluators.value;
    let items = list.items().iter().map(|item| one(item.clone(), ids));
    evaluators.value = Placed::list(list.span.clone(), items.collect());
}

fn one(mut item: Placed, ids: &[String]) -> Placed {
    if let Some(mut members) = item.take("evaluators") {
        compared_with(&mut members, ids);
        item.put_as("evaluators", members);
    }
    if item.given("type").and_then(Placed::as_str) == Some("select_best") {
        let span = item.span.clone();
        let ids = ids.iter().map(|id| Placed::text(span.clone(), id.clone()));
        let ids = Placed::list(span.clone(), ids.collect());
        item.put("among", span, ids);
    }
    item
}
