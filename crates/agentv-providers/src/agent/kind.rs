//! One kind of agent, as its own file describes it.

use agentv_core::ToolKind;
use serde_json::Value;

use super::draft::Draft;
use super::launch::{Assignment, Launch};
use super::settings::AgentSettings;
use crate::model::Auth;

/// The facts about one agent.
pub(crate) struct AgentKind {
    /// The name that users write as `provider`.
    pub(crate) provider: &'static str,
    /// The name for messages, such as `Claude Code`.
    pub(crate) name: &'static str,
    /// The default program.
    pub(crate) program: &'static str,
    /// Returns the API of models that the agent calls.
    pub(crate) api: fn(&AgentSettings) -> &'static AgentApi,
    /// Returns the way to start the agent for a trial.
    pub(crate) launch: fn(&Assignment<'_>) -> Launch,
    /// Makes a reader for the events of one trial.
    pub(crate) reader: fn() -> Box<dyn ReadEvents>,
    /// The files below the home folder that complete the stream: folders, or files.
    pub(crate) sessions: &'static [&'static str],
    /// The exit code with which the agent ends at its own limit of turns.
    pub(crate) turn_limit_exit: Option<i32>,
    /// True if the agent repeats calls that failed, and no setting prevents it. The proxy then answers
    /// with a failure that no agent repeats.
    pub(crate) keeps_retrying: bool,
    /// True if the agent reports the cost of each step when it ends.
    pub(crate) streams_cost: bool,
    /// True if a target must name a model.
    pub(crate) needs_model: bool,
    /// True if the agent can be limited to some of its tools.
    pub(crate) takes_tools: bool,
    /// True if the agent is led by the Agent Client Protocol instead of a prompt on stdin.
    pub(crate) speaks_acp: bool,
    /// The kinds of the agent's tools. Any other tool is `other`.
    pub(crate) tools: &'static [(ToolKind, &'static [&'static str])],
}

impl AgentKind {
    /// The facts of an agent that does nothing special. Each agent states at least its names, its API, its
    /// launch, its reader and its tools.
    pub(crate) const PLAIN: AgentKind = AgentKind {
        provider: "",
        name: "",
        program: "",
        api: |_| &AgentApi::NONE,
        launch: |_| Launch::default(),
        reader: || Box::new(NoEvents),
        sessions: &[],
        turn_limit_exit: None,
        keeps_retrying: false,
        streams_cost: false,
        needs_model: false,
        takes_tools: true,
        speaks_acp: false,
        tools: &[],
    };

    /// Returns the kind of a tool by the agent's own name for it.
    pub(crate) fn kind_of(&self, tool: &str) -> ToolKind {
        let mut kinds = self.tools.iter();
        let found = kinds.find(|(_, names)| names.contains(&tool));
        found.map_or(ToolKind::Other, |(kind, _)| *kind)
    }
}

/// An API of models, as an agent calls it.
pub(crate) struct AgentApi {
    /// The default address. The agent appends the rest of the path to it.
    pub(crate) base_url: &'static str,
    /// The header that carries the key.
    pub(crate) auth: Auth,
    /// The variables of the address, for a target that has no `base_url`. The first one that is set is used.
    pub(crate) address_variables: &'static [&'static str],
    /// The default variables of the key. The first one that is set is used.
    pub(crate) key_variables: &'static [&'static str],
    /// The vendor's name in the table of prices.
    pub(crate) prices: &'static str,
}

impl AgentApi {
    /// Anthropic's own.
    pub(crate) const ANTHROPIC: AgentApi = AgentApi {
        base_url: "https://api.anthropic.com",
        address_variables: &["ANTHROPIC_BASE_URL"],
        auth: Auth::Header("x-api-key"),
        key_variables: &["ANTHROPIC_API_KEY"],
        prices: "anthropic",
    };

    /// OpenAI's own.
    pub(crate) const OPENAI: AgentApi = AgentApi {
        base_url: "https://api.openai.com/v1",
        address_variables: &["OPENAI_BASE_URL"],
        auth: Auth::Bearer,
        key_variables: &["OPENAI_API_KEY"],
        prices: "openai",
    };

    /// One that is not known.
    pub(crate) const NONE: AgentApi = AgentApi {
        base_url: "",
        address_variables: &[],
        auth: Auth::Bearer,
        key_variables: &[],
        prices: "",
    };
}

/// A reader of one agent's events.
pub(crate) trait ReadEvents: Send {
    /// Takes the next event of the stream.
    fn event(&mut self, event: &Value, draft: &mut Draft);

    /// Returns true if the agent continues with this event after it had stated its end.
    fn resumes(&self, _event: &Value) -> bool {
        false
    }

    /// Takes a session file, after the end of the stream. `name` is its path below the home folder.
    fn session_file(&mut self, _name: &str, _text: &str, _draft: &mut Draft) {}

    /// Completes the draft after the stream and all files.
    fn end(&mut self, _draft: &mut Draft) {}
}

/// A reader of nothing.
struct NoEvents;

impl ReadEvents for NoEvents {
    fn event(&mut self, _event: &Value, _draft: &mut Draft) {}
}
