//! Rules that every provider of the registry follows.

use std::sync::Arc;

use agentv_syntax::{Code, Definitions, Others, Record, Registry, Tree, yaml};
use serde_json::Value;

use crate::kinds::{AGENTS, PROVIDERS};
use crate::{ALL, REGISTRY, built_in, targets_file};

static NO_EVALUATORS: Registry = Registry {
    noun: "evaluator",
    tag: "type",
    common: &Record {
        name: "evaluator",
        fields: &[],
        required: &[],
        others: Others::Warn,
    },
    kinds: &[],
    camel_case: false,
    unknown: Code::UnknownEvaluator,
    check: None,
};

/// A target that sets every field that all providers have, and targets with the spellings and
/// references that no kind's own example shows.
const COMMON: &str = r#"
- name: gpt
  provider: openai
  model: gpt-5
  judge_target: default
  workers: ${{ WORKERS }}
  provider_batching: false
  timeout_seconds: 0.5
  requests_per_minute: 60
  tokens_per_minute: 100000
  max_retries: 0
  retry_initial_delay_ms: 100
  retry_max_delay_ms: 2000
  retry_backoff_factor: 1.5
  retry_status_codes: [429, 503]
  verbose: true
- {name: default, provider: mock, response: Hello, judge_target: openai:gpt-5}
- {name: mirror, provider: echo, judge_target: echo}
- {name: past, provider: replay, path: answers.jsonl, judge_target: '${{ JUDGE }}'}
- {name: gpt_by_env, provider: openai, model: gpt-5, api: '${{ API }}', baseUrl: http://a, judgeTarget: gpt}
- {name: priced, provider: openai, model: gpt-5, price: {input: 1, output: 1, cached_input: '${{ CACHED }}'}}
- {name: azure_by_alias, provider: azure-openai, resource: my-resource, deployment: gpt-5}
- {name: flash, provider: google}
- name: words
  provider: cli
  command: [agent, --case, '{EVAL_ID}', '--prompt={PROMPT}', '{FILES}', '${{ FLAGS }}', '']
  healthcheck: {type: command, command_template: agent --version}
- name: agent
  provider: cli
  commandTemplate: |
    ${AGENT_HOME}/agent --case {EVAL_ID} --try {ATTEMPT} --guidelines {GUIDELINES} \
      --prompt {PROMPT} --prompt-file {PROMPT_FILE} {FILES} --out {OUTPUT_FILE} ${{ FLAGS }} ${{FLAGS}}
  keep_temp_files: ${{ KEEP }}
  healthcheck: {type: command, commandTemplate: agent --version, timeoutSeconds: 5}
"#;

/// Returns a targets file with these targets.
fn file_of(targets: &str) -> String {
    format!("$schema: https://example.com/targets.schema.json\ntargets:\n{targets}")
}

/// Returns the examples of all kinds with their names, and the common one without a name.
fn examples() -> impl Iterator<Item = (Option<&'static str>, String)> {
    let own = PROVIDERS.iter();
    let own = own.map(|provider| (Some(provider.kind.name), file_of(provider.example)));
    own.chain([(None, file_of(COMMON))])
}

fn schema() -> Value {
    let definitions = Definitions {
        evaluators: &NO_EVALUATORS,
        targets: &REGISTRY,
    };
    targets_file::schema("targets", definitions)
}

fn value(source: &str) -> Value {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree).unwrap();
    tree.root().to_value()
}

/// Returns the diagnostics of a file: code, line, path, message and hint.
fn said(source: &str) -> Vec<String> {
    let file = Arc::from("targets.yaml");
    let found = targets_file::check(source, &file);
    let rows = found.iter().map(|diagnostic| {
        let hint = diagnostic.problem.hint.as_deref();
        let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{} {diagnostic}{hint}", diagnostic.code())
    });
    rows.collect()
}

#[test]
fn no_provider_takes_a_field_that_it_does_not_know() {
    for kind in ALL {
        assert_eq!(kind.options.others, Others::Refuse, "{}", kind.name);
    }
}

#[test]
fn the_example_of_a_provider_sets_every_option_and_is_accepted() {
    for provider in PROVIDERS {
        let name = provider.kind.name;
        let file = name.replace('-', "_");
        let place = format!("`example` of crates/agentv-providers/src/kinds/{file}.rs");
        let source = file_of(provider.example);
        assert_eq!(said(&source), [""; 0], "{place} is refused");
        let examples = value(&source);
        let targets = examples["targets"].as_array().unwrap();
        let is_own = |target: &Value| target["provider"] == name;
        assert!(
            targets.iter().all(is_own),
            "{place} has a target of another provider than `{name}`"
        );
        for field in provider.kind.options.fields {
            // A field that is known only to be refused has no place in an example.
            if field.doc.starts_with("Refused: ") {
                continue;
            }
            let used = |target: &Value| target.get(field.name).is_some();
            assert!(
                targets.iter().any(used),
                "{place} does not set `{}`: add it to one of its targets",
                field.name
            );
        }
    }
}

#[test]
fn the_common_example_sets_every_common_field_and_is_accepted() {
    assert_eq!(said(&file_of(COMMON)), [""; 0]);
    let examples = value(&file_of(COMMON));
    let targets = examples["targets"].as_array().unwrap();
    for field in REGISTRY.common.fields {
        let used = |target: &Value| target.get(field.name).is_some();
        assert!(
            targets.iter().any(used),
            "`COMMON` of crates/agentv-providers/src/tests.rs does not set `{}`",
            field.name
        );
    }
}

#[test]
fn the_schema_is_one_and_accepts_what_the_checker_accepts() {
    let schema = schema();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, source) in examples() {
        for target in value(&source)["targets"].as_array().unwrap() {
            let file = serde_json::json!({ "targets": [target] });
            assert!(validator.is_valid(&file), "{name:?}: {target}");
        }
    }
}

#[test]
fn a_broken_rule_has_a_position_and_a_message_and_the_schema_refuses_it_too() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for (source, expected) in [
        (
            "",
            "E012 Line 1: expected an object with `targets`, found null",
        ),
        (
            "- a",
            "E012 Line 1: expected an object with `targets`, found an array",
        ),
        (
            "\ntargets: []",
            "E014 Line 2: targets: expected an array of at least one target, found an empty array",
        ),
        (
            "target:\n  - {name: a, provider: echo}",
            "E011 Line 1: missing targets (did you mean `targets`?)",
        ),
        (
            "targets:\n  - {name: a, provider: echo}\nversion: 2",
            "W004 Line 3: unknown field `version` of targets file; it has no effect (known: $schema, targets)",
        ),
        (
            "targets:\n  - echo",
            "E012 Line 2: targets[0]: expected a target (an object with `name` and `provider`), found a string",
        ),
        (
            "targets:\n  - name: a\n    provider: opanai\n    model: b",
            "W014 Line 3: targets[0].provider: unknown provider `opanai` (did you mean `openai`?)",
        ),
        (
            "targets:\n  - name: a",
            "E011 Line 2: targets[0]: missing provider",
        ),
        (
            "targets:\n  - provider: echo",
            "E011 Line 2: targets[0]: missing name",
        ),
        (
            "targets:\n  - {name: '', provider: echo}",
            "E014 Line 2: targets[0].name: expected a string that is not empty, found an empty string",
        ),
        (
            "targets:\n  - name: a\n    provider: openai\n    model: b\n    temprature: 0",
            "W004 Line 5: targets[0]: unknown field `temprature` of openai (did you mean `temperature`?)",
        ),
        (
            "targets:\n  - {name: a, provider: openai}",
            "E011 Line 2: targets[0]: missing model",
        ),
        (
            "targets:\n  - name: a\n    provider: echo\n    workers: '4'",
            "E012 Line 4: targets[0].workers: expected a whole number that is 1 or more, or a `${{ NAME }}` reference, found the string `4` (write it without quotes)",
        ),
        (
            "targets:\n  - {name: a, provider: echo, workers: true}",
            "E012 Line 2: targets[0].workers: expected a whole number that is 1 or more, or a `${{ NAME }}` reference, found a boolean",
        ),
        (
            "targets:\n  - {name: a, provider: echo, workers: '${{ }}'}",
            "E012 Line 2: targets[0].workers: expected a whole number that is 1 or more, or a `${{ NAME }}` reference, found the string `${{ }}`",
        ),
        (
            "targets:\n  - {name: a, provider: echo, workers: 0}",
            "E014 Line 2: targets[0].workers: expected a whole number that is 1 or more, or a `${{ NAME }}` reference, found 0",
        ),
        (
            "targets:\n  - {name: a, provider: openai, model: b, api: chats}",
            "E013 Line 2: targets[0].api: expected chat or responses, found `chats` (did you mean `chat`?)",
        ),
        (
            "targets:\n  - {name: a, provider: http, url: b, method: post}",
            "E013 Line 2: targets[0].method: expected GET, POST, PUT, PATCH or DELETE, found `post` (did you mean `POST`?)",
        ),
        (
            "targets:\n  - {name: a, provider: openai, model: 4}",
            "E012 Line 2: targets[0].model: expected a string that is not empty, found a number (put it in quotes: \"4\")",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command_template: b\n    healthcheck:\n      type: http\n      url: c\n      retries: 4",
            "W004 Line 8: targets[0].healthcheck: unknown field `retries` of healthcheck; it has no effect (known: type, url, command, command_template, commandTemplate, cwd, timeout_seconds, timeoutSeconds)",
        ),
        (
            "targets:\n  - {name: a, provider: cli}",
            "E011 Line 2: targets[0]: missing command (write one of `command`, `command_template`)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: []",
            "E014 Line 4: targets[0].command: expected an array of strings (a program and its arguments; for a shell line use `command_template`), found an empty array",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: [agent, {PROMPT}]",
            "E012 Line 4: targets[0].command[1]: expected a string, found an object (put it in quotes: \"{PROMPT}\")",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: [agent, -n, 5]",
            "E012 Line 4: targets[0].command[2]: expected a string, found a number (put it in quotes: \"5\")",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: [agent]\n    command_template: agent",
            "E036 Line 5: targets[0]: `command` and `command_template` cannot be combined (keep `command`, which runs without a shell, or `command_template`, which runs in one)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: [b]\n    healthcheck:\n      type: command\n      commandTemplate: c\n      command: [d]",
            "E036 Line 8: targets[0].healthcheck: `command` and `command_template` cannot be combined (keep `command`, which runs without a shell, or `command_template`, which runs in one)",
        ),
        (
            "targets:\n  - {name: a, provider: echo, retry_status_codes: [429, 5]}",
            "E014 Line 2: targets[0].retry_status_codes[1]: expected a whole number from 100 to 599, or a `${{ NAME }}` reference, found 5",
        ),
    ] {
        assert_eq!(said(source), [expected], "{source}");
        assert!(!validator.is_valid(&value(source)), "{source}");
    }
}

#[test]
fn what_a_schema_cannot_say_is_checked_too() {
    for (source, expected) in [
        (
            "targets:\n  - name: a\n    provider: echo\n    name: b",
            "E009 Line 4: targets[0].name: duplicate key `name`",
        ),
        (
            "targets:\n  - name: a\n    provider: openai\n    model: b\n    headers:\n      X: 1st\n      X: 2nd",
            "E009 Line 7: targets[0].headers.X: duplicate key `X`",
        ),
        (
            "targets:\n  - name: a\n    provider: echo\n    judge_target: a\n    judgeTarget: mock",
            "E009 Line 5: targets[0].judgeTarget: duplicate key `judgeTarget`, another spelling of `judge_target`",
        ),
        (
            "targets:\n  - name: a\n    provider: echo\n  - name: a\n    provider: mock",
            "E028 Line 4: targets[1].name: duplicate target name `a` (line 2 has a target with the same name)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command_template: agent {PROMT} ${HOME}",
            "E029 Line 4: targets[0].command_template: unknown placeholder `{PROMT}` (did you mean `{PROMPT}`?)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    commandTemplate: |\n      agent {PROMPT} \\\n        --id {X1} --again {X1}",
            "E029 Line 6: targets[0].commandTemplate: unknown placeholder `{X1}` (known: {PROMPT}, {PROMPT_FILE}, {GUIDELINES}, {EVAL_ID}, {ATTEMPT}, {FILES}, {OUTPUT_FILE})",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command_template: b\n    healthcheck:\n      type: command\n      command_template: c {CASE}",
            "E029 Line 7: targets[0].healthcheck.command_template: unknown placeholder `{CASE}` (known: {PROMPT}, {PROMPT_FILE}, {GUIDELINES}, {EVAL_ID}, {ATTEMPT}, {FILES}, {OUTPUT_FILE})",
        ),
        (
            "targets:\n  - {name: a, provider: cli, command_template: b, healthcheck: {type: http}}",
            "E011 Line 2: targets[0].healthcheck: missing url",
        ),
        (
            "targets:\n  - {name: a, provider: cli, command_template: b, healthcheck: {type: command}}",
            "E011 Line 2: targets[0].healthcheck: missing command (write one of `command`, `command_template`)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command:\n      - agent\n      - --text={PROMT}",
            "E029 Line 6: targets[0].command[1]: unknown placeholder `{PROMT}` (did you mean `{PROMPT}`?)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: [b]\n    healthcheck: {type: command, command: [c, '{CASE}']}",
            "E029 Line 5: targets[0].healthcheck.command[1]: unknown placeholder `{CASE}` (known: {PROMPT}, {PROMPT_FILE}, {GUIDELINES}, {EVAL_ID}, {ATTEMPT}, {FILES}, {OUTPUT_FILE})",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: ['']",
            "E014 Line 4: targets[0].command[0]: the first word must be a program",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: ['./{EVAL_ID}.sh']",
            "E035 Line 4: targets[0].command[0]: `{EVAL_ID}` cannot be used in the first word, the program",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command_template: |\n      true\n      echo `cat {PROMPT_FILE}`",
            "E035 Line 6: targets[0].command_template: `{PROMPT_FILE}` cannot be used in or after backticks; write `$(…)` instead (`command: [..]` runs without a shell and does not have this restriction)",
        ),
        (
            "targets:\n  - name: a\n    provider: cli\n    command: [agent, '{FILES}']\n    files_format: --file \"{path}\"",
            "E013 Line 5: targets[0].files_format: quotes have no meaning with `command`, which runs without a shell (remove the quotes: each path stays one word)",
        ),
        (
            "targets:\n  - name: judge\n    provider: echo\n  - name: b\n    provider: echo\n    judge_target: jugde",
            "W007 Line 6: targets[1].judge_target: target `jugde` not found (did you mean `judge`?)",
        ),
        (
            "targets:\n  - {name: a, provider: echo, judge_target: opnai:gpt-5}",
            "W007 Line 2: targets[0].judge_target: target `opnai:gpt-5` not found (did you mean `openai:gpt-5`?)",
        ),
        (
            "targets:\n  - {name: a, provider: echo, judgeTarget: somebody}",
            &format!(
                "W007 Line 2: targets[0].judgeTarget: target `somebody` not found (known: a; built in: {}, VENDOR:MODEL)",
                built_in().join(", ")
            ),
        ),
    ] {
        assert_eq!(said(source), [expected], "{source}");
    }
}

#[test]
fn text_that_becomes_part_of_a_program_is_warned_about_in_both_forms() {
    for command in [
        "command: [bash, -c, 'agent {PROMPT}']",
        "command_template: bash -c 'agent {PROMPT}'",
        "command: [agent]\n    healthcheck: {type: command, command: [sh, -c, 'agent {PROMPT}']}",
    ] {
        let source = format!("targets:\n  - name: a\n    provider: cli\n    {command}");
        let found = said(&source);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("W010 Line "), "{found:?}");
        assert!(found[0].contains(
            "`{PROMPT}` becomes part of the program after `-c` (a case can run commands this way: pass"
        ));
    }
    let source =
        "targets:\n  - {name: a, provider: cli, command: [sh, -c, 'agent \"$1\"', sh, '{PROMPT}']}";
    assert_eq!(said(source), [""; 0]);
}

#[test]
fn a_file_that_is_not_yaml_says_why_and_where() {
    let found = said("targets:\n  - {name: a, provider: echo\n  - b");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("E007 Line 3: Invalid YAML: "),
        "{found:?}"
    );
}

#[test]
fn a_problem_points_at_the_word_that_it_is_about() {
    let source = "targets:\n  - name: ä\n    provider: cli\n    command_template: \"ä {PROMT}\"";
    let found = targets_file::check(source, &Arc::from("targets.yaml"));
    let excerpt = found[0].excerpt.as_ref().unwrap();
    assert_eq!(&excerpt.text[excerpt.span.clone()], "{PROMT}");
    assert_eq!(found[0].column, Some(26));
}

#[test]
fn all_problems_are_reported_in_the_order_of_their_lines() {
    let source = "targets:\n  - name: a\n    provider: echo\n    judge_target: b\n    colour: red\n  - name: a\n    provider: cli";
    let lines: Vec<_> = targets_file::check(source, &Arc::from("targets.yaml"))
        .iter()
        .map(|diagnostic| diagnostic.line.unwrap())
        .collect();
    assert_eq!(lines, [4, 5, 6, 6]);
}

#[test]
fn a_problem_behind_an_alias_is_reported_once() {
    let source = "targets:\n  - name: a\n    provider: mock\n    responses: &r {x: 1st, x: 2nd}\n  - {name: b, provider: mock, responses: *r}";
    let expected = "E009 Line 4: targets[0].responses.x: duplicate key `x`";
    assert_eq!(said(source), [expected]);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_accepted() {
    let source = "\u{feff}targets:\r\n  - name: a\r\n    provider: echo\r\n    workers: 0\r\n";
    let found = said(source);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("E014 Line 4: "), "{found:?}");
}

#[test]
fn a_vendor_has_the_option_that_its_short_name_sets() {
    for provider in PROVIDERS {
        let name = provider.kind.name;
        // An agent has a model too, but its name alone does not say which workspace it needs.
        let is_agent = AGENTS.iter().any(|agent| agent.provider == name);
        let has_model = provider.kind.options.field("model").is_some() && !is_agent;
        assert_eq!(
            provider.facts.is_vendor,
            has_model,
            "crates/agentv-providers/src/kinds/{}.rs: `{name}:MODEL` sets the option `model`; add that \
             option, or change `facts` (`Facts::VENDOR` is for vendors of models)",
            name.replace('-', "_")
        );
    }
}
