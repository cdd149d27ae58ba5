//! The action of a step of a play, whatever the agent calls its tools.

use serde_json::Value;

use super::arguments::arguments;
use super::patch;
use super::scene::{OfferedTool, Scene};
use crate::model::bodies::{Call, CallInput};

/// One action of a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Runs a command line.
    Shell { command: String },
    /// Writes a file.
    Write { path: String, content: String },
    /// Replaces a text in a file.
    Edit {
        path: String,
        old: String,
        new: String,
    },
    /// Reads a file.
    Read { path: String },
    /// Calls a tool by its name, offered or not.
    Tool { name: String, input: Value },
}

const SHELL: &[&str] = &[
    "Bash",
    "bash",
    "shell_command",
    "exec_command",
    "shell",
    "run_shell_command",
    "execute",
];
const WRITE: &[&str] = &[
    "Write",
    "write",
    "write_file",
    "create",
    "create_file",
    "apply_patch",
];
const EDIT: &[&str] = &["Edit", "edit", "replace", "str_replace", "apply_patch"];
const READ: &[&str] = &["Read", "read", "read_file", "view", "view_file"];

impl Action {
    /// Parses an action, such as `{"shell": "ls"}`.
    pub(crate) fn of(value: &Value) -> Option<Action> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        if let Some(command) = text("shell") {
            return Some(Action::Shell { command });
        }
        if let Some(path) = text("write") {
            let content = text("content").unwrap_or_default();
            return Some(Action::Write { path, content });
        }
        if let Some(path) = text("edit") {
            let (old, new) = (text("old")?, text("new")?);
            return Some(Action::Edit { path, old, new });
        }
        if let Some(path) = text("read") {
            return Some(Action::Read { path });
        }
        Some(Action::Tool {
            name: text("tool")?,
            input: value.get("input").cloned().unwrap_or_default(),
        })
    }

    /// Returns the call of an offered tool that does this; `None` if there is none.
    pub(crate) fn call(&self, scene: &Scene) -> Option<Call> {
        let (names, otherwise) = match self {
            Action::Tool { name, input } => return Some(Call::with(name, input)),
            Action::Shell { .. } => (SHELL, None),
            Action::Write { path, content } => {
                let line = format!("cat > {path} <<'END_OF_FILE'\n{content}END_OF_FILE\n");
                (WRITE, Some(line))
            }
            Action::Read { path } => (READ, Some(format!("cat {path}"))),
            Action::Edit { .. } => (EDIT, None),
        };
        if let Some(tool) = scene.tool(names) {
            return Some(self.filled(tool, scene));
        }
        // An agent that has nothing but a shell.
        let line = Action::Shell {
            command: otherwise?,
        };
        let tool = scene.tool(SHELL)?;
        Some(line.filled(tool, scene))
    }

    fn filled(&self, tool: &OfferedTool, scene: &Scene) -> Call {
        match &tool.schema {
            Some(schema) => Call::with(&tool.name, &arguments(self, schema, scene)),
            None => Call {
                name: tool.name.clone(),
                input: CallInput::Text(patch::of(self)),
            },
        }
    }
}
