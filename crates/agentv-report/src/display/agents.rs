//! The workers and the running agents, and what each did last.

use std::collections::BTreeMap;
use std::time::Duration;

use agentv_core::{RunEvent, TrialName, WorkerActivity};

use super::notice::trial_name;
use crate::figures::{count, duration};
use crate::text::one_line;

/// The workers on other machines, and the running agents by trial, with the last tool that each called.
#[derive(Debug, Default)]
pub(super) struct Agents {
    workers: Vec<String>,
    last: BTreeMap<TrialName, String>,
    several_targets: bool,
}

impl Agents {
    pub(super) fn new(several_targets: bool) -> Agents {
        Agents {
            workers: Vec::new(),
            last: BTreeMap::new(),
            several_targets,
        }
    }

    pub(super) fn on_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Active { trial, activity } => {
                let text = match &activity.tool {
                    Some(tool) => format!("{tool} {}", activity.detail),
                    None => activity.detail.clone(),
                };
                // A text does not replace the last tool.
                if activity.tool.is_some() || !self.last.contains_key(trial) {
                    self.last.insert(trial.clone(), one_line(&text));
                }
            }
            RunEvent::Finished { record, .. } if !self.last.is_empty() => {
                self.last.remove(&TrialName::from(&**record));
            }
            RunEvent::Abandoned(trial) => {
                self.last.remove(trial);
            }
            RunEvent::Workers { workers } => {
                self.workers = workers.iter().map(worker_line).collect();
            }
            RunEvent::Planned(_)
            | RunEvent::Started(_)
            | RunEvent::Retrying { .. }
            | RunEvent::Finished { .. }
            | RunEvent::Noticed { .. }
            | RunEvent::Stopping { .. } => {}
        }
    }

    /// Returns a line for each worker, and one for each agent.
    pub(super) fn lines(&self) -> Vec<String> {
        let lines = self.last.iter().map(|(trial, last)| {
            let target = self.several_targets.then_some(&*trial.target);
            let name = trial_name(&trial.eval_id, target, trial.trial);
            format!("{name}  {last}")
        });
        self.workers.iter().cloned().chain(lines).collect()
    }
}

/// Returns the work of a worker in a line.
fn worker_line(worker: &WorkerActivity) -> String {
    let WorkerActivity {
        host,
        process,
        slots,
        busy,
        done,
        per_minute,
        current,
    } = worker;
    let mut line = format!(
        "{} ({process})  {busy} of {slots} slots · {} done · {per_minute:.1}/min",
        one_line(host),
        count(*done)
    );
    if let Some((eval_id, seconds)) = current {
        let seconds = Duration::try_from_secs_f64(*seconds).unwrap_or_default();
        line.push_str(&format!(" · {} {}", one_line(eval_id), duration(seconds)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::record;
    use agentv_core::Activity;
    use std::sync::Arc;

    #[test]
    fn each_worker_has_a_line_with_its_slots_its_work_and_its_rate() {
        let mut agents = Agents::new(false);
        let worker = WorkerActivity {
            host: "build-3".to_owned(),
            process: 812,
            slots: 8,
            busy: 7,
            done: 1_200,
            per_minute: 31.04,
            current: Some(("case-0012".to_owned(), 45.2)),
        };
        let workers = vec![worker];
        agents.on_event(&RunEvent::Workers { workers });
        assert_eq!(
            agents.lines(),
            ["build-3 (812)  7 of 8 slots · 1,200 done · 31.0/min · case-0012 45 s"]
        );
        agents.on_event(&RunEvent::Workers { workers: vec![] });
        assert!(agents.lines().is_empty());
    }

    #[test]
    fn each_running_agent_has_a_line_with_its_last_tool() {
        let mut agents = Agents::new(false);
        let trial = |id: &str| TrialName::from(&record(id));
        let mut active = |id: &str, tool: Option<&str>, detail: &str| {
            agents.on_event(&RunEvent::Active {
                trial: trial(id),
                activity: Activity {
                    tool: tool.map(str::to_owned),
                    detail: detail.to_owned(),
                },
            });
        };
        active("a", None, "I will\nlook");
        active("b", Some("Bash"), "npm test");
        active("b", None, "It failed");
        active("a", Some("Read"), "src/a.js");
        assert_eq!(agents.lines(), ["a  Read src/a.js", "b  Bash npm test"]);
        agents.on_event(&RunEvent::Finished {
            record: Arc::new(record("a")),
            reused: false,
        });
        agents.on_event(&RunEvent::Abandoned(trial("b")));
        assert_eq!(agents.lines(), [""; 0]);
    }
}
