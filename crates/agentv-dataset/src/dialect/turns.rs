//! Conversations: the turns of a case.

use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue};

use super::assertion::Assertions;
use super::messages;
use super::notes::Notes;
use super::source::Translation;

/// The turns of a case in our words.
pub(super) struct Turns {
    /// The input of the first turn.
    pub(super) first: Placed,
    /// The turns after it, as a field.
    pub(super) further: PlacedField,
    /// An evaluator for each turn that has assertions.
    pub(super) evaluators: Vec<Placed>,
}

/// Takes the turns out of a case; `None` if it has none.
pub(super) fn take(
    translation: &mut Translation<'_>,
    case: &mut Placed,
    notes: &mut Notes,
) -> Option<Turns> {
    let aggregation = case.take("aggregation");
    refuse_settings(case, notes);
    let field = case.take("turns")?;
    let [first, ..] = field.value.items() else {
        notes.wrong_type(&field.value, "an array of turns");
        return None;
    };
    let Some(input) = first.given("input").cloned() else {
        notes.wrong_type(first, "a turn (an object with `input`)");
        return None;
    };
    let mut evaluators = Vec::new();
    let mut further = Vec::new();
    for (index, turn) in field.value.items().iter().enumerate() {
        evaluators.extend(evaluator(translation, turn, index + 1, notes));
        if index > 0 {
            further.push(one(turn, notes));
        }
    }
    if let Some(aggregation) = aggregation {
        evaluators = aggregated(evaluators, aggregation, notes);
    }
    if let Some(expected) = first
        .given("expected_output")
        .filter(|_| further.is_empty())
    {
        case.put("expected_output", first.span.clone(), expected.clone());
    }
    Some(Turns {
        first: input,
        further: PlacedField {
            name: "turns".to_owned(),
            span: field.span,
            value: Placed::list(field.value.span, further),
        },
        evaluators,
    })
}

/// Combines the evaluators of turns into one, if the lowest or the highest score counts.
fn aggregated(members: Vec<Placed>, written: PlacedField, notes: &mut Notes) -> Vec<Placed> {
    let aggregator = match written.value.as_str() {
        Some("min") => "minimum",
        Some("max") => "maximum",
        // The mean of the evaluators is what a case has anyway.
        Some("mean") => return members,
        _ => {
            notes.wrong_type(&written.value, "mean, min or max");
            return members;
        }
    };
    if members.is_empty() {
        return members;
    }
    let span = written.value.span;
    let text = |text: &str| Placed::text(span.clone(), text);
    let mut how = Placed::map(span.clone());
    how.put("type", span.clone(), text(aggregator));
    let mut ours = Placed::map(span.clone());
    ours.put("type", span.clone(), text("composite"));
    ours.put("name", span.clone(), text("turns"));
    ours.put("aggregator", span.clone(), how);
    ours.put("evaluators", span.clone(), Placed::list(span, members));
    vec![ours]
}

/// Refuses settings of conversations that we cannot honour.
fn refuse_settings(case: &mut Placed, notes: &mut Notes) {
    case.take("mode");
    for (name, harmless, instead) in [
        ("on_turn_failure", "continue", "agentv sends all turns"),
        ("window_size", "", "agentv sends all turns"),
    ] {
        let Some(field) = case.take(name) else {
            continue;
        };
        if field.value.as_str() != Some(harmless) {
            notes.unsupported(name, field.span, instead);
        }
    }
}

/// Returns a turn in our words.
fn one(turn: &Placed, notes: &mut Notes) -> Placed {
    let mut ours = Placed::map(turn.span.clone());
    if let Some(input) = turn.given("input") {
        let none = messages::SharedInput::default();
        let input = messages::input(input.clone(), None, &none, notes);
        ours.put("input", turn.span.clone(), input);
    }
    if let Some(expected) = turn.given("expected_output") {
        match expected.kind() {
            NodeKind::String => ours.put("expected_output", turn.span.clone(), expected.clone()),
            _ => notes.wrong_type(expected, "a string"),
        }
    }
    ours
}

/// Returns the evaluator of a turn: its assertions as one.
fn evaluator(
    translation: &mut Translation<'_>,
    turn: &Placed,
    number: usize,
    notes: &mut Notes,
) -> Option<Placed> {
    let list = ["assertions", "assert"]
        .iter()
        .find_map(|name| turn.given(name))?;
    let members = Assertions::new(translation, notes).list(list);
    if members.is_empty() {
        return None;
    }
    let span = list.span.clone();
    let mut ours = Placed::map(span.clone());
    ours.put(
        "type",
        span.clone(),
        Placed::text(span.clone(), "composite"),
    );
    ours.put(
        "name",
        span.clone(),
        Placed::text(span.clone(), format!("turn {number}")),
    );
    let value = PlacedValue::Number(number.to_string());
    ours.put(
        "turn",
        span.clone(),
        Placed {
            span: span.clone(),
            value,
        },
    );
    ours.put("evaluators", span.clone(), Placed::list(span, members));
    Some(ours)
}
