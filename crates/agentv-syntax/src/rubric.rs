//! What may be written as the rubrics of a case or of an evaluator.

use crate::shape::{AMOUNT, BOOL, FILLED, Field, Form, Others, Record, Shape, Text};

/// A list of rubric items.
pub static RUBRICS: Shape = Shape {
    expected: "an array of rubrics",
    forms: &[Form::List {
        items: &RUBRIC,
        at_least: 0,
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
            doc: "What a good answer does, in words for the judge.",
        },
        Field {
            name: "weight",
            shape: &AMOUNT,
            doc: "How much the item counts among the others, 1 unless given.",
        },
        Field {
            name: "required",
            shape: &BOOL,
            doc: "Whether missing this item fails the whole evaluator, whatever the others give.",
        },
        Field {
            name: "required_min_score",
            shape: &TEN,
            doc: "The lowest score, from 0 to 10, with which the item does not fail the whole evaluator.",
        },
        Field {
            name: "score_ranges",
            shape: &SCORE_RANGES,
            doc: "What each range of scores stands for; the judge then gives the item 0 to 10 in place of yes or no.",
        },
    ],
    required: &[&["expected_outcome", "score_ranges"]],
    others: Others::Warn,
};

/// What one range of scores stands for.
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
            doc: "What an answer with a score in this range does.",
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
    expected: "an array of score ranges with at least one",
    forms: &[Form::List {
        items: &SCORE_RANGE,
        at_least: 1,
    }],
};

static SCORE_RANGE: Shape = Shape {
    expected: "a score range (an object with `score_range` and `expected_outcome`)",
    forms: &[Form::Record(&SCORE_RANGE_RECORD)],
};
