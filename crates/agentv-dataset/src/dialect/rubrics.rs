//! The items of a checklist.

use agentv_syntax::{NodeKind, Placed, PlacedValue};

use super::notes::Notes;

/// Returns the items of a checklist in our words.
pub(super) fn items(list: &Placed, notes: &mut Notes) -> Placed {
    let items = list.items().iter().map(|item| one(item.clone(), notes));
    Placed::list(list.span.clone(), items.collect())
}

fn one(mut item: Placed, notes: &mut Notes) -> Placed {
    if item.kind() != NodeKind::Object {
        return item;
    }
    let mut ours = Placed::map(item.span.clone());
    let is_ours = item.given("expected_outcome").is_some();
    for theirs in ["outcome", "criteria"] {
        let field = item.take(theirs);
        if let Some(field) = field.filter(|_| !is_ours && ours.given("expected_outcome").is_none())
        {
            ours.put_as("expected_outcome", field);
        }
    }
    if let Some(operator) = item.take("operator") {
        match operator.value.as_str() {
            Some("correctness") => {}
            Some("contradiction") => guard(&mut ours),
            _ => notes.wrong_type(&operator.value, "correctness or contradiction"),
        }
    }
    if let Some(mut least) = item.take("min_score") {
        match least.value.as_f64() {
            Some(fraction) if (0.0..=1.0).contains(&fraction) => {
                least.value.value = PlacedValue::Number(points(fraction).to_string());
                ours.put_as("required_min_score", least);
            }
            _ => notes.wrong_type(&least.value, "a number from 0 to 1"),
        }
    }
    if let Some(mut ranges) = item.take("score_ranges") {
        if ranges.value.kind() == NodeKind::Array {
            let renamed = ranges.value.items().iter().map(|range| {
                let mut range = range.clone();
                if let Some(outcome) = range.take("outcome") {
                    range.put_as("expected_outcome", outcome);
                }
                range
            });
            ranges.value = Placed::list(ranges.value.span.clone(), renamed.collect());
        }
        ours.put_as("score_ranges", ranges);
    }
    for field in item.fields() {
        ours.put_as(field.name.clone(), field.clone());
    }
    ours
}

/// Makes an item one that only a contradiction misses.
fn guard(ours: &mut Placed) {
    if let Some(mut outcome) = ours.take("expected_outcome") {
        if let PlacedValue::Text(text) = &mut outcome.value.value {
            *text = format!("Does not contradict this (leaving it out is fine): {text}");
        }
        ours.put_as("expected_outcome", outcome);
    }
}

/// Returns the fewest points of ten that are at least this fraction.
fn points(fraction: f64) -> u8 {
    // 0.7 × 10 is a little more than 7.
    (fraction * 10.0 - 1e-9).ceil().clamp(0.0, 10.0) as u8
}

#[cfg(test)]
mod tests {
    use super::points;

    #[test]
    fn the_fewest_points_that_are_enough() {
        for (fraction, expected) in [(0.0, 0), (0.1, 1), (0.3, 3), (0.65, 7), (0.7, 7), (1.0, 10)] {
            assert_eq!(points(fraction), expected, "{fraction}");
        }
    }
}
