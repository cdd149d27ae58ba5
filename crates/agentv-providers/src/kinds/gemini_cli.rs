//! `gemini-cli`: Google's Gemini CLI.

use agentv_core::ToolKind;
use serde_json::json;

use super::agent::agent;
use crate::agent::{AgentApi, AgentKind, Assignment, GeminiEvents, Launch, Permissions};
use crate::model::Auth;

agent! {
    provider: "gemini-cli",
    program: "gemini",
    doc: "Runs Google's Gemini CLI in the workspace of each trial.",
    api_key: "The API key (default: the environment variable `GEMINI_API_KEY` or `GOOGLE_API_KEY`).",
    options: &[],
    example: ["gemini-2.5-pro", "GEMINI_API_KEY", "  tools: [read_file, replace, run_shell_command]\n"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "gemini-cli",
    name: "Gemini CLI",
    program: "gemini",
    api: |_| &API,
    launch,
    reader: || Box::<GeminiEvents>::default(),
    sessions: &[".gemini/tmp"],
    turn_limit_exit: Some(53),
    tools: &[
        (ToolKind::Execute, &["run_shell_command"]),
        (ToolKind::Edit, &["write_file", "replace", "edit"]),
        (ToolKind::Read, &["read_file", "read_many_files"]),
        (
            ToolKind::Search,
            &[
                "list_directory",
                "glob",
                "grep_search",
                "search_file_content",
                "google_web_search",
            ],
        ),
        (ToolKind::Fetch, &["web_fetch"]),
    ],
    ..AgentKind::PLAIN
};

static API: AgentApi = AgentApi {
    base_url: "https://generativelanguage.googleapis.com",
    address_variables: &["GOOGLE_GEMINI_BASE_URL"],
    auth: Auth::Header("x-goog-api-key"),
    key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    prices: "gemini",
};

/// The tools that only read.
const READING: &[&str] = &[
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "grep_search",
    "search_file_content",
];

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let mut file = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        // Our retries decide, not the agent's.
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true, "maxAttempts": 1},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    let tools = settings.tools.as_ref().map(|tools| json!(tools));
    let reading = || (settings.permissions == Permissions::ReadOnly).then(|| json!(READING));
    if let Some(tools) = tools.or_else(reading) {
        file["tools"] = json!({"core": tools});
    }
    if let Some(turns) = settings.max_turns {
        file["model"] = json!({"maxSessionTurns": turns});
    }
    Launch::with([
        "-o",
        "stream-json",
        "--approval-mode",
        "yolo",
        "--skip-trust",
    ])
    .option("-m", settings.model.as_deref())
    // Its file tools refuse every path outside of the folders that it was given.
    .option(
        "--include-directories",
        (settings.permissions == Permissions::All).then_some("/"),
    )
    .env_if("GOOGLE_GEMINI_BASE_URL", assignment.base_url)
    .env_if("GEMINI_API_KEY", assignment.api_key)
    .file(assignment.home(".gemini/settings.json"), file.to_string())
}
