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
- {type: llm_judge, prompt: {script: [python, prompt.py], config: {style: short}, timeout_seconds: 5}, judges: [a, b]}
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
- {type: code_judge, script: [python, judge.py], cwd: scripts, timeout_seconds: 5, target: {max_calls: 3}, limit: 5}
- {type: code_judge, script: ./judge.sh --fast, target: true}
- code_judge: [python, judge.py]
- type: composite
  evaluators:
    - {type: contains, value: Paris, name: city}
    - {type: is_json}
  aggregator: {type: weighted_average, weights: {city: 2}}
- {type: composite, evaluators: [equals: a], aggregator: {type: code_judge, path: join.py, cwd: ., timeout_seconds: 5}}
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
            "expected a whole number from 1 to 100, or an array of target names, found 0",
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

/// The one problem of a list, as place, code and words.
fn only_problem(source: &str) -> (String, Code, String) {
    let mut found = problems(source);
    assert_eq!(found.len(), 1, "{source}: {found:?}");
    let problem = found.remove(0);
    assert_eq!(problem.severity, Severity::Error);
    (problem.path, problem.code, problem.message)
}

#[test]
fn what_cannot_be_compiled_is_found_where_it_stands() {
    for (source, path, message) in [
        (
            "- {type: regex, value: '(a'}",
            "[0].value",
            "not a regular expression: unclosed group",
        ),
        (
            "- regex: '[z-a]'",
            "[0].regex",
            "not a regular expression: invalid character class range, the start must be <= the end",
        ),
        (
            "- json_schema: {properties: {a: {type: strong}}}",
            "[0].json_schema",
            "not a JSON Schema at `/properties/a/type`: \"strong\" is not valid under any of the schemas listed in the 'anyOf' keyword",
        ),
        (
            "- {type: field_accuracy, fields: [{path: a}, {path: 'a[x'}]}",
            "[0].fields[1].path",
            "there is a `[` without a `]`",
        ),
        (
            "- field_accuracy: [{path: a, match: date, formats: [YYYY-MM-DD, DD.MM]}]",
            "[0].field_accuracy[0].formats[1]",
            "expected one year in a date format such as `DD/MM/YYYY`, found 0",
        ),
        (
            "- {type: composite, evaluators: [regex: '*']}",
            "[0].evaluators[0].regex",
            "not a regular expression: repetition operator missing expression",
        ),
    ] {
        let expected = (path.to_owned(), Code::InvalidExpression, message.to_owned());
        assert_eq!(only_problem(source), expected, "{source}");
    }
}

#[test]
fn the_same_mistake_is_found_again_in_the_next_case() {
    for _ in 0..3 {
        let source = "- regex: '(a'\n- regex: a\n- regex: '(a'";
        let paths: Vec<_> = problems(source)
            .into_iter()
            .map(|found| found.path)
            .collect();
        assert_eq!(paths, ["[0].regex", "[2].regex"]);
    }
}

#[test]
fn options_that_do_not_go_together_are_found() {
    for (source, path, code, message) in [
        (
            "- {type: tool_trajectory, mode: any_order, expected: []}",
            "[0].minimums",
            Code::MissingField,
            "`any_order` needs `minimums`",
        ),
        (
            "- {type: tool_trajectory, mode: exact, minimums: {a: 1}}",
            "[0].expected",
            Code::MissingField,
            "`exact` needs `expected`",
        ),
    ] {
        let expected = (path.to_owned(), code, message.to_owned());
        assert_eq!(only_problem(source), expected, "{source}");
    }
}

#[test]
fn a_weight_for_nobody_is_remarked_on() {
    let found = problems(
        "- {type: composite, evaluators: [equals: a, equals: b], aggregator: {type: weighted_average, weights: {equals-2: 1, equals-3: 1}}}",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Warning);
    assert_eq!(found[0].path, "[0].aggregator.weights");
    assert_eq!(
        found[0].message,
        "no evaluator of `evaluators` has the name `equals-3`, the weight has no effect"
    );
    assert_eq!(
        found[0].hint.as_deref(),
        Some("their names are equals, equals-2")
    );
}

#[test]
fn an_aggregator_that_decides_must_be_told_how() {
    for (aggregator, message) in [
        (
            "{type: code_judge, prompt: p}",
            "missing path, which the aggregator `code_judge` needs",
        ),
        (
            "{type: llm_judge, path: a.py}",
            "missing prompt, which the aggregator `llm_judge` needs",
        ),
    ] {
        let found = problems(&format!(
            "- {{type: composite, evaluators: [equals: a], aggregator: {aggregator}}}"
        ));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Error);
        assert_eq!(found[0].code, Code::MissingField);
        assert_eq!(found[0].path, "[0].aggregator");
        assert_eq!(found[0].message, message);
    }
}

#[test]
fn the_prompt_that_joins_results_is_checked_like_a_judges() {
    let with = |prompt: &str| {
        problems(&format!(
            "- {{type: composite, evaluators: [equals: a], aggregator: {{type: llm_judge, prompt: '{prompt}'}}}}"
        ))
    };
    assert_eq!(with("{{EVALUATOR_RESULTS_JSON}} {{ question }}"), []);
    let broken = with("Weigh {{ EVALUATOR_RESULTS_JSON");
    assert_eq!(broken[0].code, Code::InvalidTemplate);
    let blind = with("Weigh {{ question }}");
    assert_eq!(blind[0].code, Code::JudgePrompt);
    assert!(
        blind[0].message.contains("EVALUATOR_RESULTS_JSON"),
        "{}",
        blind[0].message
    );
    let unknown = with("{{EVALUATOR_RESULTS_JSON}} {{ nothing }}");
    assert!(
        unknown[0].message.contains("no variable `nothing`"),
        "{}",
        unknown[0].message
    );
}

#[test]
fn members_of_one_name_are_told_apart_by_nobody() {
    let found = problems(
        "- {type: composite, evaluators: [{type: is_json, name: a}, {equals: x}, {type: regex, name: a, value: x}]}",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, Code::DuplicateName);
    assert_eq!(found[0].path, "[0].evaluators[2].name");
}

#[test]
fn composites_that_are_nested_too_deep_are_told_once() {
    let nested = |levels: usize| {
        let open = "{type: composite, evaluators: [";
        format!(
            "- {}{{type: is_json}}{}",
            open.repeat(levels),
            "]}".repeat(levels)
        )
    };
    assert_eq!(problems(&nested(16)), []);
    for levels in [17, 18, 60] {
        let found = problems(&nested(levels));
        assert_eq!(found.len(), 1, "{levels}");
        assert_eq!(found[0].code, Code::TooDeep);
    }
}

/// The evaluator with its shorthands written out, as it stands in a resolved case.
fn written_out(example: &Value) -> Value {
    let mut options = example.as_object().unwrap().clone();
    if !options.contains_key("type") {
        let (kind, value) = options.into_iter().next().unwrap();
        let option = REGISTRY.kind(&kind).unwrap().shorthand.unwrap();
        options = serde_json::Map::new();
        options.insert("type".to_owned(), kind.into());
        options.insert(option.to_owned(), value);
    }
    let name = options["type"].clone();
    options.entry("name").or_insert(name);
    if let Some(Value::Array(members)) = options.get_mut("evaluators") {
        *members = members.iter().map(written_out).collect();
    }
    Value::Object(options)
}

#[test]
fn whatever_is_valid_can_be_built() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("join.py"), "").unwrap();
    std::fs::create_dir(root.path().join("scripts")).unwrap();
    let builder = crate::Builder::new(crate::BuildContext::new(root.path()));
    for example in value(EVERYTHING).as_array().unwrap() {
        let spec = serde_json::from_value(written_out(example)).unwrap();
        match builder.build(&spec) {
            Ok(_) => {}
            // The schema's file is not there.
            Err(error) => assert_eq!(example["json_schema"], "schemas/answer.json", "{error}"),
        }
    }
}
