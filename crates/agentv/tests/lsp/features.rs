//! Everything that helps with writing and running cases.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, address, position, position_of};
use crate::projects::TestProject;

const SUITE: &str = "\
description: questions
target: mini
evalcases:
  - id: greeting
    expected_outcome: says hello
    input: Hello
    evaluators:
      - type: contains
        value: Hello
  - id: file
    expected_outcome: sums up
    input:
      - role: user
        content:
          - type: file
            value: notes/long.md
    execution: {target: azur}
";

const TARGETS: &str = "\
targets:
  - name: mini
    provider: mock
    response: Hello!
  - name: azur
    provider: azure-openai
    deploymentName: x
";

fn project() -> TestProject {
    TestProject::of(&[
        ("cases.yaml", SUITE),
        ("notes/long.md", "a long text"),
        (".agentv/targets.yaml", TARGETS),
    ])
}

/// Returns the labels that are suggested at the mark `¦` of a text, and the text that each inserts.
fn suggested(project: &TestProject, name: &str, marked: &str) -> Vec<(String, String)> {
    let offset = marked.find('¦').unwrap();
    let text = marked.replace('¦', "");
    let path = project.path(name);
    let mut client = Client::start(&project.root);
    client.open(&path, &text);
    let items = client.at("completion", &path, &position(&text, offset));
    client.end();
    let items = items.as_array().unwrap_or_else(|| panic!("{items}")).iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    items
        .map(|item| (text(&item["label"]), text(&item["textEdit"]["newText"])))
        .collect()
}

fn labels(project: &TestProject, name: &str, marked: &str) -> Vec<String> {
    let suggested = suggested(project, name, marked);
    suggested.into_iter().map(|(label, _)| label).collect()
}

#[test]
fn fields_are_completed_while_the_document_is_broken() {
    let project = project();
    let has = |marked: &str, name: &str, inserted: &str| {
        let found = suggested(&project, "cases.yaml", marked);
        let wanted = (name.to_owned(), inserted.to_owned());
        assert!(found.contains(&wanted), "{marked}: {found:?}");
    };
    has(
        "evalcases:\n  - id: a\n    ¦\n",
        "expected_outcome",
        "expected_outcome: ",
    );
    has(
        "evalcases:\n  - id: a\n    exp¦\n    input: x\n",
        "expected_outcome",
        "expected_outcome: ",
    );
    has(
        "evalcases:\n  - id: a\n    inp¦: x\n",
        "input_messages",
        "input_messages",
    );
    has(
        "evalcases:\n  - id: a\n    evaluators:\n      - {type: regex, ¦}\n",
        "ignore_case",
        "ignore_case: ",
    );
    has(
        "evalcases:\n  - id: a\n    evaluators:\n      - ¦\n",
        "type",
        "type: ",
    );
    has(
        "evalcases:\n  - id: a\n    evaluators:\n      - ¦\n",
        "contains",
        "contains: ",
    );
    has(
        "¦\nevalcases:\n  - id: [broken\n",
        "description",
        "description: ",
    );
    has(
        "evalcases:\n  - id: a\n    execution:\n      ¦\n",
        "target",
        "target: ",
    );
    // A field that the object has is not suggested again.
    let found = labels(
        &project,
        "cases.yaml",
        "evalcases:\n  - id: a\n    input: x\n    ¦\n",
    );
    assert!(!found.contains(&"id".to_owned()), "{found:?}");
    // In JSON, keys have quotes.
    let found = suggested(&project, "cases.jsonl", "{\"id\": \"a\", ¦}\n");
    assert!(
        found.contains(&("input".to_owned(), "\"input\": ".to_owned())),
        "{found:?}"
    );
    let found = suggested(
        &project,
        "cases.jsonl",
        "{\"id\": \"a\"}\n{\"id\": \"b\", \"exp¦\n",
    );
    let wanted = ("expected_outcome".to_owned(), "expected_outcome".to_owned());
    assert!(found.contains(&wanted), "{found:?}");
}

#[test]
fn kinds_values_targets_and_files_are_completed() {
    let project = project();
    let has = |name: &str, marked: &str, wanted: &str| {
        let found = labels(&project, name, marked);
        assert!(found.contains(&wanted.to_owned()), "{marked}: {found:?}");
    };
    has(
        "cases.yaml",
        "evalcases:\n  - evaluators: [{type: ¦}]\n",
        "llm_judge",
    );
    has("cases.yaml", "evaluator: ¦\nevalcases: []\n", "llm_judge");
    has(
        "cases.yaml",
        "evalcases:\n  - input: [{role: ¦}]\n",
        "assistant",
    );
    has(
        "cases.yaml",
        "execution:\n  target: ¦\nevalcases: []\n",
        "azur",
    );
    has(
        "cases.yaml",
        "execution:\n  target: ¦\nevalcases: []\n",
        "mock",
    );
    let block = "evalcases:\n  - input: [{role: user, content: [{type: file, value: ¦}]}]\n";
    has("cases.yaml", block, "notes/");
    has(
        "cases.yaml",
        &block.replace('¦', "notes/¦"),
        "notes/long.md",
    );
    has(
        "cases.jsonl",
        "{\"evaluators\": [{\"type\": \"¦\"}]}\n",
        "contains",
    );
    has(
        ".agentv/targets.yaml",
        "targets:\n  - name: a\n    provider: ¦\n",
        "openai",
    );
    has(
        ".agentv/targets.yaml",
        "targets:\n  - provider: openai\n    ¦\n",
        "model",
    );
    has(".agentv/config.yaml", "¦\n", "guideline_patterns");
    // The words of another tool's suites.
    let theirs = "prompts: [hi]\nproviders: [echo]\ntests:\n  - assert:\n      - type: ¦\n";
    has("promptfooconfig.yaml", theirs, "contains");
}

#[test]
fn hover_shows_the_reference_of_fields_kinds_and_targets() {
    let project = project();
    let path = project.path("cases.yaml");
    let mut client = Client::start(&project.root);
    client.open(&path, SUITE);
    let mut hover = |word: &str| {
        let found = client.at("hover", &path, &position_of(SUITE, word));
        found["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(hover("expected_outcome").contains("A description of what a good answer achieves"));
    assert!(hover("contains").contains("`ignore_case`"));
    assert!(hover("azur").contains("azure-openai"));
    assert_eq!(hover("greeting"), "");
    client.end();
}

#[test]
fn a_file_a_target_and_a_template_are_found() {
    let suite = "tests:\n  - id: a\n    input: x\n    criteria: y\n    assertions:\n      - include: tone\n";
    let project = project();
    project.write("other/evals.yaml", suite);
    project.write(
        ".agentv/templates/tone.yaml",
        "assertions: [{type: contains, value: x}]\n",
    );
    let mut client = Client::start(&project.root);
    let mut found = |name: &str, text: &str, word: &str| {
        let path = project.path(name);
        client.open(&path, text);
        client.at("definition", &path, &position_of(text, word))
    };
    let file = found("cases.yaml", SUITE, "notes/long.md");
    assert_eq!(file["uri"], address(&project.path("notes/long.md")));
    let target = found("cases.yaml", SUITE, "azur");
    assert_eq!(
        target["uri"],
        address(&project.path(".agentv/targets.yaml"))
    );
    assert_eq!(target["range"]["start"], position_of(TARGETS, "azur"));
    let template = found("other/evals.yaml", suite, "tone");
    assert_eq!(
        template["uri"],
        address(&project.path(".agentv/templates/tone.yaml"))
    );
    client.end();
}

/// Returns a text after the edits of one document.
fn edited(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let offset = |place: &Value| {
            let line = place["line"].as_u64().unwrap() as usize;
            let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            before + place["character"].as_u64().unwrap() as usize
        };
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn the_id_of_a_case_is_renamed_unless_the_name_is_taken() {
    let lines = "{\"id\": \"a\", \"input\": \"x\"}\n{\"id\": \"b\", \"input\": \"y\"}\n";
    let project = project();
    let mut client = Client::start(&project.root);
    let mut renamed = |name: &str, text: &str, word: &str, new: &str| {
        let path = project.path(name);
        client.open(&path, text);
        let params = json!({
            "textDocument": {"uri": address(&path)},
            "position": position_of(text, word), "newName": new,
        });
        let answer = client.request("textDocument/rename", &params);
        match answer["changes"].get(address(&path)) {
            Some(edits) => edited(text, edits),
            None => answer["error"]["message"].as_str().unwrap().to_owned(),
        }
    };
    let suite = renamed("cases.yaml", SUITE, "greeting", "hello");
    assert_eq!(suite, SUITE.replace("greeting", "hello"));
    let number = renamed("cases.yaml", SUITE, "greeting", "7");
    assert_eq!(number, SUITE.replace("greeting", "\"7\""));
    let taken = renamed("cases.yaml", SUITE, "greeting", "file");
    assert_eq!(taken, "the id `file` is taken by another case of this file");
    let elsewhere = renamed("cases.yaml", SUITE, "says hello", "x");
    assert!(
        elsewhere.starts_with("only the id of a case"),
        "{elsewhere}"
    );
    let second = renamed("other.jsonl", lines, "b\", \"input", "c \"1\"");
    assert_eq!(second, lines.replace("\"b\"", "\"c \\\"1\\\"\""));
    client.end();
}

/// Applies the first fix at a word, and returns the text.
fn fixed(client: &mut Client, path: &Path, text: &str, word: &str) -> String {
    client.open(path, text);
    client.diagnostics(path, 1);
    let at = position_of(text, word);
    let fixes = client.quick_fixes(path, &json!({"start": at, "end": at}));
    let fix = fixes.first().unwrap_or_else(|| panic!("no fix of {word}"));
    edited(text, &fix["edit"]["changes"][address(path)])
}

#[test]
fn older_spellings_are_replaced_by_those_of_today() {
    let project = project();
    let mut client = Client::start(&project.root);
    let path = project.path("cases.yaml");
    let suite = fixed(&mut client, &path, SUITE, "target: mini");
    assert_eq!(
        suite,
        SUITE.replace("target: mini", "execution: {target: mini}")
    );
    let camel = SUITE.replace("value: Hello", "value: Hello\n        ignoreCase: true");
    let suite = fixed(&mut client, &path, &camel, "ignoreCase");
    assert_eq!(suite, camel.replace("ignoreCase", "ignore_case"));
    let path = project.path(".agentv/targets.yaml");
    let targets = fixed(&mut client, &path, TARGETS, "azure-openai");
    assert_eq!(targets, TARGETS.replace("azure-openai", "azure"));
    let targets = fixed(&mut client, &path, TARGETS, "deploymentName");
    assert_eq!(targets, TARGETS.replace("deploymentName", "deployment"));
    client.end();
}

#[test]
fn a_suggestion_is_fixed_so_that_the_problem_is_gone() {
    let project = project();
    let mut client = Client::start(&project.root);
    let mistakes = [
        ("type: contains", "type: contans"),
        ("role: user", "role: usr"),
        ("input: Hello", "inptu: Hello"),
    ];
    for (number, (right, wrong)) in mistakes.into_iter().enumerate() {
        let path = project.path(&format!("cases-{number}.yaml"));
        let text = SUITE.replace(right, wrong);
        let word = wrong
            .trim_start_matches("type: ")
            .trim_start_matches("role: ");
        assert_eq!(fixed(&mut client, &path, &text, word), SUITE);
    }
    client.end();
}

#[test]
fn cases_are_listed_with_their_last_score_and_run_from_the_editor() {
    let project = TestProject::of(&[("cases.yaml", &SUITE[..SUITE.find("  - id: file").unwrap()])]);
    project.write(".agentv/targets.yaml", TARGETS);
    let path = project.path("cases.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let mut client = Client::start_with(&project.root, &capabilities);
    client.open(&path, &text);
    let symbols = client.about("documentSymbol", &path);
    assert_eq!(symbols[0]["name"], "greeting");
    assert_eq!(symbols[0]["range"]["start"]["line"], 3);
    let lenses = client.about("codeLens", &path);
    assert_eq!(lenses.as_array().unwrap().len(), 1, "{lenses}");
    assert_eq!(lenses[0]["command"]["title"], "▶ run this case");
    client.request("workspace/executeCommand", &lenses[0]["command"]);
    let shown = client.message("window/showMessage");
    assert!(
        shown["params"]["message"]
            .as_str()
            .unwrap()
            .contains("greeting"),
        "{shown}"
    );
    client.message("workspace/codeLens/refresh");
    let lenses = client.about("codeLens", &path);
    assert_eq!(
        lenses[1]["command"]["title"], "pass 1.000 (mini)",
        "{lenses}"
    );
    // A run reads the file on disk, so the text must be saved first.
    let start = json!({"line": 0, "character": 0});
    client.change(&path, 2, &json!({"start": start, "end": start}), "# new\n");
    client.request("workspace/executeCommand", &lenses[0]["command"]);
    let shown = client.message("window/showMessage");
    assert!(
        shown["params"]["message"]
            .as_str()
            .unwrap()
            .starts_with("save "),
        "{shown}"
    );
    client.end();
}
