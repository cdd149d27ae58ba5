//! Assertions that consist of others.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::assertions::{Assertions, Words, flag};

/// Moves the members and the aggregator.
pub(super) fn composite(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let mut members = members(of, item)?;
    if members_weigh_alike(item) {
        // AgentV counts every member once unless the aggregator weighs it.
        for member in &mut members.1 {
            if let Some(weight) = member.take("weight") {
                let reason =
                    "members of a composite weigh alike; `aggregator.weights` changes that";
                of.notes.unused_because(&weight, reason);
            }
        }
    }
    ours.put(
        "evaluators",
        members.0.span,
        Placed::list(members.0.value.span, members.1),
    );
    if let Some(mut aggregator) = item.take("aggregator") {
        rename_aggregator(of, &mut aggregator.value);
        ours.put_as("aggregator", aggregator);
    }
    Some(())
}

fn members_weigh_alike(item: &Placed) -> bool {
    let aggregator = item.given("aggregator");
    let kind = aggregator
        .and_then(|it| it.given("type"))
        .and_then(Placed::as_str);
    matches!(kind, None | Some("weighted_average" | "weighted-average"))
}

/// Takes the members of an assertion and translates them.
fn members(of: &mut Assertions<'_, '_>, item: &mut Placed) -> Option<(PlacedField, Vec<Placed>)> {
    let list = ["assertions", "assert", "evaluators"]
        .into_iter()
        .find_map(|name| item.take(name));
    let Some(list) = list else {
        of.notes.wrong_type(item, "a composite with `assertions`");
        return None;
    };
    let members = of.list(&list.value);
    Some((list, members))
}

fn rename_aggregator(of: &mut Assertions<'_, '_>, aggregator: &mut Placed) {
    if aggregator.kind() != NodeKind::Object {
        return;
    }
    if let Some(mut tag) = aggregator.take("type") {
        let known = match tag.value.as_str() {
            Some("code-grader" | "code_grader" | "code-judge") => Some("code_judge"),
            Some("llm-grader" | "llm_grader" | "llm-judge") => Some("llm_judge"),
            Some("weighted-average") => Some("weighted_average"),
            _ => None,
        };
        if let Some(known) = known {
            tag.value = Placed::text(tag.value.span.clone(), known);
        }
        aggregator.put_as("type", tag);
    }
    if let Some(model) = aggregator.take("model") {
        of.notes
            .unused_because(&model, "set it on the target that judges");
    }
}

/// Makes a set a composite: its threshold decides, or else every member must pass.
pub(super) fn assert_set(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let (list, mut members) = members(of, item)?;
    match item.take("threshold") {
        Some(threshold) if ours.given("min_score").is_none() => {
            // The threshold alone decides.
            for member in members.iter_mut().filter(|_| of.words != Words::Agentv) {
                member.take("required");
            }
            ours.put_as("min_score", threshold);
        }
        Some(_) => {}
        None if of.words != Words::Agentv => {
            // Its members are required already, if anything is.
            let span = ours.span.clone();
            let value = PlacedValue::Number("0".to_owned());
            ours.put("min_score", span.clone(), Placed { span, value });
        }
        None => {
            for member in &mut members {
                if member.given("required").is_none() {
                    member.take("required");
                    let span = member.span.clone();
                    member.put("required", span.clone(), flag(span, true));
                }
            }
        }
    }
    ours.put(
        "evaluators",
        list.span,
        Placed::list(list.value.span, members),
    );
    Some(())
}
