//! The execution of a run: a runtime, signals, and its end.

use std::sync::{Arc, Mutex};

use agentv_core::Reporter;
use agentv_project::ProjectError;
use agentv_runner::{Ended, SharedReporter, StopHandle};

use crate::signals;

/// Executes a run until it ends or a signal stops it. Returns its end and the reporter.
pub(crate) fn execute<R: Reporter + Send + 'static, W: Future<Output = Ended>>(
    reporter: R,
    work: impl FnOnce(StopHandle, SharedReporter) -> W,
) -> Result<(Ended, Arc<Mutex<R>>), ProjectError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ProjectError::because(format!("cannot start: {error}")))?;
    let stop = StopHandle::default();
    let reporter = Arc::new(Mutex::new(reporter));
    let shared = Arc::clone(&reporter) as SharedReporter;
    // Without signals a run can still be killed, and resumed.
    let _listening = signals::listen(stop.clone());
    let ended = runtime.block_on(work(stop, shared));
    // Abandoned work that still hangs ends with the process.
    runtime.shutdown_background();
    Ok((ended, reporter))
}
