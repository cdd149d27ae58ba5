//! Agents that speak the Agent Client Protocol.

use agentv_core::{AgentTrace, ToolKind};
use agentv_testkit::AgentConduct;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::stage::{Stage, recorded, recordings};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        an_agent_that_speaks_acp_is_led_to_its_end,
        a_permission_that_is_not_given_is_refused_by_kind,
        a_model_that_an_agent_refuses_is_an_error,
    ]
}

fn an_agent_that_speaks_acp_is_led_to_its_end() {
    let stage = Stage::new(
        "acp",
        "qwen-code",
        AgentConduct::Proper,
        json!({"model": null}),
    );
    let transcript = stage.run().unwrap();
    let kinds: Vec<_> = transcript
        .tool_calls()
        .map(|call| call.kind().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [ToolKind::Edit, ToolKind::Execute, ToolKind::Execute]
    );
    assert!(transcript.answer().ends_with("failed with exit code 3."));
    let said = std::fs::read_to_string(stage.root().join("work/conversation.jsonl")).unwrap();
    let said: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let methods: Vec<_> = said
        .iter()
        .filter_map(|message| message["method"].as_str())
        .collect();
    assert_eq!(methods, ["initialize", "session/new", "session/prompt"]);
    assert_eq!(said[0]["params"]["clientCapabilities"]["terminal"], false);
    let answers = said
        .iter()
        .filter(|message| message.get("result").is_some());
    for answer in answers {
        assert_eq!(answer["result"]["outcome"]["outcome"], "selected");
    }
}

fn a_permission_that_is_not_given_is_refused_by_kind() {
    let fields = json!({"model": null, "permissions": "read_only"});
    let stage = Stage::new("acp", "qwen-code_read_only", AgentConduct::Proper, fields);
    let error = stage.run().unwrap_err();
    assert!(error.message.contains("was refused every tool"), "{error}");
    let partial = error.partial.unwrap();
    let trace = AgentTrace::of(partial.trace.as_ref().unwrap()).unwrap();
    assert_eq!(trace.denials.len(), 1);
}

fn a_model_that_an_agent_refuses_is_an_error() {
    let stream = std::fs::read_to_string(recordings().join("acp/qwen-code/stream.jsonl")).unwrap();
    let mut lines: Vec<Value> = stream
        .lines()
        .take(2)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let error = json!({"code": -32602, "message": "no such model"});
    lines.push(json!({"jsonrpc": "2.0", "id": 3, "error": error}));
    let folder = recorded(&lines);
    let scenario = folder.path().to_str().unwrap();
    let stage = Stage::new(
        "acp",
        scenario,
        AgentConduct::Proper,
        json!({"model": "m2"}),
    );
    let error = stage.run().unwrap_err();
    assert!(
        error
            .message
            .contains("does not accept the `model` of the target: no such model"),
        "{error}"
    );
}
