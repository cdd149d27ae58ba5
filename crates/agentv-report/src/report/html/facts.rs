//! What the top of the page says.

use std::collections::BTreeMap;

use agentv_core::RunRecord;
use serde::Serialize;

use super::evaluators::EvaluatorFigures;
use super::parts::Whole;
use crate::results::RunResults;
use crate::run_statistics::RunStatistics;
use crate::summary::Summary;

/// What the page says of its runs, in the order in which they were given.
#[derive(Debug, Default, Serialize)]
pub(super) struct Facts {
    pub(super) runs: Vec<RunFacts>,
}

/// What the page says of a run.
#[derive(Debug, Serialize)]
pub(super) struct RunFacts {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunRecord>,
    summary: Summary,
    /// How sure the figures of the summary are.
    statistics: RunStatistics,
    evaluators: Vec<EvaluatorFigures>,
    /// The results of further evaluators.
    other_evaluator_results: u64,
    /// The trials that the page has.
    shown: u64,
    /// The lines of the results that hold no record.
    damaged: u64,
    /// Whether what the targets were asked is known.
    transcripts: bool,
}

impl RunFacts {
    pub(super) fn of(run: &RunResults, whole: Whole) -> RunFacts {
        let (evaluators, other_evaluator_results) = whole.evaluators.finish();
        RunFacts {
            name: run.name().to_owned(),
            // The totals of a run that went on are not up to date, and the summary is. The texts of
            // evaluators are not shown.
            run: run.run().cloned().map(|run| RunRecord {
                totals: None,
                evaluator_files: BTreeMap::new(),
                ..run
            }),
            statistics: whole.statistics,
            summary: whole.summary,
            evaluators,
            other_evaluator_results,
            shown: whole.shown,
            damaged: whole.damaged,
            transcripts: whole.transcripts,
        }
    }
}
