//! `codex`: OpenAI's Codex.

use agentv_core::ToolKind;
use agentv_syntax::{Field, Kind};

use super::agent::{LIMITS, SHARED, agent_example, fields, options, without_tools};
use super::{Facts, ProviderKind};
use crate::agent::{AgentApi, AgentKind, Assignment, CodexEvents, Launch, Permissions, build};
use crate::model::Auth;

pub(super) static KIND: Kind = Kind {
    name: "codex",
    aliases: &[],
    doc: "Runs OpenAI's Codex in the workspace of each trial.",
    options: options("codex", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; SHARED] = without_tools(
    fields(
        "The program and its first arguments (default: `[codex]`).",
        "The API key (default: the environment variable `OPENAI_API_KEY`).",
    ),
    "Refused: Codex cannot be limited to some of its tools; use `permissions`.",
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &LIMITS,
    facts: &Facts::AGENT,
    example: agent_example!("codex", "codex", "gpt-5.5", "OPENAI_API_KEY"),
    build: |settings| build(&AGENT, settings),
};

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "codex",
    name: "Codex",
    program: "codex",
    api: |_| &API,
    launch,
    reader: || Box::<CodexEvents>::default(),
    sessions: &[".codex/sessions"],
    turn_limit_exit: None,
    needs_model: false,
    takes_tools: false,
    speaks_acp: false,
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
};

static API: AgentApi = AgentApi {
    base_url: "https://api.openai.com/v1",
    auth: Auth::Bearer,
    key_variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
    prices: "openai",
};

/// The provider that the agent calls, under a name that it does not know.
const PROVIDER_NAME: &str = "agentv";

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
        "model_providers.{PROVIDER_NAME}={{name=\"{PROVIDER_NAME}\",base_url={address},\
         env_key=\"OPENAI_API_KEY\",wire_api=\"responses\",request_max_retries=0,\
         stream_max_retries=0}}"
    );
    let name = format!("model_provider=\"{PROVIDER_NAME}\"");
    Launch::with(["exec", "--json", "--skip-git-repo-check", "-s", sandbox])
        .option("-m", settings.model.as_deref())
        .args(["-c", &name, "-c", &provider])
        .env("CODEX_HOME", assignment.home(".codex"))
        .env_if("OPENAI_API_KEY", assignment.api_key)
        .folder(assignment.home(".codex"))
        .args(["-"])
}
