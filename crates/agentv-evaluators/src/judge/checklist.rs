//! The form of answer in which a judge checks or scores each item of a checklist.

use agentv_core::{Rubric, Score};
use serde_json::{Value, json};

use super::form::number;
use super::judgement::{Judgement, filled};
use super::unusable::UnusableAnswer;
use crate::words::{Findings, shown};

/// The maximum points of an item.
const MOST_POINTS: f64 = 10.0;
/// The points from which an item with score ranges counts as a strength of the answer.
const STRENGTH_FROM: f64 = 7.0;

/// The items of a checklist.
#[derive(Debug)]
pub(crate) struct Checklist {
    items: Vec<Rubric>,
}

/// The judgement of one item.
struct Checked<'c> {
    item: &'c Rubric,
    /// The points, all or none for a yes or no.
    points: f64,
    reasoning: Option<String>,
}

impl Checklist {
    pub(crate) fn of(items: Vec<Rubric>) -> Checklist {
        Checklist { items }
    }

    pub(super) fn instructions(&self) -> String {
        let mut text =
            "You check an answer that an AI system gave against a list of items. Judge each \
                        item by itself, and only by what the answer shows.\n\nThe items:"
                .to_owned();
        for item in &self.items {
            let outcome = item.expected_outcome.as_deref().unwrap_or_default();
            let id = Value::from(item.id.as_str());
            text.push_str(&format!("\n- id {id}: {outcome}"));
            if !item.score_ranges.is_empty() {
                text.push_str("\n  Give it whole points from 0 to 10:");
            }
            for range in &item.score_ranges {
                let [low, high] = range.score_range;
                let outcome = &range.expected_outcome;
                text.push_str(&format!("\n  {low} to {high}: {outcome}"));
            }
        }
        text
    }

    pub(super) fn wanted(&self) -> String {
        let has = |points: bool| {
            let mut items = self.items.iter();
            items.any(|item| item.score_ranges.is_empty() != points)
        };
        let judged = match (has(false), has(true)) {
            (true, false) => "\"satisfied\": true or false",
            (false, _) => "\"score\": a whole number from 0 to 10",
            (true, true) => {
                "\"satisfied\": true or false (or \"score\": a whole number from 0 to 10, for items with points)"
            }
        };
        format!(
            "{{\"checks\": [for each item {{\"id\": its id, \"reasoning\": in a sentence, what in the \
             answer decides, {judged}}}], \
             \"overall_reasoning\": a summary in one or two sentences}}"
        )
    }

    pub(super) fn schema(&self) -> Value {
        let ids: Vec<&str> = self.items.iter().map(|item| item.id.as_str()).collect();
        let mut forms = Vec::new();
        for points in [false, true] {
            if self
                .items
                .iter()
                .all(|item| item.score_ranges.is_empty() == points)
            {
                continue;
            }
            let (name, kind) = if points {
                ("score", "integer")
            } else {
                ("satisfied", "boolean")
            };
            forms.push(json!({
                "type": "object",
                "properties": {
                    "id": {"type": "string", "enum": ids},
                    "reasoning": {"type": "string"},
                    name: {"type": kind},
                },
                "required": ["id", "reasoning", name],
                "additionalProperties": false,
            }));
        }
        let item = match forms.len() {
            1 => forms.remove(0),
            _ => json!({"anyOf": forms}),
        };
        json!({
            "type": "object",
            "properties": {
                "checks": {"type": "array", "items": item},
                "overall_reasoning": {"type": "string"},
            },
            "required": ["checks", "overall_reasoning"],
            "additionalProperties": false,
        })
    }

    pub(super) fn read(&self, answer: &Value) -> Result<Judgement, UnusableAnswer> {
        let checks = answer.get("checks").and_then(Value::as_array);
        let checks = checks.ok_or(UnusableAnswer::NoChecks)?;
        let checked: Result<Vec<_>, UnusableAnswer> =
            self.items.iter().map(|item| check(item, checks)).collect();
        Ok(self.judgement(&checked?, filled(answer.get("overall_reasoning"))))
    }

    fn judgement(&self, checked: &[Checked<'_>], reasoning: Option<String>) -> Judgement {
        let scores = checked.iter().map(Checked::weighted);
        let score = Score::weighted_mean(scores);
        let mut findings = Findings::default();
        for checked in checked {
            findings.add(checked.is_met(), || checked.finding());
        }
        let found = findings.evaluation(score);
        let details: Vec<Value> = checked.iter().map(Checked::details).collect();
        Judgement {
            score,
            lacks_required: checked.iter().any(Checked::lacks_required),
            hits: found.hits,
            misses: found.misses,
            reasoning,
            details: Some(json!({"checks": details})),
        }
    }
}

/// Reads the judgement of `item`.
fn check<'c>(item: &'c Rubric, checks: &[Value]) -> Result<Checked<'c>, UnusableAnswer> {
    let id = &item.id;
    let mut said = checks
        .iter()
        .filter(|check| check.get("id").and_then(Value::as_str) == Some(id));
    let found = said
        .next()
        .ok_or_else(|| UnusableAnswer::NoCheck { item: id.clone() })?;
    let points = points(item, found)?;
    for other in said {
        if self::points(item, other)? != points {
            return Err(UnusableAnswer::ContradictoryChecks { item: id.clone() });
        }
    }
    Ok(Checked {
        item,
        points,
        reasoning: filled(found.get("reasoning")),
    })
}

fn points(item: &Rubric, check: &Value) -> Result<f64, UnusableAnswer> {
    let (name, expected) = if item.score_ranges.is_empty() {
        ("satisfied", "true or false")
    } else {
        ("score", "a whole number from 0 to 10")
    };
    let value = check.get(name);
    let points = match name {
        "satisfied" => value
            .and_then(yes_or_no)
            .map(|yes| if yes { MOST_POINTS } else { 0.0 }),
        _ => value
            .and_then(number)
            .filter(|points| points.fract() == 0.0 && (0.0..=MOST_POINTS).contains(points))
            .map(f64::abs),
    };
    points.ok_or_else(|| UnusableAnswer::InvalidCheck {
        field: name,
        item: item.id.clone(),
        expected,
        found: value.map_or("missing".to_owned(), shown),
    })
}

fn yes_or_no(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

impl Checked<'_> {
    fn score(&self) -> Score {
        Score::ratio(self.points, MOST_POINTS)
    }

    fn weighted(&self) -> (Score, f64) {
        (self.score(), self.item.weight)
    }

    /// Returns true if the item is a strength of the answer.
    fn is_met(&self) -> bool {
        let enough = if self.item.score_ranges.is_empty() {
            MOST_POINTS
        } else {
            STRENGTH_FROM
        };
        self.points >= enough && !self.lacks_required()
    }

    /// Returns true if the checklist fails because of this item: it has less than
    /// `required_min_score`, or less than all points if it is required.
    fn lacks_required(&self) -> bool {
        let least = match self.item.required_min_score {
            Some(least) => f64::from(least),
            None if self.item.required => MOST_POINTS,
            None => return false,
        };
        self.points < least
    }

    fn finding(&self) -> String {
        let item = self.item;
        let what = item.expected_outcome.as_deref().unwrap_or(&item.id);
        let points = if item.score_ranges.is_empty() {
            String::new()
        } else {
            format!(" ({} of 10)", self.points)
        };
        let required = if self.lacks_required() {
            " (required)"
        } else {
            ""
        };
        format!("{what}{points}{required}")
    }

    fn details(&self) -> Value {
        let mut details = json!({"id": self.item.id});
        if self.item.score_ranges.is_empty() {
            details["satisfied"] = Value::from(self.points > 0.0);
        } else {
            details["score"] = Value::from(self.points as u64);
        }
        details["weight"] = Value::from(self.item.weight);
        if let Some(reasoning) = &self.reasoning {
            details["reasoning"] = Value::from(reasoning.as_str());
        }
        details
    }
}
