//! `copilot`: GitHub's Copilot CLI.

use agentv_core::ToolKind;

use super::agent::{API, agent};
use crate::agent::{AgentApi, AgentKind, Assignment, CopilotEvents, Launch, Permissions};

agent! {
    provider: "copilot",
    program: "copilot",
    doc: "Runs GitHub's Copilot CLI in the workspace of each trial, with a model of your own.",
    required: model,
    api_key: "The API key (default: the environment variable `COPILOT_PROVIDER_API_KEY`, and `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, by `api`).",
    options: &[API],
    example: ["claude-sonnet-4-5", "ANTHROPIC_API_KEY", "  api: anthropic\n  tools: [view, edit, bash]\n"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "copilot",
    name: "Copilot",
    program: "copilot",
    api: |settings| settings.api_of_protocol(&ANTHROPIC, &OPENAI),
    launch,
    reader: || Box::<CopilotEvents>::default(),
    sessions: &[USAGE, ".copilot/session-state"],
    keeps_retrying: true,
    needs_model: true,
    tools: &[
        (
            ToolKind::Execute,
            &["bash", "read_bash", "write_bash", "stop_bash", "list_bash"],
        ),
        (
            ToolKind::Edit,
            &["create", "edit", "apply_patch", "str_replace_editor"],
        ),
        (ToolKind::Read, &["view"]),
        (ToolKind::Search, &["grep", "rg", "glob", "web_search"]),
        (ToolKind::Fetch, &["web_fetch", "fetch"]),
    ],
    ..AgentKind::PLAIN
};

static ANTHROPIC: AgentApi = AgentApi {
    address_variables: &["COPILOT_PROVIDER_BASE_URL", "ANTHROPIC_BASE_URL"],
    key_variables: &["COPILOT_PROVIDER_API_KEY", "ANTHROPIC_API_KEY"],
    ..AgentApi::ANTHROPIC
};

static OPENAI: AgentApi = AgentApi {
    address_variables: &["COPILOT_PROVIDER_BASE_URL", "OPENAI_BASE_URL"],
    key_variables: &["COPILOT_PROVIDER_API_KEY", "OPENAI_API_KEY"],
    ..AgentApi::OPENAI
};

/// The file with the tokens, below the home folder.
const USAGE: &str = "copilot-usage.json";

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let api = (AGENT.api)(settings);
    let usage = assignment.home(USAGE);
    let mut launch = Launch::with(["--output-format", "json", "--stream", "off"])
        .args(["--no-ask-user", "--no-color", "--usage-output-file"])
        .path(&usage);
    launch = match settings.permissions {
        Permissions::ReadOnly => launch.args([
            "--allow-all-tools",
            "--deny-tool=shell",
            "--deny-tool=write",
        ]),
        Permissions::Edit => launch.args(["--allow-all-tools"]),
        Permissions::All => launch.args(["--allow-all"]),
    };
    if let Some(tools) = &settings.tools {
        let tools = format!("--available-tools={}", tools.join(","));
        launch = launch.args([tools.as_str()]);
    }
    // A fresh cache makes it download all of itself again.
    if let Some(cache) = assignment.shared_cache {
        launch = launch.env("XDG_CACHE_HOME", cache);
    }
    let kind = if settings.is_anthropic() {
        "anthropic"
    } else {
        "openai"
    };
    launch = launch
        .env("COPILOT_HOME", assignment.home(".copilot"))
        .env("COPILOT_AUTO_UPDATE", "false")
        .env_if("COPILOT_MODEL", settings.model.as_deref());
    if assignment.base_url.is_none() && assignment.api_key.is_none() {
        // The user's own login at GitHub, by `pass_env`.
        return launch;
    }
    launch
        .env(
            "COPILOT_PROVIDER_BASE_URL",
            assignment.base_url.unwrap_or(api.base_url),
        )
        .env("COPILOT_PROVIDER_TYPE", kind)
        .env(
            "COPILOT_PROVIDER_API_KEY",
            assignment.api_key.unwrap_or("none"),
        )
        .env("COPILOT_OFFLINE", "true")
}
