//! Scripts that ask targets, over real sockets.

use std::fs;

use agentv_core::{
    Cause, Evaluation, Judges, Message, ProviderError, Role, TokenUsage, Transcript,
};
use agentv_evaluators::Builder;
use serde_json::{Value, json};

use crate::scripted::ScriptedJudges;
use crate::support::{Trial, context};

/// The start of every script in these tests: `ask` returns the status and the JSON of an answer.
const CLIENT: &str = "\
import json, os, socket, sys, urllib.error, urllib.request
URL = os.environ['AGENTV_TARGET_PROXY_URL']
TOKEN = os.environ['AGENTV_TARGET_PROXY_TOKEN']
PORT = int(URL.rsplit(':', 1)[1])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def ask(path, body=None, token=TOKEN, method=None, headers={}):
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, method=method)
    request.add_header('Authorization', 'Bearer ' + token)
    for name, value in headers.items():
        request.add_header(name, value)
    try:
        with opener.open(request) as response:
            return [response.status, json.load(response)]
    except urllib.error.HTTPError as error:
        return [error.code, json.load(error)]
def tell(*details):
    print(json.dumps({'score': 1, 'details': details}))
";

/// Returns the evaluation by a script that starts with `CLIENT`.
fn asking(judges: Option<&dyn Judges>, target: Value, script: &str) -> Result<Evaluation, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("judge.py"), format!("{CLIENT}{script}")).unwrap();
    let builder = Builder::new(context(folder.path()));
    let options = json!({
        "type": "code_judge", "script": ["python3", "judge.py"], "target": target,
    });
    let judged = Trial::answered("Paris").judge_asking(&builder, options, judges);
    judged.unwrap().map_err(|error| error.to_string())
}

/// Returns the details that such a script prints.
fn told(judges: &dyn Judges, target: Value, script: &str) -> Vec<Value> {
    let evaluation = asking(Some(judges), target, script).unwrap();
    match evaluation.details {
        Some(Value::Array(details)) => details,
        other => panic!("no details: {other:?}"),
    }
}

#[test]
fn a_script_learns_whom_it_may_ask_and_asks() {
    let judges = ScriptedJudges::new(|name, request| {
        let question = &request.prompt.question;
        let mut transcript = Transcript::of_text(format!("{name} heard {question}"));
        transcript.token_usage = Some(TokenUsage {
            input: 1,
            output: 2,
            ..TokenUsage::default()
        });
        transcript.cost_usd = Some(0.5);
        Ok(transcript)
    });
    let script = "\
tell(ask('/info'),
     ask('/invoke', {'question': 'hello'}),
     ask('/invoke', {'question': 'you', 'systemPrompt': 'be brief', 'target': 'other', 'evalCaseId': 'a', 'attempt': 1}),
     ask('/info'))";
    let told = told(&judges, json!(true), script);
    let info = json!({
        "target_name": "usual", "targetName": "usual", "max_calls": 50, "maxCalls": 50,
        "call_count": 0, "callCount": 0,
        "available_targets": ["other", "usual"], "availableTargets": ["other", "usual"],
    });
    assert_eq!(told[0], json!([200, info]));
    let messages = json!([{"role": "assistant", "content": "usual heard hello"}]);
    let answer = json!({
        "raw_text": "usual heard hello", "rawText": "usual heard hello",
        "output_messages": messages, "outputMessages": messages,
        "target": "usual", "token_usage": {"input": 1, "output": 2}, "cost_usd": 0.5,
    });
    assert_eq!(told[1], json!([200, answer]));
    assert_eq!(told[2][1]["raw_text"], "other heard be brief\n\nyou");
    assert_eq!(told[3][1]["call_count"], 2);
    let asked = judges.asked();
    let (_, second) = &asked[1];
    let messages = [
        Message::new(Role::System, "be brief"),
        Message::new(Role::User, "you"),
    ];
    assert_eq!(second.prompt.messages, messages);
}

#[test]
fn calls_beyond_the_limit_are_not_made() {
    let judges = ScriptedJudges::new(|_, _| Ok(Transcript::of_text("yes")));
    let script = "\
tell(ask('/invoke', {'question': '1'})[0],
     ask('/invokeBatch', {'requests': [{'question': '2'}, {'question': '3'}, {'question': '4'}]}),
     ask('/invokeBatch', {'requests': [{'question': '5'}, {'question': '6'}]})[0],
     ask('/invoke', {'question': '7'}),
     ask('/info')[1]['callCount'])";
    let told = told(&judges, json!({"max_calls": 3}), script);
    assert_eq!(told[0], 200);
    assert_eq!(told[1][0], 429);
    assert_eq!(told[2], 200);
    assert_eq!(told[3][0], 429);
    let reason = "the script has made 3 of its 3 calls (`max_calls`), so 1 more would be too many";
    assert_eq!(told[3][1], json!({"error": reason}));
    assert_eq!(told[4], 3);
    let asked = judges.asked();
    let questions: Vec<&str> = asked
        .iter()
        .map(|(_, it)| it.prompt.question.as_str())
        .collect();
    assert_eq!(questions, ["1", "5", "6"]);
}

#[test]
fn what_goes_wrong_is_told_and_costs_no_call() {
    let judges = ScriptedJudges::new(|name, _| match name {
        "other" => Err(ProviderError::new(Cause::Network, "no connection")),
        _ => Ok(Transcript::of_text("yes")),
    });
    let script = "\
tell(ask('/info', token='wrong')[0],
     ask('/info', headers={'Host': 'evil.example'})[0],
     ask('/nothing')[0],
     ask('/info', {})[0],
     ask('/invoke', method='GET')[0],
     ask('/invoke', b'{')[0],
     ask('/invoke', {'systemPrompt': 'x'}),
     ask('/invoke', {'question': 5}),
     ask('/invoke', {'question': 'x', 'target': 'nobody'}),
     ask('/invokeBatch', {'requests': [{'question': 'x'}, {}]}),
     ask('/invokeBatch', [])[0],
     ask('/info')[1]['call_count'],
     ask('/invoke', {'question': 'x', 'target': 'other'}),
     ask('/invokeBatch', {'requests': [{'question': 'a'}, {'question': 'b', 'target': 'other'}]}),
     ask('/invokeBatch', {'requests': []}))";
    let told = told(&judges, json!(true), script);
    let statuses: Vec<&Value> = told[..6].iter().collect();
    assert_eq!(statuses, [401, 403, 404, 405, 405, 400]);
    let error = |reason: &str| json!([400, {"error": reason}]);
    assert_eq!(told[6], error("missing `question`"));
    assert_eq!(told[7], error("`question`: expected a string, found 5"));
    assert_eq!(
        told[8],
        error("target `nobody` not found; known: other, usual")
    );
    assert_eq!(told[9], error("requests[1]: missing `question`"));
    assert_eq!(told[10], 400);
    assert_eq!(told[11], 0);
    let failed = "the target `other` did not answer: no connection";
    assert_eq!(told[12], json!([502, {"error": failed}]));
    assert_eq!(told[13][1]["responses"][0]["rawText"], "yes");
    assert_eq!(told[13][1]["responses"][1], json!({"error": failed}));
    assert_eq!(told[14], json!([200, {"responses": []}]));
}

#[test]
fn bodies_that_are_too_large_and_connections_that_say_nothing_hold_up_nobody() {
    let judges = ScriptedJudges::new(|_, _| Ok(Transcript::of_text("yes")));
    // Connections that stay open, one with half a request and one without any.
    let script = "\
silent = [socket.create_connection(('127.0.0.1', PORT)) for _ in range(20)]
for one in silent[:10]:
    one.sendall(b'POST /invoke HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer ' + TOKEN.encode() + b'\\r\\nContent-Length: 100\\r\\n\\r\\n{')
large = socket.create_connection(('127.0.0.1', PORT))
large.sendall(b'POST /invoke HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer ' + TOKEN.encode() + b'\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
chunk = b'100000\\r\\n' + b' ' * 0x100000 + b'\\r\\n'
try:
    for _ in range(17):
        large.sendall(chunk)
except (BrokenPipeError, ConnectionResetError):
    pass
try:
    status = large.recv(12).decode()
except ConnectionResetError:
    status = 'HTTP/1.1 413'
garbage = socket.create_connection(('127.0.0.1', PORT))
garbage.sendall(b'\\x00\\x01 what\\r\\n\\r\\n')
tell(status, garbage.recv(12).decode(), ask('/invoke', {'question': 'x'})[0])";
    let told = told(&judges, json!(true), script);
    assert_eq!(
        told,
        ["HTTP/1.1 413", "HTTP/1.1 400"]
            .map(Value::from)
            .into_iter()
            .chain([json!(200)])
            .collect::<Vec<_>>()
    );
}

#[test]
fn the_server_is_gone_when_the_script_is() {
    let judges = ScriptedJudges::new(|_, _| Ok(Transcript::of_text("yes")));
    let port = told(&judges, json!(true), "tell(PORT)")[0]
        .as_u64()
        .unwrap();
    let refused = std::net::TcpStream::connect(("127.0.0.1", port as u16));
    assert_eq!(
        refused.unwrap_err().kind(),
        std::io::ErrorKind::ConnectionRefused
    );
}

#[test]
fn where_nobody_may_be_asked_the_script_is_not_run() {
    assert_eq!(
        asking(None, json!(true), "tell()").unwrap_err(),
        "there is no target that the script can ask"
    );
}

#[test]
fn without_access_there_is_no_server() {
    let judges = ScriptedJudges::saying(&[]);
    let error = asking(Some(&judges), json!(false), "tell()").unwrap_err();
    assert!(error.contains("AGENTV_TARGET_PROXY_URL"), "{error}");
}

#[test]
fn the_requests_of_a_batch_are_made_side_by_side_and_answered_in_order() {
    let judges =
        ScriptedJudges::new(|_, request| Ok(Transcript::of_text(&*request.prompt.question)));
    let judges = judges.together(3);
    let script = "\
requests = [{'question': str(number)} for number in range(3)]
responses = ask('/invokeBatch', {'requests': requests})[1]['responses']
tell(*[response['rawText'] for response in responses])";
    assert_eq!(told(&judges, json!(true), script), ["0", "1", "2"]);
}
