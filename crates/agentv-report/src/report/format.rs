//! A format of reports.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use agentv_core::ReportError;
use agentv_journal::FileError;
use thiserror::Error;

use super::FORMATS;
use crate::destination::{error_of, open_destination};
use crate::results::RunResults;

/// A format of reports.
#[derive(Clone, Copy)]
pub struct ReportFormat {
    /// The name that users write.
    pub name: &'static str,
    /// The extension of its files.
    pub extension: &'static str,
    /// Its purpose, on one line.
    pub doc: &'static str,
    /// The largest number of runs in one report.
    pub most_runs: usize,
    /// Writes the report of some runs.
    pub(super) write: fn(&[RunResults], &mut dyn Write) -> Result<(), ReportFailure>,
}

/// The reason why there is no report.
#[derive(Debug, Error)]
pub enum ReportFailure {
    /// The results could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// The report could not be written.
    #[error(transparent)]
    Write(ReportError),
}

impl ReportFormat {
    /// The name of the format whose lines are commands for GitHub Actions, so that it makes sense on a
    /// stream.
    pub const ANNOTATIONS: &str = "github";

    /// Returns the format with this name.
    pub fn named(name: &str) -> Option<&'static ReportFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Returns the format of a file by its extension.
    pub fn of_file(path: &Path) -> Option<&'static ReportFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let extension = match &*extension {
            "htm" => "html",
            extension => extension,
        };
        FORMATS.iter().find(|format| format.extension == extension)
    }

    /// Writes the report of some runs to a file, which is replaced as a whole or not at all.
    ///
    /// # Errors
    /// Fails if the results cannot be read, or the report cannot be written.
    pub fn write_file(&self, runs: &[RunResults], path: &Path) -> Result<(), ReportFailure> {
        let not_written = |source| ReportFailure::Write(error_of(path, source));
        let mut file = open_destination(path).map_err(not_written)?;
        (self.write)(runs, &mut file).map_err(|failure| match failure {
            ReportFailure::Write(error) => not_written(error.source),
            failure => failure,
        })?;
        file.commit().map_err(not_written)
    }

    /// Writes the report of some runs.
    ///
    /// # Errors
    /// Fails if the results cannot be read, or the report cannot be written.
    pub fn write(&self, runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
        (self.write)(runs, out)
    }
}

impl fmt::Debug for ReportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReportFormat({})", self.name)
    }
}

impl From<io::Error> for ReportFailure {
    fn from(source: io::Error) -> ReportFailure {
        let to = "the report".to_owned();
        ReportFailure::Write(ReportError { to, source })
    }
}
