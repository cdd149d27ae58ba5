//! The workers that report themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::{TookPart, WorkerActivity};
use futures_util::StreamExt;

use super::shared::Shared;
use crate::host_of;
use crate::protocol::WorkerReport;

/// The silence after which a worker counts as lost.
const LOST_AFTER: Duration = Duration::from_secs(6);

/// The workers that report themselves.
pub(super) struct Workers {
    run: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seen: BTreeMap<String, Seen>,
    /// The ids of the workers that have ended a trial.
    took_part: BTreeSet<String>,
    /// The notices that the user has seen.
    reported: BTreeSet<String>,
}

struct Seen {
    report: WorkerReport,
    at: Instant,
}

impl Workers {
    pub(super) fn new(run: String) -> Workers {
        Workers {
            run,
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().seen.is_empty()
    }

    pub(super) fn is_there(&self, worker: &str) -> bool {
        self.lock().seen.contains_key(worker)
    }

    /// Notes that a worker has ended a trial.
    pub(super) fn ended(&self, worker: &str) {
        let mut state = self.lock();
        if !state.took_part.contains(worker) {
            state.took_part.insert(worker.to_owned());
        }
    }

    /// Returns the workers that have ended a trial, and their machines.
    pub(super) fn took_part(&self) -> TookPart {
        let state = self.lock();
        let workers = state.took_part.iter();
        let hosts: BTreeSet<&str> = workers.map(|worker| host_of(worker)).collect();
        TookPart {
            workers: state.took_part.len(),
            machines: hosts.len(),
        }
    }

    /// Returns the work of each worker, by host and process.
    pub(super) fn activities(&self) -> Vec<WorkerActivity> {
        let state = self.lock();
        let reports = state.seen.values().map(|seen| &seen.report);
        let mut workers: Vec<WorkerActivity> = reports
            .filter(|report| !report.is_leaving)
            .map(activity_of)
            .collect();
        workers.sort_by(|one, other| (&one.host, one.process).cmp(&(&other.host, other.process)));
        workers
    }

    /// Takes a report. Returns the notices that the user has not seen yet.
    fn take(&self, report: WorkerReport) -> Vec<String> {
        let mut state = self.lock();
        let place = format!("worker on `{}` (process {})", report.host, report.pid);
        let mut news = Vec::new();
        if !state.seen.contains_key(&report.id) && !report.is_leaving {
            news.push(format!("{place} joined, with {} slots", report.slots));
        }
        for run in report.runs.iter().filter(|run| run.run == self.run) {
            if let Some(reason) = &run.refused {
                news.push(format!("{place} refuses this run: {reason}"));
            }
            for (_, reason) in &run.lacking {
                news.push(format!("{place} leaves a target to others: {reason}"));
            }
        }
        let at = Instant::now();
        state.seen.insert(report.id.clone(), Seen { report, at });
        news.retain(|text| state.reported.insert(text.clone()));
        news
    }

    /// Forgets workers that are silent, and reports them to the user.
    pub(super) fn forget_lost(&self, shared: &Shared) {
        let lost: Vec<WorkerReport> = {
            let mut state = self.lock();
            let ids: Vec<String> = state
                .seen
                .iter()
                .filter(|(_, seen)| seen.at.elapsed() > LOST_AFTER)
                .map(|(id, _)| id.clone())
                .collect();
            let lost = ids.iter().filter_map(|id| state.seen.remove(id));
            lost.map(|seen| seen.report).collect()
        };
        for report in lost.into_iter().filter(|report| !report.is_leaving) {
            shared.notice(format!(
                "worker on `{}` (process {}) is lost: its trials go to others",
                report.host, report.pid
            ));
        }
    }

    /// Returns the reason why no worker asks the target of a lane; `None` if one does, or none is there.
    pub(super) fn reason_not_to_serve(&self, lane: usize) -> Option<String> {
        let state = self.lock();
        let mut reasons = Vec::new();
        for seen in state.seen.values() {
            let report = &seen.report;
            let run = report.runs.iter().find(|run| run.run == self.run)?;
            let lacking = run.lacking.iter().find(|(of, _)| *of == lane);
            let reason = run.refused.as_ref().or(lacking.map(|(_, reason)| reason))?;
            reasons.push(format!("worker on `{}`: {reason}", report.host));
        }
        reasons.sort_unstable();
        reasons.dedup();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

fn activity_of(report: &WorkerReport) -> WorkerActivity {
    let longest = report
        .busy
        .iter()
        .max_by(|one, other| one.seconds.total_cmp(&other.seconds));
    WorkerActivity {
        host: report.host.clone(),
        process: report.pid,
        slots: report.slots,
        busy: report.busy.len(),
        done: report.done,
        per_minute: report.per_minute,
        current: longest.map(|busy| (busy.eval_id.clone(), busy.seconds)),
    }
}

/// Listens to workers until the run is over.
pub(super) async fn listen(shared: Arc<Shared>, subject: String) {
    loop {
        if let Ok(mut reports) = shared.client.subscribe(subject.clone()).await {
            while let Some(message) = reports.next().await {
                if let Ok(report) = serde_json::from_slice::<WorkerReport>(&message.payload) {
                    let news = shared.workers.take(report);
                    news.into_iter().for_each(|text| shared.notice(text));
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
