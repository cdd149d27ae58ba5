//! How a trial ended: its records, written before they are told.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use agentv_core::{
    Prompt, ResultRecord, RunEvent, Stage, Subject, Timing, TraceSummary, Transcript,
    TranscriptRecord,
};
use futures_util::FutureExt;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

use crate::run_state::{RunError, RunState};
use crate::trial::attempt::Asked;
use crate::trial::grade::{Grade, grade};
use crate::trial::job::Job;

/// What the target did, and how long that took.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) transcript: Transcript,
    pub(crate) timing: Timing,
    pub(crate) attempts: u32,
    pub(crate) cached: bool,
}
/// Writes what the target answered before it is graded: a crash never pays for it twice.
pub(crate) async fn write_and_grade(
    run: &RunState,
    job: &Job,
    prompt: &Prompt,
    answered: Answered,
) -> Option<ResultRecord> {
    let record = TranscriptRecord {
        timestamp: now(),
        eval_file: Arc::clone(&job.file.name),
        eval_id: job.case.id.clone(),
        target: Arc::clone(&job.lane.name),
        trial: job.trial,
        answer_key: job.answer_key.clone(),
        case: Arc::clone(&job.case),
        transcript: answered.transcript,
        timing: answered.timing,
        attempts: answered.attempts,
        cached: answered.cached,
        dry_run: job.dry_run,
    };
    if let Err(error) = run.journal.write_transcript(&record) {
        run.fail(RunError::Write(error));
        return None;
    }
    let answered = Answered {
        transcript: record.transcript,
        ..answered
    };
    graded(run, job, prompt, answered).await
}

/// How a trial ended whose answer stands in the journal; `None` when the run was given up first.
pub(crate) async fn graded(
    run: &RunState,
    job: &Job,
    prompt: &Prompt,
    answered: Answered,
) -> Option<ResultRecord> {
    let Answered {
        transcript,
        timing,
        attempts,
        cached,
    } = answered;
    let answer = transcript.answer();
    let trace = TraceSummary::of(&transcript, timing.total_ms);
    let subject = Subject {
        case: &job.case,
        prompt,
        transcript: &transcript,
        answer: &answer,
        trace: &trace,
        judging: None,
        spares: false,
    };
    let grading = grade(run, job, &subject);
    let grade = tokio::select! {
        biased;
        grade = unless_it_panics(grading) => grade,
        // The answer is kept, and graded when the run is resumed.
        () = run.stop.abortion().cancelled() => return None,
    };
    let faulty = |reason| Some(Grade::errored(Stage::Evaluator, reason));
    let grade = grade.unwrap_or_else(faulty)?;
    Some(ResultRecord {
        candidate_answer: Some(answer),
        trace_summary: Some(trace),
        output_messages: run.include_trace.then_some(transcript.output_messages),
        timing,
        attempts,
        cached,
        ..record_of(job, grade)
    })
}

/// What comes of the work, or that it panicked: an error of one case must not end the others.
pub(crate) async fn unless_it_panics<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.map_err(|panic| {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        format!(
            "agentv has a fault here, please report it: {}",
            said.unwrap_or("it panicked without a word")
        )
    })
}

/// How a trial ended whose target gave no answer.
pub(crate) fn errored(job: &Job, asked: Asked) -> ResultRecord {
    let message = asked.answer.err().map(|error| error.message);
    let grade = Grade::errored(Stage::Target, message.unwrap_or_default());
    ResultRecord {
        timing: asked.timing,
        attempts: asked.attempts,
        ..record_of(job, grade)
    }
}

fn record_of(job: &Job, grade: Grade) -> ResultRecord {
    ResultRecord {
        timestamp: now(),
        eval_file: Arc::clone(&job.file.name),
        eval_id: job.case.id.clone(),
        dataset: job.case.dataset.clone(),
        conversation_id: job.case.conversation_id.clone(),
        target: Arc::clone(&job.lane.name),
        trial: job.trial,
        status: grade.status,
        score: grade.score,
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
        dry_run: job.dry_run,
        error: grade.error,
        answer_key: job.answer_key.clone(),
        grade_key: job.grade_key.clone(),
    }
}

/// Writes how a trial ended and tells it; without a record the trial was given up.
pub(crate) fn finish(run: &RunState, record: Option<ResultRecord>) {
    let Some(record) = record else {
        run.tell(&RunEvent::Abandoned);
        return;
    };
    match run.journal.write_result(&record) {
        Ok(redacted) => run.tell(&RunEvent::Finished {
            record: redacted.as_ref().unwrap_or(&record),
            reused: false,
        }),
        Err(error) => {
            run.fail(RunError::Write(error));
            run.tell(&RunEvent::Abandoned);
        }
    }
}

fn now() -> String {
    // Milliseconds, always three digits, so that times sort as texts.
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&Timestamp::now())
}
