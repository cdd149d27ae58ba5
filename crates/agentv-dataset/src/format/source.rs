//! An opened eval file.

use std::collections::HashSet;
use std::ops::ControlFlow;

use agentv_syntax::{CheckCache, Diagnostic, Node, Problem};

use super::row::{Row, Rows};
use crate::ids::{RowId, digest};

/// An opened eval file: cases, and a header if the format has one.
pub(crate) trait EvalSource: Send + Sync {
    /// Returns the dataset-level fields in the file itself, if the format has them.
    fn header(&self) -> Option<Node<'_>>;

    /// Turns a problem of the header into a diagnostic with its line.
    fn place(&self, problem: Problem) -> Diagnostic;

    /// Reads the file from its beginning, in file order.
    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic>;

    /// Reads the whole file, on all cores if the format allows it. The findings that `inspect` adds are
    /// delivered in file order.
    fn scan(
        &self,
        inspect: &Inspect<'_>,
        deliver: &mut (dyn FnMut(Findings) -> ControlFlow<()> + Send),
    ) -> Result<(), Diagnostic> {
        let mut rows = self.rows()?;
        let mut scratch = Scratch::default();
        while let Some(row) = rows.next() {
            inspect(&mut scratch, row);
            if deliver(std::mem::take(&mut scratch.findings)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A function that checks one row and adds to the findings.
pub(crate) type Inspect<'i> = dyn Fn(&mut Scratch, Row<'_>) + Sync + 'i;

/// The memory that a thread reuses from row to row.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) findings: Findings,
    pub(crate) check_cache: CheckCache,
    pub(crate) problems: Vec<Problem>,
    /// The problems of parts that several cases have, which are reported once.
    pub(crate) shared: HashSet<(usize, String)>,
}

/// The findings in a part of a file.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Cases that can be used, and cases that cannot.
    pub(crate) cases: u64,
    pub(crate) skipped: u64,
    /// The number of AgentMark rows among them.
    pub(crate) agentmark_rows: u64,
    /// Digests of the ids.
    ids: Vec<u64>,
    /// The rows whose id is their index: the place in `ids`, and the index within this part of the file.
    indexed: Vec<(usize, u64)>,
    /// True if a case depends on others.
    pub(crate) has_dependencies: bool,
    /// The first blank lines.
    pub(crate) blank_lines: Vec<u64>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// Number of diagnostics of one part of a file that are kept in memory.
    pub(crate) const KEPT: usize = 1_000;

    /// Adds the id of the row that has this index within this part of the file.
    pub(crate) fn add_id(&mut self, id: RowId<'_>, index: u64) {
        if id == RowId::Index {
            self.indexed.push((self.ids.len(), index));
        }
        self.ids.push(digest(id.at(index).text()));
    }

    /// Returns the digests of the ids, if `rows` rows come before this part of the file.
    pub(crate) fn id_digests(&mut self, rows: u64) -> Vec<u64> {
        let mut ids = std::mem::take(&mut self.ids);
        for (place, index) in self.indexed.drain(..) {
            ids[place] = digest(RowId::Index.at(rows + index).text());
        }
        ids
    }
}
