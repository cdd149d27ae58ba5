//! Streams of agents become transcripts.

use agentv_core::{AgentTrace, ToolKind};
use agentv_testkit::AgentConduct;
use libtest_mimic::Trial;
use serde_json::json;

use super::stage::{AGENTS, Stage, recorded, recordings, stable};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        every_recording_becomes_the_expected_transcript,
        the_figures_of_every_agent_are_those_of_the_scripted_model,
        rubbish_between_the_events_changes_nothing,
        a_tool_that_was_withheld_counts_as_refused,
        the_last_result_of_an_agent_counts,
    ]
}

fn every_recording_becomes_the_expected_transcript() {
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|mode| mode == "overwrite");
    let mut seen = 0;
    for agent in AGENTS.iter().chain(&["acp"]) {
        let folders = std::fs::read_dir(recordings().join(agent)).unwrap();
        for folder in folders {
            let folder = folder.unwrap().path();
            let scenario = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let fields = match scenario.as_str() {
                "max_turns" => json!({"max_turns": 2}),
                _ if scenario.ends_with("_read_only") => json!({"permissions": "read_only"}),
                _ => json!({}),
            };
            let stage = Stage::new(agent, &scenario, AgentConduct::Proper, fields);
            let outcome = match stage.run() {
                Ok(transcript) => json!({"transcript": stable(&transcript)}),
                Err(error) => json!({
                    "error": {"cause": format!("{:?}", error.cause), "message": error.message},
                    "transcript": error.partial.as_deref().map(stable),
                }),
            };
            let text = format!("{outcome:#}\n");
            let path = folder.join("expected.json");
            if overwrite {
                std::fs::write(&path, &text).unwrap();
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(text, expected, "{agent} {scenario}");
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen} recordings");
}

fn the_figures_of_every_agent_are_those_of_the_scripted_model() {
    for agent in AGENTS {
        let stage = Stage::new(agent, "work", AgentConduct::Proper, json!({}));
        let transcript = stage.run().unwrap();
        // Four calls of the model with 1000 tokens in, 200 of them cached, and 50 out.
        let usage = transcript.token_usage.unwrap();
        assert_eq!((usage.input, usage.output), (4000, 200), "{agent}");
        assert_eq!(usage.cached, Some(800), "{agent}");
        let calls: Vec<_> = transcript.tool_calls().collect();
        let kinds: Vec<_> = calls.iter().map(|call| call.kind().unwrap()).collect();
        assert_eq!(
            kinds,
            [ToolKind::Edit, ToolKind::Execute, ToolKind::Execute],
            "{agent}"
        );
        let errors: Vec<bool> = calls.iter().map(|call| call.is_error()).collect();
        assert_eq!(errors, [false, false, true], "{agent}");
        let codes: Vec<_> = calls[1..].iter().map(|call| call.exit_code()).collect();
        assert_eq!(codes, [Some(0), Some(3)], "{agent}");
        for call in &calls {
            let has_all = call.input.is_some() && call.output.is_some();
            assert!(has_all && call.duration_ms.is_some(), "{agent} {call:?}");
        }
        assert!(
            transcript.answer().ends_with("failed with exit code 3."),
            "{agent}"
        );
        assert_eq!(transcript.turns(), 4, "{agent}");
        let trace = AgentTrace::of(transcript.trace.as_ref().unwrap()).unwrap();
        assert_eq!(trace.agent.as_deref(), Some(*agent));
        assert_eq!(transcript.artifacts[0].name, "stream.jsonl");
    }
}

fn rubbish_between_the_events_changes_nothing() {
    for agent in AGENTS {
        let run = |conduct| stable(&Stage::new(agent, "work", conduct, json!({})).run().unwrap());
        assert_eq!(
            run(AgentConduct::PrintsRubbish),
            run(AgentConduct::Proper),
            "{agent}"
        );
    }
}

fn a_tool_that_was_withheld_counts_as_refused() {
    let input = json!({"tool": "bash", "error": "Model tried to call unavailable tool 'bash'."});
    let state =
        json!({"status": "completed", "input": input, "output": "The arguments are invalid"});
    let folder = recorded(&[
        json!({"type": "step_start", "sessionID": "s"}),
        json!({"type": "tool_use", "part": {
            "callID": "1", "tool": "invalid", "messageID": "m", "state": state,
        }}),
        json!({"type": "step_finish", "part": {"reason": "stop"}}),
    ]);
    let scenario = folder.path().to_str().unwrap();
    let run = |fields| Stage::new("opencode", scenario, AgentConduct::Proper, fields).run();
    let error = run(json!({"permissions": "read_only"})).unwrap_err();
    assert!(error.message.contains("was refused every tool"), "{error}");
    // Otherwise it is a mistake of the model, under the name that it used.
    let transcript = run(json!({})).unwrap();
    let call = transcript.tool_calls().next().unwrap();
    assert_eq!((call.tool.as_str(), call.is_error()), ("bash", true));
}

fn the_last_result_of_an_agent_counts() {
    let says = |id: &str, text: &str| {
        let content = json!([{"type": "text", "text": text}]);
        json!({"type": "assistant", "message": {"id": id, "content": content}})
    };
    let result = |text: &str, cost: f64, input: u64| {
        json!({
            "type": "result", "subtype": "success", "is_error": false, "result": text,
            "total_cost_usd": cost, "usage": {"input_tokens": input, "output_tokens": 5},
        })
    };
    let folder = recorded(&[
        says("1", "first"),
        result("first", 0.01, 10),
        says("2", "second"),
        result("second", 0.02, 20),
    ]);
    let scenario = folder.path().to_str().unwrap();
    let stage = Stage::new("claude-code", scenario, AgentConduct::Proper, json!({}));
    let transcript = stage.run().unwrap();
    assert_eq!(transcript.answer(), "second");
    assert_eq!(transcript.cost_usd, Some(0.02));
    assert_eq!(transcript.token_usage.unwrap().input, 20);
}
