//! `qwen-code`: Alibaba's Qwen Code.

use agentv_core::ToolKind;
use serde_json::json;

use super::agent::agent;
use crate::agent::{
    AgentApi, AgentKind, Assignment, ClaudeEvents, InputTokens, Launch, Permissions,
};

agent! {
    provider: "qwen-code",
    program: "qwen",
    doc: "Runs Qwen Code in the workspace of each trial.",
    api_key: "The API key (default: the environment variable `OPENAI_API_KEY` or `DASHSCOPE_API_KEY`).",
    options: &[],
    example: ["qwen3-coder-plus", "OPENAI_API_KEY", "  tools: [read_file, edit, run_shell_command]\n"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "qwen-code",
    name: "Qwen Code",
    program: "qwen",
    api: |_| &API,
    launch,
    reader: || Box::new(ClaudeEvents::new(InputTokens::WithCached)),
    turn_limit_exit: Some(53),
    keeps_retrying: true,
    needs_model: true,
    tools: &[
        (ToolKind::Execute, &["run_shell_command"]),
        (ToolKind::Edit, &["write_file", "edit", "notebook_edit"]),
        (
            ToolKind::Read,
            &["read_file", "read_many_files", "zoom_image"],
        ),
        (
            ToolKind::Search,
            &["grep_search", "glob", "list_directory", "tool_search"],
        ),
        (ToolKind::Fetch, &["web_fetch", "web_search"]),
    ],
    ..AgentKind::PLAIN
};

static API: AgentApi = AgentApi {
    key_variables: &["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
    ..AgentApi::OPENAI
};

/// The tools that do more than read.
const WRITING: &[&str] = &["run_shell_command", "write_file", "edit", "notebook_edit"];

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let turns = settings.max_turns.map(|turns| turns.to_string());
    let file = json!({
        "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        // Our retries decide, not the agent's.
        "model": {"generationConfig": {"maxRetries": 0}},
    });
    let mut launch = Launch::with(["-o", "stream-json", "--approval-mode", "yolo"])
        .args(["--auth-type", "openai"])
        .option("-m", settings.model.as_deref())
        .option("--max-session-turns", turns.as_deref());
    if let Some(tools) = &settings.tools {
        launch = launch.args(["--core-tools", &tools.join(",")]);
    } else if settings.permissions == Permissions::ReadOnly {
        launch = launch.args(["--exclude-tools", &WRITING.join(",")]);
    }
    let base_url = assignment.base_url.unwrap_or(API.base_url);
    launch
        .env("OPENAI_BASE_URL", base_url)
        .env("OPENAI_API_KEY", assignment.api_key.unwrap_or("none"))
        .file(assignment.home(".qwen/settings.json"), file.to_string())
}
