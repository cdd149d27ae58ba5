//! The shapes of the rubrics of a case or of an evaluator.

use std::collections::HashSet;

use crate::shape::{AMOUNT, BOOL, FILLED, Field, Form, Others, Record, Shape, Text};
use crate::{Code, Node, Problem};

/// A list of rubric items, whose ids are distinct.
pub static RUBRICS: Shape = Shape {
    expected: "an array of rubrics",
    forms: &[Form::Checked {
        form: &Form::List {
            items: &RUBRIC,
            at_least: 0,
        },
        check: repeated_id,
    }],
};

/// A list of rubric items with at least one, whose ids are distinct.
pub static CHECKLIST: Shape = Shape {
    expected: "an array of rubrics with at least one",
    forms: &[Form::Checked {
        form: &Form::List {
            items: &RUBRIC,
            at_least: 1,
        },
        check: repeated_id,
    }],
};

/// One rubric item: a criterion in words, or a record.
pub static RUBRIC: Shape = Shape {
    expected: "a rubric (a string or an object)",
    forms: &[Form::Text(Text::Filled), Form::Record(&RUBRIC_RECORD)],
};

/// A rubric item with more than its words.
pub static RUBRIC_RECORD: Record = Record {
    name: "rubric",
    fields: &[
        Field {
            name: "id",
            shape: &FILLED,
            doc: "The name of the item in results.",
        },
        Field {
            name: "expected_outcome",
            shape: &FILLED,
            doc: "A description of a good answer, for the judge.",
        },
        Field {
            name: "description",
            shape: &FILLED,
            doc: "Another name for `expected_outcome`.",
        },
        Field {
            name: "weight",
            shape: &AMOUNT,
            doc: "The weight of the item among the others (default: 1).",
        },
        Field {
            name: "required",
            shape: &BOOL,
            doc: "If true, missing this item fails the whole evaluator, whatever the other items score (default: true, or false with `score_ranges`). An item with `score_ranges` then needs all 10 points.",
        },
        Field {
            name: "required_min_score",
            shape: &TEN,
            doc: "The lowest score, from 0 to 10, with which the item does not fail the whole evaluator.",
        },
        Field {
            name: "score_ranges",
            shape: &SCORE_RANGES,
            doc: "The meaning of each range of scores: an array, or an object such as `{0: Bad, 5: Fair, 8: Good}` that maps the lowest score of each range to its meaning. With ranges, the judge scores the item from 0 to 10 instead of answering yes or no.",
        },
    ],
    required: &[&["expected_outcome", "description", "score_ranges"]],
    others: Others::Warn,
};

/// The meaning of one range of scores.
pub static SCORE_RANGE_RECORD: Record = Record {
    name: "score range",
    fields: &[
        Field {
            name: "score_range",
            shape: &BOUNDS,
            doc: "The lowest and the highest score of the range, such as `[0, 3]`.",
        },
        Field {
            name: "expected_outcome",
            shape: &FILLED,
            doc: "A description of an answer with a score in this range.",
        },
    ],
    required: &[&["score_range"], &["expected_outcome"]],
    others: Others::Warn,
};

static TEN: Shape = Shape {
    expected: "a whole number from 0 to 10",
    forms: &[Form::Number {
        min: 0.0,
        max: 10.0,
        integer: true,
    }],
};

static BOUNDS: Shape = Shape {
    expected: "an array of two whole numbers from 0 to 10",
    forms: &[Form::List {
        items: &TEN,
        at_least: 2,
    }],
};

static SCORE_RANGES: Shape = Shape {
    expected: "an array of score ranges with at least one, or an object of their lowest scores",
    forms: &[
        Form::Checked {
            form: &Form::List {
                items: &SCORE_RANGE,
                at_least: 1,
            },
            check: not_covering,
        },
        Form::Checked {
            form: &Form::Map(&FILLED),
            check: not_starting,
        },
    ],
};

static SCORE_RANGE: Shape = Shape {
    expected: "a score range (an object with `score_range` and `expected_outcome`)",
    forms: &[Form::Record(&SCORE_RANGE_RECORD)],
};

/// Checks if a record is a part of a rubric. Evaluators have rubrics, too, so that `camelCase` names stand for
/// `snake_case` ones in both places.
pub(crate) fn is_rubric(record: &Record) -> bool {
    std::ptr::eq(record, &RUBRIC_RECORD) || std::ptr::eq(record, &SCORE_RANGE_RECORD)
}

/// The name of an item without an id, up to its number.
const NUMBERED: &str = "rubric-";

/// Finds two items of one id, which results could not tell apart. An item without an id is called
/// `rubric-` and its place.
fn repeated_id(list: Node<'_>) -> Option<Problem> {
    let written = || list.items().filter_map(|rubric| rubric.given("id"));
    // Most lists give no id, or one; then only an id like a numbered one can repeat.
    let mut ids = written();
    if let (first, None) = (ids.next(), ids.next())
        && first.is_none_or(|id| !id.text().starts_with(NUMBERED))
    {
        return None;
    }
    let mut ids = HashSet::new();
    let (index, rubric, id) = list.items().enumerate().find_map(|(index, rubric)| {
        let id = match rubric.given("id") {
            Some(id) => id.text(),
            None => format!("{NUMBERED}{}", index + 1).into(),
        };
        (!ids.insert(id.clone())).then_some((index, rubric, id))
    })?;
    let place = rubric.given("id").unwrap_or(rubric);
    let message = format!("two rubrics have the id `{id}`");
    let problem = Problem::error(Code::DuplicateName, place.span(), message);
    Some(problem.at(format!("[{index}].id")))
}

/// Checks that the ranges of an item cover 0 to 10, each number once.
fn not_covering(ranges: Node<'_>) -> Option<Problem> {
    let message = uncovered(ranges)?;
    let problem = Problem::error(Code::ScoreRanges, ranges.span(), message);
    Some(problem.hint("the ranges must cover 0 to 10, each number once"))
}

/// Checks that the keys of an object of ranges are distinct scores, and that the lowest is 0.
fn not_starting(starts: Node<'_>) -> Option<Problem> {
    let mut scores = HashSet::new();
    for (key, _) in starts.fields() {
        let text = key.text();
        let score = text.trim().parse::<u8>().ok().filter(|score| *score <= 10);
        let message = match score {
            None => format!("expected a whole number from 0 to 10 as a key, found `{text}`"),
            Some(score) if !scores.insert(score) => format!("two ranges start at {score}"),
            Some(_) => continue,
        };
        return Some(Problem::error(Code::ScoreRanges, key.span(), message));
    }
    if scores.contains(&0) {
        return None;
    }
    let problem = Problem::error(Code::ScoreRanges, starts.span(), "no range covers 0");
    Some(problem.hint("each key is the lowest score of a range; the lowest of all is 0"))
}

fn uncovered(ranges: Node<'_>) -> Option<String> {
    let mut bounds: Vec<(i64, i64)> = ranges.items().filter_map(bounds).collect();
    if bounds.len() < ranges.len() {
        return Some("expected `score_range: [low, high]` in every range".to_owned());
    }
    bounds.sort_unstable();
    let mut next = 0;
    for (low, high) in bounds {
        if high < low {
            return Some(format!("the range [{low}, {high}] ends before it begins"));
        }
        if low < next {
            return Some(format!("the ranges overlap at {low}"));
        }
        if low > next {
            return Some(format!("no range covers {next}"));
        }
        next = high + 1;
    }
    (next != 11).then(|| format!("no range covers {next}"))
}

/// Returns the two ends of a range.
fn bounds(range: Node<'_>) -> Option<(i64, i64)> {
    let range = range
        .given_in_any_case("score_range")
        .filter(|range| range.len() == 2)?;
    let mut ends = range.items();
    let mut next = || ends.next()?.as_f64().map(|end| end as i64);
    Some((next()?, next()?))
}
