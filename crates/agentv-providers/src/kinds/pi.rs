//! `pi`: the pi coding agent.

use agentv_core::ToolKind;
use serde_json::json;

use super::agent::{API, agent};
use crate::agent::{
    AgentApi, AgentKind, Assignment, Launch, OWN_KEY, OWN_PROVIDER, Permissions, PiEvents,
    pi_extension,
};

agent! {
    provider: "pi",
    program: "pi",
    doc: "Runs the pi coding agent in the workspace of each trial.",
    required: model,
    api_key: "The API key (default: the environment variable `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, by `api`).",
    options: &[API],
    example: ["gpt-5", "OPENAI_API_KEY", "  api: openai\n  tools: [read, edit, bash]\n"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "pi",
    name: "pi",
    program: "pi",
    api: |settings| settings.api_of_protocol(&AgentApi::ANTHROPIC, &AgentApi::OPENAI),
    launch,
    reader: || Box::<PiEvents>::default(),
    streams_cost: true,
    needs_model: true,
    tools: &[
        (ToolKind::Execute, &["bash"]),
        (ToolKind::Edit, &["edit", "write"]),
        (ToolKind::Read, &["read"]),
        (ToolKind::Search, &["grep", "find", "ls"]),
    ],
    ..AgentKind::PLAIN
};

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let api = (AGENT.api)(settings);
    let model = settings.model.as_deref().unwrap_or_default();
    let [input, output, cached, written] = assignment.prices();
    let protocol = if settings.is_anthropic() {
        "anthropic-messages"
    } else {
        "openai-completions"
    };
    let models = json!({"providers": {OWN_PROVIDER: {
        "baseUrl": assignment.base_url.unwrap_or(api.base_url),
        "api": protocol,
        "apiKey": format!("${OWN_KEY}"),
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
    let mut launch = Launch::with(["--mode", "json", "-p", "--provider", OWN_PROVIDER]);
    if settings.permissions == Permissions::Edit {
        // It has no rules for paths.
        let guard = assignment.home(".pi/agent/agentv-guard.mjs");
        launch = launch.args(["--extension"]).path(&guard);
        launch = launch.file(guard, pi_extension(assignment.folders));
    }
    launch
        .option("--model", Some(model))
        .option("--tools", tools.as_deref())
        .env("PI_CODING_AGENT_DIR", assignment.home(".pi/agent"))
        .env("PI_OFFLINE", "1")
        .env(OWN_KEY, assignment.api_key.unwrap_or("none"))
        .file(assignment.home(".pi/agent/models.json"), models.to_string())
        .file(
            assignment.home(".pi/agent/settings.json"),
            json!({"retry": {"enabled": false}}).to_string(),
        )
}
