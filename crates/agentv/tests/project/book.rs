//! The book: `docs/SUMMARY.md` lists every page, and every link leads somewhere.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::repository;

/// Returns the Markdown files in a folder and its folders.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| {
            if path.is_dir() {
                return pages(&path);
            }
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            if is_page { vec![path] } else { Vec::new() }
        })
        .collect();
    found.sort();
    found
}

/// Returns the addresses of the links and pictures of a page, without those in code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        // Every second part of a line is between backquotes.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for rest in prose.split("](").skip(1) {
            found.extend(rest.split(')').next().map(str::to_owned));
        }
    }
    found
}

/// Returns the names by which the headings of a page can be linked to.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) else {
            continue;
        };
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let name: String = kept
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let count = counts.entry(name.clone()).or_default();
        found.insert(if *count == 0 {
            name
        } else {
            format!("{name}-{count}")
        });
        *count += 1;
    }
    found
}

/// Removes `..` from a path.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

#[test]
fn the_summary_lists_every_page_once() {
    let docs = repository().canonicalize().unwrap().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: Vec<PathBuf> = links(&summary)
        .iter()
        .map(|link| normal(&docs.join(link)))
        .collect();
    for page in &listed {
        assert!(
            page.is_file(),
            "docs/SUMMARY.md lists {}, which does not exist",
            page.display()
        );
        let times = listed.iter().filter(|other| *other == page).count();
        assert_eq!(
            times,
            1,
            "docs/SUMMARY.md lists {} {times} times",
            page.display()
        );
    }
    for page in pages(&docs) {
        let is_summary = page.ends_with("SUMMARY.md");
        assert!(
            is_summary || listed.contains(&page),
            "add {} to docs/SUMMARY.md",
            page.display()
        );
    }
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let root = repository().canonicalize().unwrap();
    let names = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
    ];
    let mut all: Vec<PathBuf> = names.map(|name| root.join(name)).into();
    all.extend(pages(&root.join("docs")));
    for page in all {
        let text = fs::read_to_string(&page).unwrap();
        let folder = page.parent().unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                normal(&folder.join(file))
            };
            assert!(
                target.exists(),
                "{}: `{link}` leads nowhere",
                page.display()
            );
            if !anchor.is_empty() {
                let headings = anchors(&fs::read_to_string(&target).unwrap());
                assert!(
                    headings.contains(anchor),
                    "{}: `{link}` has no such heading",
                    page.display()
                );
            }
        }
    }
}

#[test]
fn links_in_code_do_not_count() {
    let text = "[a](b.md) `[c](d.md)` ![e](f.svg)\n```\n[g](h.md)\n```\n";
    assert_eq!(links(text), ["b.md", "f.svg"]);
    assert!(anchors("## A `b`: c!\n").contains("a-b-c"));
}

/// Returns the lines of the blocks in one of these languages.
fn lines_of_blocks(text: &str, languages: &[&str]) -> Vec<String> {
    let mut is_chosen = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(language) = line.strip_prefix("```") {
            is_chosen = languages.contains(&language);
        } else if is_chosen && !line.is_empty() {
            found.push(line.to_owned());
        }
    }
    found
}

/// Commands of pages that no test runs, and the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo ", "they build the program"),
    ("pip install agentv", "`./package` runs it"),
    ("npm install -g agentv-eval", "`./package` runs it"),
    ("uvx agentv demo", "`./package` runs it"),
    ("npx agentv-eval demo", "`./package` runs it"),
    ("RUSTC_WRAPPER=/tmp/timed cargo ", "it builds the program"),
    (
        "printf '#!/bin/sh\\nexec /usr/bin/time ",
        "it prepares such a build",
    ),
    ("perf record ", "it needs perf"),
    ("code --install-extension ", "it needs VS Code"),
    ("nats-server ", "`reliability machines` starts one"),
    ("export OPENAI_API_KEY=", "it sets a variable"),
    (
        "agentv worker --engine ",
        "`reliability machines` runs workers",
    ),
    (
        "agentv run evals --engine ",
        "`reliability machines` runs it",
    ),
    ("agentv judge calibrate ", "`corpus calibrate` runs it"),
];

#[test]
fn a_command_that_no_test_runs_is_a_script_of_the_repository_or_has_a_reason() {
    let root = repository();
    let mut all = vec![root.join("README.md")];
    all.extend(pages(&root.join("docs")));
    for page in all {
        for line in lines_of_blocks(&fs::read_to_string(&page).unwrap(), &["sh"]) {
            let program = line.split_whitespace().next().unwrap();
            let is_script = program.contains('/') && root.join(program).is_file();
            let has_reason = NOT_RUN.iter().any(|(start, _)| line.starts_with(start));
            assert!(
                is_script || has_reason,
                "{}: write it as a `console` block, which runs as a test: {line}",
                page.display()
            );
        }
    }
}

/// Returns the lines that call the program and that no test runs: outlines of commands, and commands that need
/// something else.
fn written_commands(text: &str) -> Vec<String> {
    let lines = lines_of_blocks(text, &["sh", "text"]).into_iter();
    lines.filter(|line| line.starts_with("agentv ")).collect()
}

fn help(commands: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_agentv"))
        .args(commands)
        .arg("--help")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then_some(text)
}

#[test]
fn commands_that_no_test_runs_name_commands_and_flags_that_exist() {
    let mut checked = 0;
    for page in pages(&repository().join("docs")) {
        for line in written_commands(&fs::read_to_string(&page).unwrap()) {
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            let is_nested = words
                .get(1)
                .is_some_and(|word| word.chars().all(char::is_alphanumeric));
            let nested = is_nested.then(|| help(&words[..2])).flatten();
            let text = nested.or_else(|| help(&words[..1]));
            let shown = page.display();
            let text = text.unwrap_or_else(|| panic!("{shown}: no such command: {line}"));
            let flags = words
                .iter()
                .map(|word| word.trim_matches(['[', ']', '(', ')', '`']));
            for flag in flags.filter(|word| word.starts_with("--") && word.len() > 2) {
                let flag = flag.split(['=', '|', '[']).next().unwrap();
                assert!(text.contains(flag), "{shown}: no flag `{flag}`: {line}");
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked}");
}
