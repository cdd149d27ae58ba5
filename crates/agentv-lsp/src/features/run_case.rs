//! Runs one case in a process of its own.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The command that runs a case. Its arguments are the address of the file and the id of the case.
pub(crate) const RUN_CASE: &str = "agentv.runCase";

/// A case to run.
#[derive(Debug)]
pub(crate) struct RunCase {
    pub(crate) file: PathBuf,
    pub(crate) id: String,
    pub(crate) working_dir: PathBuf,
}

impl RunCase {
    /// Runs the case, and returns the last lines of what the run printed.
    pub(crate) fn run(&self) -> String {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("agentv"));
        let output = Command::new(program)
            .arg("run")
            .arg(&self.file)
            .args(["--eval-id", &as_pattern(&self.id)])
            .current_dir(&self.working_dir)
            .stdin(Stdio::null())
            .output();
        match output {
            Ok(output) => {
                let text = [output.stdout, output.stderr].concat();
                let text = String::from_utf8_lossy(&text).into_owned();
                format!("`{}`: {}", self.id, last_lines(&text))
            }
            Err(error) => format!("`{}` could not be run: {error}", self.id),
        }
    }
}

/// Returns the pattern that matches this id only.
fn as_pattern(id: &str) -> String {
    let mut pattern = String::new();
    for letter in id.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => pattern.push_str(&format!("[{letter}]")),
            '\\' => pattern.push_str("\\\\"),
            letter => pattern.push(letter),
        }
    }
    pattern
}

fn last_lines(text: &str) -> String {
    const SHOWN: usize = 6;
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}
