//! `claude-code`: Anthropic's Claude Code.

use agentv_core::{ToolKind, WorkspaceFolders};

use super::agent::agent;
use crate::agent::{
    AgentApi, AgentKind, Assignment, ClaudeEvents, InputTokens, Launch, Permissions,
};

agent! {
    provider: "claude-code",
    program: "claude",
    doc: "Runs Claude Code in the workspace of each trial.",
    api_key: "The API key (default: the environment variable `ANTHROPIC_API_KEY`).",
    options: &[],
    example: ["claude-sonnet-4-5", "ANTHROPIC_API_KEY", "  tools: [Bash, Edit, Read]\n"],
}

pub(super) static AGENT: AgentKind = AgentKind {
    provider: "claude-code",
    name: "Claude Code",
    program: "claude",
    api: |_| &AgentApi::ANTHROPIC,
    launch,
    reader: || Box::new(ClaudeEvents::new(InputTokens::WithoutCached)),
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
    ..AgentKind::PLAIN
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
/// The tools that change files. With `edit`, they are allowed in the folders of the workspace only.
const CHANGING: &[&str] = &["Edit", "MultiEdit", "Write", "NotebookEdit"];
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
    let named = |tools: &[&[&str]]| tools.concat().into_iter().map(str::to_owned).collect();
    let allowed: Vec<String> = match settings.permissions {
        Permissions::ReadOnly => named(&[READING]),
        Permissions::Edit => {
            let mut allowed: Vec<String> = named(&[EDITING]);
            allowed.extend(changes_inside(assignment.folders));
            allowed
        }
        Permissions::All => named(&[EDITING, CHANGING, BEYOND]),
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

/// Returns the rules that allow changes of files in the folders of the workspace.
fn changes_inside(folders: &WorkspaceFolders) -> impl Iterator<Item = String> {
    let folders = [&folders.work, &folders.home, &folders.tmp];
    CHANGING.iter().flat_map(move |tool| {
        // A second slash makes the path absolute.
        folders.map(|folder| format!("{tool}(/{}/**)", folder.display()))
    })
}
