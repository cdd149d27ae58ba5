//! A source of recordings.

use super::answer::ImportedAnswer;
use super::archive;
use super::error::ImportError;

/// A tool whose files can be imported.
#[derive(Debug)]
pub struct ImportSource {
    /// The name that users write.
    pub name: &'static str,
    /// The files that it reads, in a sentence.
    pub doc: &'static str,
    pub(super) read: fn(&str, &str) -> Result<Vec<ImportedAnswer>, ImportError>,
    /// Returns true if a file of a zip archive is a text for `read`. `None` if the tool writes no archives.
    pub(super) in_archive: Option<fn(&str) -> bool>,
}

impl ImportSource {
    /// Reads the answers of a file. `name` is its name without folder and extension, for answers that have no
    /// other.
    ///
    /// # Errors
    /// If the content is not what the tool writes, or has no answer.
    pub fn answers(
        &self,
        name: &str,
        content: impl AsRef<[u8]>,
    ) -> Result<Vec<ImportedAnswer>, ImportError> {
        let content = content.as_ref();
        let answers = match self.in_archive {
            Some(is_text) if archive::is_archive(content) => {
                let mut answers = Vec::new();
                for text in archive::texts(content, is_text)? {
                    answers.append(&mut (self.read)(name, &text)?);
                }
                answers
            }
            _ => (self.read)(
                name,
                str::from_utf8(content).map_err(|_| ImportError::NotText)?,
            )?,
        };
        if answers.is_empty() {
            return Err(ImportError::Nothing { expected: self.doc });
        }
        Ok(answers)
    }
}
