//! A worker needs none of the project's files: whatever a trial needs arrives by digest.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer};
use serde_json::json;

use crate::engine::{Worker, engine, nats, nothing_is_left_on, run_on};
use crate::program::{NONE, agentv, finish, project as project_of};
use crate::records::{each_case_once, run_folder, run_folders, timeless_records, whole_records};

/// The file that every message names.
const QUESTION: &str = "What is the price?\n";

/// A project whose trials need files: a workspace, a script that answers, a script that grades, a file in a
/// message, and a template of a judge.
fn project() -> Project {
    let answer = "#!/bin/sh\ncat shop/price.txt 2>/dev/null || cat price.txt\nls\n";
    let grade = "import json, sys\nsubject = json.load(sys.stdin)\n\
                 print(json.dumps({'score': 1.0 if '42' in json.dumps(subject) else 0.0}))\n";
    let case = |number: usize| {
        json!({
            "id": format!("case-{number:04}"),
            "expected_outcome": "the price",
            "input": [{"role": "user", "content": [
                {"type": "text", "value": format!("number {number}")},
                {"type": "file", "value": "notes/question.md"},
            ]}],
            "workspace": {"from": "shop"},
            "evaluators": [
                {"type": "contains", "value": "42"},
                {"type": "code_judge", "script": ["python3", "graders/grade.py"]},
            ],
        })
    };
    let cases: String = (0..6).map(|number| format!("{}\n", case(number))).collect();
    let target = json!({"targets": [
        {"name": "default", "provider": "cli", "command": ["./tools/answer.sh", "{PROMPT}"]},
    ]});
    let project = Project::new(&[
        (".git/HEAD", ""),
        ("targets.yaml", &target.to_string()),
        ("tools/answer.sh", answer),
        ("graders/grade.py", grade),
        ("notes/question.md", QUESTION),
        ("shop/price.txt", "42\n"),
        ("cases.jsonl", &cases),
    ])
    .unwrap();
    let tool = project.path("tools/answer.sh");
    fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).unwrap();
    project
}

#[test]
fn a_worker_gets_every_file_that_a_trial_needs() {
    let Some(server) = nats() else { return };
    let local = project();
    finish(&mut agentv(&local, NONE)).expect(0);
    let project = project();
    let workers = [
        Worker::start(&server.url(), 2),
        Worker::start(&server.url(), 2),
    ];
    finish(&mut run_on(&server.url(), &project, &[])).expect(0);
    let (one, other) = (run_folder(&local), run_folder(&project));
    each_case_once(&other, 6);
    for file in ["results.jsonl", "transcripts.jsonl"] {
        assert_eq!(
            timeless_records(&one.join(file)),
            timeless_records(&other.join(file))
        );
    }
    nothing_is_left_on(&server);
    drop(workers);
}

/// An agent that changes a file of its workspace and prints what Claude Code would print.
const AGENT: &str = r#"
import json, sys
sys.stdin.read()
price = open("price.txt").read().strip()
open("price.txt", "w").write("43\n")
print(json.dumps({"type": "system", "subtype": "init", "model": "m", "session_id": "s"}))
text = {"type": "text", "text": "It was " + price}
print(json.dumps({"type": "assistant", "message": {"id": "1", "content": [text]}}))
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": text["text"]}))
"#;

/// A script that answers each request of a judge.
const JUDGE: &str = "import json\n\
    print(json.dumps({'score': 1, 'hits': ['it has the price'], 'misses': [], 'reasoning': 'fine'}))\n";

/// A project with a model that has tools, an agent, a recording, and a judge that is a command.
fn project_of_all_kinds(model: &ModelServer) -> Project {
    let targets = json!({"targets": [
        {"name": "model", "provider": "openai", "model": "m", "base_url": model.url(),
         "api_key": "not-a-secret-key", "max_steps": 2, "tools": [
            {"name": "lookup", "command": ["python3", "tools/lookup.py"]},
            {"mcp": {"command": ["python3", "tools/server.py"], "tools": ["weather"]}},
         ]},
        {"name": "agent", "provider": "claude-code", "command": ["python3", "tools/agent.py"],
         "model": "m", "base_url": model.url(), "api_key": "not-a-secret-key"},
        {"name": "past", "provider": "replay", "path": "tools/answers.txt"},
        {"name": "judge", "provider": "cli", "command": ["python3", "tools/judge.py"]},
    ]});
    let evaluators = json!([
        {"name": "script", "type": "code_judge", "script": ["python3", "notes/../graders/grade.py"]},
        {"name": "judge", "type": "llm_judge", "target": "judge", "prompt": "graders/judge.md"},
    ]);
    let case = |id: &str, text: &str| {
        let content = json!([
            {"type": "text", "value": text},
            {"type": "file", "value": "notes/question.md"},
        ]);
        json!({
            "id": id, "expected_outcome": "the price", "workspace": {"from": "shop"},
            "input": [{"role": "user", "content": content}], "evaluators": evaluators,
        })
    };
    let cases = format!(
        "{}\n{}\n",
        case("one", "!tool=lookup! !first=1! the price"),
        case("two", "!tool=weather! !first=1! the weather")
    );
    let grade =
        "import json, sys\nprint(json.dumps({'score': 1.0 if json.load(sys.stdin) else 0.0}))\n";
    let answers = "{\"id\": \"one\", \"text\": \"42\"}\n{\"id\": \"two\", \"text\": \"rain\"}\n";
    let server = include_str!("../../../../corpus/models/pass/mcp/project/server.py");
    Project::new(&[
        (".git/HEAD", ""),
        ("targets.yaml", &targets.to_string()),
        ("tools/lookup.py", "print('42')\n"),
        ("tools/server.py", server),
        ("tools/agent.py", AGENT),
        ("tools/answers.txt", answers),
        ("tools/judge.py", JUDGE),
        ("graders/grade.py", grade),
        ("graders/judge.md", "Grade {{ candidate_answer }}.\n"),
        ("notes/question.md", QUESTION),
        ("shop/price.txt", "42\n"),
        ("cases.jsonl", &cases),
    ])
    .unwrap()
}

/// Returns the parts of the results that do not depend on times, by case.
fn essentials(project: &Project) -> Vec<String> {
    let mut results = each_case_once(&run_folder(project), 2);
    results.sort_by_key(|result| result["eval_id"].to_string());
    let essentials = results.iter().map(|result| {
        let messages = result["output_messages"].as_array().into_iter().flatten();
        let calls = messages.flat_map(|message| message["tool_calls"].as_array());
        let outputs = calls.flatten().map(|call| call["output"].to_string());
        let outputs: Vec<String> = outputs.collect();
        let fields = [
            "eval_id",
            "status",
            "score",
            "hits",
            "candidate_answer",
            "reasoning",
        ];
        let fields = fields.map(|field| result[field].to_string());
        format!("{} {}", fields.join(" "), outputs.join(" "))
    });
    essentials.collect()
}

#[test]
fn models_with_tools_agents_recordings_and_judges_have_their_files_on_a_worker() {
    let Some(server) = nats() else { return };
    let workers = [
        Worker::start(&server.url(), 2),
        Worker::start(&server.url(), 2),
    ];
    for (target, tools) in [("model", true), ("agent", false), ("past", false)] {
        let arguments = ["--target", target, "--include-trace"];
        // Each asks a server of its own: the first call of a message uses a tool.
        let model = ModelServer::start(Behaviour::echo()).unwrap();
        let local = project_of_all_kinds(&model);
        finish(&mut agentv(&local, arguments)).expect(0);
        let model = ModelServer::start(Behaviour::echo()).unwrap();
        let project = project_of_all_kinds(&model);
        finish(&mut run_on(&server.url(), &project, &arguments)).expect(0);
        let (expected, found) = (essentials(&local), essentials(&project));
        assert_eq!(expected, found, "{target}");
        assert_eq!(found[0].contains("\"42\\n\""), tools, "{found:?}");
        nothing_is_left_on(&server);
    }
    drop(workers);
}

#[test]
fn an_answer_from_the_cache_is_recorded_and_graded_on_a_worker() {
    let Some(server) = nats() else { return };
    let model = ModelServer::start(Behaviour::answering("right")).unwrap();
    let targets = crate::program::model_target(&model, &[]);
    let project = project_of(&targets, 5, |number| format!("number {number}"));
    let worker = Worker::start(&server.url(), 2);
    for _ in 0..2 {
        finish(&mut run_on(&server.url(), &project, &["--cache"])).expect(0);
    }
    assert_eq!(model.calls().total, 5);
    let runs = run_folders(&project);
    let second = runs.last().unwrap();
    let results = each_case_once(second, 5);
    assert!(results.iter().all(|result| result["cached"] == true));
    let answers = whole_records(&second.join("transcripts.jsonl"));
    assert_eq!(answers.len(), 5);
    nothing_is_left_on(&server);
    drop(worker);
}

#[test]
fn a_trial_that_no_worker_can_execute_errors_with_the_reason() {
    let Some(server) = nats() else { return };
    let project = project();
    let worker = Worker::start(&server.url(), 2);
    worker.until_says("connected");
    // A folder is in the place of the file that every message names.
    let digest = agentv_core::Digest::of(QUESTION.as_bytes()).to_string();
    let cache = worker.home().join(".cache/agentv/worker/files");
    fs::create_dir_all(cache.join(digest)).unwrap();
    let ended = finish(&mut run_on(&server.url(), &project, &[])).expect(3);
    assert!(
        ended.stderr.contains("cannot write files"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("was lost"), "{}", ended.stderr);
    let status = engine(&server.url(), "status").expect(0);
    assert!(
        status.stdout.contains("1 worker, 2 slots"),
        "{}",
        status.stdout
    );
    nothing_is_left_on(&server);
}
