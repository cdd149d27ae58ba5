//! A command as a list of words, which runs without a shell.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use agentv_process::anchored;

use super::placeholder::{FILE_PLACEHOLDERS, PLACEHOLDERS, Piece, pieces};
use super::program_text::{ProgramText, after_word, within_option};
use super::values::{Values, file_value};

/// A program and its arguments, with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argv {
    program: String,
    arguments: Vec<Vec<Piece>>,
    /// The words that each file of `{FILES}` becomes.
    file: Vec<Vec<Piece>>,
    /// The placeholders that become part of another program.
    pub(crate) program_texts: Vec<ProgramText>,
}

/// A list of words that is not a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgvError {
    /// There is no program.
    #[error("the first word must be a program")]
    NoProgram,
    /// A case would decide which program runs.
    #[error("`{{{0}}}` cannot be used in the first word, the program")]
    PlaceholderInProgram(&'static str),
}

impl Argv {
    /// Finds the placeholders of a list of words. Each file of `{FILES}` becomes the words of
    /// `files_format`, which are separated by white space.
    ///
    /// # Errors
    /// If the first word is not a program.
    pub(crate) fn of(words: &[&str], files_format: Option<&str>) -> Result<Argv, ArgvError> {
        let (program, arguments) = words.split_first().ok_or(ArgvError::NoProgram)?;
        let in_program = pieces(program, PLACEHOLDERS);
        if program.is_empty() {
            return Err(ArgvError::NoProgram);
        }
        if let Some(placeholder) = in_program.iter().find_map(Piece::placeholder) {
            return Err(ArgvError::PlaceholderInProgram(placeholder));
        }
        let file = files_format.unwrap_or("{path}").split_whitespace();
        let pieces_of = |word: &&str| pieces(word, PLACEHOLDERS);
        let arguments: Vec<Vec<Piece>> = arguments.iter().map(pieces_of).collect();
        Ok(Argv {
            program: (*program).to_owned(),
            program_texts: program_texts(words, &arguments),
            arguments,
            file: file.map(|word| pieces(word, FILE_PLACEHOLDERS)).collect(),
        })
    }

    pub(super) fn uses(&self, placeholder: &str) -> bool {
        let mut used = self
            .arguments
            .iter()
            .flatten()
            .filter_map(Piece::placeholder);
        used.any(|used| used == placeholder)
    }

    /// Returns the program and its arguments for a case.
    ///
    /// A word that is `{FILES}` becomes the words of all files. In a longer word they are joined by
    /// spaces.
    ///
    /// With `anchor`, the words that name files in that folder become absolute.
    pub(super) fn fill(
        &self,
        values: &Values<'_>,
        anchor: Option<&Path>,
    ) -> (OsString, Vec<OsString>) {
        let mut words = Vec::new();
        for argument in &self.arguments {
            match argument.as_slice() {
                [Piece::Placeholder("FILES")] => words.extend(self.files(values)),
                [Piece::Text(text)] => words.push(placed(text, false, anchor)),
                pieces => words.push(joined(pieces, |placeholder| {
                    match values.one(placeholder) {
                        Some(value) => value,
                        None => self.files(values).join(OsStr::new(" ")),
                    }
                })),
            }
        }
        (placed(&self.program, true, anchor), words)
    }

    fn files(&self, values: &Values<'_>) -> Vec<OsString> {
        let words = values.files.iter().flat_map(|file| {
            let value = move |placeholder: &str| file_value(file, placeholder).to_owned();
            self.file.iter().map(move |word| joined(word, value))
        });
        words.collect()
    }
}

impl Piece {
    fn placeholder(&self) -> Option<&'static str> {
        match self {
            Piece::Text(_) => None,
            Piece::Placeholder(placeholder) => Some(placeholder),
        }
    }
}

fn placed(word: &str, is_program: bool, anchor: Option<&Path>) -> OsString {
    match anchor {
        Some(folder) => anchored(OsStr::new(word), is_program, folder),
        None => OsString::from(word),
    }
}

fn joined(pieces: &[Piece], value: impl Fn(&'static str) -> OsString) -> OsString {
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => OsString::from(text),
        Piece::Placeholder(placeholder) => value(placeholder),
    });
    parts.collect()
}

fn program_texts(words: &[&str], arguments: &[Vec<Piece>]) -> Vec<ProgramText> {
    let found = words.iter().zip(arguments).flat_map(|(before, argument)| {
        let is_whole = argument.len() == 1;
        let begun = match argument.first() {
            Some(Piece::Text(text)) => text.as_str(),
            Some(Piece::Placeholder(_)) | None => "",
        };
        let placeholders = argument.iter().filter_map(Piece::placeholder);
        placeholders.filter_map(move |placeholder| {
            let after = after_word(before, placeholder, is_whole);
            after.or_else(|| within_option(begun, placeholder))
        })
    });
    found.collect()
}
