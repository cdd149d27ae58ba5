//! `agentv worker`: executes trials of runs on other machines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentv_cluster::{Leave, WorkerOptions, work};
use agentv_project::{Project, ProjectError};
use agentv_runner::StopHandle;

use crate::arguments::WorkerArguments;
use crate::exit::{CommandError, Exit};
use crate::{output, signals};

/// The number of trials at a time, unless the user sets it.
const SLOTS: u32 = 4;

/// The time that trials in flight get, unless the user sets it.
const GRACE: Duration = Duration::from_secs(20);

pub(crate) fn run(arguments: &WorkerArguments) -> Result<Exit, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ProjectError::because(format!("cannot start: {error}")))?;
    let stop = StopHandle::default();
    let _listening = signals::listen(stop.clone());
    let leave = Leave::default();
    runtime.spawn(leave_on(stop, leave.clone()));
    let options = WorkerOptions {
        address: arguments.engine.engine.clone(),
        name: arguments.engine.engine_name.clone(),
        slots: arguments.slots.unwrap_or(SLOTS) as usize,
        targets_file: arguments.targets.clone(),
        project: Project::here(),
        cache: cache_folder()?,
        grace: arguments.grace.unwrap_or(GRACE),
        say: Arc::new(|text| output::note(&text)),
    };
    let worked = runtime.block_on(work(options, leave));
    runtime.shutdown_background();
    worked.map_err(ProjectError::from_error)?;
    Ok(Exit::Success)
}

/// Makes a worker leave on the first signal, and at once on the second.
async fn leave_on(stop: StopHandle, leave: Leave) {
    stop.stopped().await;
    output::note(
        "takes no further trials; those in flight get some time (interrupt again to hand them back)",
    );
    leave.soon.cancel();
    stop.at_once().await;
    leave.at_once.cancel();
}

/// Returns the folder for files of runs.
fn cache_folder() -> Result<PathBuf, ProjectError> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let cache = cache.ok_or_else(|| {
        ProjectError::with_hint(
            "there is no folder for the files of runs",
            Some("set `HOME` or `XDG_CACHE_HOME`".to_owned()),
        )
    })?;
    Ok(cache.join("agentv").join("worker"))
}
