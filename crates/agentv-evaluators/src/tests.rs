//! What holds for every evaluator of the registry.

use agentv_syntax::shape::EVALUATORS;
use agentv_syntax::{
    Code, Definitions, Others, Problem, Record, Registry, Severity, Tree, check, schema, yaml,
};
use serde_json::Value;

use crate::{ALL, REGISTRY};

static NO_TARGETS: Registry = Registry {
    noun: "provider",
    tag: "provider",
    common: &Record {
        name: "target",
        fields: &[],
        required: &[],
        others: Others::Refuse,
    },
    kinds: &[],
    camel_case: true,
    unknown: Code::UnknownProvider,
    check: None,
};

const DEFINITIONS: Definitions = Definitions {
    evaluators: &REGISTRY,
    targets: &NO_TARGETS,
};

/// A list of evaluators in which every kind and every option stands at least once.
const EVERYTHING: &str = r#"
- {type: llm_judge, name: tone, weight: 0.5, required: true, target: judge}
- {type: llm_judge, prompt: prompts/judge.md, judges: 3, aggregate: median}
- {type: llm_judge, prompt: {script: [python, prompt.py], config: {style: short}}, judges: [a, b]}
- {type: llm_judge, rubrics: [Names the capital.]}
- llm_judge: Is {{ candidate_answer }} polite?
- type: rubric
  rubrics:
    - Names the capital.
    - {id: polite, expected_outcome: Is polite., weight: 2, required: true}
    - id: depth
      required_min_score: 4
      score_ranges:
        - {score_range: [0, 3], expected_outcome: Shallow.}
        - {score_range: [4, 10], expected_outcome: Deep.}
  target: judge
  judges: 2
  aggregate: mean
- rubric: [Names the capital.]
- {type: code_judge, script: [python, judge.py], cwd: scripts, target: {max_calls: 3}, limit: 5}
- {type: code_judge, script: ./judge.sh --fast, target: true}
- code_judge: [python, judge.py]
- type: composite
  evaluators:
    - {type: contains, value: Paris, name: city}
    - {type: is_json}
  aggregator: {type: weighted_average, weights: {city: 2}}
- {type: composite, evaluators: [equals: a], aggregator: {type: code_judge, path: join.py, cwd: .}}
- {type: composite, evaluators: [equals: a], aggregator: {type: llm_judge, prompt: p, target: t}}
- {type: tool_trajectory, mode: any_order, minimums: {search: 2}}
- type: tool_trajectory
  mode: in_order
  expected: [{tool: search, args: any}, {tool: open, args: {id: 1}, max_duration_ms: 500}]
- type: field_accuracy
  aggregation: all_or_nothing
  fields:
    - {path: total, match: numeric_tolerance, tolerance: 0.1, relative: true, weight: 2}
    - {path: due, match: date, formats: [YYYY-MM-DD], required: false}
- field_accuracy: [path: name]
- latency: 2000
- {type: latency, threshold: 1500.5}
- cost: 0.01
- {type: cost, budget: 1}
- token_usage: 500
- {type: token_usage, max_total: 500, max_input: 400, max_output: 100}
- type: execution_metrics
  max_tool_calls: 10
  max_llm_calls: 5
  max_tokens: 1000
  max_cost_usd: 0.5
  max_duration_ms: 60000
  target_exploration_ratio: 0.6
  exploration_tolerance: 0.1
- contains: Paris
- {type: contains, value: Paris, ignore_case: true, negate: false}
- contains_any: [Paris, Rome]
- {type: contains_any, values: [Paris], ignore_case: true, negate: true}
- contains_all: [Paris, Rome]
- {type: contains_all, values: [Paris], ignore_case: true, negate: true}
- equals: ""
- {type: equals, value: Paris, ignore_case: true, negate: true}
- starts_with: The
- {type: starts_with, value: The, ignore_case: true, negate: true}
- regex: ^\d+$
- {type: regex, value: paris, ignore_case: true, negate: true}
- {type: is_json}
- json_schema: schemas/answer.json
- {type: json_schema, schema: {type: object, required: [answer]}}
- similarity: rouge_l
- {type: similarity, metric: levenshtein, value: Paris, threshold: 0.8}
"#;

fn problems(source: &str) -> Vec<Problem> {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree).unwrap();
    let mut problems = Vec::new();
    check(tree.root(), &EVALUATORS, DEFINITIONS, &mut problems);
    problems
}

fn value(source: &str) -> Value {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree).unwrap();
    tree.root().to_value()
}

#[test]
fn the_example_of_everything_uses_every_option_and_is_accepted() {
    assert_eq!(problems(EVERYTHING), []);
    let examples = value(EVERYTHING);
    for kind in ALL {
        let of_kind = || {
            let items = examples.as_array().unwrap().iter();
            items.filter(|example| example["type"] == kind.name)
        };
        for field in kind.options.fields {
            let used = of_kind().any(|example| example.get(field.name).is_some());
            assert!(used, "{} {}", kind.name, field.name);
        }
        assert!(of_kind().next().is_some(), "{}", kind.name);
    }
}

#[test]
fn the_schema_is_one_and_accepts_what_the_checker_accepts() {
    let schema = schema::of_file("evaluators", &EVALUATORS, DEFINITIONS);
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    for example in value(EVERYTHING).as_array().unwrap() {
        let list = Value::Array(vec![example.clone()]);
        assert!(validator.is_valid(&list), "{example}");
    }
}

#[test]
fn what_is_wrong_is_said_in_words_and_the_schema_refuses_it_too() {
    let schema = schema::of_file("evaluators", &EVALUATORS, DEFINITIONS);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (source, path, message, hint) in [
        (
            "- {type: lm_judge}",
            "[0].type",
            "unknown evaluator `lm_judge`",
            Some("did you mean `llm_judge`?"),
        ),
        ("- {type: contains}", "[0].value", "missing value", None),
        (
            "- equals: 42",
            "[0].equals",
            "expected a string, found a number",
            Some("put it in quotes: \"42\""),
        ),
        (
            "- {type: latency, threshold: -1}",
            "[0].threshold",
            "expected a number that is 0 or more, found -1",
            None,
        ),
        (
            "- {type: tool_trajectory, mode: inorder, expected: []}",
            "[0].mode",
            "expected any_order, in_order or exact, found `inorder`",
            Some("did you mean `in_order`?"),
        ),
        (
            "- {type: tool_trajectory, mode: exact}",
            "[0].expected",
            "missing expected",
            Some("write one of `expected`, `minimums`"),
        ),
        (
            "- {type: composite, evaluators: []}",
            "[0].evaluators",
            "expected an array of evaluators with at least one, found an empty array",
            None,
        ),
        (
            "- {type: composite, evaluators: [{type: cost}]}",
            "[0].evaluators[0].budget",
            "missing budget",
            None,
        ),
        (
            "- {type: rubric, rubrics: [{weight: 2}]}",
            "[0].rubrics[0].expected_outcome",
            "missing expected_outcome",
            Some("write one of `expected_outcome`, `score_ranges`"),
        ),
        (
            "- rubric: [{score_ranges: [{score_range: [3], expected_outcome: a}]}]",
            "[0].rubric[0].score_ranges[0].score_range",
            "expected an array of two whole numbers from 0 to 10, found an array of 1",
            None,
        ),
        (
            "- {type: llm_judge, judges: 0}",
            "[0].judges",
            "expected a whole number that is 1 or more, or an array of target names, found 0",
            None,
        ),
        (
            "- {type: code_judge, script: []}",
            "[0].script",
            "expected a command (an array of strings, or a string for the shell), found an empty array",
            None,
        ),
    ] {
        let found = problems(source);
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert_eq!(found[0].severity, Severity::Error, "{source}");
        assert_eq!(found[0].path, path, "{source}");
        assert_eq!(found[0].message, message, "{source}");
        assert_eq!(found[0].hint.as_deref(), hint, "{source}");
        assert!(!validator.is_valid(&value(source)), "{source}");
    }
}

#[test]
fn further_fields_are_the_settings_of_a_script_and_a_remark_elsewhere() {
    assert_eq!(
        problems("- {type: code_judge, script: [a], semanticSearch: 1}"),
        []
    );
    let found = problems("- {type: contains, value: Paris, ignorecase: true}");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Warning);
    assert_eq!(
        found[0].hint.as_deref(),
        Some("did you mean `ignore_case`?")
    );
}
