//! What was found, told once each and counted.

use std::collections::HashSet;
use std::io;

use agentv_dataset::{Diagnostic, FoundFile, Severity, sidecar_path};
use agentv_project::counted;

use crate::arguments::Format;
use crate::diagnostics::Teller;
use crate::exit::Exit;

/// Tells diagnostics and keeps the totals.
pub(super) struct Telling {
    teller: Teller,
    format: Format,
    /// The cases that were checked.
    pub(super) cases: u64,
    errors: u64,
    warnings: u64,
    /// Problems that were told. Every eval file brings up those of its settings and sidecar again.
    told: HashSet<String>,
}

impl Telling {
    pub(super) fn new(format: Format) -> Telling {
        Telling {
            teller: Teller::new(format),
            format,
            cases: 0,
            errors: 0,
            warnings: 0,
            told: HashSet::new(),
        }
    }

    /// Tells a problem that was found while `checked` was checked.
    pub(super) fn tell(
        &mut self,
        diagnostic: &Diagnostic,
        checked: Option<&FoundFile>,
    ) -> io::Result<()> {
        // Lines have no second way to come up, and there may be any number of them.
        let is_of_lines = checked.is_some_and(|file| {
            let is_own = *file.path.to_string_lossy() == *diagnostic.file;
            is_own && sidecar_path(&file.path).is_some()
        });
        if !is_of_lines && !self.told.insert(diagnostic.to_json().to_string()) {
            return Ok(());
        }
        match diagnostic.severity() {
            Severity::Warning => self.warnings += 1,
            Severity::Error | Severity::Fatal => self.errors += 1,
        }
        self.teller.tell(diagnostic)
    }

    /// Tells the totals.
    pub(super) fn finish(mut self, files: u64) -> io::Result<Exit> {
        let checked = format!(
            "checked {}, {}",
            counted(files, "file"),
            counted(self.cases, "case")
        );
        let sentence = match (self.errors, self.warnings) {
            (0, 0) => format!("{checked}: no problems"),
            (errors, warnings) => format!(
                "{checked}: {}, {}",
                counted(errors, "error"),
                counted(warnings, "warning")
            ),
        };
        self.teller.finish(&sentence, self.format == Format::Text)?;
        Ok(if self.errors > 0 {
            Exit::Problems
        } else {
            Exit::Success
        })
    }
}
