//! The stage of a test: a project with a fake agent, a workspace for it, and a model server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{ProviderError, Request, Transcript, WorkspaceFolders};
use agentv_testkit::model::{Behaviour, ModelServer, Usage};
use agentv_testkit::{AgentConduct, processes};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::project::{DEADLINE, Project, block_on};

/// The agents with a stream of their own.
pub(crate) const AGENTS: &[&str] = &[
    "claude-code",
    "codex",
    "gemini-cli",
    "copilot",
    "opencode",
    "pi",
    "qwen-code",
];

pub(crate) fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

pub(crate) fn recording(agent: &str, scenario: &str) -> String {
    let path = recordings().join(agent).join(scenario);
    path.to_str().unwrap().to_owned()
}

/// The folder of the trial below that of all workspaces, as deep as in a run.
pub(crate) const TRIAL: &str = "run/trial";

/// A project with an agent that replays a recording, and a workspace for it.
pub(crate) struct Stage {
    pub(crate) project: Project,
    place: tempfile::TempDir,
    mark: String,
}

impl Stage {
    pub(crate) fn new(agent: &str, scenario: &str, conduct: AgentConduct, fields: Value) -> Stage {
        let place = tempfile::tempdir().unwrap();
        for name in ["work", "home", "tmp"] {
            std::fs::create_dir_all(place.path().join(TRIAL).join(name)).unwrap();
        }
        let mark = format!("agents-{}", place.path().display());
        let program = std::env::current_exe().unwrap();
        // A file, so that a sandbox shows its folder, wherever the repository is.
        let stream = format!("{}/stream.jsonl", recording(agent, scenario));
        let mut target = json!({
            "provider": agent,
            "command": [program, "fake-agent", stream, conduct.name()],
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
    pub(crate) fn root(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(TRIAL)
    }

    pub(crate) fn request(&self) -> Request {
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

    pub(crate) fn run(&self) -> Result<Transcript, ProviderError> {
        self.run_for(&self.request())
    }

    pub(crate) fn run_for(&self, request: &Request) -> Result<Transcript, ProviderError> {
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
    pub(crate) fn file(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.root().join("work").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

pub(crate) fn claude(conduct: AgentConduct, fields: Value) -> Stage {
    Stage::new("claude-code", "work", conduct, fields)
}

/// Returns a transcript without what differs from run to run.
pub(crate) fn stable(transcript: &Transcript) -> Value {
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

/// Writes a recording that consists of these lines, and returns its folder.
pub(crate) fn recorded(lines: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = lines.iter().map(|line| format!("{line}\n"));
    std::fs::write(
        folder.path().join("stream.jsonl"),
        lines.collect::<String>(),
    )
    .unwrap();
    folder
}

pub(crate) const KEY: &str = "sk-real-key-5b8c1f03";

pub(crate) fn model() -> ModelServer {
    let behaviour = Behaviour::answering("Fine.").usage(Usage {
        input: 1000,
        output: 50,
        cached: 200,
    });
    ModelServer::start(behaviour).unwrap()
}

pub(crate) fn calling(server: &ModelServer, fields: Value) -> Stage {
    let mut all = json!({
        "base_url": server.url(), "api_key": KEY,
        "price": {"input": 3, "output": 15, "cached_input": 0.3},
    });
    all.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    claude(AgentConduct::CallsModel, all)
}

pub(crate) fn proxy_facts(transcript: &Transcript) -> Value {
    transcript.trace.as_ref().unwrap()["proxy"].clone()
}
