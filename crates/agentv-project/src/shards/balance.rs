//! Shards that take about the same time.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::Balance;
use agentv_journal::RunFolder;
use agentv_runner::{BalancedShards, CaseTimes, Shard};

use crate::error::ProjectError;
use crate::notices::Notices;
use crate::results::each_result;
use crate::run_folders::{FoundRun, RunFolders};

/// Distributes the cases of a run over shards by the latencies of the run that `name` means. Says how much
/// shorter the longest shard becomes.
pub(crate) fn balanced_shards(
    name: &str,
    shard: Shard,
    runs: &RunFolders,
    notices: &mut dyn Notices,
) -> Result<(Balance, Arc<BalancedShards>), ProjectError> {
    let run = runs.find(name, notices)?;
    let times = case_times(&run.folder)?;
    let id = run.folder.id();
    if times.is_empty() {
        return Err(ProjectError::with_hint(
            format!("run `{id}` has no latencies to balance shards by"),
            Some("name a run that asked its targets, or omit `--balance`".to_owned()),
        ));
    }
    let shards = times.balance(shard.count());
    let (longest, usual) = (shards.longest(), shards.usual_longest());
    notices.note(format!(
        "balanced by run `{id}`: the longest of {} shards has {} of latencies, instead of {}",
        shard.count(),
        shown(longest),
        shown(usual)
    ));
    let balance = Balance {
        run: id.to_string(),
        digest: shards.digest(),
    };
    Ok((balance, Arc::new(shards)))
}

/// Refuses to resume a shard whose cases were distributed in another way.
pub(crate) fn refuse_other_balance(run: &FoundRun, balance: &Balance) -> Result<(), ProjectError> {
    let record = &run.record;
    let hint = match &record.balance {
        Some(before) if before.digest == balance.digest => return Ok(()),
        // A shard of a whole run narrows the work, in any distribution.
        None if record.shard.is_none() => return Ok(()),
        Some(before) => format!(
            "add `--balance {}` with the results that it had then, or omit `--resume` to start a new run",
            before.run
        ),
        None => "omit `--balance` to resume it, or omit `--resume` to start a new run".to_owned(),
    };
    let id = run.folder.id();
    let message = format!("run `{id}` was split into shards differently");
    Err(ProjectError::with_hint(message, Some(hint)))
}

fn case_times(folder: &RunFolder) -> Result<CaseTimes, ProjectError> {
    let mut times = CaseTimes::default();
    each_result(folder, &mut |record| {
        let latency = record.timing.total_ms.unwrap_or_default();
        let latency = Duration::try_from_secs_f64(latency / 1000.0).unwrap_or_default();
        if !latency.is_zero() {
            times.add(&record.eval_file, &record.eval_id, latency);
        }
    })?;
    Ok(times)
}

fn shown(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds if seconds < 600.0 => format!("{seconds:.0} s"),
        seconds => format!("{:.0} min", seconds / 60.0),
    }
}
