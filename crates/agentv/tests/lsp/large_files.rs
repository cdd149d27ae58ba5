//! Files that take a while to check.

use serde_json::{Value, json};

use crate::client::{Client, position};
use crate::projects::{TestProject, published, validated};

/// Returns JSON Lines of about 3 MB in which some lines have a mistake.
fn lines_with_mistakes(mistakes: &[usize]) -> String {
    let filler = "x".repeat(900);
    let line = |number: usize| {
        let outcome = if mistakes.contains(&number) {
            "outcom"
        } else {
            "expected_outcome"
        };
        format!("{{\"id\": \"case-{number}\", \"{outcome}\": \"good\", \"input\": \"{filler}\"}}\n")
    };
    (1..=3_000).map(line).collect()
}

fn lines_of(diagnostics: &Value) -> Vec<u64> {
    let lines = diagnostics.as_array().unwrap().iter();
    let mut lines: Vec<u64> = lines
        .map(|diagnostic| diagnostic["range"]["start"]["line"].as_u64().unwrap() + 1)
        .collect();
    lines.dedup();
    lines
}

#[test]
fn the_visible_part_of_a_large_file_is_shown_before_the_rest() {
    let text = lines_with_mistakes(&[2, 2_900]);
    let project = TestProject::of(&[("cases.jsonl", &text)]);
    let path = project.path("cases.jsonl");
    let mut client = Client::start(&project.root);
    client.open(&path, &text);
    let first = client.diagnostics_after(&path, 1, 1);
    assert_eq!(lines_of(&first), [2], "{first}");
    let all = client.diagnostics_after(&path, 1, 2);
    assert_eq!(lines_of(&all), [2, 2_900]);
    assert_eq!(
        published(&all, &project.root),
        validated(&project.root, "cases.jsonl")
    );
    // An edit far below is checked first, and the rest is still known.
    let at = text.find("case-2500").unwrap() + "case-2500".len() + 3;
    let range = json!({"start": position(&text, at), "end": position(&text, at + 1)});
    client.change(&path, 2, &range, "");
    let first = client.diagnostics_after(&path, 2, 1);
    assert!(lines_of(&first).contains(&2_500), "{first}");
    let mut changed = text.clone();
    changed.replace_range(at..=at, "");
    project.write("cases.jsonl", &changed);
    let all = client.diagnostics_after(&path, 2, 2);
    assert_eq!(
        published(&all, &project.root),
        validated(&project.root, "cases.jsonl")
    );
    client.end();
}

#[test]
fn an_editor_is_not_flooded_with_diagnostics() {
    let text: String = (0..1_500)
        .map(|number| format!("{{\"id\": \"{number}\", \"outcom\": \"x\", \"input\": \"y\"}}\n"))
        .collect();
    let project = TestProject::of(&[]);
    let path = project.path("cases.jsonl");
    let mut client = Client::start(&project.root);
    client.open(&path, &text);
    let diagnostics = client.diagnostics(&path, 1);
    let diagnostics = diagnostics.as_array().unwrap();
    assert_eq!(diagnostics.len(), 1_001);
    let last = diagnostics.last().unwrap()["message"].as_str().unwrap();
    assert_eq!(
        last,
        "and 500 more problems: `agentv validate` lists all of them"
    );
    client.end();
}

#[test]
fn a_change_ends_the_check_of_the_text_before_it() {
    let text = lines_with_mistakes(&[2, 2_900]);
    let project = TestProject::of(&[("cases.jsonl", &text)]);
    let path = project.path("cases.jsonl");
    let mut client = Client::start(&project.root);
    client.open(&path, &text);
    client.diagnostics(&path, 1);
    // Each change makes one more mistake, and follows as soon as the visible part of the text before it is shown.
    let mut changed = text;
    let last = 12;
    for version in 2..=last {
        let id = format!("case-{}", version * 200);
        let at = changed.find(&id).unwrap() + id.len() + 3;
        let range = json!({"start": position(&changed, at), "end": position(&changed, at + 1)});
        client.change(&path, version as i64, &range, "");
        changed.replace_range(at..=at, "");
        let visible = client.diagnostics(&path, version as i64);
        let line = version as u64 * 200;
        assert!(lines_of(&visible).contains(&line), "{version}: {visible}");
    }
    let all = client.diagnostics_after(&path, last as i64, 2);
    project.write("cases.jsonl", &changed);
    assert_eq!(
        published(&all, &project.root),
        validated(&project.root, "cases.jsonl")
    );
    // What is known of an older text never follows what is known of a newer one.
    let versions = client.versions(&path);
    assert!(versions.is_sorted(), "{versions:?}");
    client.end();
}
