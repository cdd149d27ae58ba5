//! `opencode`: the opencode agent.

use agentv_core::ToolKind;
use agentv_syntax::{Field, Kind};
use serde_json::{Map, Value, json};

use super::agent::{API as API_FIELD, LIMITS, SHARED, agent_example, fields, options, with};
use super::{Facts, ProviderKind};
use crate::agent::{AgentApi, AgentKind, Assignment, Launch, OpencodeEvents, Permissions, build};
use crate::model::Auth;

pub(super) static KIND: Kind = Kind {
    name: "opencode",
    aliases: &[],
    doc: "Runs opencode in the workspace of each trial.",
    options: options("opencode", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; SHARED + 1] = with(
    fields(
        "The program and its first arguments (default: `[opencode]`).",
        "The API key (default: the environment variable `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, by `api`).",
    ),
    &[API_FIELD],
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &LIMITS,
    facts: &Facts::AGENT,
    example: agent_example!(
        "opencode",
        "opencode",
        "gpt-5",
        "OPENAI_API_KEY",
        "  api: openai\n  tools: [read, edit, bash]\n"
    ),
    build: |settings| build(&AGENT, settings),
};

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "opencode",
    name: "opencode",
    program: "opencode",
    api: |settings| match settings.is_anthropic() {
        true => &ANTHROPIC,
        false => &OPENAI,
    },
    launch,
    reader: || Box::<OpencodeEvents>::default(),
    sessions: &[],
    turn_limit_exit: None,
    needs_model: true,
    takes_tools: true,
    speaks_acp: false,
    tools: &[
        (ToolKind::Execute, &["bash"]),
        (
            ToolKind::Edit,
            &["edit", "write", "patch", "multiedit", "apply_patch"],
        ),
        (ToolKind::Read, &["read"]),
        (
            ToolKind::Search,
            &["grep", "glob", "list", "codesearch", "websearch"],
        ),
        (ToolKind::Fetch, &["webfetch"]),
    ],
};

static ANTHROPIC: AgentApi = AgentApi {
    base_url: "https://api.anthropic.com/v1",
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
    let model = assignment.settings.model.as_deref().unwrap_or_default();
    let config = assignment.home(".config/opencode/opencode.json");
    Launch::with(["run", "--format", "json", "--auto", "-m"])
        .args([format!("{PROVIDER_NAME}/{model}").as_str()])
        .env(KEY, assignment.api_key.unwrap_or("none"))
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .file(config, configuration(assignment, model).to_string())
}

fn configuration(assignment: &Assignment<'_>, model: &str) -> Value {
    let settings = assignment.settings;
    let (package, api) = match settings.is_anthropic() {
        true => ("@ai-sdk/anthropic", &ANTHROPIC),
        false => ("@ai-sdk/openai-compatible", &OPENAI),
    };
    let [input, output, cached, written] = assignment.prices();
    let mut configuration = json!({
        "autoupdate": false,
        "share": "disabled",
        "provider": {PROVIDER_NAME: {
            "npm": package,
            "name": PROVIDER_NAME,
            "options": {
                "baseURL": assignment.base_url.unwrap_or(api.base_url),
                "apiKey": format!("{{env:{KEY}}}"),
            },
            "models": {model: {
                "name": model,
                "cost": {"input": input, "output": output, "cache_read": cached, "cache_write": written},
                "limit": {"context": 200_000, "output": 32_000},
            }},
        }},
    });
    if settings.permissions == Permissions::ReadOnly {
        configuration["permission"] = json!({"edit": "deny", "bash": "deny", "webfetch": "deny"});
    }
    if let Some(tools) = &settings.tools {
        let mut allowed = Map::from_iter([("*".to_owned(), json!(false))]);
        allowed.extend(tools.iter().map(|tool| (tool.clone(), json!(true))));
        configuration["tools"] = Value::Object(allowed);
    }
    configuration
}
