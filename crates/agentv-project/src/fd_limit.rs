//! The limit of open files, and the number of requests in flight that fit into it.

use agentv_core::Target;
use agentv_evaluators::ScriptPlaces;

use crate::error::ProjectError;
use crate::notices::Notices;

/// The files that a run itself has open: streams, records, eval files and the cache.
const OWN: usize = 32;
/// The files that this process has open for each grading script.
const COMMAND: usize = agentv_process::OPEN_FILES_PER_COMMAND;

/// The number of files that this process may have open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FdLimit {
    limit: usize,
}

impl FdLimit {
    /// Raises the limit of this process as far as the system allows, and returns it.
    #[cfg(unix)]
    pub(crate) fn of_this_process() -> FdLimit {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // If it cannot be raised, the old limit applies.
        let _ = setrlimit(Resource::Nofile, limit);
        let current = getrlimit(Resource::Nofile).current;
        FdLimit {
            limit: current.map_or(usize::MAX, |current| {
                usize::try_from(current).unwrap_or(usize::MAX)
            }),
        }
    }

    /// Returns no limit: Windows has none.
    #[cfg(not(unix))]
    pub(crate) fn of_this_process() -> FdLimit {
        FdLimit { limit: usize::MAX }
    }

    /// Returns the number of grading scripts that may run at a time. They get at most a quarter of the limit.
    pub(crate) fn script_places(self) -> ScriptPlaces {
        let usual = ScriptPlaces::usual();
        ScriptPlaces::new(usual.min(self.limit.saturating_sub(OWN) / 4 / COMMAND))
    }

    /// Lowers the workers of targets until all of them fit into the limit, and warns about each. `trials` is
    /// the number of trials of the run.
    ///
    /// # Errors
    /// If the limit does not allow one request to each target.
    pub(crate) fn fit(
        self,
        targets: &mut [Target],
        judges: &mut [Target],
        trials: usize,
        notices: &mut dyn Notices,
    ) -> Result<(), ProjectError> {
        let mut lanes: Vec<&mut Target> = targets.iter_mut().chain(judges).collect();
        let least: usize = lanes.iter().map(|target| files_of(target)).sum();
        if self.limit < OWN + COMMAND + least {
            return Err(too_few(self.limit, OWN + COMMAND + least));
        }
        let scripts = ScriptPlaces::usual().saturating_mul(COMMAND);
        let room = self.limit.saturating_sub(OWN);
        let room = room.saturating_sub(scripts.min(room / 4).max(COMMAND));
        let wanted = |target: &Target| match target.provider.batch() {
            Some(_) => 1,
            None => target.limits.workers.clamp(1, trials.max(1)),
        };
        let takes = |target: &Target| files_of(target).saturating_mul(wanted(target));
        let all: usize = lanes
            .iter()
            .fold(0, |sum, target| takes(target).saturating_add(sum));
        if all <= room {
            return Ok(());
        }
        for target in &mut lanes {
            // Each target gets one worker. The rest is shared in proportion to the workers that they ask for.
            let share = (room - least) as u128 * takes(target) as u128 / all as u128;
            let share = usize::try_from(share).unwrap_or(usize::MAX);
            let workers = 1 + share / files_of(target).max(1);
            let wanted = wanted(target);
            if files_of(target) > 0 && workers < wanted {
                target.limits.workers = workers;
                notices.warn(format!(
                    "target `{}` gets {workers} requests at a time instead of {wanted}: this process \
                     may open only {} files (raise the soft and hard limit with `ulimit -n`)",
                    target.name, self.limit
                ));
            }
        }
        Ok(())
    }
}

/// Returns the files that are open while a target is asked once.
fn files_of(target: &Target) -> usize {
    agentv_providers::facts(&target.kind).map_or(0, |facts| facts.open_files)
}

fn too_few(limit: usize, needed: usize) -> ProjectError {
    ProjectError::with_hint(
        format!("this process may open only {limit} files, but the run needs {needed}"),
        "raise the limit, for example with `ulimit -n 1024`".to_owned(),
    )
}
