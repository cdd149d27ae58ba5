//! The cases of a dataset, one after the other.

use agentv_core::EvalCase;
use agentv_syntax::{CheckCache, Problem, Severity};

use crate::case::{Fields, read};
use crate::dataset::{Checked, Dataset};
use crate::format::{Row, Rows};
use crate::ids::{Assigned, IdAssigner, RowId};
use crate::load::LoadError;

/// The cases of a dataset, in file order.
pub struct Cases<'d> {
    dataset: &'d Dataset,
    rows: Box<dyn Rows + 'd>,
    checked: &'d Checked,
    assigner: IdAssigner<'d>,
    /// The index of the next row, from 0.
    index: u64,
    check_cache: CheckCache,
    problems: Vec<Problem>,
    done: bool,
}

impl Iterator for Cases<'_> {
    type Item = Result<EvalCase, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let context = self.dataset.context();
        while !self.done {
            let row = self.rows.next()?;
            let index = self.index;
            self.index += u64::from(row.is_counted());
            let row = match row {
                Row::Case(row) => row,
                Row::Blank(_) => continue,
                Row::Broken(diagnostic) if diagnostic.severity() == Severity::Error => continue,
                Row::Broken(diagnostic) => {
                    // The check found nothing wrong with it.
                    self.done = true;
                    return Some(Err(diagnostic.into()));
                }
            };
            let fields = Fields::of(row.node);
            let id = RowId::of(&fields, context.derives_ids).map(|id| id.at(index));
            let id = id.map(|id| self.assigner.assign(&id, row.line));
            self.problems.clear();
            let written = read(&fields, context, &mut self.check_cache, &mut self.problems);
            let is_usable = !row.is_refused() && self.checked.is_dependable(index);
            let written = written.filter(|_| is_usable);
            let (Some(written), Some(Assigned::Id(id))) = (written, id) else {
                continue;
            };
            let built = written.build(id, row.line, context);
            return Some(built.map_err(|problem| row.place(problem.at(row.node, "")).into()));
        }
        None
    }
}

impl<'d> Cases<'d> {
    pub(crate) fn new(dataset: &'d Dataset, checked: &'d Checked) -> Result<Cases<'d>, LoadError> {
        Ok(Cases {
            dataset,
            rows: dataset.source().rows()?,
            checked,
            assigner: IdAssigner::new(checked.ids()),
            index: 0,
            check_cache: CheckCache::default(),
            problems: Vec::new(),
            done: false,
        })
    }
}
