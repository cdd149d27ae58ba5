//! `acp`: any agent that speaks the Agent Client Protocol.

use agentv_syntax::{Field, Kind, Others, Record};

use super::agent::{LIMITS, SHARED, fields};
use super::{Facts, ProviderKind};
use crate::agent::{AcpEvents, AgentKind, build};

pub(super) static KIND: Kind = Kind {
    name: "acp",
    aliases: &[],
    doc: "Runs an agent that speaks the Agent Client Protocol in the workspace of each trial.",
    options: Record {
        name: "acp",
        fields: &FIELDS,
        required: &[&["command"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

const ALL: [Field; SHARED] = fields(
    "The program and its arguments, such as `[gemini, --acp]`.",
    "The API key.",
);

/// The options that do not depend on the agent's own command line.
static FIELDS: [Field; 9] = [
    ALL[0],  // command
    ALL[1],  // model
    ALL[4],  // permissions
    ALL[7],  // idle_seconds
    ALL[8],  // pass_env
    ALL[9],  // env
    ALL[10], // args
    ALL[11], // sandbox
    ALL[12], // network
];

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &LIMITS,
    facts: &Facts::AGENT,
    example: "\
- name: agent
  provider: acp
  command: [qwen, --acp]
  args: [--auth-type, openai]
  model: qwen3-coder-plus
  permissions: edit
  idle_seconds: 300
  pass_env: [OPENAI_API_KEY]
  env: {OPENAI_BASE_URL: \"http://localhost:8080/v1\"}
  sandbox: none
  network: \"on\"
",
    build: |settings| build(&AGENT, settings),
};

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "acp",
    name: "The agent",
    program: "acp",
    reader: || Box::<AcpEvents>::default(),
    takes_tools: false,
    speaks_acp: true,
    ..AgentKind::PLAIN
};
