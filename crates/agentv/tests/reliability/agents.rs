//! Agents that call a model through their proxy, with the limits of a run.

use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer, Usage};
use serde_json::{Value, json};

use crate::program::{agentv, finish};
use crate::records::{run_folder, whole_records};

/// The key of the model, which no agent may see.
const KEY: &str = "sk-real-77c1e0a4d2";

/// An agent that calls its model five times and writes a line after each call. It prints what Claude Code
/// would print.
const AGENT: &str = r#"
import json, os, sys, urllib.request

def emit(event):
    print(json.dumps(event), flush=True)

def ask():
    body = {"model": "my-model", "max_tokens": 9, "tools": [{"name": "Bash", "input_schema": {}}],
            "messages": [{"role": "user", "content": "Go on"}]}
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode(),
        {"content-type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]})
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()

sys.stdin.read()
emit({"type": "system", "subtype": "init", "model": "my-model", "session_id": "s"})
open("environment.txt", "w").write(json.dumps(dict(os.environ)))
for turn in range(5):
    ask()
    call = {"type": "tool_use", "id": f"call-{turn}", "name": "Bash", "input": {"command": "echo turn >> turns.txt"}}
    emit({"type": "assistant", "message": {"id": f"message-{turn}", "content": [call]}})
    with open("turns.txt", "a") as file:
        file.write("turn\n")
    result = {"type": "tool_result", "tool_use_id": f"call-{turn}", "content": "", "is_error": False}
    emit({"type": "user", "message": {"content": [result]}})
emit({"type": "assistant", "message": {"id": "last", "content": [{"type": "text", "text": "I am done."}]}})
emit({"type": "result", "subtype": "success", "is_error": False, "result": "I am done."})
"#;

/// Starts a server whose answers cost a cent each at the price of the target.
fn server() -> ModelServer {
    let usage = Usage {
        input: 5_000,
        output: 5_000,
        cached: 0,
    };
    ModelServer::start(Behaviour::answering("right").usage(usage)).unwrap()
}

fn project(server: &ModelServer, fields: Value, cases: &[Value]) -> Project {
    let mut target = json!({
        "name": "default", "provider": "claude-code", "command": ["python3", "agent.py"],
        "model": "my-model", "base_url": server.url(), "api_key": KEY,
        "price": {"input": 1, "output": 1}, "max_retries": 0,
    });
    let fields = fields.as_object().unwrap().clone();
    target.as_object_mut().unwrap().extend(fields);
    let judge = json!({
        "name": "judge", "provider": "openai", "model": "judge-model", "api_key": "sk-of-no-importance",
        "base_url": format!("{}/v1", server.url()), "price": {"input": 0, "output": 0},
    });
    let cases = cases.iter().map(|case| format!("{case}\n"));
    let files = [
        (".git/HEAD", ""),
        ("agent.py", AGENT),
        (
            "targets.yaml",
            &json!({"targets": [target, judge]}).to_string(),
        ),
        ("cases.jsonl", &cases.collect::<String>()),
    ];
    Project::new(&files).unwrap()
}

/// Returns a case that passes if the workspace has as many lines as the agent took turns.
fn case(id: &str, turns: u32) -> Value {
    let line = format!("test $(wc -l < turns.txt) = {turns}");
    json!({
        "id": id, "expected_outcome": "it works", "input": "Work",
        "evaluators": [
            {"type": "workspace_command", "command": ["sh", "-c", line]},
            {"type": "file_changes", "expected": [{"path": "turns.txt", "kind": "added"}]},
            // The last message has no call.
            {"type": "execution_metrics", "max_turns": turns + 1},
        ],
    })
}

fn records(project: &Project, name: &str) -> Vec<Value> {
    whole_records(&run_folder(project).join(name))
}

#[test]
fn an_agent_is_stopped_after_its_last_turn_and_its_work_is_graded() {
    let server = server();
    let project = project(&server, json!({"max_turns": 3}), &[case("a", 3)]);
    finish(&mut agentv(&project, crate::program::NONE)).expect(0);
    assert_eq!(server.calls().total, 3);
    let transcript = &records(&project, "transcripts.jsonl")[0]["transcript"];
    assert_eq!(transcript["finish_reason"], "max_turns");
    assert_eq!(transcript["token_usage"]["input"], 15_000);
    let cost = transcript["cost_usd"].as_f64().unwrap();
    assert!((cost - 0.03).abs() < 1e-9, "{cost}");
    assert_eq!(transcript["trace"]["proxy"]["turns"], 3);
    assert_eq!(records(&project, "results.jsonl")[0]["status"], "pass");
    // The agent had another key, which is of no use elsewhere.
    let text = std::fs::read_to_string(run_folder(&project).join("transcripts.jsonl")).unwrap();
    assert!(text.contains("agentv-") && !text.contains(KEY));
    for request in server.requests() {
        assert_eq!(request.header("x-api-key"), Some(KEY));
    }
}

#[test]
fn the_budget_of_a_run_stops_an_agent_between_two_calls() {
    let server = server();
    let cases = [case("a", 3), case("b", 5)];
    let project = project(&server, json!({"workers": 1}), &cases);
    let ended = finish(&mut agentv(&project, ["--budget", "0.025"])).expect(4);
    // The third call begins when two cents are spent, and is paid.
    assert_eq!(server.calls().total, 3);
    assert!(ended.stdout.contains("budget"), "{}", ended.stdout);
    let results = records(&project, "results.jsonl");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["status"], "error");
    let message = results[0]["error"]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "Claude Code was stopped: the budget of the run is used up"
    );
    let cost = results[0]["trace_summary"]["cost_usd"].as_f64().unwrap();
    assert!((cost - 0.03).abs() < 1e-9, "{cost}");
    // What the agent did is kept.
    let transcript = &records(&project, "transcripts.jsonl")[0]["transcript"];
    let changes = transcript["file_changes"].as_array().unwrap();
    assert!(changes.iter().any(|change| change["path"] == "turns.txt"));
    // With more money, both cases are done: three cents are spent, and ten follow.
    let again = ["--resume", "--retry-errors", "--budget", "1"];
    finish(&mut agentv(&project, again)).expect(1);
    assert_eq!(server.calls().total, 13);
}

#[test]
fn agents_that_work_at_the_same_time_share_the_budget() {
    let server = server();
    let cases: Vec<Value> = (0..6)
        .map(|number| case(&format!("case-{number}"), 5))
        .collect();
    let project = project(&server, json!({"workers": 6}), &cases);
    // The first agent goes alone and costs five cents. Three more have room, and no fifth.
    finish(&mut agentv(&project, ["--budget", "0.22"])).expect(4);
    assert_eq!(server.calls().total, 20);
    let results = records(&project, "results.jsonl");
    assert!(results.iter().all(|result| result["status"] == "pass"));
    assert_eq!(results.len(), 4);
}

#[test]
fn judges_see_the_changes_of_an_agent() {
    let server = server();
    let mut case = case("a", 5);
    case["evaluators"] = json!([
        {"type": "llm_judge", "target": "judge", "prompt": "Judge this diff:\n{{ file_changes }}"},
        {"type": "llm_judge", "target": "judge"},
        {"type": "rubric", "target": "judge", "rubrics": ["It writes turns"]},
    ]);
    let project = project(&server, json!({}), &[case]);
    // The server's answer is not a verdict.
    finish(&mut agentv(&project, crate::program::NONE)).expect(3);
    let requests = server.requests();
    let judged = requests
        .iter()
        .filter(|request| request.path.ends_with("/chat/completions"));
    let judged: Vec<String> = judged.map(|request| request.body.to_string()).collect();
    assert!(judged.len() >= 3, "{}", judged.len());
    for request in judged {
        assert!(request.contains("turns.txt"), "{request}");
        assert!(request.contains("+turn"), "{request}");
    }
}
