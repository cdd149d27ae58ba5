//! The records of a trial.

use std::cell::RefCell;
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

/// Returns the time in milliseconds, always with three digits, so that times sort as texts.
fn now() -> String {
    in_milliseconds(Timestamp::now())
}

fn in_milliseconds(time: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    thread_local! {
        /// The last second, and its text up to the milliseconds: many trials end in the same one.
        static LAST: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
    }
    let second = time.as_second();
    let Ok(milliseconds) = u32::try_from(time.subsec_millisecond()) else {
        return PRINTER.timestamp_to_string(&time);
    };
    LAST.with_borrow_mut(|(last, text)| {
        if *last != second {
            *text = PRINTER.timestamp_to_string(&time);
            text.truncate(text.len().saturating_sub("000Z".len()));
            *last = second;
        }
        let digit = |place: u32| char::from_digit(milliseconds / place % 10, 10).unwrap_or('0');
        let mut whole = String::with_capacity(text.len() + "000Z".len());
        whole.push_str(text);
        whole.extend([digit(100), digit(10), digit(1), 'Z']);
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_to_the_millisecond_in_whatever_order() {
        for (nanoseconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (999_999_999, "1970-01-01T00:00:00.999Z"),
            (1_000_000_000, "1970-01-01T00:00:01.000Z"),
            (7_000_000, "1970-01-01T00:00:00.007Z"),
            (1_794_870_000_120_000_000, "2026-11-16T23:00:00.120Z"),
            (-1_000_000, "1969-12-31T23:59:59.999Z"),
        ] {
            let time = Timestamp::from_nanosecond(nanoseconds).unwrap();
            assert_eq!(in_milliseconds(time), expected);
        }
    }
}
