//! All trials of a run, part by part, on all cores.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::block::Blocks;
use super::evaluators::EvaluatorFold;
use super::part::{Part, PartMaker};
use super::sample::Sample;
use super::sources::Sources;
use crate::file_order::in_file_order;
use crate::in_order::{Divided, in_order};
use crate::report::ReportFailure;
use crate::run_fold::RunFold;
use crate::run_statistics::RunStatistics;
use crate::summary::Summary;

/// The number of trials in a part.
const SHARE: usize = 2_048;

/// The facts about a run after all of its trials were read.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) summary: Summary,
    pub(super) statistics: RunStatistics,
    pub(super) evaluators: EvaluatorFold,
    pub(super) shown: u64,
    pub(super) damaged: u64,
    pub(super) transcripts: bool,
}

/// Writes the trials of a run in blocks, in the order of their cases in the eval files.
pub(super) fn write(
    source: &Sources<'_>,
    index: usize,
    sample: &Sample,
    blocks: &mut Blocks,
    out: &mut dyn Write,
) -> Result<Whole, ReportFailure> {
    let Sources {
        run,
        results,
        transcripts,
    } = source;
    let fold = Mutex::new(RunFold::of_trials(run.trials()?));
    let offsets = in_file_order(run.run(), &mut results.reopen()?)?;
    let shares: Vec<&[u64]> = offsets.chunks(SHARE).collect();
    let parts = PartsOf {
        source,
        index,
        sample,
        fold: &fold,
    };
    let mut written = Written::new(blocks, out);
    in_order(&parts, &shares, &mut |part| Ok(written.add(part)?))?;
    let fold = fold.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (summary, statistics) = fold.finish(run.skipped());
    Ok(Whole {
        summary,
        statistics,
        evaluators: written.evaluators,
        shown: written.shown,
        damaged: written.damaged + results.damaged_lines(),
        transcripts: transcripts.is_known(),
    })
}

/// The parts of a run.
struct PartsOf<'a> {
    source: &'a Sources<'a>,
    index: usize,
    sample: &'a Sample,
    fold: &'a Mutex<RunFold>,
}

impl<'a> Divided for PartsOf<'a> {
    type Item = &'a [u64];
    type Worker = PartMaker<'a>;
    type Output = Part;
    type Error = ReportFailure;

    fn worker(&self) -> Result<PartMaker<'a>, ReportFailure> {
        Ok(PartMaker {
            run: self.index,
            results: self.source.results.reopen()?,
            transcripts: self.source.transcripts.reader()?,
            sample: self.sample,
            fold: self.fold,
        })
    }

    fn make(&self, maker: &mut PartMaker<'a>, offsets: &&'a [u64]) -> Result<Part, ReportFailure> {
        maker.make(offsets)
    }
}

/// A writer of parts.
struct Written<'a> {
    blocks: &'a mut Blocks,
    out: &'a mut dyn Write,
    evaluators: EvaluatorFold,
    shown: u64,
    damaged: u64,
}

impl<'a> Written<'a> {
    fn new(blocks: &'a mut Blocks, out: &'a mut dyn Write) -> Written<'a> {
        Written {
            blocks,
            out,
            evaluators: EvaluatorFold::default(),
            shown: 0,
            damaged: 0,
        }
    }

    fn add(&mut self, part: Part) -> io::Result<()> {
        for detail in &part.details {
            self.blocks.write(self.out, "details", &detail.packed)?;
        }
        self.blocks.write(self.out, "rows", &part.rows)?;
        self.evaluators.extend(part.evaluators);
        self.shown += part.shown;
        self.damaged += part.damaged;
        Ok(())
    }
}
