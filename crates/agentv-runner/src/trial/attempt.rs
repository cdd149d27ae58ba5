//! The attempts of a trial: ask the target until it answers or a retry is pointless.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agentv_core::{Cause, ProviderError, Request, Retry, RunEvent, Timing, Transcript, Trial};
use tokio_util::sync::CancellationToken;

use crate::remote::{CallOutcome, enter};
use crate::schedule::lane::Lane;
use crate::schedule::rate_limit::{backoff, expected_tokens};
use crate::trial::execute::Executor;
use crate::trial::panic::catch_panic;
use crate::workspace::{TrialWorkspace, Unmade};

/// The end of asking a target.
#[derive(Debug)]
pub(crate) struct AskResult {
    pub(crate) answer: Result<Transcript, ProviderError>,
    pub(crate) timing: Timing,
    pub(crate) attempts: u32,
}

/// The time that a cancelled provider gets to end.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// The longest wait that a target may ask for. It is not asked again after a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// The number of refusals that do not count as failures, because other requests were refused too.
const MOST_REFUSED_TOGETHER: u32 = 20;

/// Asks the target of `lane` until it answers or its retries are used up. The trial was taken up at
/// `taken_up`. Each attempt but the first gets a new workspace in place of `workspace`. Returns `None` if
/// the run was stopped before an answer came.
pub(crate) async fn ask(
    executor: &Executor,
    lane: &Lane,
    request: &mut Request,
    trial: &Trial,
    taken_up: Instant,
    workspace: &mut Option<TrialWorkspace>,
) -> Option<AskResult> {
    let retry = &lane.target.limits.retry;
    let mut waited = taken_up.elapsed();
    let (mut failures, mut refused_together) = (0, 0);
    loop {
        let attempt = attempt(executor, lane, request).await?;
        waited += attempt.waited;
        let asked = |answer: Result<Transcript, ProviderError>| AskResult {
            timing: Timing {
                queue_ms: Some(milliseconds(waited)),
                total_ms: Some(milliseconds(attempt.took)),
                first_token_ms: answer
                    .as_ref()
                    .ok()
                    .and_then(|answer| answer.first_token_ms),
            },
            answer,
            attempts: request.attempt,
        };
        let error = match attempt.answer {
            Ok(transcript) => {
                lane.answered_in(attempt.took);
                return Some(asked(Ok(transcript)));
            }
            Err(error) if error.cause == Cause::Cancelled => return None,
            Err(error) => error,
        };
        if attempt.refused_together && refused_together < MOST_REFUSED_TOGETHER {
            refused_together += 1;
        } else {
            failures += 1;
        }
        let may_repeat = lane.target.provider.may_repeat(&error);
        let wait = wait_before_retry(retry, failures, &error).filter(|_| may_repeat);
        let Some(wait) = wait else {
            return Some(asked(Err(in_words(error, retry, request.attempt))));
        };
        executor.notify(RunEvent::Retrying {
            trial: trial.name(),
            asked: Arc::clone(&lane.name),
            attempt: request.attempt,
            reason: executor.secrets.redact(&error.message).into_owned(),
            wait_ms: milliseconds(wait),
        });
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            // Nothing is lost: the trial starts again when the run is resumed.
            () = executor.stop.leaving() => return None,
        }
        // The steps of a conversation with tools share one workspace.
        if request.further.is_empty()
            && let Some(old) = workspace.take()
        {
            let new = match Box::pin(TrialWorkspace::renew(old, executor, trial)).await {
                Ok(new) => new,
                Err(Unmade::Stopped) => return None,
                Err(Unmade::Failed { message, .. }) => {
                    return Some(asked(Err(ProviderError::new(Cause::Setup, message))));
                }
            };
            request.workspace = Some(Arc::clone(&new.folders));
            *workspace = Some(new);
        }
        waited += wait;
        request.attempt += 1;
    }
}

/// One call, and its waiting time.
struct Attempt {
    answer: Result<Transcript, ProviderError>,
    waited: Duration,
    took: Duration,
    /// True if the target refused it together with others in flight. The concurrency was reduced
    /// for that, so it is not a failure of this trial.
    refused_together: bool,
}

/// Makes one call as soon as the limits allow it.
async fn attempt(executor: &Executor, lane: &Lane, request: &Request) -> Option<Attempt> {
    let expected = expected_tokens(request);
    let ready = Instant::now();
    let place = tokio::select! {
        biased;
        place = enter(executor, lane, expected) => place,
        () = executor.stop.leaving() => return None,
    };
    let started = Instant::now();
    let cancel = executor.stop.abortion().child_token();
    let asking = async { lane.target.provider.answer(request, &cancel).await };
    let answer = call(executor, request.timeout, &cancel, asking).await;
    let took = started.elapsed();
    let refused_together = place.end(lane, expected, started, outcome_of(&answer));
    Some(Attempt {
        answer,
        waited: started - ready,
        took,
        refused_together,
    })
}

fn outcome_of(answer: &Result<Transcript, ProviderError>) -> CallOutcome {
    let error = answer.as_ref().err();
    let pause = error.and_then(|error| error.retry_after);
    CallOutcome {
        answered: answer.is_ok(),
        usage: answer.as_ref().ok().and_then(|answer| answer.token_usage),
        refused: error.is_some_and(ProviderError::is_rate_limit),
        pause: pause.filter(|pause| *pause <= LONGEST_PAUSE),
    }
}

/// Makes one call of a provider, for one answer or for many. It ends at its timeout, or when the run is
/// aborted: `cancel` then asks the provider to end. A provider that panics gives an error.
pub(crate) async fn call<T>(
    executor: &Executor,
    limit: Duration,
    cancel: &CancellationToken,
    asking: impl Future<Output = Result<T, ProviderError>>,
) -> Result<T, ProviderError> {
    let mut asking = pin!(catch_panic(asking));
    let timed_out = tokio::select! {
        biased;
        answer = &mut asking => return answer.unwrap_or_else(|panicked| Err(panicked.into())),
        () = tokio::time::sleep(limit) => true,
        () = executor.stop.abortion().cancelled() => false,
    };
    cancel.cancel();
    // A command ends its processes. An answer no longer counts, but what it did until then is kept.
    let last_words = tokio::select! {
        said = asking => said.ok().and_then(Result::err),
        () = tokio::time::sleep(LAST_WORDS) => None,
        () = executor.stop.at_once() => None,
    };
    Err(if timed_out {
        ProviderError {
            partial: last_words.and_then(|error| error.partial),
            ..timeout(limit)
        }
    } else {
        ProviderError::cancelled()
    })
}

/// Returns the error of an attempt that took too long.
fn timeout(limit: Duration) -> ProviderError {
    let seconds = limit.as_secs_f64();
    ProviderError::new(
        Cause::Timeout,
        format!(
            "no answer within {seconds} s; to wait longer, set `timeout_seconds` of the target \
             or `--timeout`"
        ),
    )
}

fn is_worth_a_retry(retry: &Retry, error: &ProviderError) -> bool {
    match error.cause {
        Cause::Network | Cause::Timeout => true,
        Cause::Status(401 | 403) => false,
        // 529 is Anthropic's word for 503.
        Cause::Status(529) => retry
            .status_codes()
            .iter()
            .any(|code| [503, 529].contains(code)),
        Cause::Status(status) => retry.status_codes().contains(&status),
        Cause::Answer | Cause::Command | Cause::Missing | Cause::Setup | Cause::Cancelled => false,
    }
}

/// Returns the wait before the next attempt; `None` if there is none.
fn wait_before_retry(retry: &Retry, failures: u32, error: &ProviderError) -> Option<Duration> {
    let never = retry.max_retries == 0;
    if never || failures > retry.max_retries || !is_worth_a_retry(retry, error) {
        return None;
    }
    match error.retry_after {
        Some(pause) if pause > LONGEST_PAUSE => None,
        Some(pause) => Some(pause),
        None => Some(backoff(retry, failures.max(1))),
    }
}

/// Adds to the message why the last attempt was the last.
fn in_words(error: ProviderError, retry: &Retry, attempt: u32) -> ProviderError {
    let pause = error.retry_after.filter(|pause| *pause > LONGEST_PAUSE);
    let message = match pause {
        Some(pause) if is_worth_a_retry(retry, &error) => format!(
            "{}; not retried: the target asks for a delay of {} s, and the maximum is {} s",
            error.message,
            pause.as_secs(),
            LONGEST_PAUSE.as_secs()
        ),
        _ if attempt > 1 => format!("{} (attempt {attempt} of {attempt})", error.message),
        _ => error.message,
    };
    ProviderError { message, ..error }
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    // Microseconds are exact enough, and short in a record.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
