//! The rows of a checked eval file: the cases that can be used, and those that are skipped.

use std::ops::ControlFlow;

use agentv_syntax::{CheckCache, Problem, Severity};

use crate::case::{Fields, read};
use crate::dataset::{Checked, Dataset};
use crate::format::{Row, WrittenRow};
use crate::ids::{Assigned, IdAssigner, RowId};
use crate::load::LoadError;

/// A row of an eval file that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedRow {
    /// Its line.
    pub line: Option<u64>,
    /// The id of its case, if it can be read.
    pub id: Option<String>,
    /// True if the case can be used.
    pub is_usable: bool,
}

impl Dataset {
    /// Visits all rows that are cases, in file order, until `visit` breaks. Memory does not grow with the
    /// file.
    ///
    /// # Errors
    /// Fails if the file cannot be opened again.
    pub fn each_row(
        &self,
        checked: &Checked,
        visit: &mut dyn FnMut(CheckedRow) -> ControlFlow<()>,
    ) -> Result<(), LoadError> {
        let mut reader = RowReader {
            dataset: self,
            checked,
            assigner: IdAssigner::new(checked.ids()),
            check_cache: CheckCache::default(),
            problems: Vec::new(),
            index: 0,
        };
        let mut rows = self.source().rows()?;
        while let Some(row) = rows.next() {
            let is_counted = row.is_counted();
            let read = match row {
                Row::Case(row) => Some(reader.read(&row)),
                Row::Broken(diagnostic) => {
                    let is_skipped = diagnostic.severity() == Severity::Error;
                    is_skipped.then_some(CheckedRow {
                        line: diagnostic.line,
                        id: diagnostic.case,
                        is_usable: false,
                    })
                }
                Row::Blank(_) => None,
            };
            reader.index += u64::from(is_counted);
            if read.is_some_and(|row| visit(row).is_break()) {
                break;
            }
        }
        Ok(())
    }
}

/// A reader of rows, one after the other.
struct RowReader<'d> {
    dataset: &'d Dataset,
    checked: &'d Checked,
    assigner: IdAssigner<'d>,
    check_cache: CheckCache,
    problems: Vec<Problem>,
    /// The index of the next row, from 0.
    index: u64,
}

impl RowReader<'_> {
    fn read(&mut self, row: &WrittenRow<'_>) -> CheckedRow {
        let fields = Fields::of(row.node);
        let derives_ids = self.dataset.context().derives_ids;
        let written_id = RowId::of(&fields, derives_ids).map(|id| id.at(self.index));
        let assigned = written_id
            .as_ref()
            .map(|id| self.assigner.assign(id, row.line));
        self.problems.clear();
        let context = self.dataset.context();
        let written = read(&fields, context, &mut self.check_cache, &mut self.problems);
        let (id, is_free) = match assigned {
            Some(Assigned::Id(id)) => (Some(id), true),
            Some(Assigned::Taken { .. }) => (written_id.map(|id| id.text().to_owned()), false),
            None => (None, false),
        };
        CheckedRow {
            line: Some(row.line),
            id,
            is_usable: written.is_some()
                && is_free
                && !row.is_refused()
                && self.checked.is_dependable(self.index),
        }
    }
}
