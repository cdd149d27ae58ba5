//! The diagnostics of open documents.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, position_of};
use crate::projects::{TestProject, published, validated};

/// Returns the projects of the corpus that are refused, each in a folder of its own.
fn refused_projects() -> Vec<(PathBuf, TestProject)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    for topic in [
        "cases",
        "config",
        "dialect",
        "evaluators",
        "jsonl",
        "sidecar",
        "targets",
        "yaml",
    ] {
        let folders = fs::read_dir(corpus.join(topic).join("invalid"));
        let folders = folders
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path());
        found.extend(
            folders
                .map(|folder| folder.join("project"))
                .filter(|folder| folder.is_dir()),
        );
    }
    found.sort();
    let copied = found.into_iter().map(|folder| {
        let project = TestProject::of(&[]);
        copy(&folder, &project.root);
        (folder, project)
    });
    copied.collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let name = if name == "dot-agentv" {
            ".agentv".into()
        } else {
            name
        };
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(to.join(&name)).unwrap();
            copy(&entry.path(), &to.join(&name));
        } else if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(&name)).unwrap();
        }
    }
}

/// Returns the documents of a project that an editor would open.
fn documents(folder: &Path, root: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_document = [".yaml", ".yml", ".jsonl"]
            .iter()
            .any(|end| name.ends_with(end));
        if path.is_dir() && name != ".git" {
            documents(&path, root, found);
        } else if is_document {
            found.push(
                path.strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
    found.sort();
}

/// Opens a document, and returns its diagnostics; `None` if it is not one of ours.
fn opened(client: &mut Client, path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    client.open(path, &text);
    let is_ours = !client.about("documentSymbol", path).is_null();
    is_ours.then(|| client.diagnostics(path, 1))
}

#[test]
fn diagnostics_of_refused_files_are_those_of_validate_and_every_suggestion_is_a_fix() {
    let mut files = 0;
    let mut suggestions = 0;
    for (origin, project) in refused_projects() {
        let mut client = Client::start(&project.root);
        let mut found = Vec::new();
        documents(&project.root, &project.root, &mut found);
        for name in found {
            let path = project.path(&name);
            let Some(diagnostics) = opened(&mut client, &path) else {
                continue;
            };
            files += 1;
            let expected = validated(&project.root, &name);
            let shown = origin.join(&name);
            assert_eq!(
                published(&diagnostics, &project.root),
                expected,
                "{}",
                shown.display()
            );
            for diagnostic in diagnostics.as_array().unwrap() {
                if !diagnostic["message"]
                    .as_str()
                    .unwrap()
                    .contains("did you mean `")
                {
                    continue;
                }
                suggestions += 1;
                let fixes = client.quick_fixes(&path, &diagnostic["range"]);
                assert!(!fixes.is_empty(), "{}: {diagnostic}", shown.display());
            }
        }
        client.end();
    }
    assert!(files > 50, "{files}");
    assert!(suggestions > 20, "{suggestions}");
}

#[test]
fn a_place_counts_the_units_that_were_agreed_on() {
    let text = "evalcases:\n  - {id: 'ä😀', expected_outcom: x, expected_outcome: y, input: z}\n";
    let project = TestProject::of(&[]);
    let path = project.path("cases.yaml");
    let at = text.find("expected_outcom:").unwrap() - text.find("  - ").unwrap();
    let of_line = text.lines().nth(1).unwrap();
    let utf16 = of_line[..at].encode_utf16().count();
    for (offered, column) in [(json!([]), utf16), (json!(["utf-8", "utf-16"]), at)] {
        let capabilities = json!({"general": {"positionEncodings": offered}});
        let mut client = Client::start_with(&project.root, &capabilities);
        client.open(&path, text);
        let diagnostics = client.diagnostics(&path, 1);
        let start = &diagnostics[0]["range"]["start"];
        assert_eq!(
            *start,
            json!({"line": 1, "character": column}),
            "{diagnostics}"
        );
        client.end();
    }
}

#[test]
fn problems_of_files_beside_a_document_are_shown_there_until_it_is_closed() {
    let sidecar = "execution: {target: mock}\nevaluatrs: []\n";
    let case = r#"{"id": "a", "expected_outcome": "x", "input": "y"}"#;
    let project = TestProject::of(&[("cases.jsonl", case), ("cases.yaml", sidecar)]);
    let (path, beside) = (project.path("cases.jsonl"), project.path("cases.yaml"));
    let mut client = Client::start(&project.root);
    client.open(&path, case);
    assert_eq!(client.diagnostics(&path, 1), json!([]));
    client.open(&beside, sidecar);
    let found = client.diagnostics(&beside, 1);
    assert_eq!(found[0]["code"], "W004", "{found}");
    // The sidecar decides about the lines, too, before it is saved.
    let end = position_of(sidecar, "evaluatrs");
    let range = json!({"start": end, "end": {"line": 9, "character": 0}});
    client.change(&beside, 2, &range, "fields: {input: nothing}\n");
    assert_eq!(client.diagnostics(&beside, 2), json!([]));
    // A check that the change ended was not published.
    let mut times = 1;
    while client.diagnostics_after(&path, 1, times) == json!([]) {
        times += 1;
    }
    client.end();
}

#[test]
fn a_file_that_is_not_ours_has_no_diagnostics_until_it_becomes_ours() {
    let project = TestProject::of(&[]);
    let path = project.path("deploy.yaml");
    let mut client = Client::start(&project.root);
    client.open(&path, "services: {}\n");
    assert!(client.about("documentSymbol", &path).is_null());
    let start = json!({"line": 0, "character": 0});
    let range = json!({"start": start, "end": {"line": 1, "character": 0}});
    client.change(&path, 2, &range, "evalcases: []\n");
    assert_eq!(client.diagnostics(&path, 2)[0]["code"], "E008");
    // Then it stays ours, as a file that is named on the command line.
    client.change(&path, 3, &range, "services: {}\n");
    project.write("deploy.yaml", "services: {}\n");
    let expected = validated(&project.root, "deploy.yaml");
    assert_eq!(
        published(&client.diagnostics(&path, 3), &project.root),
        expected
    );
    client.end();
}
