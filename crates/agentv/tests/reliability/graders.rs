//! Graders that run code of the target, in the sandbox of the target.

use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer};
use serde_json::{Value, json};

use crate::program::{NONE, agentv, finish};
use crate::records::{run_folder, whole_records};

/// A grader that runs code of the target, and says what that code can do.
const JUDGE: &str = r#"
import json, os, subprocess, sys, urllib.request

trial = json.load(sys.stdin)
found = subprocess.run([sys.executable, "code.py"], capture_output=True, text=True).stdout.split()
if "PROXY" in sys.argv:
    request = urllib.request.Request(os.environ["AGENTV_TARGET_PROXY_URL"] + "/info",
        headers={"authorization": "Bearer " + os.environ["AGENTV_TARGET_PROXY_TOKEN"]})
    opened = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
    found.append("proxy" if opened.status == 200 else "no-proxy")
print(json.dumps({"score": 1, "hits": found}))
"#;

/// Code that a target leaves in its workspace. It prints what it can do.
const CODE: &str = r#"
import os, socket, sys

def try_to(name, action):
    try:
        action()
        print(name)
    except Exception:
        print("no-" + name)

def connect():
    socket.create_connection(("127.0.0.1", int(open("port.txt").read())), 5)

eval_folder = os.environ["AGENTV_EVAL_DIR"]
try_to("key", lambda: os.environ["API_KEY"])
try_to("dotenv", lambda: open(eval_folder + "/.env").read().index("sk-"))
try_to("write", lambda: open(eval_folder + "/stolen.txt", "w"))
try_to("work", lambda: open("made.txt", "w"))
try_to("eval-folder", lambda: open(eval_folder + "/judge.py"))
try_to("network", connect)
"#;

/// The things that the code can do in a sandbox without network.
const WALLED: [&str; 6] = [
    "no-key",
    "no-dotenv",
    "no-write",
    "work",
    "eval-folder",
    "no-network",
];

fn has_bubblewrap() -> bool {
    let mut command = std::process::Command::new("bwrap");
    command.args([
        "--ro-bind",
        "/",
        "/",
        "--unshare-pid",
        "--unshare-net",
        "true",
    ]);
    let works = command.status().is_ok_and(|status| status.success());
    if !works {
        println!("skipped: bubblewrap does not work here");
    }
    works
}

/// Grades a trial of a target in a sandbox without network.
fn graded(server: &ModelServer, evaluators: Value) -> Value {
    let target = json!({
        "name": "default", "provider": "cli", "sandbox": "bubblewrap", "network": "none",
        "command": ["sh", "work.sh"],
    });
    let case = json!({
        "id": "walled", "expected_outcome": "x", "input": "y", "evaluators": evaluators,
    });
    let port = server.url().rsplit(':').next().unwrap().to_owned();
    let files = [
        (".git/HEAD", ""),
        (".env", "OTHER_KEY=sk-other-71c02a\n"),
        ("judge.py", JUDGE),
        ("code.py", CODE),
        ("port.txt", &port),
        (
            "work.sh",
            "cd \"$(dirname \"$0\")\" && cp code.py port.txt \"$OLDPWD\"\n",
        ),
        ("targets.yaml", &json!({"targets": [target]}).to_string()),
        ("cases.jsonl", &format!("{case}\n")),
    ];
    let project = Project::new(&files).unwrap();
    let ended = finish(agentv(&project, NONE).env("API_KEY", "sk-real-77c1e0a4d2"));
    let mut records = whole_records(&run_folder(&project).join("results.jsonl"));
    assert_eq!(records.len(), 1, "{}", ended.stderr);
    records.remove(0)
}

fn hits(record: &Value, name: &str) -> Value {
    let results = record["evaluator_results"].as_array().unwrap();
    let mut named = results.iter().filter(|result| result["name"] == name);
    named.next().unwrap()["hits"].clone()
}

#[test]
fn graders_run_code_of_a_target_in_the_sandbox_of_the_target() {
    if !has_bubblewrap() {
        return;
    }
    let server = ModelServer::start(Behaviour::answering("right")).unwrap();
    let judge = ["python3", "judge.py"];
    let line = "! python3 code.py | grep -qxE 'key|dotenv|write|network'";
    let record = graded(
        &server,
        json!([
            {"name": "inside", "type": "code_judge", "script": judge},
            {"name": "asks", "type": "code_judge", "script": ["python3", "judge.py", "PROXY"], "target": true},
            {"name": "passed", "type": "code_judge", "script": judge, "pass_env": ["API_KEY"]},
            {"name": "outside", "type": "code_judge", "script": judge, "sandbox": "none"},
            {"name": "command", "type": "workspace_command", "command": ["sh", "-c", line]},
        ]),
    );
    assert_eq!(record["status"], "pass", "{record}");
    assert_eq!(hits(&record, "inside"), json!(WALLED));
    assert_eq!(
        hits(&record, "asks"),
        json!([&WALLED[..], &["proxy"]].concat())
    );
    assert_eq!(hits(&record, "passed")[0], "key");
    let free = WALLED.map(|name| name.trim_start_matches("no-"));
    assert_eq!(hits(&record, "outside"), json!(free));
}

#[test]
fn a_grader_whose_program_is_missing_in_a_sandbox_is_an_error() {
    if !has_bubblewrap() {
        return;
    }
    let server = ModelServer::start(Behaviour::answering("right")).unwrap();
    let evaluators = json!([{"type": "workspace_command", "command": ["no-such-program"]}]);
    let record = graded(&server, evaluators);
    assert_eq!(record["status"], "error");
    let message = record["error"]["message"].as_str().unwrap();
    assert!(message.contains("`no-such-program` not found"), "{message}");
}
