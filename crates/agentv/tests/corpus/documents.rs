//! Runs the `console` blocks of the README and of all pages of the book, and compares the output.
//!
//! In a block, `$ ` starts a command, `? N` is its exit code (default: 0), and the rest is its
//! output. The commands of one document run one after the other in a copy of `examples/`. A line `$ cd FOLDER` changes the
//! folder of the commands after it, as for a reader who types all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use snapbox::{Assert, Data};

use crate::runner::{copy, execute, redacted};

pub(crate) fn trials(repository: &Path) -> Vec<Trial> {
    let mut documents = vec![repository.join("README.md")];
    documents.extend(pages(&repository.join("docs")));
    documents.sort();
    let examples = repository.join("examples");
    documents
        .into_iter()
        .map(|document| {
            let shown = document.strip_prefix(repository).unwrap_or(&document);
            let name = format!("examples of {}", shown.display());
            let examples = examples.clone();
            Trial::test(name, move || run(&document, &examples))
        })
        .collect()
}

/// Returns the Markdown files in a folder and its folders.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.flat_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return pages(&path);
        }
        let is_page = path.extension().is_some_and(|end| end == "md");
        is_page.then_some(path).into_iter().collect()
    });
    found.collect()
}

/// A command, and its results according to the document.
#[derive(Debug, Default, PartialEq)]
struct Example {
    line: usize,
    command: String,
    exit: i32,
    output: String,
}

fn run(document: &PathBuf, examples: &Path) -> Result<(), Failed> {
    let temporary = tempfile::tempdir()?;
    let root = fs::canonicalize(temporary.path())?;
    copy(examples, &root)?;
    let mut folder = root.clone();
    for example in parsed(&fs::read_to_string(document)?) {
        // Readers of JSON have it. A machine without it runs all other commands.
        if example.command.contains("| jq ") && !is_jq_installed() {
            continue;
        }
        if let Some(name) = example.command.strip_prefix("cd ")
            && !name.contains(' ')
        {
            folder = fs::canonicalize(folder.join(name))?;
            continue;
        }
        let script = tempfile::NamedTempFile::new()?;
        fs::write(script.path(), &example.command)?;
        let output = execute(script.path(), &folder)?;
        let line = example.line;
        let exit = output.status.code();
        if exit != Some(example.exit) {
            return Err(format!("line {line}: exit code {exit:?}, not {}", example.exit).into());
        }
        let printed = [output.stdout, output.stderr].concat();
        let printed = redacted(&printed, &root)?;
        // The times and ids in a document are examples.
        let expected = redacted(example.output.as_bytes(), &root)?;
        Assert::new()
            .try_eq(
                Some(&format!("line {line}: {}", example.command)),
                Data::text(printed.trim_end().to_owned()).raw(),
                Data::text(expected.trim_end().to_owned()).raw(),
            )
            .map_err(|difference| difference.to_string())?;
    }
    Ok(())
}

fn is_jq_installed() -> bool {
    let version = Command::new("jq").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

fn parsed(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
            examples.push(Example {
                line: index + 1,
                command: command.to_owned(),
                ..Example::default()
            });
        } else if let Some(example) = examples.last_mut() {
            match line.strip_prefix("? ").map(str::parse) {
                Some(Ok(exit)) => example.exit = exit,
                _ => {
                    example.output.push_str(line);
                    example.output.push('\n');
                }
            }
        }
    }
    examples
}
