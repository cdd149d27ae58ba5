//! An eval file whose rows are mapped to cases.

use std::ops::ControlFlow;

use agentv_syntax::{Diagnostic, Node, Problem, Tree};

use super::row_map::RowMap;
use crate::format::{EvalSource, Findings, Inspect, Origin, Row, Rows, WrittenRow};

/// An eval file whose rows are mapped to cases, one at a time.
pub(crate) struct MappedSource {
    pub(crate) inner: Box<dyn EvalSource>,
    pub(crate) map: RowMap,
}

impl EvalSource for MappedSource {
    fn header(&self) -> Option<Node<'_>> {
        self.inner.header()
    }

    fn place(&self, problem: Problem) -> Diagnostic {
        self.inner.place(problem)
    }

    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic> {
        Ok(Box::new(MappedRows {
            inner: self.inner.rows()?,
            map: &self.map,
            tree: Tree::default(),
            problems: Vec::new(),
        }))
    }

    fn scan(
        &self,
        inspect: &Inspect<'_>,
        deliver: &mut (dyn FnMut(Findings) -> ControlFlow<()> + Send),
    ) -> Result<(), Diagnostic> {
        let mapped = |scratch: &mut _, row: Row<'_>| {
            let (mut tree, mut problems) = (Tree::default(), Vec::new());
            inspect(scratch, self.map.mapped(row, &mut tree, &mut problems));
        };
        self.inner.scan(&mapped, deliver)
    }
}

impl RowMap {
    /// Returns a row as a case. The tree and the problems are those of the new row.
    fn mapped<'r>(
        &self,
        row: Row<'r>,
        tree: &'r mut Tree,
        problems: &'r mut Vec<Problem>,
    ) -> Row<'r> {
        let Row::Case(row) = row else { return row };
        problems.clear();
        let Some(case) = self.apply(row.node, problems) else {
            return Row::Case(row);
        };
        *tree = case.to_tree("");
        let Origin::Line { file, text, .. } = row.origin else {
            return Row::Case(row);
        };
        Row::Case(WrittenRow {
            node: tree.root(),
            line: row.line,
            origin: Origin::Line {
                file,
                text,
                problems,
            },
        })
    }
}

struct MappedRows<'s> {
    inner: Box<dyn Rows + 's>,
    map: &'s RowMap,
    tree: Tree,
    problems: Vec<Problem>,
}

impl Rows for MappedRows<'_> {
    fn next(&mut self) -> Option<Row<'_>> {
        let row = self.inner.next()?;
        Some(self.map.mapped(row, &mut self.tree, &mut self.problems))
    }
}
