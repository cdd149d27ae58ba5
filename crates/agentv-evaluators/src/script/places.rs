//! How many scripts run at a time.

use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for scripts that run at the same time; clones share them. However many cases are graded at
/// once, no more interpreters than that are started.
///
/// ```
/// use agentv_evaluators::{BuildContext, ScriptPlaces};
///
/// let places = ScriptPlaces::new(4);
/// let mut context = BuildContext::new(".");
/// context.scripts = places.clone();
/// ```
#[derive(Debug, Clone)]
pub struct ScriptPlaces(Arc<Semaphore>);

impl ScriptPlaces {
    /// So many places, at least one.
    pub fn new(count: usize) -> ScriptPlaces {
        let count = count.clamp(1, Semaphore::MAX_PERMITS);
        ScriptPlaces(Arc::new(Semaphore::new(count)))
    }

    /// How many there are by default: four for each core, for scripts wait more than they compute;
    /// at least 16.
    pub fn usual() -> usize {
        let cores = available_parallelism().map_or(1, usize::from);
        (4 * cores).max(16)
    }

    /// A place, once there is one.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).acquire_owned().await.ok()
    }
}

/// As many as [`ScriptPlaces::usual`] says.
impl Default for ScriptPlaces {
    fn default() -> ScriptPlaces {
        ScriptPlaces::new(ScriptPlaces::usual())
    }
}
