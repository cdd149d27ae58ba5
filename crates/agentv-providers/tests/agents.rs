//! Agents as targets, with a fake agent that replays recordings of real ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{
    AgentTrace, Allowance, Cause, ProviderError, Request, ToolKind, Transcript, WorkspaceFolders,
};
use agentv_process::{Runner, Sandbox};
use agentv_testkit::model::{Behaviour, ModelServer, Usage};
use agentv_testkit::{AgentConduct, processes};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::project::{DEADLINE, Project, block_on};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = trials![
        every_recording_becomes_the_expected_transcript,
        the_figures_of_every_agent_are_those_of_the_scripted_model,
        an_agent_that_speaks_acp_is_led_to_its_end,
        a_permission_that_is_not_given_is_refused_by_kind,
        an_agent_gets_a_clean_environment_and_its_prompt_on_stdin,
        rubbish_between_the_events_changes_nothing,
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
        a_key_stays_with_the_proxy_which_counts_calls_tokens_and_cost,
        the_proxy_stops_an_agent_at_its_limit_of_turns,
        the_proxy_stops_an_agent_when_the_budget_is_used_up,
        a_busy_model_does_not_end_an_agent_that_has_begun,
        without_a_proxy_the_agent_has_the_key,
        options_that_an_agent_does_not_have_are_refused,
        the_version_of_an_agent_is_part_of_its_program,
        a_failure_that_may_pass_is_final_for_an_agent_that_would_not_stop,
        without_a_proxy_turns_and_cost_are_counted_from_the_stream,
        a_tool_that_was_withheld_counts_as_refused,
        the_last_result_of_an_agent_counts,
        a_model_that_an_agent_refuses_is_an_error,
        an_overloaded_model_is_worth_another_attempt,
    ];
    let (runner, cancel) = (Runner::of_this_program(), CancellationToken::new());
    let has_bubblewrap = block_on(Sandbox::Bubblewrap.check(&runner, &cancel)).is_ok();
    let walled = trials![
        an_agent_in_a_sandbox_changes_only_its_workspace_and_sees_only_its_processes,
        an_agent_in_a_sandbox_without_network_reaches_the_proxy_and_nothing_else,
        a_daemon_of_an_agent_in_a_sandbox_is_ended,
    ];
    let walled = walled.into_iter();
    trials.extend(walled.map(|trial| trial.with_ignored_flag(!has_bubblewrap)));
    trials
}

/// The agents with a stream of their own.
const AGENTS: &[&str] = &[
    "claude-code",
    "codex",
    "gemini-cli",
    "copilot",
    "opencode",
    "pi",
    "qwen-code",
];

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

fn recording(agent: &str, scenario: &str) -> String {
    let path = recordings().join(agent).join(scenario);
    path.to_str().unwrap().to_owned()
}

/// The folder of the trial below that of all workspaces, as deep as in a run.
const TRIAL: &str = "run/trial";

/// A project with an agent that replays a recording, and a workspace for it.
struct Stage {
    project: Project,
    place: tempfile::TempDir,
    mark: String,
}

impl Stage {
    fn new(agent: &str, scenario: &str, conduct: AgentConduct, fields: Value) -> Stage {
        let place = tempfile::tempdir().unwrap();
        for name in ["work", "home", "tmp"] {
            std::fs::create_dir_all(place.path().join(TRIAL).join(name)).unwrap();
        }
        let mark = format!("agents-{}", place.path().display());
        let program = std::env::current_exe().unwrap();
        let mut target = json!({
            "provider": agent,
            "command": [program, "fake-agent", recording(agent, scenario), conduct.name()],
            "model": "my-model",
            "env": {"AGENTV_TEST_MARK": mark},
        });
        if agent == "acp" {
            // The recorded agents were not asked for another model.
            target["model"] = Value::Null;
        }
        let mut fields = fields.as_object().unwrap().clone();
        if let Some(Value::Object(env)) = fields.remove("env") {
            target["env"].as_object_mut().unwrap().extend(env);
        }
        target.as_object_mut().unwrap().extend(fields);
        Stage {
            project: Project::of(target),
            place,
            mark,
        }
    }

    /// Returns the folder of the trial.
    fn root(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(TRIAL)
    }

    fn request(&self) -> Request {
        let root = self.root();
        Request {
            workspace: Some(Arc::new(WorkspaceFolders {
                work: root.join("work"),
                home: root.join("home"),
                tmp: root.join("tmp"),
            })),
            ..self
                .project
                .request("case", "Create hello.txt and test it.")
        }
    }

    fn run(&self) -> Result<Transcript, ProviderError> {
        self.run_for(&self.request())
    }

    fn run_for(&self, request: &Request) -> Result<Transcript, ProviderError> {
        let variables = [("PATH", std::env::var("PATH").unwrap())];
        let variables = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        let variables: Vec<(&str, &str)> = variables
            .chain([
                ("SECRET_OF_THE_USER", "do-not-pass-1234"),
                ("WANTED", "yes"),
            ])
            .collect();
        let provider = self
            .project
            .resolve("t", &variables)
            .unwrap()
            .target
            .provider;
        assert!(provider.needs_workspace());
        let answer = block_on(provider.answer(request, &CancellationToken::new()));
        let left = processes::wait_for_none_with("AGENTV_TEST_MARK", &self.mark, DEADLINE);
        assert_eq!(left, [0; 0], "processes are left");
        if let Err(error) = &answer {
            let acted = error
                .partial
                .as_ref()
                .is_some_and(|it| it.tool_calls().next().is_some());
            assert!(!acted || !provider.may_repeat(error));
        }
        answer
    }

    /// Reads a file that the agent wrote.
    fn file(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.root().join("work").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

fn claude(conduct: AgentConduct, fields: Value) -> Stage {
    Stage::new("claude-code", "work", conduct, fields)
}

/// Returns a transcript without what differs from run to run.
fn stable(transcript: &Transcript) -> Value {
    let mut value = serde_json::to_value(transcript).unwrap();
    value.as_object_mut().unwrap().remove("artifacts");
    for message in value["output_messages"].as_array_mut().unwrap() {
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            call.as_object_mut().unwrap().remove("duration_ms");
        }
    }
    value
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

const KEY: &str = "sk-real-key-5b8c1f03";

fn model() -> ModelServer {
    let behaviour = Behaviour::answering("Fine.").usage(Usage {
        input: 1000,
        output: 50,
        cached: 200,
    });
    ModelServer::start(behaviour).unwrap()
}

fn calling(server: &ModelServer, fields: Value) -> Stage {
    let mut all = json!({
        "base_url": server.url(), "api_key": KEY,
        "price": {"input": 3, "output": 15, "cached_input": 0.3},
    });
    all.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    claude(AgentConduct::CallsModel, all)
}

fn proxy_facts(transcript: &Transcript) -> Value {
    transcript.trace.as_ref().unwrap()["proxy"].clone()
}

fn a_key_stays_with_the_proxy_which_counts_calls_tokens_and_cost() {
    let server = model();
    let stage = calling(&server, json!({}));
    let transcript = stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["200", "200", "200", "200", "401"])
    );
    let note = stage.file("fake-agent.json").to_string();
    assert!(!note.contains(KEY), "the agent has the key");
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for request in requests {
        assert_eq!(request.header("x-api-key"), Some(KEY));
        assert_eq!(request.path, "/v1/messages?beta=true");
    }
    let facts = proxy_facts(&transcript);
    // Per call: 800 × 3 + 200 × 0.3 + 50 × 15 millionths of a dollar.
    let cost = facts["cost_usd"].as_f64().unwrap();
    assert!((cost - 4.0 * 0.00321).abs() < 1e-9, "{facts}");
    let counts =
        ["calls", "turns", "input", "output", "cached"].map(|name| facts[name].as_u64().unwrap());
    assert_eq!(counts, [4, 4, 4000, 200, 800]);
}

fn the_proxy_stops_an_agent_at_its_limit_of_turns() {
    let server = model();
    let stage = calling(&server, json!({"max_turns": 2}));
    let transcript = stage.run().unwrap();
    assert_eq!(transcript.finish_reason.as_deref(), Some("max_turns"));
    assert_eq!(server.calls().total, 2);
    assert_eq!(proxy_facts(&transcript)["turns"], 2);
    // The agent was stopped before it printed anything: the proxy has counted.
    assert_eq!(transcript.token_usage.unwrap().input, 2000);
    assert!((transcript.cost_usd.unwrap() - 2.0 * 0.00321).abs() < 1e-9);
}

fn the_proxy_stops_an_agent_when_the_budget_is_used_up() {
    let server = model();
    let stage = calling(&server, json!({}));
    let request = Request {
        allowance: Allowance::new(|cost| cost < 0.004),
        ..stage.request()
    };
    let error = stage.run_for(&request).unwrap_err();
    assert_eq!(
        (error.cause, error.message.as_str()),
        (
            Cause::Setup,
            "Claude Code was stopped: the budget of the run is used up"
        )
    );
    assert_eq!(server.calls().total, 2);
    let cost = error.partial.unwrap().cost_usd.unwrap();
    assert!((cost - 2.0 * 0.00321).abs() < 1e-9);
}

fn a_busy_model_does_not_end_an_agent_that_has_begun() {
    let script =
        agentv_testkit::model::script("ok, status=529 retry-after=0, status=503 retry-after=0, ok");
    let behaviour = Behaviour::answering("Fine.").script(script.unwrap());
    let server = ModelServer::start(behaviour).unwrap();
    let stage = calling(&server, json!({}));
    let transcript = stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["200", "200", "200", "200", "401"])
    );
    assert_eq!(transcript.trace.unwrap()["retries"], 2);
    // Before the first answer, the runner decides.
    let behaviour = Behaviour::default().always(agentv_testkit::model::Step::Status(529));
    let server = ModelServer::start(behaviour).unwrap();
    let stage = calling(&server, json!({}));
    stage.run().unwrap();
    assert_eq!(
        stage.file("calls.json"),
        json!(["529", "529", "529", "529", "401"])
    );
    assert_eq!(server.calls().total, 4);
}

fn without_a_proxy_the_agent_has_the_key() {
    let server = model();
    let stage = calling(&server, json!({"proxy": false}));
    let transcript = stage.run().unwrap();
    let variables = &stage.file("fake-agent.json")["variables"];
    assert_eq!(variables["ANTHROPIC_API_KEY"], KEY);
    assert_eq!(variables["ANTHROPIC_BASE_URL"], server.url());
    assert_eq!(proxy_facts(&transcript), Value::Null);
}

fn options_that_an_agent_does_not_have_are_refused() {
    let refused = |fields: Value| {
        let project = Project::of(fields);
        project.resolve("t", &[]).unwrap_err().to_string()
    };
    let tools = refused(json!({"provider": "codex", "tools": ["shell"]}));
    assert!(
        tools.contains("Codex cannot be limited to some of its tools"),
        "{tools}"
    );
    let model = refused(json!({"provider": "pi"}));
    assert!(model.contains("`model`: missing"), "{model}");
    let permissions = refused(json!({"provider": "pi", "model": "m", "permissions": "none"}));
    assert!(permissions.contains("read_only"), "{permissions}");
    for provider in ["claude-code", "cli"] {
        let fields = json!({"provider": provider, "command": ["a"], "network": "none"});
        let network = refused(fields);
        assert!(network.contains("`none` needs a sandbox"), "{network}");
    }
    let proxy = refused(json!({
        "provider": "claude-code", "sandbox": "bubblewrap", "network": "none", "proxy": false,
    }));
    assert!(proxy.contains("only through the proxy"), "{proxy}");
}

fn the_version_of_an_agent_is_part_of_its_program() {
    let project = Project::of(json!({"provider": "claude-code", "command": ["claude"]}));
    let package = project.write("../agents/package/package.json", r#"{"version": "1.2.3"}"#);
    let program = package.with_file_name("claude");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    let path = program.parent().unwrap().to_str().unwrap();
    let target = project.resolve("t", &[("PATH", path)]).unwrap().target;
    let files = target.provider.program(&project.evals()).files;
    let files: Vec<_> = files
        .iter()
        .map(|file| (file.name.as_str(), file.path.ends_with("package.json")))
        .collect();
    assert_eq!(files, [("claude (version)", true)]);
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

fn a_failure_that_may_pass_is_final_for_an_agent_that_would_not_stop() {
    let behaviour = Behaviour::default().always(agentv_testkit::model::Step::Status(529));
    let server = ModelServer::start(behaviour).unwrap();
    let fields = json!({"base_url": server.url(), "api_key": KEY, "api": "anthropic"});
    let stage = Stage::new("copilot", "work", AgentConduct::CallsModel, fields);
    stage.run().unwrap();
    // The proxy answers what agents do not repeat, and asks the model once per call.
    assert_eq!(
        stage.file("calls.json"),
        json!(["400", "400", "400", "400", "401"])
    );
    assert_eq!(server.calls().total, 4);
}

fn without_a_proxy_turns_and_cost_are_counted_from_the_stream() {
    for agent in ["pi", "codex", "copilot", "opencode"] {
        let stage = Stage::new(agent, "work", AgentConduct::Proper, json!({"max_turns": 2}));
        let transcript = stage.run().unwrap();
        assert_eq!(
            transcript.finish_reason.as_deref(),
            Some("max_turns"),
            "{agent}"
        );
    }
    let price = json!({"price": {"input": 1, "output": 10, "cached_input": 0.1}});
    let stage = Stage::new("codex", "work", AgentConduct::Proper, price);
    let cost = stage.run().unwrap().cost_usd.unwrap();
    // 3200 × 1 + 800 × 0.1 + 200 × 10 millionths of a dollar.
    assert!((cost - 0.00528).abs() < 1e-9, "{cost}");
    // pi reports the cost of each step: 0.00132 dollars.
    let stage = Stage::new("pi", "work", AgentConduct::Proper, json!({}));
    let request = Request {
        allowance: Allowance::new(|cost| cost < 0.002),
        ..stage.request()
    };
    let error = stage.run_for(&request).unwrap_err();
    assert_eq!(
        error.message,
        "pi was stopped: the budget of the run is used up"
    );
    let cost = error.partial.unwrap().cost_usd.unwrap();
    assert!((cost - 2.0 * 0.00132).abs() < 1e-9, "{cost}");
}

/// Writes a recording that consists of these lines, and returns its folder.
fn recorded(lines: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = lines.iter().map(|line| format!("{line}\n"));
    std::fs::write(
        folder.path().join("stream.jsonl"),
        lines.collect::<String>(),
    )
    .unwrap();
    folder
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

fn an_overloaded_model_is_worth_another_attempt() {
    let project = Project::of(json!({"provider": "claude-code"}));
    let retry = project.resolve("t", &[]).unwrap().target.limits.retry;
    assert!(retry.status_codes().contains(&529));
    assert_eq!(retry.max_retries, 1);
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
