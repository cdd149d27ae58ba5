//! Processes that this program adopts when one of its supervisors is killed.

use std::collections::HashSet;
use std::io;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};
use tokio::process::{Child, Command};

use super::processes;
use crate::tree::PATIENCE;

/// The interval between two rounds of SIGKILL, for processes that start in between.
const INTERVAL: Duration = Duration::from_millis(10);

/// The living supervisors of this program. The first access makes it the parent of all orphans below it.
static SUPERVISORS: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(|| {
    // Without this, nothing is adopted, and there is nothing to end.
    let _ = set_child_subreaper(Some(getpid()));
    Mutex::default()
});

fn supervisors() -> MutexGuard<'static, HashSet<Pid>> {
    // No thread panics halfway through a change.
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A supervisor that is known as one, until this is dropped.
pub(super) struct Registered(Pid);

impl Registered {
    /// Starts a supervisor and registers it, so that it is never taken for an orphan.
    pub(super) fn spawn(mut command: Command) -> io::Result<(Child, Option<Registered>)> {
        let mut supervisors = supervisors();
        let child = command.spawn()?;
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        supervisors.extend(id);
        Ok((child, id.map(Registered)))
    }

    /// Returns its process, which is also its session.
    pub(super) fn id(&self) -> Pid {
        self.0
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        supervisors().remove(&self.0);
    }
}

/// Kills the processes that lost supervisors have left, and repeats this until there is none. Returns
/// false if one is left after a few seconds.
pub(super) async fn end_adopted() -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if kill_adopted() == 0 {
            return true;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    false
}

/// Kills adopted processes with their descendants, and returns the number of those that still lived.
fn kill_adopted() -> usize {
    // No supervisor starts meanwhile.
    let supervisors = supervisors();
    let Some(own) = processes::own() else {
        return 0;
    };
    let adopted = processes::children(own.id)
        // A supervisor starts a session, and everything below it is in that or in a further one.
        .filter(|child| child.session != own.session && !supervisors.contains(&child.id));
    let mut living = 0;
    for orphan in adopted {
        for process in processes::below(orphan.id).iter().chain([&orphan]) {
            living += usize::from(!process.dead);
            let _ = kill_process(process.id, Signal::KILL);
        }
        // Nobody else waits for it.
        let _ = waitpid(Some(orphan.id), WaitOptions::NOHANG);
    }
    living
}
