//! `qwen-code`: Alibaba's Qwen Code.

use agentv_core::ToolKind;
use agentv_process::quote;
use serde_json::json;

use super::agent::agent;
use crate::agent::{
    AgentApi, AgentKind, Assignment, ClaudeEvents, InputTokens, Launch, Permissions, qwen_hook,
};

agent! {
    provider: "qwen-code",
    program: "qwen",
    doc: "Runs Qwen Code in the workspace of each trial.",
    required: model,
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

/// The tools that change files.
const CHANGING: &[&str] = &["write_file", "edit", "notebook_edit"];
/// The tools that a list of core tools does not withhold.
const BEYOND_CORE: &[&str] = &[
    "agent",
    "enter_worktree",
    "exit_worktree",
    "get_goal",
    "list_agents",
    "read_mcp_resource",
    "record_artifact",
    "report_findings",
    "send_message",
    "skill",
    "task_stop",
    "tool_call",
    "tool_search",
    "update_goal",
];
/// The tools that do more than read.
const WRITING: &[&str] = &["run_shell_command", "write_file", "edit", "notebook_edit"];

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let turns = settings.max_turns.map(|turns| turns.to_string());
    let mut file = json!({
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
        // These are not among the core tools.
        let others = BEYOND_CORE
            .iter()
            .filter(|tool| !tools.iter().any(|named| named == *tool));
        file["tools"] = json!({"disabled": others.collect::<Vec<_>>()});
    } else if settings.permissions == Permissions::ReadOnly {
        launch = launch.args(["--exclude-tools", &WRITING.join(",")]);
    }
    if settings.permissions == Permissions::Edit {
        // It has no rules that deny paths outside of a folder.
        let guard = assignment.home(".qwen/agentv-guard.mjs");
        let command = format!("node {}", quote(&guard.to_string_lossy()));
        file["hooks"] = json!({"PreToolUse": [{
            "matcher": CHANGING.join("|"),
            "hooks": [{"type": "command", "command": command}],
        }]});
        launch = launch.file(guard, qwen_hook(assignment.folders));
    }
    let base_url = assignment.base_url.unwrap_or(API.base_url);
    launch
        .env("OPENAI_BASE_URL", base_url)
        .env("OPENAI_API_KEY", assignment.api_key.unwrap_or("none"))
        .file(assignment.home(".qwen/settings.json"), file.to_string())
}
