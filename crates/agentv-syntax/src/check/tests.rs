//! Tests of comparing values with shapes.

use super::*;
use crate::shape::{Field, Form, Kind, Others, Record, Shape};
use crate::tree::{Node, Tree};
use crate::{Code, Definitions, Problem, Registry, json, schema};

static NOTHING: Registry = Registry {
    noun: "evaluator",
    tag: "type",
    common: &Record {
        name: "evaluator",
        fields: &[],
        required: &[],
        others: Others::Keep,
    },
    kinds: &[&RANGE],
    camel_case: false,
    unknown: Code::UnknownEvaluator,
    check: Some(|_, options| {
        let bound = |name| options.given(name).and_then(Node::as_f64);
        let span = options.span();
        (bound("low")? > bound("high")?)
            .then(|| Problem::error(Code::OutOfRange, span, "ends before it begins").at("low"))
    }),
};

static RANGE: Kind = Kind {
    name: "range",
    aliases: &[],
    doc: "A range.",
    options: Record {
        name: "range",
        fields: &[
            Field {
                name: "low",
                shape: &EVEN,
                doc: "Where it begins.",
            },
            Field {
                name: "high",
                shape: &EVEN,
                doc: "Where it ends.",
            },
        ],
        required: &[],
        others: Others::Keep,
    },
    shorthand: Some("low"),
};

static EVEN: Shape = Shape {
    expected: "an even number from 0 to 10",
    forms: &[Form::Checked {
        form: &Form::Number {
            min: 0.0,
            max: 10.0,
            integer: true,
        },
        check: |node| {
            let is_odd = node.as_f64()? % 2.0 != 0.0;
            is_odd.then(|| Problem::error(Code::OutOfRange, node.span(), "an odd number"))
        },
    }],
};

const DEFINITIONS: Definitions = Definitions {
    evaluators: &NOTHING,
    targets: &NOTHING,
};

fn problems(source: &str) -> Vec<(String, String)> {
    let mut tree = Tree::default();
    json::parse(source, &mut tree).unwrap();
    let mut problems = Vec::new();
    check(
        tree.root(),
        &crate::shape::EVALUATOR,
        DEFINITIONS,
        &mut problems,
    );
    let told = problems
        .into_iter()
        .map(|found| (found.path, found.message));
    told.collect()
}

#[test]
fn a_value_is_checked_further_only_if_its_form_is_right() {
    let odd = |path: &str| vec![(path.to_owned(), "an odd number".to_owned())];
    assert_eq!(problems(r#"{"type": "range", "low": 4}"#), []);
    assert_eq!(problems(r#"{"type": "range", "high": 5}"#), odd("high"));
    assert_eq!(problems(r#"{"range": 7}"#), odd("range"));
    for source in [r#"{"type": "range", "low": 11}"#, r#"{"range": "7"}"#] {
        let found = problems(source);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].1.starts_with("expected an even number"),
            "{found:?}"
        );
    }
}

#[test]
fn options_are_compared_with_each_other_only_if_each_is_right() {
    let turned = ("low".to_owned(), "ends before it begins".to_owned());
    assert_eq!(
        problems(r#"{"type": "range", "low": 4, "high": 2}"#),
        [turned]
    );
    assert_eq!(problems(r#"{"type": "range", "low": 2, "high": 4}"#), []);
    let found = problems(r#"{"type": "range", "low": 4, "high": 1}"#);
    assert_eq!(found, [("high".to_owned(), "an odd number".to_owned())]);
}

#[test]
fn the_schema_of_a_checked_value_is_that_of_its_form() {
    let schema = schema::of_file("even", &EVEN, DEFINITIONS);
    assert_eq!(schema["type"], "integer");
    assert_eq!(schema["maximum"], 10);
}
