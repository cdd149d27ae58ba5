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
    /// The evaluators of the turns.
    pub(super) evaluators: TurnEvaluators,
}

/// The evaluators of turns, and the way to combine them with those of the conversation.
#[derive(Default, Clone)]
pub(super) struct TurnEvaluators {
    /// An evaluator for each turn that has assertions.
    members: Vec<Placed>,
    /// `aggregation`, as written.
    aggregation: Option<PlacedField>,
}

impl TurnEvaluators {
    /// Returns the place of the first one.
    pub(super) fn place(&self) -> Option<std::ops::Range<usize>> {
        self.members.first().map(|first| first.span.clone())
    }

    /// Returns all evaluators of a case, given those that grade the conversation. As in AgentV, these count as much
    /// as one turn.
    pub(super) fn with(self, conversation: Vec<Placed>, notes: &mut Notes) -> Vec<Placed> {
        let mut members = self.members;
        if members.is_empty() && self.aggregation.is_none() {
            return conversation;
        }
        match conversation.as_slice() {
            [first, .., last] => {
                let span = first.span.start.min(last.span.start)..first.span.end.max(last.span.end);
                members.push(composite(span, "conversation", None, conversation));
            }
            _ => members.extend(conversation),
        }
        match self.aggregation {
            Some(aggregation) => aggregated(members, aggregation, notes),
            None => members,
        }
    }
}

/// Returns an evaluator that combines others, by an aggregator of this type (default: the mean).
fn composite(
    span: std::ops::Range<usize>,
    name: &str,
    aggregator: Option<&str>,
    members: Vec<Placed>,
) -> Placed {
    let text = |text: &str| Placed::text(span.clone(), text);
    let mut ours = Placed::map(span.clone());
    ours.put("type", span.clone(), text("composite"));
    ours.put("name", span.clone(), text(name));
    if let Some(aggregator) = aggregator {
        let mut how = Placed::map(span.clone());
        how.put("type", span.clone(), text(aggregator));
        ours.put("aggregator", span.clone(), how);
    }
    let members = Placed::list(span.clone(), members);
    ours.put("evaluators", span, members);
    ours
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
        evaluators: TurnEvaluators {
            members: evaluators,
            aggregation,
        },
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
    vec![composite(
        written.value.span,
        "turns",
        Some(aggregator),
        members,
    )]
}

/// Refuses settings of conversations that we cannot honour. `on_turn_failure` has the same words as ours.
fn refuse_settings(case: &mut Placed, notes: &mut Notes) {
    case.take("mode");
    if let Some(field) = case.take("window_size") {
        let instead = "agentv sends all turns: remove it";
        notes.unsupported("window_size", field.span, instead);
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
    let mut ours = composite(span.clone(), &format!("turn {number}"), None, members);
    let value = PlacedValue::Number(number.to_string());
    let turn = Placed {
        span: span.clone(),
        value,
    };
    ours.put("turn", span, turn);
    Some(ours)
}
