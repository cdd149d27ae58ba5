//! Laws of suites in other dialects.

use agentv_core::EvalCase;
use agentv_dataset::{Conversion, ConvertOptions, Severity, convert};
use agentv_syntax::Draft;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generated::{text, value};
use crate::project::TestProject;

/// Assertions of AgentV, and the evaluators that they are, written down by hand.
fn assertions() -> Vec<(Value, Value)> {
    vec![
        (
            json!({"type": "contains", "value": "a"}),
            json!({"type": "contains", "value": "a"}),
        ),
        (
            json!({"type": "icontains", "value": "a", "name": "n"}),
            json!({"type": "contains", "name": "n", "ignore_case": true, "value": "a"}),
        ),
        (
            json!({"type": "icontains_any", "value": ["a", "b"]}),
            json!({"type": "contains_any", "values": ["a", "b"], "ignore_case": true}),
        ),
        (
            json!({"type": "not-contains-all", "value": ["a"]}),
            json!({"type": "contains_all", "negate": true, "values": ["a"]}),
        ),
        (
            json!({"type": "equals", "value": "a", "required": 0.6, "weight": 2}),
            json!({"type": "equals", "weight": 2, "required": true, "min_score": 0.6, "trim": true, "value": "a"}),
        ),
        (
            json!({"type": "ends-with", "value": "a", "negate": true}),
            json!({"type": "ends_with", "negate": true, "trim": true, "value": "a"}),
        ),
        (
            json!({"type": "regex", "value": "a", "flags": "gi"}),
            json!({"type": "regex", "ignore_case": true, "value": "a"}),
        ),
        (
            json!({"type": "regex", "value": "^a", "flags": "ms"}),
            json!({"type": "regex", "value": "(?ms)^a"}),
        ),
        (
            json!({"type": "is-json", "required": true}),
            json!({"type": "is_json", "required": true}),
        ),
        (
            json!({"type": "execution-metrics", "max_tool_calls": 3}),
            json!({"type": "execution_metrics", "max_tool_calls": 3}),
        ),
        (
            json!({"type": "rubrics", "criteria": ["x", {"outcome": "y", "min_score": 0.4}]}),
            json!({"type": "rubric", "rubrics": ["x", {"expected_outcome": "y", "required_min_score": 4}]}),
        ),
        (
            json!({"type": "composite", "assertions": [{"type": "equals", "value": "a"}], "aggregator": {"type": "threshold", "threshold": 0.5}}),
            json!({"type": "composite", "evaluators": [{"type": "equals", "trim": true, "value": "a"}], "aggregator": {"type": "threshold", "threshold": 0.5}}),
        ),
        (
            json!({"type": "skill-trigger", "skill": "s", "should_trigger": false}),
            json!({"type": "skill_used", "skill": "s", "negate": true}),
        ),
    ]
}

fn one_assertion() -> impl Strategy<Value = (Value, Value)> {
    prop::sample::select(assertions())
}

/// A case in the words of AgentV 4 and in ours, given the evaluators of the suite.
fn case(
    index: usize,
    theirs: Vec<(Value, Value)>,
    words: &str,
    suite: &[(Value, Value)],
) -> (Value, Value) {
    let skips = words.len().is_multiple_of(3);
    let mut four = json!({"id": format!("case-{index}"), "criteria": words, "input": [{"role": "user", "content": words}]});
    let mut ours = json!({"id": format!("case-{index}"), "expected_outcome": words});
    let shared = json!({"role": "system", "content": "Be brief."});
    let own = json!({"role": "user", "content": words});
    ours["input"] = if skips {
        json!([own])
    } else {
        json!([shared, own])
    };
    if skips {
        four["execution"] = json!({"skip_defaults": true});
    }
    let (mut left, mut right): (Vec<_>, Vec<_>) = theirs.into_iter().unzip();
    if !left.is_empty() {
        four["assertions"] = json!(std::mem::take(&mut left));
    }
    if !skips {
        right.extend(suite.iter().map(|(_, ours)| ours.clone()));
    }
    if !right.is_empty() {
        ours["evaluators"] = json!(right);
    }
    (four, ours)
}

/// Returns the cases of a file without their places.
fn cases_of(project: &TestProject, name: &str) -> Result<Vec<EvalCase>, TestCaseError> {
    let loaded = project.load(name);
    let loaded = loaded.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let refused = loaded
        .diagnostics
        .iter()
        .find(|it| it.severity() != Severity::Warning);
    prop_assert!(refused.is_none(), "{refused:?}");
    let without = loaded.cases.into_iter().map(|case| EvalCase {
        source: None,
        ..case
    });
    Ok(without.collect())
}

fn convert_to_ours(project: &TestProject, from: &str, to: &str) -> Result<(), TestCaseError> {
    let options = ConvertOptions {
        comments: Vec::new(),
        to: Conversion::Yaml,
        force: false,
        lossy: false,
        load: project.options(),
        interrupted: Default::default(),
    };
    let converted = convert(&project.path(from), &project.path(to), &options);
    converted
        .map(drop)
        .map_err(|error| TestCaseError::fail(error.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_suite_of_agentv_4_is_the_suite_of_ours_that_a_person_would_write(
        suite in prop::collection::vec(one_assertion(), 0..3),
        own in prop::collection::vec((prop::collection::vec(one_assertion(), 0..4), "[a-z]{1,9}"), 1..5),
    ) {
        let project = TestProject::new();
        let cases = own.into_iter().enumerate();
        let cases = cases.map(|(index, (own, words))| case(index, own, &words, &suite));
        let (four, ours): (Vec<_>, Vec<_>) = cases.unzip();
        let shared: Vec<Value> = suite.iter().map(|(theirs, _)| theirs.clone()).collect();
        let four = json!({
            "name": "suite", "execution": {"target": "t", "threshold": 0.7},
            "input": [{"role": "system", "content": "Be brief."}], "assertions": shared, "tests": four,
        });
        let ours = json!({
            "dataset": "suite", "execution": {"target": "t"}, "pass_threshold": 0.7, "evalcases": ours,
        });
        project.write("four.yaml", Draft::from(&four).to_yaml());
        project.write("ours.yml", Draft::from(&ours).to_yaml());
        let expected = cases_of(&project, "ours.yml")?;
        prop_assert_eq!(&cases_of(&project, "four.yaml")?, &expected);
        convert_to_ours(&project, "four.yaml", "converted.yaml")?;
        prop_assert_eq!(&cases_of(&project, "converted.yaml")?, &expected);
    }

    #[test]
    fn a_suite_of_agentv_5_converted_to_ours_has_the_same_cases(
        own in prop::collection::vec((prop::collection::vec(one_assertion(), 1..4), text(), any::<bool>()), 1..5),
        prompts in prop::sample::subsequence(vec!["{{ input }}", "Answer {{ input }} briefly", "{{ a }}"], 1..3),
    ) {
        let project = TestProject::new();
        let tests = own.into_iter().enumerate().map(|(index, (own, words, is_named))| {
            let asserts: Vec<Value> = own.into_iter().map(|(theirs, _)| theirs).collect();
            // A prompt that is nothing but an empty text is not a case.
            let mut test = json!({"vars": {"input": format!("q{words}"), "a": format!("a{index}")}, "assert": asserts});
            if is_named {
                test["id"] = json!(format!("case-{index}"));
            }
            test
        });
        let suite = json!({
            "name": "five", "prompts": prompts, "default_test": {"threshold": 0.5, "assert": ["Is polite"]},
            "tests": tests.collect::<Vec<_>>(),
        });
        project.write("five.yaml", Draft::from(&suite).to_yaml());
        let expected = cases_of(&project, "five.yaml")?;
        convert_to_ours(&project, "five.yaml", "converted.yaml")?;
        prop_assert_eq!(&cases_of(&project, "converted.yaml")?, &expected);
    }

    #[test]
    fn any_value_in_a_suite_of_another_dialect_is_read_or_refused(value in value(), key in 0..6usize) {
        let project = TestProject::new();
        let mut case = json!({"id": "a", "criteria": "x", "input": "y", "assertions": ["z"]});
        let mut suite = json!({"name": "any"});
        match key {
            0 => case = value,
            1 => suite["assertions"] = value,
            2 => suite["execution"] = value,
            3 => case["assertions"] = json!([value]),
            4 => suite["prompts"] = value,
            _ => case["vars"] = value,
        }
        suite["tests"] = json!([case]);
        project.write("any.yaml", Draft::from(&suite).to_yaml());
        let _ = project.load("any.yaml");
    }
}

/// Assertions of promptfoo, and the evaluators that they are if every assertion must pass, written down by hand.
fn assertions_of_promptfoo() -> Vec<(Value, Value)> {
    let whole = |ours: Value| {
        let mut ours = ours;
        ours["min_score"] = json!(1);
        ours["required"] = json!(true);
        ours
    };
    vec![
        (
            json!({"type": "contains", "value": "a", "metric": "m", "weight": 2}),
            whole(json!({"type": "contains", "value": "a", "name": "m", "weight": 2})),
        ),
        (
            json!({"type": "not-icontains", "value": 7}),
            whole(json!({"type": "contains", "value": "7", "ignore_case": true, "negate": true})),
        ),
        (
            json!({"type": "contains-any", "value": "a, \"b, c\""}),
            whole(json!({"type": "contains_any", "values": ["a", "b, c"]})),
        ),
        (
            json!({"type": "equals", "value": {"a": 1}}),
            whole(json!({"type": "json_schema", "schema": {"const": {"a": 1}}})),
        ),
        (
            json!({"type": "is-json", "value": "type: object"}),
            whole(json!({"type": "json_schema", "schema": {"type": "object"}})),
        ),
        (
            json!({"type": "levenshtein", "value": "a"}),
            whole(
                json!({"type": "similarity", "metric": "levenshtein", "value": "a", "max_distance": 5}),
            ),
        ),
        (
            json!({"type": "rouge-n", "value": "a"}),
            json!({"type": "similarity", "metric": "rouge_1", "value": "a", "min_score": 0.75, "required": true}),
        ),
        (
            json!({"type": "javascript", "value": "output > 1", "threshold": 0.5}),
            json!({"type": "javascript", "code": "output > 1", "threshold": 0.5, "required": true}),
        ),
        (
            json!({"type": "contains", "value": "a", "weight": 0}),
            json!({"type": "contains", "value": "a", "weight": 0, "min_score": 1}),
        ),
        (
            json!({"type": "llm-rubric", "value": "is kind", "provider": "openai:gpt-5"}),
            json!({"type": "llm_judge", "expected_outcome": "is kind", "target": "openai:gpt-5", "min_score": 0.8, "required": true}),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_configuration_of_promptfoo_is_the_suite_of_ours_that_a_person_would_write(
        shared in prop::collection::vec(prop::sample::select(assertions_of_promptfoo()), 0..3),
        own in prop::collection::vec(
            (prop::collection::vec(prop::sample::select(assertions_of_promptfoo()), 1..4), "[a-z]{1,9}"), 1..5),
    ) {
        let project = TestProject::new();
        let mut tests = Vec::new();
        let mut cases = Vec::new();
        for (index, (assertions, word)) in own.into_iter().enumerate() {
            let (theirs, ours): (Vec<_>, Vec<_>) = assertions.into_iter().unzip();
            let id = format!("test {index}");
            tests.push(json!({"description": id, "vars": {"word": word}, "assert": theirs}));
            let before = shared.iter().map(|(_, ours)| ours.clone());
            let evaluators: Vec<Value> = before.chain(ours).collect();
            cases.push(json!({"id": id, "description": id, "input": format!("Say {word}!"),
                "evaluators": evaluators, "vars": {"word": word}}));
        }
        let defaults: Vec<Value> = shared.iter().map(|(theirs, _)| theirs.clone()).collect();
        let configuration = json!({"prompts": ["Say {{ word }}!"], "providers": ["echo"],
            "defaultTest": {"assert": defaults}, "tests": tests});
        let suite = json!({"dataset": "promptfooconfig", "pass_threshold": 0, "evalcases": cases});
        project.write("promptfooconfig.yaml", configuration.to_string());
        project.write("ours.yaml", suite.to_string());
        let theirs = cases_of(&project, "promptfooconfig.yaml")?;
        prop_assert_eq!(&theirs, &cases_of(&project, "ours.yaml")?);
        convert_to_ours(&project, "promptfooconfig.yaml", "converted.yaml")?;
        prop_assert_eq!(&theirs, &cases_of(&project, "converted.yaml")?);
    }
}
