//! How many files may be open, and how many trials that leaves room for.

use agentv_core::Target;
use agentv_evaluators::ScriptPlaces;

use crate::error::ProjectError;
use crate::notices::Notices;

/// What a run itself has open: its streams, its records, its eval files, its cache.
const OWN: usize = 32;
/// What a script that grades has open on our side.
const COMMAND: usize = agentv_process::OPEN_FILES_PER_COMMAND;

/// The files that may be open at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FdLimit {
    limit: usize,
}

impl FdLimit {
    /// As many as the system allows this process: what may be raised is raised.
    #[cfg(unix)]
    pub(crate) fn of_this_process() -> FdLimit {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // One that cannot be raised is kept within.
        let _ = setrlimit(Resource::Nofile, limit);
        let current = getrlimit(Resource::Nofile).current;
        FdLimit {
            limit: current.map_or(usize::MAX, |current| {
                usize::try_from(current).unwrap_or(usize::MAX)
            }),
        }
    }

    /// Windows has no such limit.
    #[cfg(not(unix))]
    pub(crate) fn of_this_process() -> FdLimit {
        FdLimit { limit: usize::MAX }
    }

    /// Places for scripts that grade: at most a quarter of the room is theirs.
    pub(crate) fn script_places(self) -> ScriptPlaces {
        let usual = ScriptPlaces::usual();
        ScriptPlaces::new(usual.min(self.limit.saturating_sub(OWN) / 4 / COMMAND))
    }

    /// Asks each target so few at a time that all of them have room, and says so. `trials` are all
    /// that there are.
    ///
    /// # Errors
    /// When there is no room to ask each of them once.
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
            // One each is theirs; what is left over is shared as was wished.
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
