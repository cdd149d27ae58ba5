//! Valid eval cases, in the shapes that real datasets mix.

use serde_json::{Map, Value, json};

use crate::prose;
use crate::random::Random;

/// The shape of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Every field and spelling that a dataset may have, about 650 bytes per case.
    Mixed,
    /// Text in, text out: `id`, `expected_outcome`, `input` and `expected_output`.
    Plain,
}

/// Returns the case number `index` for a seed. Its id is unique among all indices of the seed.
pub fn case(shape: Shape, seed: u64, index: u64) -> Value {
    let mut random = Random::of_item(seed, index);
    match shape {
        Shape::Mixed => mixed(&mut random, index),
        Shape::Plain => plain(&mut random, index),
    }
}

fn plain(random: &mut Random, index: u64) -> Value {
    json!({
        "id": id(random, index),
        "expected_outcome": prose::sentences(random, 1, 2),
        "input": prose::sentences(random, 1, 3),
        "expected_output": prose::sentences(random, 1, 2),
    })
}

fn mixed(random: &mut Random, index: u64) -> Value {
    let mut case = Map::new();
    case.insert("id".to_owned(), id(random, index).into());
    if random.chance(20) {
        let conversation = format!("conversation-{}", index / 4);
        case.insert("conversation_id".to_owned(), conversation.into());
    }
    let outcome = if random.chance(10) {
        "outcome"
    } else {
        "expected_outcome"
    };
    case.insert(outcome.to_owned(), prose::sentences(random, 1, 2).into());
    add_input(random, &mut case);
    add_expected(random, &mut case);
    if random.chance(15) {
        case.insert("execution".to_owned(), execution(random));
    }
    if random.chance(35) {
        case.insert("evaluators".to_owned(), evaluators(random));
    } else if random.chance(20) {
        case.insert("rubrics".to_owned(), rubrics(random));
    }
    if random.chance(30) {
        case.insert("metadata".to_owned(), metadata(random));
    }
    Value::Object(case)
}

fn id(random: &mut Random, index: u64) -> String {
    let area = random.pick(&["billing", "support", "search", "coding", "summary"]);
    format!("{area}-{index:07}")
}

fn add_input(random: &mut Random, case: &mut Map<String, Value>) {
    if random.chance(40) {
        case.insert("input".to_owned(), prose::sentences(random, 1, 4).into());
        return;
    }
    let name = if random.chance(15) {
        "input_messages"
    } else {
        "input"
    };
    case.insert(name.to_owned(), conversation(random));
}

fn conversation(random: &mut Random) -> Value {
    let mut messages = Vec::with_capacity(4);
    if random.chance(70) {
        messages.push(json!({"role": "system", "content": prose::sentences(random, 1, 2)}));
    }
    if random.chance(35) {
        messages.push(json!({"role": "user", "content": prose::sentences(random, 1, 2)}));
        messages.push(json!({"role": "assistant", "content": prose::sentences(random, 1, 2)}));
    }
    messages.push(json!({"role": "user", "content": content(random)}));
    Value::Array(messages)
}

fn content(random: &mut Random) -> Value {
    match random.between(0, 99) {
        0..15 => prose::essay(random).into(),
        15..30 => json!([
            {"type": "text", "value": prose::sentences(random, 1, 2)},
            {"type": "text", "value": prose::sentences(random, 1, 2)},
        ]),
        _ => prose::sentences(random, 1, 3).into(),
    }
}

fn add_expected(random: &mut Random, case: &mut Map<String, Value>) {
    let (name, expected) = match random.between(0, 99) {
        0..25 => return,
        25..55 => ("expected_output", prose::sentences(random, 1, 3).into()),
        55..75 => ("expected_output", structured(random)),
        75..95 => ("expected_output", tool_use(random)),
        _ => ("expected_messages", tool_use(random)),
    };
    case.insert(name.to_owned(), expected);
}

fn structured(random: &mut Random) -> Value {
    json!({
        "category": prose::slug(random),
        "priority": random.between(1, 5),
        "confidence": random.between(0, 1000) as f64 / 1000.0,
        "escalate": random.chance(50),
        "assignee": null,
        "steps": [prose::sentences(random, 1, 1), prose::sentences(random, 1, 1)],
    })
}

fn tool_use(random: &mut Random) -> Value {
    let calls: Vec<Value> = (0..random.between(1, 2))
        .map(|_| tool_call(random))
        .collect();
    json!([
        {"role": "assistant", "tool_calls": calls},
        {"role": "assistant", "content": prose::sentences(random, 1, 2)},
    ])
}

fn tool_call(random: &mut Random) -> Value {
    match random.between(0, 2) {
        0 => {
            json!({"tool": "search_documents", "input": {"query": prose::slug(random), "limit": 10}})
        }
        1 => json!({
            "tool": "getOrder",
            "id": format!("call_{:08x}", random.next() as u32),
            "input": {"order_id": random.between(10_000, 99_999)},
            "output": {"state": "shipped", "total": random.between(100, 99_999) as f64 / 100.0},
        }),
        _ => {
            json!({"tool": "read_file", "input": {"path": "src/main.rs"}, "duration_ms": random.between(1, 900)})
        }
    }
}

fn execution(random: &mut Random) -> Value {
    json!({"target": random.pick(&["default", "gpt", "claude", "local-agent"])})
}

fn evaluators(random: &mut Random) -> Value {
    let count = random.between(1, 3);
    (0..count)
        .map(|position| evaluator(random, position))
        .collect()
}

fn evaluator(random: &mut Random, position: u64) -> Value {
    match random.between(0, 3) {
        0 => json!({"type": "contains", "value": prose::slug(random), "ignore_case": true}),
        1 => json!({"type": "regex", "value": r"^\s*order\s+#?\d{4,6}\b"}),
        2 => json!({"name": format!("tone-{position}"), "type": "llm_judge", "weight": 2.0}),
        _ => json!({"type": "contains", "value": prose::slug(random), "required": true}),
    }
}

fn rubrics(random: &mut Random) -> Value {
    json!([
        prose::sentences(random, 1, 1),
        {
            "id": prose::slug(random),
            "expected_outcome": prose::sentences(random, 1, 1),
            "weight": random.between(1, 3),
            "required": random.chance(50),
        },
    ])
}

fn metadata(random: &mut Random) -> Value {
    json!({
        "source": prose::slug(random),
        "revision": random.between(1, 40),
        "tags": [prose::slug(random), prose::slug(random)],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn some(count: u64) -> impl Iterator<Item = Value> {
        (0..count).map(|index| case(Shape::Mixed, 1, index))
    }

    #[test]
    fn a_case_has_about_650_bytes_on_average() {
        let count = 20_000;
        let bytes: usize = some(count).map(|case| case.to_string().len() + 1).sum();
        let mean = bytes as u64 / count;
        assert!((630..=670).contains(&mean), "{mean} bytes");
    }

    #[test]
    fn every_id_is_given_once() {
        let ids: HashSet<String> = some(5_000).map(|case| case["id"].to_string()).collect();
        assert_eq!(ids.len(), 5_000);
    }

    #[test]
    fn every_case_has_what_a_case_must_have_in_one_spelling() {
        for case in some(2_000) {
            for (written, alias) in [("expected_outcome", "outcome"), ("input_messages", "input")] {
                assert!(case[written].is_null() != case[alias].is_null(), "{case}");
            }
        }
    }

    #[test]
    fn another_seed_gives_other_cases() {
        assert_ne!(case(Shape::Mixed, 1, 0), case(Shape::Mixed, 2, 0));
    }

    #[test]
    fn the_mix_has_every_optional_field() {
        let names: HashSet<String> = some(2_000)
            .flat_map(|case| case.as_object().cloned().unwrap_or_default())
            .map(|(name, _)| name)
            .collect();
        for name in [
            "conversation_id",
            "evaluators",
            "execution",
            "expected_messages",
            "expected_output",
            "metadata",
            "rubrics",
        ] {
            assert!(names.contains(name), "no case has {name}");
        }
    }
}
