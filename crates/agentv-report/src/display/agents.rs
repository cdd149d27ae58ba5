//! The running agents, and what each did last.

use std::collections::BTreeMap;

use agentv_core::{RunEvent, TrialName};

use super::notice::trial_name;
use crate::text::one_line;

/// The running agents by trial, with the last tool that each called.
#[derive(Debug, Default)]
pub(super) struct Agents {
    last: BTreeMap<TrialName, String>,
    several_targets: bool,
}

impl Agents {
    pub(super) fn new(several_targets: bool) -> Agents {
        Agents {
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
            RunEvent::Planned(_)
            | RunEvent::Started(_)
            | RunEvent::Retrying { .. }
            | RunEvent::Finished { .. }
            | RunEvent::Noticed { .. }
            | RunEvent::Stopping { .. } => {}
        }
    }

    /// Returns a line for each agent.
    pub(super) fn lines(&self) -> Vec<String> {
        let lines = self.last.iter().map(|(trial, last)| {
            let target = self.several_targets.then_some(&*trial.target);
            let name = trial_name(&trial.eval_id, target, trial.trial);
            format!("{name}  {last}")
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::record;
    use agentv_core::Activity;
    use std::sync::Arc;

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
