//! Agents that behave, and agents that do not.

use std::path::Path;
use std::time::Duration;

use agentv_core::{Cause, ProviderError, Request};
use agentv_testkit::AgentConduct;
use libtest_mimic::Trial;
use serde_json::json;

use super::stage::claude;

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        an_agent_gets_a_clean_environment_and_its_prompt_on_stdin,
        an_agent_that_stays_after_its_final_event_is_ended,
        an_agent_that_babbles_after_its_final_event_is_ended,
        an_agent_that_fails_after_its_final_event_has_answered_with_a_warning,
        a_daemon_that_an_agent_leaves_behind_is_ended,
        an_agent_without_a_sign_of_life_is_ended_and_keeps_what_it_has,
        an_agent_that_takes_too_long_is_ended_and_keeps_what_it_has,
        an_agent_that_crashes_is_an_error_that_keeps_what_it_has,
        an_agent_that_ignores_sigterm_is_ended,
        an_agent_that_acted_is_not_asked_again,
        a_missing_agent_is_named_with_what_to_do,
    ]
}

fn an_agent_gets_a_clean_environment_and_its_prompt_on_stdin() {
    let stage = claude(
        AgentConduct::Proper,
        json!({"pass_env": ["WANTED"], "args": ["--extra"]}),
    );
    stage.run().unwrap();
    let note = stage.file("fake-agent.json");
    assert_eq!(note["prompt"], "Create hello.txt and test it.");
    let variables = note["variables"].as_object().unwrap();
    assert_eq!(variables["WANTED"], "yes");
    assert!(!variables.contains_key("SECRET_OF_THE_USER"));
    for (name, folder) in [("HOME", "home"), ("TMPDIR", "tmp")] {
        let path = stage.root().join(folder);
        assert_eq!(variables[name], path.to_str().unwrap());
    }
    let arguments: Vec<&str> = note["arguments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a.as_str().unwrap())
        .collect();
    assert_eq!(arguments.last(), Some(&"--extra"));
    assert!(arguments.contains(&"stream-json"));
}

fn an_agent_that_stays_after_its_final_event_is_ended() {
    let transcript = claude(AgentConduct::StaysAfterEnd, json!({}))
        .run()
        .unwrap();
    assert_eq!(transcript.warnings, [""; 0]);
    assert_eq!(transcript.turns(), 4);
}

fn an_agent_that_babbles_after_its_final_event_is_ended() {
    let transcript = claude(AgentConduct::BabblesAfterEnd, json!({}))
        .run()
        .unwrap();
    assert_eq!(transcript.turns(), 4);
}

fn an_agent_that_fails_after_its_final_event_has_answered_with_a_warning() {
    let transcript = claude(AgentConduct::FailsAfterEnd, json!({}))
        .run()
        .unwrap();
    assert_eq!(
        transcript.warnings,
        ["Claude Code finished its work and then ended with exit code 1"]
    );
}

fn a_daemon_that_an_agent_leaves_behind_is_ended() {
    let stage = claude(AgentConduct::LeavesDaemon, json!({}));
    stage.run().unwrap();
    let daemon = stage.file("daemon.pid").as_u64().unwrap();
    assert!(!Path::new(&format!("/proc/{daemon}")).exists());
}

fn an_agent_without_a_sign_of_life_is_ended_and_keeps_what_it_has() {
    let error = claude(AgentConduct::Hangs, json!({"idle_seconds": 3}))
        .run()
        .unwrap_err();
    assert_eq!(error.cause, Cause::Timeout);
    assert_eq!(
        error.message,
        "Claude Code gave no sign of life for 3 s and was stopped; to wait longer, set \
         `idle_seconds` of the target"
    );
    assert!(error.partial.is_some());
    let error = claude(AgentConduct::Mute, json!({"idle_seconds": 0.2}))
        .run()
        .unwrap_err();
    assert_eq!(error.cause, Cause::Timeout);
}

fn an_agent_that_takes_too_long_is_ended_and_keeps_what_it_has() {
    let stage = claude(AgentConduct::Hangs, json!({}));
    let request = Request {
        timeout: Duration::from_secs(2),
        ..stage.request()
    };
    let error = stage.run_for(&request).unwrap_err();
    assert_eq!(error.cause, Cause::Timeout);
    assert!(
        error.message.contains("did not finish within 2 s"),
        "{error}"
    );
    assert!(error.partial.is_some());
}

fn an_agent_that_crashes_is_an_error_that_keeps_what_it_has() {
    let error = claude(AgentConduct::Crashes, json!({})).run().unwrap_err();
    assert_eq!(
        error.message,
        "Claude Code ended without its final event (exit code 1): panic: the agent has crashed"
    );
    assert_eq!(error.cause, Cause::Command);
    assert!(error.partial.unwrap().tool_calls().next().is_some());
}

fn an_agent_that_ignores_sigterm_is_ended() {
    let stage = claude(AgentConduct::IgnoresTermination, json!({"idle_seconds": 1}));
    let error = stage.run().unwrap_err();
    assert_eq!(error.cause, Cause::Timeout);
}

fn an_agent_that_acted_is_not_asked_again() {
    let provider = claude(AgentConduct::Proper, json!({})).project.provider();
    let error = |partial: &str, cause| {
        let partial = serde_json::from_str(partial).unwrap();
        ProviderError::new(cause, "overloaded").with_partial(partial)
    };
    let nothing = r#"{"output_messages": []}"#;
    let acted = r#"{"output_messages": [{"role": "assistant", "tool_calls": [{"tool": "Bash"}]}]}"#;
    assert!(provider.may_repeat(&error(nothing, Cause::Status(529))));
    assert!(!provider.may_repeat(&error(acted, Cause::Status(529))));
    assert!(!provider.may_repeat(&error(nothing, Cause::Timeout)));
}

fn a_missing_agent_is_named_with_what_to_do() {
    let stage = claude(AgentConduct::Proper, json!({"command": ["no-such-agent"]}));
    let error = stage.run().unwrap_err();
    assert_eq!(
        (error.cause, error.message.as_str()),
        (
            Cause::Setup,
            "`no-such-agent` was not found; install Claude Code, or set `command` of the target"
        )
    );
}
