//! `agentv engine`: shows or cleans the engine that runs and workers share.

use std::io::{self, Write};

use agentv_cluster::{EngineStatus, clean, status};
use agentv_project::{ProjectError, counted};

use crate::arguments::{EngineAction, EngineCommandArguments};
use crate::exit::{CommandError, Exit};

pub(crate) fn run(arguments: &EngineCommandArguments) -> Result<Exit, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ProjectError::because(format!("cannot start: {error}")))?;
    let text = match &arguments.action {
        EngineAction::Status { engine } => {
            let found = runtime.block_on(status(&engine.engine, &engine.engine_name));
            describe(&found.map_err(ProjectError::from_error)?)
        }
        EngineAction::Clean { engine } => {
            let removed = runtime.block_on(clean(&engine.engine, &engine.engine_name));
            let removed = removed.map_err(ProjectError::from_error)?;
            if removed.is_empty() {
                "nothing to remove\n".to_owned()
            } else {
                removed
                    .iter()
                    .map(|run| format!("removed {run}\n"))
                    .collect()
            }
        }
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Success)
}

/// Returns the workers and runs as text.
fn describe(status: &EngineStatus) -> String {
    let mut text = String::new();
    let slots: usize = status.workers.iter().map(|worker| worker.slots).sum();
    let workers = counted(status.workers.len() as u64, "worker");
    text.push_str(&format!("{workers}, {}\n", counted(slots as u64, "slot")));
    for worker in &status.workers {
        text.push_str(&format!(
            "  {} (process {}): {} of {} slots busy, {} done, {:.1} per minute\n",
            worker.host,
            worker.pid,
            worker.busy.len(),
            worker.slots,
            counted(worker.done, "trial"),
            worker.per_minute,
        ));
        for busy in worker.busy.iter().take(worker.slots) {
            text.push_str(&format!(
                "    {} on {}, trial {}, {:.0} s\n",
                busy.eval_id, busy.target, busy.trial, busy.seconds
            ));
        }
        for run in &worker.runs {
            let refused = run
                .refused
                .iter()
                .map(|reason| format!("refuses it: {reason}"));
            let lacking = run.lacking.iter();
            let lacking = lacking.map(|(_, reason)| format!("leaves a target to others: {reason}"));
            for line in refused.chain(lacking) {
                text.push_str(&format!("    run {}: {line}\n", run.run));
            }
        }
    }
    text.push_str(&format!("{}\n", counted(status.runs.len() as u64, "run")));
    for run in &status.runs {
        let by = match &run.coordinator {
            Some(by) => format!("coordinated by {by}"),
            None => "left behind: resume it, or remove it with `agentv engine clean`".to_owned(),
        };
        let trials = counted(run.trials, "trial");
        text.push_str(&format!(
            "  {}: {trials} waiting or in work, {by}\n",
            run.run
        ));
    }
    text
}
