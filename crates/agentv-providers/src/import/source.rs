//! A source of recordings.

use super::answer::ImportedAnswer;
use super::error::ImportError;

/// A tool whose files can be imported.
#[derive(Debug)]
pub struct ImportSource {
    /// The name that users write.
    pub name: &'static str,
    /// The files that it reads, in a sentence.
    pub doc: &'static str,
    pub(super) read: fn(&str, &str) -> Result<Vec<ImportedAnswer>, ImportError>,
}

impl ImportSource {
    /// Reads the answers of a file. `name` is its name without folder and extension, for answers that have no
    /// other.
    ///
    /// # Errors
    /// If the text is not what the tool writes, or has no answer.
    pub fn answers(&self, name: &str, text: &str) -> Result<Vec<ImportedAnswer>, ImportError> {
        let answers = (self.read)(name, text)?;
        if answers.is_empty() {
            return Err(ImportError::Nothing { expected: self.doc });
        }
        Ok(answers)
    }
}
