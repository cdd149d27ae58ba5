//! `claude-code`: Anthropic's Claude Code.

use agentv_core::ToolKind;
use agentv_syntax::{Field, Kind};

use super::agent::{LIMITS, SHARED, agent_example, fields, options};
use super::{Facts, ProviderKind};
use crate::agent::{
    AgentApi, AgentKind, Assignment, ClaudeEvents, InputTokens, Launch, Permissions, build,
};
use crate::model::Auth;

pub(super) static KIND: Kind = Kind {
    name: "claude-code",
    aliases: &[],
    doc: "Runs Claude Code in the workspace of each trial.",
    options: options("claude-code", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; SHARED] = fields(
    "The program and its first arguments (default: `[claude]`).",
    "The API key (default: the environment variable `ANTHROPIC_API_KEY`).",
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &LIMITS,
    facts: &Facts::AGENT,
    example: agent_example!(
        "claude-code",
        "claude",
        "claude-sonnet-4-5",
        "ANTHROPIC_API_KEY",
        "  tools: [Bash, Edit, Read]\n"
    ),
    build: |settings| build(&AGENT, settings),
};

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "claude-code",
    name: "Claude Code",
    program: "claude",
    api: |_| &API,
    launch,
    reader: || Box::new(ClaudeEvents::new(InputTokens::WithoutCached)),
    sessions: &[],
    turn_limit_exit: None,
    needs_model: false,
    takes_tools: true,
    speaks_acp: false,
    tools: &[
        (
            ToolKind::Execute,
            &["Bash", "BashOutput", "KillShell", "Monitor"],
        ),
        (
            ToolKind::Edit,
            &["Edit", "Write", "MultiEdit", "NotebookEdit"],
        ),
        (ToolKind::Read, &["Read", "NotebookRead"]),
        (ToolKind::Search, &["Glob", "Grep", "LS", "ToolSearch"]),
        (ToolKind::Fetch, &["WebFetch", "WebSearch"]),
    ],
};

static API: AgentApi = AgentApi {
    base_url: "https://api.anthropic.com",
    auth: Auth::Header("x-api-key"),
    key_variables: &["ANTHROPIC_API_KEY"],
    prices: "anthropic",
};

/// The tools that only read.
const READING: &[&str] = &["Read", "Glob", "Grep", "LS", "NotebookRead"];
/// The tools that work in the workspace.
const EDITING: &[&str] = &[
    "Read",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Bash",
    "BashOutput",
    "KillShell",
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "Task",
    "TodoWrite",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "TaskStop",
    "Skill",
    "ToolSearch",
];
/// The tools that reach beyond it.
const BEYOND: &[&str] = &["WebFetch", "WebSearch", "Monitor"];

fn launch(assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    let turns = settings.max_turns.map(|turns| turns.to_string());
    let launch = Launch::with(["-p", "--output-format", "stream-json", "--verbose"])
        .option("--model", settings.model.as_deref())
        .option("--max-turns", turns.as_deref());
    permitted(launch, assignment)
        .env_if("ANTHROPIC_BASE_URL", assignment.base_url)
        .env_if("ANTHROPIC_API_KEY", assignment.api_key)
        .env("CLAUDE_CONFIG_DIR", assignment.home(".claude"))
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_MAX_RETRIES", "0")
        .folder(assignment.home(".claude"))
}

/// Adds the permissions. Tools that are not allowed are refused without a question.
fn permitted(launch: Launch, assignment: &Assignment<'_>) -> Launch {
    let settings = assignment.settings;
    // Claude Code refuses to bypass its permissions as root.
    if settings.permissions == Permissions::All && settings.tools.is_none() && !assignment.is_root {
        return launch.args(["--permission-mode", "bypassPermissions"]);
    }
    let allowed = match settings.permissions {
        Permissions::ReadOnly => READING.to_vec(),
        Permissions::Edit => EDITING.to_vec(),
        Permissions::All => [EDITING, BEYOND].concat(),
    };
    let launch = launch.args(["--permission-mode", "dontAsk"]);
    match &settings.tools {
        None => launch.args(["--allowedTools", &allowed.join(",")]),
        Some(tools) => {
            let tools = tools.join(",");
            launch.args(["--tools", &tools, "--allowedTools", &tools])
        }
    }
}
