//! The records of a trial.

use std::sync::Arc;

use agentv_core::{
    EvalCase, PassThreshold, ResultRecord, Stage, Timing, Transcript, TranscriptRecord, Trial,
};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use crate::cache::CachedAnswer;
use crate::trial::grade::Grade;

/// Returns the record of an answer that was just given.
pub(crate) fn transcript_record(
    trial: &Trial,
    transcript: Transcript,
    timing: Timing,
    attempts: u32,
) -> TranscriptRecord {
    TranscriptRecord {
        timestamp: now(),
        eval_file: Arc::clone(&trial.file.name),
        position: trial.position,
        eval_id: trial.case.id.clone(),
        target: Arc::clone(&trial.target),
        trial: trial.number,
        answer_key: trial.keys.answer.clone(),
        identity: Some(trial.identity),
        case: Arc::clone(&trial.case),
        transcript,
        timing,
        attempts,
        cached: false,
        redacted: false,
        dry_run: trial.dry_run,
        error: None,
        unfinished: false,
        outdated: false,
        of_other_run: false,
    }
}

/// Returns the record of an answer that another run got.
pub(crate) fn cached_record(trial: &Trial, answer: CachedAnswer) -> TranscriptRecord {
    TranscriptRecord {
        cached: true,
        redacted: answer.redacted,
        ..transcript_record(trial, answer.transcript, Timing::default(), 0)
    }
}

/// Returns the result of a trial whose target gave no answer.
pub(crate) fn errored_record(
    trial: &Trial,
    stage: Stage,
    message: String,
    timing: Timing,
    attempts: u32,
) -> ResultRecord {
    ResultRecord {
        timing,
        attempts,
        line: trial.case.source.as_ref().map(|source| source.line),
        ..result_record(trial, Grade::errored(stage, message))
    }
}

/// Returns the result of a trial with this grade. Its answer and figures are still missing.
pub(crate) fn result_record(trial: &Trial, grade: Grade) -> ResultRecord {
    ResultRecord {
        timestamp: now(),
        eval_file: Arc::clone(&trial.file.name),
        position: trial.position,
        eval_id: trial.case.id.clone(),
        dataset: trial.case.dataset.clone(),
        conversation_id: trial.case.conversation_id.clone(),
        target: Arc::clone(&trial.target),
        trial: trial.number,
        status: grade.status,
        score: grade.score,
        pass_threshold: own_threshold(&trial.case),
        hits: grade.hits,
        misses: grade.misses,
        candidate_answer: None,
        reasoning: grade.reasoning,
        evaluator_results: grade.results,
        trace_summary: None,
        output_messages: None,
        timing: Timing::default(),
        attempts: 0,
        cached: false,
        redacted: false,
        dry_run: trial.dry_run,
        truncated: false,
        out_of_steps: false,
        outdated: None,
        error: grade.error,
        line: None,
        workspace: None,
        of_other_run: false,
        replaced_cost_usd: None,
        answer_key: trial.keys.answer.clone(),
        grade_key: trial.keys.grade.clone(),
    }
}

/// Returns the threshold of a case, unless it is the default.
fn own_threshold(case: &EvalCase) -> Option<PassThreshold> {
    case.pass_threshold
        .filter(|threshold| *threshold != PassThreshold::default())
}

fn now() -> String {
    // Milliseconds, always three digits, so that times sort as texts.
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&Timestamp::now())
}
