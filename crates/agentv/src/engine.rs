//! A run whose trials workers on other machines execute.

use std::sync::Arc;

use agentv_cluster::{Coordinator, CoordinatorSpec, EngineAddress, EngineName, check};
use agentv_project::{OpenRun, ProjectError};
use agentv_runner::{Ended, RunError, RunSpec, SharedReporter, StopHandle};

use crate::arguments::RunArguments;
use crate::output;

/// The engine of a run.
pub(crate) struct Engine {
    address: EngineAddress,
    name: EngineName,
}

impl Engine {
    /// Returns the engine that the user names, if its server can be used.
    pub(crate) fn of(arguments: &RunArguments) -> Result<Option<Engine>, ProjectError> {
        let Some(address) = arguments.engine.clone() else {
            return Ok(None);
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| ProjectError::because(format!("cannot start: {error}")))?;
        runtime
            .block_on(check(&address))
            .map_err(ProjectError::from_error)?;
        let name = arguments.engine_name.clone().unwrap_or_default();
        Ok(Some(Engine { address, name }))
    }

    /// Returns everything that is needed to coordinate a run.
    pub(crate) fn coordination(self, run: &OpenRun) -> Option<CoordinatorSpec> {
        Some(CoordinatorSpec {
            address: self.address,
            name: self.name,
            run: run.folder().id().to_string(),
            needs: run.worker_needs()?,
        })
    }
}

/// Runs all trials here, or on the workers of an engine.
pub(crate) async fn run_anywhere(
    mut spec: RunSpec,
    coordination: Option<CoordinatorSpec>,
    stop: StopHandle,
    reporter: SharedReporter,
) -> Ended {
    let Some(coordination) = coordination else {
        return agentv_runner::run(spec, stop, reporter).await;
    };
    let coordinator = match Coordinator::open(coordination).await {
        Ok(coordinator) => Arc::new(coordinator),
        Err(error) => {
            return Ended {
                error: Some(RunError::Engine(Box::new(error))),
                ..Ended::default()
            };
        }
    };
    let engine: Arc<Coordinator> = Arc::clone(&coordinator);
    spec.engine = Some(engine);
    let mut ended = agentv_runner::run(spec, stop, reporter).await;
    if let Err(error) = coordinator.close().await {
        output::warning(&format!(
            "{error}; `agentv engine clean` removes what is left"
        ));
    }
    ended.took_part = Some(coordinator.took_part());
    ended
}
