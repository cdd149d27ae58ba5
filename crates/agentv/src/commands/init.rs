//! `agentv init`: creates a project with a first eval that runs at once.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::arguments::InitArguments;
use crate::exit::{CommandError, Exit};
use crate::output;

/// The files of a new project: their paths and contents.
const FILES: &[(&str, &str)] = &[
    (
        "evals/first.yaml",
        include_str!("../../templates/first.yaml"),
    ),
    (
        ".agentv/targets.yaml",
        include_str!("../../templates/targets.yaml"),
    ),
    (
        ".agentv/.gitignore",
        include_str!("../../templates/gitignore"),
    ),
    (".env.example", include_str!("../../templates/env.example")),
    (".gitignore", ".env\n"),
];

pub(crate) fn run(arguments: &InitArguments) -> Result<Exit, CommandError> {
    let mut text = String::new();
    for (path, content) in FILES {
        let file = arguments.folder.join(path);
        let file = file.strip_prefix(".").unwrap_or(&file);
        match create(file, content) {
            Ok(true) => text.push_str(&format!("wrote {}\n", file.display())),
            Ok(false) => text.push_str(&format!("kept  {} (already exists)\n", file.display())),
            Err(error) => {
                output::error(&format!("cannot write `{}`: {error}", file.display()), None);
                return Ok(Exit::NotWritten);
            }
        }
    }
    let evals = arguments.folder.join("evals");
    let evals = evals.strip_prefix(".").unwrap_or(&evals);
    let evals = agentv_process::quote_os(evals.as_os_str());
    text.push_str(&format!(
        "\nRun the first eval with `agentv run {evals}`. It calls a mock target and needs no API key.\n\
         To call a model instead, see `.agentv/targets.yaml`.\n"
    ));
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(Exit::Success)
}

/// Writes a file unless it exists. Returns true if it did.
fn create(path: &Path, content: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match File::create_new(path) {
        Ok(mut file) => file.write_all(content.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}
