//! No key of a target is written anywhere.

use std::fs;
use std::path::{Path, PathBuf};

use agentv_testkit::model::{Behaviour, ModelServer};
use agentv_testkit::{Project, Served};

use crate::program::{Ended, agentv, finish, project};
use crate::records::{run_folders, whole_records};

const KEY: &str = "sk-live-4f\"1a\\9c/Key+0=";
const HEADER: &str = "Bearer tok-7e2b9d40aa";
/// A key of the minimum length that is hidden.
const SHORT: &str = "q7Zx4Wv9";
const DIGITS: &str = "00000000";

/// Every way in which a server or a command can return a key.
const MESSAGES: &[&str] = &[
    "!echo-key=200! in an answer",
    "!echo-key=401! in a refusal",
    "!echo-key=500! in a failure that is retried",
    "!status=500! a failure",
    "right",
];

fn project_at(server: &ModelServer) -> Project {
    let url = server.url();
    let targets = format!(
        "targets:
  - name: default
    provider: openai
    model: test-model
    api_key: ${{{{ SERVICE_KEY }}}}
    base_url: {url}/v1
    max_retries: 1
    retry_initial_delay_ms: 1
    headers:
      x-api-key: ${{{{ OTHER_TOKEN }}}}
  - name: endpoint
    provider: http
    url: {url}/ask
    max_retries: 0
    headers:
      Authorization: ${{{{ OTHER_TOKEN }}}}
    body: {{messages: [{{role: user, content: \"{{{{ question }}}}\"}}]}}
    response_path: answer
  - name: command
    provider: cli
    command_template: 'env; env >&2; cat .env; exit {{ATTEMPT}}'
  - name: printing
    provider: cli
    command_template: 'env; cat .env; env | base64 > /dev/null'
"
    );
    let project = project(&targets, MESSAGES.len(), |number| {
        format!("{} {KEY} and {HEADER}", MESSAGES[number])
    });
    let dotenv = format!("SERVICE_KEY='{KEY}'\nOTHER_TOKEN='{HEADER}'\nSHORT_KEY={SHORT}\n");
    project.write(".env", dotenv).unwrap();
    project
}

/// Returns the files under a folder.
fn files_under(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let files = entries.flat_map(|entry| {
        if entry.file_type().unwrap().is_dir() {
            files_under(&entry.path())
        } else {
            vec![entry.path()]
        }
    });
    files.collect()
}

/// Returns the forms of a text in JSON, in JSON within JSON, in CSV, and in HTML and XML.
fn forms_of(text: &str) -> Vec<String> {
    let in_json = |text: &str| serde_json::json!(text).to_string();
    let once = in_json(text);
    let twice = in_json(&once);
    let mut forms = vec![
        text.to_owned(),
        once.trim_matches('"').to_owned(),
        twice.trim_matches(['"', '\\']).to_owned(),
    ];
    for form in forms.clone() {
        for quote in ["\"\"", "&quot;", "&#34;", "&#x22;"] {
            forms.push(form.replace('"', quote));
        }
    }
    forms
}

/// Checks that the text contains no secret in any form.
fn has_no_secret(text: &[u8], place: &str) {
    let text = String::from_utf8_lossy(text);
    for secret in [KEY, HEADER, HEADER.trim_start_matches("Bearer "), SHORT] {
        for form in forms_of(secret) {
            assert!(!text.contains(&form), "{place} has {form}: {text}");
        }
    }
}

fn nothing_is_told(project: &Project, ended: &Ended) {
    has_no_secret(ended.stdout.as_bytes(), "stdout");
    has_no_secret(ended.stderr.as_bytes(), "stderr");
    let mut files = 0;
    for path in files_under(project.root()) {
        let given = [
            ".env",
            "cases.jsonl",
            "graded.jsonl",
            "labelled.jsonl",
            "converted.yaml",
        ]
        .map(|name| project.path(name));
        if !given.contains(&path) {
            has_no_secret(&fs::read(&path).unwrap(), &path.display().to_string());
            files += 1;
        }
    }
    assert!(files >= 5);
}

#[test]
fn no_key_is_ever_written_or_shown() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    for out in ["out.jsonl", "out.json", "out.yaml", "out.csv"] {
        let project = project_at(&server);
        let targets = ["default", "endpoint", "command", "printing"];
        let chosen = targets.iter().flat_map(|target| ["--target", target]);
        let arguments = ["--verbose", "--include-trace", "--cache", "--log", "trace"]
            .into_iter()
            .chain(["--dump-prompts", "prompts", "--out", out])
            .chain(chosen);
        for _from_cache in [false, true] {
            let ended = finish(&mut agentv(&project, arguments.clone())).expect(3);
            nothing_is_told(&project, &ended);
            assert!(
                ended.stderr.contains(" target resolved "),
                "{}",
                ended.stderr
            );
        }
        assert!(project.path(out).exists());
        let sent = server.requests();
        let header = |name: &str| sent.iter().filter_map(|r| r.header(name)).next_back();
        assert_eq!(header("x-api-key"), Some(HEADER), "the key was sent");
        for folder in run_folders(&project) {
            let results = whole_records(&folder.join("results.jsonl"));
            assert_eq!(results.len(), MESSAGES.len() * targets.len());
            let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
            assert!(text.contains("[REDACTED]"));
        }
    }
}

/// Every command, with arguments that make it use targets and results, and its exit code.
const COMMANDS: &[(&str, i32)] = &[
    ("run cases.jsonl --cache --verbose", 3),
    ("grade RUN --include-trace", 3),
    ("judge calibrate labelled.jsonl", 3),
    ("merge RUN RUN", 3),
    ("report RUN --format html", 0),
    ("report RUN --format junit", 0),
    ("report RUN --format markdown -o report.md", 0),
    ("report RUN --format csv -o report.csv", 0),
    ("report RUN --format json -o report.json", 0),
    ("compare RUN RUN --format json", 0),
    ("runs --format json", 0),
    ("trend --format html -o trend.html", 0),
    ("view none", 2),
    ("init new", 0),
    ("validate cases.jsonl targets.yaml", 0),
    ("show RUN", 0),
    ("convert graded.jsonl --to yaml -o converted.yaml", 0),
    ("export otlp RUN -o traces.jsonl", 0),
    ("import otlp none.json -o imported.jsonl", 2),
    ("generate rubrics graded.jsonl --target default", 3),
    ("targets list --format json", 0),
    ("targets check", 1),
    ("targets check --format json", 1),
    ("schema targets", 0),
    ("completions bash", 0),
    ("man", 0),
    ("demo shown", 0),
    ("lsp", 2),
    ("worker --engine nats://127.0.0.1:1", 2),
    ("engine status --engine nats://127.0.0.1:1", 2),
];

/// Returns the commands that `--help` lists.
fn commands_of_help(project: &Project) -> Vec<String> {
    let help = run_in(project, &["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // Descriptions continue further to the right.
    let listed = listed.filter(|line| !line.starts_with("   "));
    let names = listed.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn run_in(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_agentv"));
    crate::program::clean(&mut command);
    // Files outside the project are searched, too.
    for (variable, folder) in [
        ("HOME", "home"),
        ("TMPDIR", "tmp"),
        ("XDG_CACHE_HOME", "cache"),
    ] {
        fs::create_dir_all(project.path(folder)).unwrap();
        command.env(variable, project.path(folder));
    }
    command.env("AGENTV_LOG", "trace");
    finish(command.args(arguments).current_dir(project.root()))
}

#[test]
fn after_every_command_no_file_and_no_output_contains_a_key() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    let project = project_at(&server);
    let judged = format!(
        r#"{{"id": "judged", "expected_outcome": "x", "input": "!echo-key=200! {}", "evaluators": [
            {{"type": "llm_judge", "target": "default"}},
            {{"type": "code_judge", "script": "env; cat .env; exit 1"}}]}}"#,
        HEADER
    )
    .replace('\n', "");
    project
        .write("graded.jsonl", format!("{judged}\n"))
        .unwrap();
    let labelled = serde_json::json!({
        "id": "labelled", "expected_outcome": "x", "input": "q", "human_score": 1.0,
        "candidate_answer": format!("!echo-key=200! {KEY}"),
        "evaluators": [{"type": "llm_judge", "target": "default"}],
    });
    project
        .write("labelled.jsonl", format!("{labelled}\n"))
        .unwrap();
    let ended = run_in(&project, &["run", "cases.jsonl", "graded.jsonl"]);
    nothing_is_told(&project, &ended);
    let [folder] = run_folders(&project).try_into().unwrap();
    let run = folder.to_str().unwrap().to_owned();
    for command in commands_of_help(&project) {
        let mut tried = COMMANDS.iter();
        let tried = tried.any(|(line, _)| line.split(' ').next() == Some(&command));
        assert!(tried, "`{command}` is not among the commands of this test");
    }
    for (line, code) in COMMANDS {
        let words = line.split(' ');
        let words: Vec<&str> = words.map(|w| if w == "RUN" { &run } else { w }).collect();
        let ended = run_in(&project, &words).expect(*code);
        nothing_is_told(&project, &ended);
    }
    view_the_run(&project, &folder);
    nothing_is_told(&project, &run_in(&project, &["runs"]));
}

/// Shows a run in the view, which leaves an index on disk.
fn view_the_run(project: &Project, folder: &Path) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_agentv"));
    crate::program::clean(&mut command);
    command
        .args(["view", "--port", "0"])
        .current_dir(project.root());
    let view = Served::start(&mut command).unwrap();
    let id = folder.file_name().unwrap().to_str().unwrap();
    for path in ["", "/trials", "/trials/0"] {
        let answer = view.get(&format!("/api/runs/{id}{path}")).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    }
    assert!(project.path(&format!(".agentv/view/{id}.index")).is_file());
}

#[test]
fn no_part_of_a_key_is_left_where_a_message_is_truncated() {
    let targets = "targets: [{name: default, provider: cli, command_template: \
                   'printf %s \"$SERVICE_KEY\" >&2; printf %1000s | tail -c {EVAL_ID} \
                   | tr \" \" x >&2; exit 1'}]\n";
    // The error quotes the end of standard error, which contains this many bytes of the key.
    let parts = 8..KEY.len();
    let case = |part: usize| {
        let id = (1_000 - part).to_string();
        serde_json::json!({"id": id, "expected_outcome": "none", "input": "say it"}).to_string()
    };
    let project = project(targets, 0, |_| String::new());
    let cases: Vec<String> = parts.clone().map(case).collect();
    project.write("cases.jsonl", cases.join("\n")).unwrap();
    project
        .write(".env", format!("SERVICE_KEY='{KEY}'\n"))
        .unwrap();
    finish(&mut agentv(&project, ["--verbose"])).expect(3);
    let [folder] = run_folders(&project).try_into().unwrap();
    let results = whole_records(&folder.join("results.jsonl"));
    assert_eq!(results.len(), parts.len());
    for record in results {
        let error = record["error"]["message"].as_str().unwrap();
        assert!(!error.contains(&KEY[KEY.len() - 8..]), "{error}");
        assert!(error.contains("xxx"), "{error}");
    }
}

#[test]
fn a_key_that_looks_like_part_of_a_record_does_not_damage_it() {
    let targets = format!(
        "targets: [{{name: default, provider: cli, command_template: \
         'echo \"{{\\\"text\\\": \\\"right {DIGITS}\\\", \\\"cost_usd\\\": 1{DIGITS}.5}}\"'}}]\n"
    );
    let project = project(&targets, 3, |number| format!("number {number}"));
    project
        .write(".env", format!("LOCAL_KEY={DIGITS}\n"))
        .unwrap();
    finish(&mut agentv(&project, ["--out", "out.jsonl"])).expect(0);
    let [folder] = run_folders(&project).try_into().unwrap();
    for file in [folder.join("results.jsonl"), project.path("out.jsonl")] {
        let results = whole_records(&file);
        assert_eq!(results.len(), 3);
        for record in results {
            assert_eq!(record["candidate_answer"], "right [REDACTED]");
            assert_eq!(record["trace_summary"]["cost_usd"], 100_000_000.5);
        }
    }
    finish(&mut agentv(&project, ["--resume"])).expect(0);
    assert_eq!(whole_records(&folder.join("transcripts.jsonl")).len(), 3);
}
