//! One trial: a case asked of a target, and graded.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use agentv_core::{
    Block, Cause, Content, EvalCase, Prompt, ProviderError, Request, ResultRecord, RunEvent, Stage,
    Timing, TraceSummary, Transcript, TranscriptRecord,
};
use futures_util::FutureExt;
use jiff::Timestamp;

use crate::attempt::{Asked, ask};
use crate::budget::SetAside;
use crate::dump::dump;
use crate::eval_file::EvalFile;
use crate::grade::{Grade, grade};
use crate::lane::Lane;
use crate::state::{RunError, RunState};

/// One trial, planned.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) file: Arc<EvalFile>,
    pub(crate) case: Arc<EvalCase>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) trial: u32,
    pub(crate) answer_key: String,
    pub(crate) grade_key: String,
    pub(crate) work: Work,
}

/// What a trial needs.
#[derive(Debug)]
pub(crate) enum Work {
    /// The target's answer, and its grade.
    Ask,
    /// The grade of an answer that stands in the journal.
    Grade(Box<TranscriptRecord>),
}

/// What the target did, and how long that took.
#[derive(Debug)]
struct Answered {
    transcript: Transcript,
    timing: Timing,
    attempts: u32,
    cached: bool,
}

/// Does what a trial needs, and writes it down.
pub(crate) async fn run_trial(
    run: Arc<RunState>,
    job: Job,
    taken_up: Instant,
    set_aside: Option<SetAside>,
) {
    run.tell(&RunEvent::Started {
        eval_id: &job.case.id,
        target: &job.lane.name,
        trial: job.trial,
    });
    let prompt = prompt_of(&job);
    let outcome = match &job.work {
        Work::Grade(_) => None,
        Work::Ask => Some(answer_or_fail(&run, &job, &prompt, taken_up).await),
    };
    if let Some(set_aside) = &set_aside {
        settle(&run, &job, set_aside, outcome.as_ref());
    }
    let record = match (outcome, &job.work) {
        (Some(Outcome::Abandoned), _) => None,
        (Some(Outcome::Answered(answered)), _) => {
            write_and_grade(&run, &job, &prompt, answered).await
        }
        (Some(Outcome::Failed(asked)), _) => Some(errored(&run, &job, asked)),
        (None, Work::Grade(record)) => {
            let answered = Answered {
                transcript: record.transcript.clone(),
                timing: record.timing,
                attempts: record.attempts,
                cached: record.cached,
            };
            graded(&run, &job, &prompt, answered).await
        }
        (None, Work::Ask) => None,
    };
    finish(&run, record);
}

enum Outcome {
    Answered(Answered),
    Failed(Asked),
    Abandoned,
}

/// What came of asking; a provider that panics is an error of its case.
async fn answer_or_fail(run: &RunState, job: &Job, prompt: &Prompt, taken_up: Instant) -> Outcome {
    match unless_it_panics(answer(run, job, prompt, taken_up)).await {
        Ok(outcome) => outcome,
        Err(reason) => Outcome::Failed(Asked {
            answer: Err(ProviderError::new(Cause::Answer, reason)),
            timing: Timing::default(),
            attempts: 1,
        }),
    }
}

/// The answer from the cache, else from the target.
async fn answer(run: &RunState, job: &Job, prompt: &Prompt, taken_up: Instant) -> Outcome {
    if let Some(transcript) = from_cache(run, job) {
        return Outcome::Answered(Answered {
            transcript,
            timing: Timing::default(),
            attempts: 0,
            cached: true,
        });
    }
    if dump_prompt(run, job, prompt).is_none() {
        return Outcome::Abandoned;
    }
    let mut request = request_of(job, prompt.clone());
    let asked = ask(run, &job.lane, &mut request, taken_up).await;
    match asked {
        None => Outcome::Abandoned,
        Some(Asked {
            answer: Ok(transcript),
            timing,
            attempts,
        }) => {
            keep_in_cache(run, job, &transcript);
            Outcome::Answered(Answered {
                transcript,
                timing,
                attempts,
                cached: false,
            })
        }
        Some(failed) => Outcome::Failed(failed),
    }
}

/// Writes what the target is sent, where the user wants to see it; `None` when that fails.
pub(crate) fn dump_prompt(run: &RunState, job: &Job, prompt: &Prompt) -> Option<()> {
    let Some(folder) = &run.dump_prompts else {
        return Some(());
    };
    let dumped = dump(folder, job, prompt, run.journal.secrets());
    let failed = dumped.map_err(|source| {
        let folder = folder.clone();
        run.fail(RunError::Dump { folder, source });
    });
    failed.ok().map(drop)
}

fn settle(run: &RunState, job: &Job, set_aside: &SetAside, outcome: Option<&Outcome>) {
    let (answered, cost) = match outcome {
        // Somebody paid for it before.
        Some(Outcome::Answered(Answered { cached: true, .. })) => (false, None),
        Some(Outcome::Answered(answered)) => (true, answered.transcript.cost_usd),
        Some(Outcome::Failed(_) | Outcome::Abandoned) | None => (false, None),
    };
    settle_cost(run, &job.lane, set_aside, answered, cost);
}

/// Counts what was asked; says so where nobody knows what it cost.
pub(crate) fn settle_cost(
    run: &RunState,
    lane: &Lane,
    set_aside: &SetAside,
    answered: bool,
    cost: Option<f64>,
) {
    if run.budget.settle(set_aside, answered, cost) {
        run.tell(&RunEvent::Noticed(&format!(
            "nobody knows what answers of target `{}` cost: --budget does not limit it",
            lane.name
        )));
    }
}

/// Everything that is known of one trial of a batch, written and graded.
pub(crate) async fn run_answered(
    run: &RunState,
    job: &Job,
    answer: Result<Transcript, ProviderError>,
    timing: Timing,
) {
    let prompt = prompt_of(job);
    let record = match answer {
        Ok(transcript) => {
            keep_in_cache(run, job, &transcript);
            let answered = Answered {
                transcript,
                timing,
                attempts: 1,
                cached: false,
            };
            write_and_grade(run, job, &prompt, answered).await
        }
        Err(error) => Some(errored(
            run,
            job,
            Asked {
                answer: Err(error),
                timing,
                attempts: 1,
            },
        )),
    };
    finish(run, record);
}

/// What the target is sent. A target that reads files is told where they are.
pub(crate) fn prompt_of(job: &Job) -> Prompt {
    if job.lane.target.provider.reads_files() {
        Prompt::by_path(&job.case, &job.file.root)
    } else {
        Prompt::of(&job.case)
    }
}

pub(crate) fn request_of(job: &Job, prompt: Prompt) -> Request {
    Request {
        eval_file: Arc::clone(&job.file.name),
        eval_id: job.case.id.clone(),
        prompt,
        files: files_of(&job.case, &job.file),
        folder: Arc::clone(&job.file.folder),
        trial: job.trial,
        attempt: 1,
        timeout: job.lane.target.limits.timeout,
    }
}

/// The files of a case that are no guidelines, each once.
fn files_of(case: &EvalCase, file: &EvalFile) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for message in &case.input_messages {
        let Some(Content::Blocks(blocks)) = &message.content else {
            continue;
        };
        for block in blocks {
            if let Block::File(block) = block
                && let Some(path) = &block.path
                && !case.guideline_files.contains(path)
            {
                let path = file.root.join(path);
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
    }
    files
}

/// Whether the target need not be asked.
pub(crate) fn is_cached(run: &RunState, job: &Job) -> bool {
    from_cache(run, job).is_some()
}

fn from_cache(run: &RunState, job: &Job) -> Option<Transcript> {
    match run.cache.as_ref()?.get(&job.answer_key) {
        Ok(found) => found,
        Err(error) => {
            notice_once(run, job, &error.to_string());
            None
        }
    }
}

fn keep_in_cache(run: &RunState, job: &Job, transcript: &Transcript) {
    let Some(cache) = &run.cache else { return };
    let kept = cache.put(&job.answer_key, transcript, run.journal.secrets());
    if let Err(error) = kept {
        notice_once(run, job, &error.to_string());
    }
}

fn notice_once(run: &RunState, job: &Job, message: &str) {
    if job.lane.first_notice() {
        run.tell(&RunEvent::Noticed(message));
    }
}

/// Writes what the target answered before it is graded: a crash never pays for it twice.
async fn write_and_grade(
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
        dry_run: run.dry_run,
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
async fn graded(
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
    let grading = grade(
        run.graders.as_ref(),
        &job.file,
        &job.case,
        prompt,
        &transcript,
        &answer,
        &trace,
    );
    let grade = tokio::select! {
        biased;
        grade = unless_it_panics(grading) => grade,
        // The answer is kept, and graded when the run is resumed.
        () = run.stop.abortion().cancelled() => return None,
    };
    let grade = grade.unwrap_or_else(|reason| Grade::errored(Stage::Evaluator, reason));
    Some(ResultRecord {
        candidate_answer: Some(answer),
        trace_summary: Some(trace),
        output_messages: run.include_trace.then_some(transcript.output_messages),
        timing,
        attempts,
        cached,
        ..record_of(run, job, grade)
    })
}

/// What comes of the work, or that it panicked: an error of one case must not end the others.
async fn unless_it_panics<T>(work: impl Future<Output = T>) -> Result<T, String> {
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
fn errored(run: &RunState, job: &Job, asked: Asked) -> ResultRecord {
    let message = asked.answer.err().map(|error| error.message);
    let grade = Grade::errored(Stage::Target, message.unwrap_or_default());
    ResultRecord {
        timing: asked.timing,
        attempts: asked.attempts,
        ..record_of(run, job, grade)
    }
}

fn record_of(run: &RunState, job: &Job, grade: Grade) -> ResultRecord {
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
        dry_run: run.dry_run,
        error: grade.error,
        answer_key: job.answer_key.clone(),
        grade_key: job.grade_key.clone(),
    }
}

/// Writes how a trial ended and tells it; without a record the trial was given up.
fn finish(run: &RunState, record: Option<ResultRecord>) {
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
    Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        .to_string()
}
