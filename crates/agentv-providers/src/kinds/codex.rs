//! `codex`: OpenAI's Codex.

use agentv_core::ToolKind;

use super::agent::agent;
use crate::agent::{
    AgentApi, AgentKind, Assignment, CodexEvents, Launch, OWN_PROVIDER, Permissions,
};

agent! {
    provider: "codex",
    program: "codex",
    doc: "Runs OpenAI's Codex in the workspace of each trial.",
    api_key: "The API key (default: the environment variable `OPENAI_API_KEY`).",
    tools: "Refused: Codex cannot be limited to some of its tools; use `permissions`.",
    options: &[],
    example: ["gpt-5.5", "OPENAI_API_KEY"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "codex",
    name: "Codex",
    program: "codex",
    api: |_| &API,
    launch,
    reader: || Box::<CodexEvents>::default(),
    sessions: &[".codex/sessions"],
    takes_tools: false,
    tools: &[
        (
            ToolKind::Execute,
            &[
                "exec_command",
                "write_stdin",
                "shell",
                "shell_command",
                "local_shell",
                "container.exec",
                "command_execution",
            ],
        ),
        (ToolKind::Edit, &["apply_patch", "file_change"]),
        (ToolKind::Read, &["view_image", "read_file"]),
        (
            ToolKind::Search,
            &["grep_files", "list_dir", "web_search", "tool_search"],
        ),
    ],
    ..AgentKind::PLAIN
};

static API: AgentApi = AgentApi {
    key_variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
    ..AgentApi::OPENAI
};

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let sandbox = match settings.permissions {
        Permissions::ReadOnly => "read-only",
        Permissions::Edit => "workspace-write",
        Permissions::All => "danger-full-access",
    };
    let base_url = assignment.base_url.unwrap_or(API.base_url);
    // A string of JSON is a string of TOML.
    let address = serde_json::Value::from(base_url).to_string();
    let provider = format!(
        "model_providers.{OWN_PROVIDER}={{name=\"{OWN_PROVIDER}\",base_url={address},\
         env_key=\"OPENAI_API_KEY\",wire_api=\"responses\",request_max_retries=0,\
         stream_max_retries=0}}"
    );
    let name = format!("model_provider=\"{OWN_PROVIDER}\"");
    Launch::with(["exec", "--json", "--skip-git-repo-check", "-s", sandbox])
        .option("-m", settings.model.as_deref())
        .args(["-c", &name, "-c", &provider])
        // Its temporary files are in the workspace. In `/tmp`, it would make folders of its own.
        .args(["-c", "sandbox_workspace_write.exclude_slash_tmp=true"])
        .env("CODEX_HOME", assignment.home(".codex"))
        .env_if("OPENAI_API_KEY", assignment.api_key)
        .folder(assignment.home(".codex"))
        .args(["-"])
}
