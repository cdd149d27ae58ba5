//! `pi`: the pi coding agent.

use agentv_core::ToolKind;
use agentv_syntax::{Field, Kind};
use serde_json::json;

use super::agent::{API as API_FIELD, LIMITS, SHARED, agent_example, fields, options, with};
use super::{Facts, ProviderKind};
use crate::agent::{AgentApi, AgentKind, Assignment, Launch, Permissions, PiEvents, build};
use crate::model::Auth;

pub(super) static KIND: Kind = Kind {
    name: "pi",
    aliases: &[],
    doc: "Runs the pi coding agent in the workspace of each trial.",
    options: options("pi", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; SHARED + 1] = with(
    fields(
        "The program and its first arguments (default: `[pi]`).",
        "The API key (default: the environment variable `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, by `api`).",
    ),
    &[API_FIELD],
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &LIMITS,
    facts: &Facts::AGENT,
    example: agent_example!(
        "pi",
        "pi",
        "gpt-5",
        "OPENAI_API_KEY",
        "  api: openai\n  tools: [read, edit, bash]\n"
    ),
    build: |settings| build(&AGENT, settings),
};

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "pi",
    name: "pi",
    program: "pi",
    api: |settings| match settings.is_anthropic() {
        true => &ANTHROPIC,
        false => &OPENAI,
    },
    launch,
    reader: || Box::<PiEvents>::default(),
    sessions: &[],
    turn_limit_exit: None,
    needs_model: true,
    takes_tools: true,
    speaks_acp: false,
    tools: &[
        (ToolKind::Execute, &["bash"]),
        (ToolKind::Edit, &["edit", "write"]),
        (ToolKind::Read, &["read"]),
        (ToolKind::Search, &["grep", "find", "ls"]),
    ],
};

static ANTHROPIC: AgentApi = AgentApi {
    base_url: "https://api.anthropic.com",
    auth: Auth::Header("x-api-key"),
    key_variables: &["ANTHROPIC_API_KEY"],
    prices: "anthropic",
};

static OPENAI: AgentApi = AgentApi {
    base_url: "https://api.openai.com/v1",
    auth: Auth::Bearer,
    key_variables: &["OPENAI_API_KEY"],
    prices: "openai",
};

/// The provider that the agent calls, under a name that it does not know.
const PROVIDER_NAME: &str = "agentv";
/// The variable that holds the key.
const KEY: &str = "AGENTV_AGENT_KEY";

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let api = (AGENT.api)(settings);
    let model = settings.model.as_deref().unwrap_or_default();
    let [input, output, cached, written] = assignment.prices();
    let protocol = match settings.is_anthropic() {
        true => "anthropic-messages",
        false => "openai-completions",
    };
    let models = json!({"providers": {PROVIDER_NAME: {
        "baseUrl": assignment.base_url.unwrap_or(api.base_url),
        "api": protocol,
        "apiKey": format!("${KEY}"),
        "models": [{
            "id": model,
            "name": model,
            "reasoning": false,
            "input": ["text", "image"],
            "cost": {"input": input, "output": output, "cacheRead": cached, "cacheWrite": written},
            "contextWindow": 200_000,
            "maxTokens": 32_000,
        }],
    }}});
    let tools = match (&settings.tools, settings.permissions) {
        (Some(tools), _) => Some(tools.join(",")),
        (None, Permissions::ReadOnly) => Some("read,grep,find,ls".to_owned()),
        (None, Permissions::Edit | Permissions::All) => None,
    };
    Launch::with(["--mode", "json", "-p", "--provider", PROVIDER_NAME])
        .option("--model", Some(model))
        .option("--tools", tools.as_deref())
        .env("PI_CODING_AGENT_DIR", assignment.home(".pi/agent"))
        .env("PI_OFFLINE", "1")
        .env(KEY, assignment.api_key.unwrap_or("none"))
        .file(assignment.home(".pi/agent/models.json"), models.to_string())
        .file(
            assignment.home(".pi/agent/settings.json"),
            json!({"retry": {"enabled": false}}).to_string(),
        )
}
