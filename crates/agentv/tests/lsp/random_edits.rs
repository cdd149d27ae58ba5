//! After any edit, the diagnostics are those of `validate` on the same text.

use serde_json::json;

use crate::client::{Client, position};
use crate::projects::{TestProject, published, validated};

/// The number of edits of each document.
const EDITS: usize = 40;

/// Pieces that change the meaning of a document.
const PIECES: &[&str] = &[
    "\n",
    " ",
    "  ",
    ":",
    ": ",
    "- ",
    "\n  - ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "#",
    "|",
    ">",
    "&a ",
    "*a",
    "ä",
    "😀",
    "\t",
    ",",
    "null",
    "true",
    "12",
    "evalcases",
    "id",
    "id: a",
    "type",
    "contains",
    "target",
    "\r\n",
    "\\",
    "\\u00",
    "\\ud83d",
    "---\n",
    "$schema: agentv-eval-v2\n",
    "tests:\n",
    "<<: ",
    "\u{feff}",
    "input: x\n",
    "{\"id\": \"b\"}\n",
];

/// A small generator of numbers: the same seed gives the same edits.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        // Steele, Lea and Flood: "Fast splittable pseudorandom number generators".
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

fn seed() -> u64 {
    let given = std::env::var("PROPTEST_RNG_SEED").ok();
    given
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_261_115)
}

/// Returns the beginning of a letter near a random place.
fn place(text: &str, numbers: &mut Numbers) -> usize {
    text.floor_char_boundary(numbers.below(text.len() + 1))
}

/// Makes random edits of a document in an editor, and compares the diagnostics after each with those of
/// `validate` in another folder, where the text is saved.
fn edits_of(name: &str, original: &str, others: &[(&str, &str)]) {
    let project = TestProject::of(others);
    let saved = TestProject::of(others);
    project.write(name, original);
    let path = project.path(name);
    let mut client = Client::start(&project.root);
    client.open(&path, original);
    client.diagnostics(&path, 1);
    let mut numbers = Numbers(seed() ^ name.len() as u64);
    let mut text = original.to_owned();
    for edit in 0..EDITS {
        // Now and then the document is whole again, so that edits do not only pile up on a broken one.
        let (range, new) = if edit % 8 == 7 {
            (0..text.len(), original)
        } else {
            let start = place(&text, &mut numbers);
            let length = numbers.below(4) * numbers.below(6);
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            (start..end, PIECES[numbers.below(PIECES.len())])
        };
        let version = edit as i64 + 2;
        let whole = json!({
            "start": position(&text, range.start), "end": position(&text, range.end),
        });
        // An editor never points between the two characters of a line end.
        if splits_line_end(&text, range.start) || splits_line_end(&text, range.end) {
            client.change(
                &path,
                version,
                &json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}),
                "",
            );
            continue;
        }
        client.change(&path, version, &whole, new);
        text.replace_range(range.clone(), new);
        let found = published(&client.diagnostics(&path, version), &project.root);
        saved.write(name, &text);
        let expected = validated(&saved.root, name);
        assert_eq!(
            found,
            expected,
            "edit {edit} of {name}, seed {}:\n{text}",
            seed()
        );
    }
    client.end();
}

fn splits_line_end(text: &str, at: usize) -> bool {
    text[..at].ends_with('\r')
}

const TARGETS: &str = "\
targets:
  - name: mini
    provider: mock
    response: Hello!
  - name: judge
    provider: openai
    model: gpt-5
    judge_target: mini
";

const SUITE: &str = "\
$schema: agentv-eval-v2
execution: {target: mini}
evaluators:
  - {type: contains, value: Hello}
evalcases:
  - id: greeting
    expected_outcome: says hello
    input:
      - role: user
        content: |
          Hello
          you
    rubrics: [friendly, short]
  - id: second
    outcome: answers
    input: 'Was ist \"das\"?'
    evaluators:
      - type: regex
        value: ^a.*b$
      - llm_judge: is it polite?
";

#[test]
fn a_suite() {
    edits_of("cases.yaml", SUITE, &[("targets.yaml", TARGETS)]);
}

#[test]
fn json_lines() {
    let lines = "{\"id\": \"a\", \"expected_outcome\": \"x\", \"input\": \"y\"}\n\n\
        {\"id\": \"b\", \"outcome\": \"ä\", \"input\": [{\"role\": \"user\", \"content\": \"z\"}]}\n\
        {\"input\": {\"userMessage\": \"hi\"}, \"expected_output\": \"ho\"}\n";
    edits_of(
        "cases.jsonl",
        lines,
        &[("cases.yaml", "execution: {target: mini}\n")],
    );
}

#[test]
fn a_sidecar() {
    let row = "{\"question\": \"a\", \"answer\": \"b\"}\n";
    let sidecar = "fields:\n  input: question\n  expected_output: '{{ answer }}'\nevaluators: [{type: equals}]\n";
    edits_of("cases.yaml", sidecar, &[("cases.jsonl", row)]);
}

#[test]
fn targets() {
    edits_of(".agentv/targets.yaml", TARGETS, &[]);
}

#[test]
fn a_suite_of_another_tool() {
    let suite = "prompts: ['Say {{word}}']\nproviders: [echo]\ntests:\n  - vars: {word: hi}\n    assert:\n      - {type: contains, value: hi}\n";
    edits_of("promptfooconfig.yaml", suite, &[]);
}

#[test]
fn settings() {
    let config = "guideline_patterns: ['docs/*.md']\npass_threshold: 0.7\njudge_target: mini\n";
    edits_of(".agentv/config.yaml", config, &[("targets.yaml", TARGETS)]);
}
