//! The facts at the top of the page.

use std::collections::BTreeMap;

use agentv_core::RunRecord;
use serde::Serialize;

use super::evaluators::EvaluatorFigures;
use super::parts::Whole;
use crate::results::RunResults;
use crate::run_statistics::RunStatistics;
use crate::summary::Summary;

/// The facts about the runs, in the given order.
#[derive(Debug, Default, Serialize)]
pub(super) struct Facts {
    pub(super) runs: Vec<RunFacts>,
}

/// The facts about a run that pages show above its trials.
#[derive(Debug, Serialize)]
pub struct RunFacts {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunRecord>,
    summary: Summary,
    /// The intervals of the figures in the summary.
    statistics: RunStatistics,
    evaluators: Vec<EvaluatorFigures>,
    /// The number of results of further evaluators.
    other_evaluator_results: u64,
    /// The number of trials on the page.
    shown: u64,
    /// The number of lines that are not records.
    damaged: u64,
    /// True if the questions to the targets are known.
    transcripts: bool,
}

impl RunFacts {
    pub(super) fn of(run: &RunResults, whole: Whole) -> RunFacts {
        let (evaluators, other_evaluator_results) = whole.evaluators.finish();
        RunFacts {
            name: run.name().to_owned(),
            // The recorded totals of a resumed run are out of date, but the summary is not. The
            // texts of evaluators are not shown.
            run: run.run().cloned().map(|run| RunRecord {
                totals: None,
                statistics: None,
                evaluator_files: BTreeMap::new(),
                read_files: BTreeMap::new(),
                earlier: Vec::new(),
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
