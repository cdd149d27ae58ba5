//! `opencode`: the opencode agent.

use agentv_core::ToolKind;
use serde_json::{Map, Value, json};

use super::agent::{API, agent};
use crate::agent::{
    AgentApi, AgentKind, Assignment, Launch, OWN_KEY, OWN_PROVIDER, OpencodeEvents, Permissions,
};

agent! {
    provider: "opencode",
    program: "opencode",
    doc: "Runs opencode in the workspace of each trial.",
    required: model,
    api_key: "The API key (default: the environment variable `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, by `api`).",
    options: &[API],
    example: ["gpt-5", "OPENAI_API_KEY", "  api: openai\n  tools: [read, edit, bash]\n"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "opencode",
    name: "opencode",
    program: "opencode",
    api: |settings| settings.api_of_protocol(&ANTHROPIC, &AgentApi::OPENAI),
    launch,
    reader: || Box::<OpencodeEvents>::default(),
    keeps_retrying: true,
    streams_cost: true,
    needs_model: true,
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
    ..AgentKind::PLAIN
};

static ANTHROPIC: AgentApi = AgentApi {
    base_url: "https://api.anthropic.com/v1",
    ..AgentApi::ANTHROPIC
};

fn launch(assignment: &Assignment<'_>) -> Launch {
    let model = assignment.settings.model.as_deref().unwrap_or_default();
    let config = assignment.home(".config/opencode/opencode.json");
    Launch::with(["run", "--format", "json", "--auto", "-m"])
        .args([format!("{OWN_PROVIDER}/{model}").as_str()])
        .env(OWN_KEY, assignment.api_key.unwrap_or("none"))
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .file(config, configuration(assignment, model).to_string())
}

/// Returns the rules for tools. Those that ask are allowed by `--auto`.
fn permission(assignment: &Assignment<'_>) -> Value {
    let folders = assignment.folders;
    let inside = [&folders.work, &folders.home, &folders.tmp];
    let inside = inside.map(|folder| (format!("{}/**", folder.display()), json!("allow")));
    let mut outside = Map::from_iter([("*".to_owned(), json!("deny"))]);
    outside.extend(inside);
    match assignment.settings.permissions {
        Permissions::ReadOnly => json!({"edit": "deny", "bash": "deny", "webfetch": "deny"}),
        Permissions::Edit => json!({"external_directory": outside}),
        Permissions::All => json!({"external_directory": "allow"}),
    }
}

fn configuration(assignment: &Assignment<'_>, model: &str) -> Value {
    let settings = assignment.settings;
    let (package, api) = if settings.is_anthropic() {
        ("@ai-sdk/anthropic", &ANTHROPIC)
    } else {
        ("@ai-sdk/openai-compatible", &AgentApi::OPENAI)
    };
    let [input, output, cached, written] = assignment.prices();
    let mut configuration = json!({
        "autoupdate": false,
        "share": "disabled",
        "provider": {OWN_PROVIDER: {
            "npm": package,
            "name": OWN_PROVIDER,
            "options": {
                "baseURL": assignment.base_url.unwrap_or(api.base_url),
                "apiKey": format!("{{env:{OWN_KEY}}}"),
            },
            "models": {model: {
                "name": model,
                "cost": {"input": input, "output": output, "cache_read": cached, "cache_write": written},
                "limit": {"context": 200_000, "output": 32_000},
            }},
        }},
    });
    configuration["permission"] = permission(assignment);
    if let Some(tools) = &settings.tools {
        let mut allowed = Map::from_iter([("*".to_owned(), json!(false))]);
        allowed.extend(tools.iter().map(|tool| (tool.clone(), json!(true))));
        configuration["tools"] = Value::Object(allowed);
    }
    configuration
}
