//! Facts about the run of an agent, in the `trace` of its transcript.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Extra;

/// Facts about the run of an agent. They are the `trace` of its transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentTrace {
    /// The name of the agent's provider, such as `claude-code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent's version, as it reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The tool calls that the agent's permissions refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<Denial>,
    /// The requests to the model that the agent repeated.
    #[serde(default)]
    pub retries: u64,
    /// All other facts.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A tool call that was refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Denial {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The reason, in the words of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AgentTrace {
    /// Returns the facts as the `trace` of a transcript.
    pub fn into_value(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the facts in the `trace` of a transcript, if it was written by an agent.
    pub fn of(trace: &Value) -> Option<AgentTrace> {
        let has = |name| trace.get(name).is_some();
        let is_agents = has("agent") || has("version") || has("denials");
        let trace = is_agents.then(|| serde_json::from_value(trace.clone()))?;
        trace.ok()
    }
}
