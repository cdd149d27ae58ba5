//! The temporary files of one run of a command.

use std::io;
use std::path::{Path, PathBuf};

use agentv_core::{Cause, ProviderError, WorkspaceFolders};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;

use super::command::Command;

/// The temporary files of one run of a command. They are removed on drop, unless the user keeps them.
pub(super) struct TemporaryFiles {
    folder: Option<TempDir>,
    keep: bool,
    prompt: Option<PathBuf>,
    output: Option<PathBuf>,
}

impl TemporaryFiles {
    /// Creates a folder for the files that the command has placeholders for, if there are any: in the
    /// workspace of the trial, unless they are kept.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub(super) fn new(
        command: &Command,
        id: &str,
        keep: bool,
        workspace: Option<&WorkspaceFolders>,
    ) -> Result<TemporaryFiles, ProviderError> {
        let wanted = |placeholder: &str| command.uses(placeholder);
        if !wanted("PROMPT_FILE") && !wanted("OUTPUT_FILE") {
            return Ok(TemporaryFiles {
                folder: None,
                keep,
                prompt: None,
                output: None,
            });
        }
        let prefix = format!("agentv-{}-", file_name(id));
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).disable_cleanup(keep);
        let made = match workspace.filter(|_| !keep) {
            Some(workspace) => builder.tempdir_in(&workspace.tmp),
            None => builder.tempdir(),
        };
        let made = made.map_err(|error| {
            let place = std::env::temp_dir();
            let place = place.display();
            let what = format!("cannot create a folder for the command's files in `{place}`");
            // The system's reason without the folder's name, which is random.
            let why = io::Error::from(error.kind());
            failed(
                &format!("{what} (set `TMPDIR` to use another folder)"),
                &why,
            )
        })?;
        let path = made.path();
        let file = |placeholder: &str, name: &str| wanted(placeholder).then(|| path.join(name));
        Ok(TemporaryFiles {
            prompt: file("PROMPT_FILE", "prompt.txt"),
            output: file("OUTPUT_FILE", "output.txt"),
            folder: Some(made),
            keep,
        })
    }

    pub(super) fn prompt_file(&self) -> Option<&Path> {
        self.prompt.as_deref()
    }

    pub(super) fn output_file(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Writes the prompt's file, if the command has `{PROMPT_FILE}`.
    pub(super) async fn write_prompt(&self, text: &[u8]) -> Result<(), ProviderError> {
        let Some(path) = &self.prompt else {
            return Ok(());
        };
        let written = tokio::fs::write(path, text).await;
        written.map_err(|error| failed("cannot write `{PROMPT_FILE}`", &error))
    }

    /// Reads what the command wrote to its output file.
    ///
    /// # Errors
    /// If there is no such file, or it has more than `largest` bytes.
    pub(super) async fn read_output(&self, largest: usize) -> Result<Vec<u8>, ProviderError> {
        let Some(path) = &self.output else {
            return Ok(Vec::new());
        };
        let answer = |message: String| ProviderError::new(Cause::Answer, message);
        // Opening a pipe would block until something is written into it.
        if path.exists() && !path.is_file() {
            return Err(answer(
                "the command succeeded, but `{OUTPUT_FILE}` is not a regular file".to_owned(),
            ));
        }
        let file = tokio::fs::File::open(path).await;
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                answer("the command succeeded, but did not write `{OUTPUT_FILE}`".to_owned())
            }
            _ => failed("cannot read `{OUTPUT_FILE}`", &error),
        })?;
        let mut output = Vec::new();
        let most = largest as u64;
        let read = file.take(most + 1).read_to_end(&mut output).await;
        read.map_err(|error| failed("cannot read `{OUTPUT_FILE}`", &error))?;
        if output.len() > largest {
            return Err(answer(format!(
                "the command wrote more than {} MiB to `{{OUTPUT_FILE}}`",
                most >> 20
            )));
        }
        Ok(output)
    }

    /// Adds the folder to an error if the files are kept.
    pub(super) fn explained<T>(
        &self,
        outcome: Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        outcome.map_err(|error| match &self.folder {
            Some(folder) if self.keep => ProviderError {
                message: format!(
                    "{error} (the command's files are in `{}`)",
                    folder.path().display()
                ),
                ..error
            },
            _ => error,
        })
    }
}

fn failed(what: &str, error: &io::Error) -> ProviderError {
    ProviderError::new(Cause::Command, format!("{what}: {error}"))
}

/// Returns the letters of an id that are safe in the name of a folder.
fn file_name(id: &str) -> String {
    let plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_".contains(*letter);
    id.chars().filter(plain).take(40).collect()
}
