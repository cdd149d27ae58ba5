//! The events of a run, in the log.

use agentv_core::{ResultRecord, RunEvent, TrialName};
use tracing::{debug, info, trace, warn};

/// The part of the program that events are logged for.
const RUN: &str = "agentv::run";

/// Logs an event of a run.
pub(crate) fn log_event(event: &RunEvent) {
    match event {
        RunEvent::Planned(planned) => {
            info!(
            target: RUN,
                trials = planned.trials,
                skipped_cases = planned.skipped,
                "planned"
            );
        }
        RunEvent::Started(trial) => trace!(target: RUN, trial = %name(trial), "trial started"),
        RunEvent::Retrying {
            trial,
            asked,
            attempt,
            reason,
            wait_ms,
        } => warn!(
            target: RUN,
            trial = %name(trial),
            %asked,
            attempt,
            wait_ms = wait_ms.round(),
            %reason,
            "attempt failed, retrying"
        ),
        RunEvent::Active { trial, activity } => trace!(
            target: RUN,
            trial = %name(trial),
            tool = activity.tool.as_deref(),
            detail = %activity.detail,
            "working"
        ),
        RunEvent::Workers { workers } => {
            trace!(target: RUN, workers = workers.len(), "workers");
        }
        RunEvent::Abandoned(trial) => debug!(target: RUN, trial = %name(trial), "trial abandoned"),
        RunEvent::Finished { record, reused } => log_result(record, *reused),
        RunEvent::Noticed { message } => info!(target: RUN, "{message}"),
        RunEvent::Stopping { reason } => info!(target: RUN, ?reason, "stopping"),
    }
}

fn log_result(record: &ResultRecord, reused: bool) {
    // The name is only built if it is written.
    if !tracing::enabled!(tracing::Level::WARN) {
        return;
    }
    let trial = name(&TrialName::from(record));
    if let Some(error) = &record.error {
        warn!(target: RUN, %trial, attempts = record.attempts, reused, reason = %error.message, "trial errored");
        return;
    }
    debug!(
            target: RUN,
        %trial,
        status = ?record.status,
        score = record.score.map(agentv_core::Score::value),
        attempts = record.attempts,
        cached = record.cached,
        reused,
        "trial finished"
    );
}

fn name(trial: &TrialName) -> String {
    let TrialName {
        eval_file,
        eval_id,
        target,
        trial,
    } = trial;
    format!("{eval_file}#{eval_id} on {target}, trial {trial}")
}
