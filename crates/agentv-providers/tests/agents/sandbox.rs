//! Agents in sandboxes.

use agentv_process::{Runner, Sandbox, check_sandbox};
use agentv_testkit::AgentConduct;
use libtest_mimic::Trial;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::stage::{KEY, calling, claude, model, proxy_facts};
use crate::project::block_on;

/// Returns the tests. They are ignored where bubblewrap does not work.
pub(crate) fn trials() -> Vec<Trial> {
    let (runner, cancel) = (Runner::of_this_program(), CancellationToken::new());
    let has_bubblewrap = block_on(check_sandbox(&Sandbox::Bubblewrap, &runner, &cancel)).is_ok();
    let trials = trials![
        an_agent_in_a_sandbox_changes_only_its_workspace_and_sees_only_its_processes,
        an_agent_in_a_sandbox_without_network_reaches_the_proxy_and_nothing_else,
        a_daemon_of_an_agent_in_a_sandbox_is_ended,
    ];
    trials
        .into_iter()
        .map(|trial| trial.with_ignored_flag(!has_bubblewrap))
        .collect()
}

fn an_agent_in_a_sandbox_changes_only_its_workspace_and_sees_only_its_processes() {
    let server = model();
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let tried = format!("{}:/etc", outside.path().display());
    let fields = json!({"sandbox": "bubblewrap", "env": {"FAKE_AGENT_WRITES": tried}});
    let stage = calling(&server, fields);
    stage.run().unwrap();
    // It has written this file to its workspace.
    let note = stage.file("fake-agent.json");
    let inside = ["home", "tmp"].map(|name| stage.root().join(name));
    assert_eq!(note["writable"], json!(inside));
    assert!(!outside.path().join("fake-agent-was-here").exists());
    let processes = note["processes"].as_u64().unwrap();
    assert!(processes < 5, "{processes} processes");
    let variables = note["variables"].to_string();
    assert!(!variables.contains(KEY), "the agent has the key");
    assert!(!variables.contains("do-not-pass-1234"), "{variables}");
    assert_eq!(
        stage.file("calls.json"),
        json!(["200", "200", "200", "200", "401"])
    );
}

fn an_agent_in_a_sandbox_without_network_reaches_the_proxy_and_nothing_else() {
    let server = model();
    let fields = json!({"sandbox": "bubblewrap", "network": "none"});
    let stage = calling(&server, fields);
    let transcript = stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["200", "200", "200", "200", "401"])
    );
    assert_eq!(proxy_facts(&transcript)["calls"], 4);
    assert!(!stage.file("fake-agent.json").to_string().contains(KEY));
    // Without the proxy, the address of the server is that of another machine.
    let fields = json!({
        "sandbox": "bubblewrap", "network": "none", "env": {"ANTHROPIC_BASE_URL": server.url()},
    });
    let stage = claude(AgentConduct::CallsModel, fields);
    let error = stage.run().unwrap_err();
    assert!(
        error.message.contains("ended without its final event"),
        "{error}"
    );
    assert!(error.message.contains("refused"), "{error}");
    assert_eq!(server.calls().total, 4);
}

fn a_daemon_of_an_agent_in_a_sandbox_is_ended() {
    let fields = json!({"sandbox": "bubblewrap"});
    let stage = claude(AgentConduct::LeavesDaemon, fields);
    stage.run().unwrap();
    // The id of the daemon counts inside only. `run` has checked that no process is left.
    assert!(stage.file("daemon.pid").as_u64().unwrap() < 20);
}
