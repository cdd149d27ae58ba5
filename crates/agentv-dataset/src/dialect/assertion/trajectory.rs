//! Assertions about the tools that a target used.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};
use serde_json::json;

use super::assertions::Assertions;

type Of<'x, 't, 'a> = &'x mut Assertions<'t, 'a>;

/// Moves the options, which have our names. Their arguments are compared exactly unless they say otherwise.
pub(super) fn tool_trajectory(
    _: Of<'_, '_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let own = item.take("args_match").or_else(|| item.take("argsMatch"));
    match own {
        Some(own) => ours.put_as("args_match", own),
        None => {
            let span = ours.span.clone();
            ours.put("args_match", span.clone(), Placed::text(span, "exact"));
        }
    }
    if let Some(mut expected) = item.take("expected") {
        let calls = expected
            .value
            .items()
            .iter()
            .map(|call| renamed(call.clone()));
        if expected.value.kind() == NodeKind::Array {
            expected.value = Placed::list(expected.value.span.clone(), calls.collect());
        }
        ours.put_as("expected", expected);
    }
    Some(())
}

fn renamed(mut call: Placed) -> Placed {
    for (theirs, mine) in [
        ("argsMatch", "args_match"),
        ("maxDurationMs", "max_duration_ms"),
    ] {
        if let Some(field) = call.take(theirs) {
            call.put_as(mine, field);
        }
    }
    call
}

/// Moves the name of a skill. It must be used unless the assertion says otherwise.
pub(super) fn skill(_: Of<'_, '_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    if let Some(skill) = item.take("skill") {
        ours.put_as("skill", skill);
    }
    let should = item.take("should_trigger");
    if should.is_some_and(|should| should.value.as_bool() == Some(false)) {
        let was_negated = ours.take("negate").is_some();
        if !was_negated {
            let span = ours.span.clone();
            let value = PlacedValue::Bool(true);
            ours.put("negate", span.clone(), Placed { span, value });
        }
    }
    Some(())
}

/// Puts a mode and a field of the trajectory.
fn put(ours: &mut Placed, mode: &str, name: &str, key: std::ops::Range<usize>, value: Placed) {
    let span = ours.span.clone();
    ours.put("mode", span.clone(), Placed::text(span, mode));
    ours.put(name, key, value);
}

/// Makes the names of tools the fewest calls of each.
pub(super) fn used(of: Of<'_, '_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    let value = value(of, item)?;
    let mut fewest = Placed::map(value.value.span.clone());
    let mut add = |name: &Placed, count: Placed| {
        if let Some(tool) = name.as_str() {
            fewest.put(tool, name.span.clone(), count);
        }
    };
    let once = |place: &Placed| Placed::of_value(place.span.clone(), &json!(1));
    match value.value.kind() {
        NodeKind::String => add(&value.value, once(&value.value)),
        NodeKind::Array => {
            for name in value.value.items() {
                add(name, once(name));
            }
        }
        _ => {
            if value.value.given("max").is_some() {
                let instead =
                    "use `execution_metrics` with `max_tool_calls`, or a `code_judge` script";
                of.notes
                    .unsupported("max", value.value.span.clone(), instead);
                return None;
            }
            let name = ["name", "tool", "pattern"]
                .into_iter()
                .find_map(|it| value.value.given(it));
            let Some(name) = name else {
                of.notes.wrong_type(&value.value, "the name of a tool");
                return None;
            };
            let count = value.value.given("min").cloned();
            add(name, count.unwrap_or_else(|| once(name)));
        }
    }
    put(ours, "any_order", "minimums", value.span, fewest);
    Some(())
}

/// Makes a sequence the expected calls, in order.
pub(super) fn sequence(of: Of<'_, '_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    let mut value = value(of, item)?;
    let mode = value.value.take("mode");
    let mode = mode.and_then(|mode| mode.value.as_str().map(str::to_owned));
    let steps = if value.value.kind() == NodeKind::Array {
        value.clone()
    } else {
        let steps = value.value.take("steps");
        let Some(steps) = steps.or_else(|| value.value.take("expected")) else {
            of.notes.wrong_type(&value.value, "an object with `steps`");
            return None;
        };
        steps
    };
    let calls = steps.value.items().iter().map(expected_call);
    let calls = Placed::list(steps.value.span.clone(), calls.collect());
    let mode = if mode.as_deref() == Some("exact") {
        "exact"
    } else {
        "in_order"
    };
    put(ours, mode, "expected", steps.span, calls);
    Some(())
}

/// Returns an expected call, from the name of a tool or an object with it.
fn expected_call(step: &Placed) -> Placed {
    let mut call = Placed::map(step.span.clone());
    if step.kind() == NodeKind::String {
        call.put("tool", step.span.clone(), step.clone());
        return call;
    }
    for field in step.fields() {
        let name = match field.name.as_str() {
            "name" | "pattern" => "tool",
            "arguments" => "args",
            other => other,
        };
        call.put_as(name, field.clone());
    }
    call
}

/// Makes a call with arguments one that must be among the calls.
pub(super) fn arguments(of: Of<'_, '_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    let mut value = value(of, item)?;
    let mode = value.value.take("mode");
    let is_exact = mode.is_some_and(|mode| mode.value.as_str() == Some("exact"));
    let call = expected_call(&value.value);
    let list = Placed::list(value.value.span.clone(), vec![call]);
    put(ours, "superset", "expected", value.span, list);
    let span = ours.span.clone();
    let compared = if is_exact { "exact" } else { "superset" };
    ours.put("args_match", span.clone(), Placed::text(span, compared));
    Some(())
}

/// Makes the most steps the most tool calls.
pub(super) fn steps(of: Of<'_, '_, '_>, item: &mut Placed, ours: &mut Placed) -> Option<()> {
    let mut value = value(of, item)?;
    let most = value.value.take("max");
    for rest in value.value.fields() {
        let instead = "only `max`, the most steps, is supported";
        of.notes.unsupported(&rest.name, rest.span.clone(), instead);
    }
    match most {
        Some(most) => ours.put_as("max_tool_calls", most),
        None if value.value.kind() == NodeKind::Number => ours.put_as("max_tool_calls", value),
        None => return None,
    }
    Some(())
}

fn value(of: Of<'_, '_, '_>, item: &mut Placed) -> Option<PlacedField> {
    let value = item.take("value");
    if value.is_none() {
        of.notes.wrong_type(item, "an assertion with `value`");
    }
    value
}
