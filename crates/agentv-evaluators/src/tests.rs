//! Tests of every evaluator in the registry.

use agentv_core::{EvaluatorSpec, Extra};
use agentv_syntax::shape::EVALUATORS as SHAPE;
use agentv_syntax::{
    Code, Definitions, Others, Problem, Record, Registry, Severity, Tree, check, schema, yaml,
};
use serde_json::{Value, json};

use crate::REGISTRY;
use crate::kind::EvaluatorKind;
use crate::kinds::EVALUATORS;

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

/// Returns all evaluators of all examples.
fn examples() -> impl Iterator<Item = Value> {
    let examples = EVALUATORS.iter().map(|kind| value(kind.example));
    examples.flat_map(|list| list.as_array().unwrap().clone())
}

fn problems(source: &str) -> Vec<Problem> {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree).unwrap();
    let mut problems = Vec::new();
    check(tree.root(), &SHAPE, DEFINITIONS, &mut problems);
    problems
}

fn value(source: &str) -> Value {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree).unwrap();
    tree.root().to_value()
}

#[test]
fn the_example_of_a_kind_sets_every_option_and_is_accepted() {
    for evaluator in EVALUATORS {
        let kind = &evaluator.kind;
        let place = format!("`example` of `{}` in src/kinds", kind.name);
        assert_eq!(problems(evaluator.example), [], "{place} is refused");
        let examples: Vec<_> = value(evaluator.example)
            .as_array()
            .unwrap()
            .iter()
            .map(written_out)
            .collect();
        for example in &examples {
            let found = &example["type"];
            assert_eq!(found, kind.name, "{place} has an evaluator of another type");
        }
        for field in kind.options.fields {
            let used = |example: &Value| example.get(field.name).is_some();
            assert!(
                examples.iter().any(used),
                "{place} does not set `{}`: add it to one of its evaluators",
                field.name
            );
        }
    }
}

#[test]
fn the_kinds_that_the_core_names_exist() {
    for kind in [EvaluatorSpec::DEFAULT_KIND, EvaluatorSpec::CHECKLIST_KIND] {
        assert!(REGISTRY.kind(kind).is_some(), "{kind}");
    }
}

/// Returns the evaluators of a kind's example that set `option`, each changed by `change`.
fn changed(evaluator: &EvaluatorKind, option: &str, change: impl Fn(&mut Extra)) -> Vec<Value> {
    let list = value(evaluator.example);
    let examples = list.as_array().unwrap().iter().map(written_out);
    let with_option = examples.filter(|example| example.get(option).is_some());
    let changed = with_option.map(|mut example| {
        change(example.as_object_mut().unwrap());
        example
    });
    changed.collect()
}

/// Returns the paths of the errors in a list with one evaluator.
fn errors(evaluator: &Value) -> Vec<String> {
    let found = problems(&Value::from(vec![evaluator.clone()]).to_string());
    let errors = found.into_iter();
    let errors = errors.filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.path).collect()
}

#[test]
fn every_option_refuses_a_value_that_it_cannot_use() {
    let wrong = [
        json!(true),
        json!(-1),
        json!(""),
        json!([]),
        json!([{}]),
        json!({"?": [0]}),
    ];
    for evaluator in EVALUATORS {
        for field in evaluator.kind.options.fields {
            let path = format!("[0].{}", field.name);
            let refuses = |wrong: &Value| {
                let insert = |options: &mut Extra| {
                    options.insert(field.name.to_owned(), wrong.clone());
                };
                let changed = changed(evaluator, field.name, insert);
                let is_refused = |paths: Vec<String>| paths.iter().any(|at| at.starts_with(&path));
                changed.iter().all(|changed| is_refused(errors(changed)))
            };
            assert!(
                wrong.iter().any(refuses),
                "`{}` of `{}` takes whatever is written: give it a shape that says what it expects",
                field.name,
                evaluator.kind.name
            );
        }
    }
}

#[test]
fn every_kind_refuses_to_be_without_what_it_requires() {
    for evaluator in EVALUATORS {
        for group in evaluator.kind.options.required {
            for option in *group {
                let remove = |options: &mut Extra| {
                    for name in *group {
                        options.shift_remove(*name);
                    }
                };
                for lacking in changed(evaluator, option, remove) {
                    assert_ne!(errors(&lacking), [""; 0], "{lacking}");
                }
            }
        }
    }
}

#[test]
fn the_schema_is_one_and_accepts_what_the_checker_accepts() {
    let schema = schema::of_file("evaluators", &SHAPE, DEFINITIONS);
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    for example in examples() {
        let list = Value::Array(vec![example.clone()]);
        assert!(validator.is_valid(&list), "{example}");
    }
}

#[test]
fn what_is_wrong_is_said_in_words_and_the_schema_refuses_it_too() {
    let schema = schema::of_file("evaluators", &SHAPE, DEFINITIONS);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (source, path, message, hint) in [
        (
            "- {type: lm_judge}",
            "[0].type",
            "unknown evaluator `lm_judge`",
            Some("did you mean `llm_judge`?"),
        ),
        ("- {type: regex}", "[0].value", "missing value", None),
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
            "expected any_order, in_order, exact, superset or subset, found `inorder`",
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
            "expected an array of at least one evaluator, found an empty array",
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
            Some("write one of `expected_outcome`, `description`, `score_ranges`"),
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

/// Returns the only problem of a list: its path, code and message.
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
            "not a valid regular expression: unclosed group",
        ),
        (
            "- regex: '[z-a]'",
            "[0].regex",
            "not a valid regular expression: invalid character class range, the start must be <= the end",
        ),
        (
            "- json_schema: {properties: {a: {type: strong}}}",
            "[0].json_schema",
            "not a valid JSON Schema at `/properties/a/type`: \"strong\" is not a type; expected array, boolean, integer, null, number, object or string, or a list of these",
        ),
        (
            "- {type: field_accuracy, fields: [{path: a}, {path: 'a[x'}]}",
            "[0].fields[1].path",
            "found a `[` without a `]`",
        ),
        (
            "- field_accuracy: [{path: a, match: date, formats: [YYYY-MM-DD, DD.MM]}]",
            "[0].field_accuracy[0].formats[1]",
            "expected one year in a date format such as `DD/MM/YYYY`, found 0",
        ),
        (
            "- {type: composite, evaluators: [regex: '*']}",
            "[0].evaluators[0].regex",
            "not a valid regular expression: repetition operator missing expression",
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
            "`any_order` requires `minimums`",
        ),
        (
            "- {type: tool_trajectory, mode: exact, minimums: {a: 1}}",
            "[0].expected",
            Code::MissingField,
            "`exact` requires `expected`",
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
        "no evaluator in `evaluators` is named `equals-3`: the weight has no effect"
    );
    assert_eq!(found[0].hint.as_deref(), Some("known: equals, equals-2"));
}

#[test]
fn an_aggregator_that_decides_must_be_told_how() {
    for (aggregator, message) in [
        (
            "{type: code_judge, prompt: p}",
            "missing path, which the aggregator `code_judge` requires",
        ),
        (
            "{type: llm_judge, path: a.py}",
            "missing prompt, which the aggregator `llm_judge` requires",
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
        unknown[0].message.contains("unknown variable `nothing`"),
        "{}",
        unknown[0].message
    );
}

#[test]
fn a_member_whose_name_is_taken_is_renamed_with_a_warning() {
    let found = problems(
        "- {type: composite, evaluators: [{type: is_json, name: a}, {equals: x}, {type: regex, name: a, value: x}]}",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, Code::RenamedEvaluator);
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

/// Returns an evaluator with its shorthands written out, as in a resolved case.
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
    for example in examples() {
        let spec = serde_json::from_value(written_out(&example)).unwrap();
        if let Err(error) = builder.build(&spec) {
            // Files that an example names need not exist.
            assert!(error.to_string().contains("file not found"), "{error}");
        }
    }
}
