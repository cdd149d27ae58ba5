//! Any bytes as the stream of an agent and as a session file.

use agentv_providers::fuzzing::of_recording;

use super::comes_back;

/// The agents, and the name of a session file of each.
const AGENTS: &[(&str, &str)] = &[
    ("claude-code", "none"),
    ("codex", ".codex/sessions/rollout.jsonl"),
    ("gemini-cli", ".gemini/tmp/work/chats/session.jsonl"),
    ("copilot", ".copilot/session-state/1/events.jsonl"),
    ("copilot", "copilot-usage.json"),
    ("opencode", "none"),
    ("pi", "none"),
    ("qwen-code", "none"),
    ("acp", "none"),
];

/// Reads an input as every agent: the stream, and after a line `%%` the session file. The transcript can
/// be stored in a record, and the calls of a stream without its last line are calls of the stream.
pub fn agent_stream(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (stream, file) = text.split_once("\n%%\n").unwrap_or((&text, ""));
    for (agent, name) in AGENTS {
        let files = [((*name).to_owned(), file.to_owned())];
        let (transcript, _) = of_recording(agent, stream.as_bytes(), &files).expect("an agent");
        comes_back(&transcript);
        let (before, _) = stream.rsplit_once('\n').unwrap_or_default();
        let (part, _) = of_recording(agent, before.as_bytes(), &[]).expect("an agent");
        let (whole, _) = of_recording(agent, stream.as_bytes(), &[]).expect("an agent");
        let (part, whole) = (part.tool_calls().count(), whole.tool_calls().count());
        assert!(part <= whole, "{agent} loses calls");
    }
}
