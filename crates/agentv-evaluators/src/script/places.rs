//! The limit on scripts that run at a time.

use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit on the scripts that run at a time, however many cases are graded at once. Clones share
/// the limit.
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
    /// Returns a limit of `count` scripts, at least one.
    pub fn new(count: usize) -> ScriptPlaces {
        let count = count.clamp(1, Semaphore::MAX_PERMITS);
        ScriptPlaces(Arc::new(Semaphore::new(count)))
    }

    /// Returns the default limit: four per core, since scripts wait more than they compute, and at
    /// least 16.
    pub fn usual() -> usize {
        let cores = available_parallelism().map_or(1, usize::from);
        (4 * cores).max(16)
    }

    /// Waits for a place.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).acquire_owned().await.ok()
    }
}

/// The limit that [`ScriptPlaces::usual`] returns.
impl Default for ScriptPlaces {
    fn default() -> ScriptPlaces {
        ScriptPlaces::new(ScriptPlaces::usual())
    }
}
