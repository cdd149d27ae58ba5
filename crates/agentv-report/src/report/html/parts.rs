//! All trials of a run, part by part, on all cores.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::block;
use super::evaluators::EvaluatorFold;
use super::part::{Part, PartMaker};
use super::sample::Sample;
use super::sources::Sources;
use crate::file_order::in_file_order;
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
    let maker = || -> Result<PartMaker<'_>, ReportFailure> {
        Ok(PartMaker {
            run: index,
            results: results.reopen()?,
            transcripts: transcripts.reader()?,
            sample,
            fold: &fold,
        })
    };
    let mut written = Written::new(out);
    in_order(&shares, &maker, &mut |part| written.add(part))?;
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

/// Makes the parts on several threads, and passes them on in their order.
fn in_order<'a>(
    shares: &[&[u64]],
    maker: &(dyn Fn() -> Result<PartMaker<'a>, ReportFailure> + Sync),
    take: &mut dyn FnMut(Part) -> io::Result<()>,
) -> Result<(), ReportFailure> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(shares.len());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, parts) = sync_channel(threads);
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || make_parts(shares, maker, next, &sender));
        }
        // The threads hold the only senders, so the loop ends when they do.
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (share, part) in parts {
            early.insert(share, part?);
            while let Some(part) = early.remove(&due) {
                take(part)?;
                due += 1;
            }
        }
        Ok(())
    })
}

/// Makes one part after another, until none is left or the receiver is gone.
fn make_parts<'a>(
    shares: &[&[u64]],
    maker: &(dyn Fn() -> Result<PartMaker<'a>, ReportFailure> + Sync),
    next: &AtomicUsize,
    parts: &SyncSender<(usize, Result<Part, ReportFailure>)>,
) {
    let mut maker = match maker() {
        Ok(maker) => maker,
        Err(failure) => return drop(parts.send((0, Err(failure)))),
    };
    loop {
        let share = next.fetch_add(1, Ordering::Relaxed);
        let Some(offsets) = shares.get(share) else {
            return;
        };
        if parts.send((share, maker.make(offsets))).is_err() {
            return;
        }
    }
}

/// A writer of parts.
struct Written<'a> {
    out: &'a mut dyn Write,
    evaluators: EvaluatorFold,
    shown: u64,
    damaged: u64,
}

impl Written<'_> {
    fn new(out: &mut dyn Write) -> Written<'_> {
        Written {
            out,
            evaluators: EvaluatorFold::default(),
            shown: 0,
            damaged: 0,
        }
    }

    fn add(&mut self, part: Part) -> io::Result<()> {
        for detail in &part.details {
            block::write(self.out, "details", &detail.packed)?;
        }
        block::write(self.out, "rows", &part.rows)?;
        self.evaluators.extend(part.evaluators);
        self.shown += part.shown;
        self.damaged += part.damaged;
        Ok(())
    }
}
