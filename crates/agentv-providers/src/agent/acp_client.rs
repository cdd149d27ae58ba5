//! A client of the Agent Client Protocol: JSON-RPC, one message per line.

use std::path::Path;
use std::time::Duration;

use agentv_core::ToolKind;
use agentv_process::{CommandInput, Dialogue};
use serde_json::{Value, json};

use super::acp_events::{INITIALIZE, NEW_SESSION, PROMPT, SET_MODEL, denial, tool_kind};
use super::listen::{Listener, Silence};
use super::permissions::Permissions;
use super::text::{items, text};

/// The session that a client asks for.
pub(crate) struct AcpSession<'a> {
    pub(crate) prompt: String,
    pub(crate) folder: &'a Path,
    pub(crate) model: Option<&'a str>,
    pub(crate) permissions: Permissions,
}

impl AcpSession<'_> {
    /// Leads the conversation until the turn ends. Then the agent may be ended.
    pub(crate) async fn hold(
        &self,
        listener: &mut Listener<'_>,
        mut dialogue: Dialogue,
        idle: Duration,
    ) -> Silence {
        let Some(mut stdin) = dialogue.stdin.take() else {
            return Silence::Over;
        };
        send(&mut stdin, &initialize()).await;
        loop {
            let line = match tokio::time::timeout(idle, dialogue.stdout.next()).await {
                Err(_) => {
                    send(&mut stdin, &cancellation(listener.draft.session_id())).await;
                    return Silence::Idle;
                }
                Ok(None) => return Silence::Over,
                Ok(Some(line)) => line.bytes.to_vec(),
            };
            listener.line(&line);
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            for reply in self.replies(&message, listener) {
                send(&mut stdin, &reply).await;
            }
            if listener.draft.stated_end().is_some() {
                return Silence::AfterEnd;
            }
        }
    }

    /// Returns the messages that follow one of the agent's.
    fn replies(&self, message: &Value, listener: &mut Listener<'_>) -> Vec<Value> {
        if message.get("method").is_some() {
            let answer = message
                .get("id")
                .map(|id| self.answer(id, message, listener));
            return answer.into_iter().collect();
        }
        let result = &message["result"];
        // Some agents answer `session/set_model` with nothing.
        let is_answer = !result.is_null() || message["id"] == SET_MODEL;
        if !is_answer || message.get("error").is_some() {
            return Vec::new();
        }
        if message["id"] == INITIALIZE {
            let parameters = json!({"cwd": self.folder, "mcpServers": []});
            return vec![request(NEW_SESSION, "session/new", parameters)];
        }
        let session = listener.draft.session_id().unwrap_or_default().to_owned();
        if message["id"] == NEW_SESSION
            && let Some(model) = self.model.map(|model| id_of(model, &result["models"]))
            && result["models"]["currentModelId"] != model
        {
            let parameters = json!({"sessionId": session, "modelId": model});
            return vec![request(SET_MODEL, "session/set_model", parameters)];
        }
        if message["id"] == SET_MODEL {
            listener.draft.model(self.model.unwrap_or_default());
        } else if message["id"] != NEW_SESSION {
            return Vec::new();
        }
        let prompt = json!({
            "sessionId": session,
            "prompt": [{"type": "text", "text": self.prompt}],
        });
        vec![request(PROMPT, "session/prompt", prompt)]
    }

    /// Answers a request of the agent. It is offered neither files nor terminals, so that only
    /// permissions remain.
    fn answer(&self, id: &Value, message: &Value, listener: &mut Listener<'_>) -> Value {
        if message["method"] != "session/request_permission" {
            let error = json!({"code": -32601, "message": "not supported"});
            return json!({"jsonrpc": "2.0", "id": id, "error": error});
        }
        let parameters = &message["params"];
        let call = &parameters["toolCall"];
        let is_allowed = self.allows(tool_kind(text(&call["kind"])), text(&call["kind"]));
        if !is_allowed {
            listener.draft.deny(text(&call["toolCallId"]), denial(call));
        }
        let outcome = match option(&parameters["options"], is_allowed) {
            Some(option) => json!({"outcome": "selected", "optionId": option}),
            None => json!({"outcome": "cancelled"}),
        };
        json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}})
    }

    fn allows(&self, kind: ToolKind, written: &str) -> bool {
        let reads = matches!(kind, ToolKind::Read | ToolKind::Search) || written == "think";
        match self.permissions {
            Permissions::ReadOnly => reads,
            Permissions::Edit => reads || matches!(kind, ToolKind::Edit | ToolKind::Execute),
            Permissions::All => true,
        }
    }
}

/// Returns the agent's id for a model, which the user may also call by the agent's name for it.
fn id_of<'m>(model: &'m str, models: &'m Value) -> &'m str {
    let mut known = items(&models["availableModels"]);
    let named = known.find(|known| known["name"] == model);
    named.map_or(model, |known| text(&known["modelId"]))
}

/// Returns the id of the option that allows or rejects, preferably once.
fn option(options: &Value, is_allowed: bool) -> Option<&Value> {
    let kinds = if is_allowed {
        ["allow_once", "allow_always"]
    } else {
        ["reject_once", "reject_always"]
    };
    kinds.iter().find_map(|kind| {
        let mut options = items(options);
        let found = options.find(|option| option["kind"] == *kind);
        found.and_then(|option| option.get("optionId"))
    })
}

fn initialize() -> Value {
    let capabilities = json!({
        "fs": {"readTextFile": false, "writeTextFile": false},
        "terminal": false,
    });
    let client = json!({"name": "agentv", "version": env!("CARGO_PKG_VERSION")});
    let parameters = json!({
        "protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": client,
    });
    request(INITIALIZE, "initialize", parameters)
}

fn request(id: u64, method: &str, parameters: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters})
}

fn cancellation(session: Option<&str>) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
}

/// Sends a message. If the agent does not read, its output ends soon.
async fn send(stdin: &mut CommandInput, message: &Value) {
    let _ = stdin.write(format!("{message}\n").as_bytes()).await;
}
