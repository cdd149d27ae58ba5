//! Environment variables with unexpected values.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

use agentv_testkit::Project;
use agentv_testkit::model::{Behaviour, ModelServer};

use crate::program::{NONE, agentv, clean, finish, project};
use crate::records::{run_folders, whole_records};

const TARGETS: &str = "targets:
- {name: mock, provider: mock, response: 'right ${{ WORD }}'}
- {name: command, provider: cli, command_template: 'printf %s \"right $WORD\"'}
- {name: model, provider: openai, model: m, api_key: '${{ WORD }}', base_url: 'URL/v1'}
";

fn right(_: usize) -> String {
    "right".to_owned()
}

/// Returns the answer of the only case of the newest run.
fn answer(project: &Project) -> String {
    let folder = run_folders(project).pop().unwrap();
    let results = whole_records(&folder.join("results.jsonl"));
    let answer = results[0]["candidate_answer"].as_str();
    fs::remove_dir_all(folder).unwrap();
    answer.unwrap().to_owned()
}

#[test]
fn a_variable_reaches_a_target_unchanged_or_is_refused_by_name() {
    let server = ModelServer::start(Behaviour::echo()).unwrap();
    let project = project(&TARGETS.replace("URL", &server.url()), 1, right);
    // Words: a long value that does not read like words is a secret.
    let long = "many words ".repeat(9_000);
    let values = [
        "two\nlines",
        "q'uo\"te `touch owned` $(touch owned) ${HOME} \\",
        "",
        " spaces \t",
        "日本語 🦀",
        "${{ WORD }} {{ WORD }} %s",
        &long,
    ];
    for value in values {
        for target in ["mock", "command"] {
            let mut command = agentv(&project, ["--target", target]);
            finish(command.env("WORD", value)).expect(0);
            let told = answer(&project);
            assert_eq!(
                told.trim_end(),
                format!("right {value}").trim_end(),
                "{target}"
            );
        }
    }
    for (value, reason) in [
        ("key-of\ntwo lines", "check it for line breaks"),
        ("", "found an empty value in the variable `WORD`"),
    ] {
        let mut command = agentv(&project, ["--target", "model"]);
        let ended = finish(command.env("WORD", value)).expect(2);
        assert!(ended.stderr.contains(reason), "{}", ended.stderr);
        assert!(!ended.stderr.contains("key-of"), "{}", ended.stderr);
    }
    assert!(!project.path("owned").exists());
    assert_eq!(server.calls().total, 0);
}

#[test]
fn a_variable_that_is_not_utf8_is_an_error_only_if_it_is_used() {
    let project = project(TARGETS, 1, right);
    let bytes = OsString::from_vec(b"key-\xff\xfe-bytes".to_vec());
    let mut command = agentv(&project, ["--target", "mock"]);
    let ended = finish(command.env("WORD", &bytes)).expect(2);
    let told = "the variable `WORD` is not valid UTF-8";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let mut command = agentv(&project, ["--target", "mock"]);
    let command = command.env("WORD", "word").env("OTHER", &bytes);
    finish(command.env(&bytes, "named so")).expect(0);
    assert_eq!(answer(&project), "right word");
}

#[test]
fn no_line_of_a_multi_line_secret_is_written() {
    const LINES: [&str; 3] = [
        "-----BEGIN PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0B",
        "AQEFAASCBKcwggSjAgEAAoIB",
    ];
    let targets = "targets: [{name: default, provider: cli, command_template: \
                   'printf \"right\\n%s\\n\" \"$SIGNING_KEY\"; echo \"$SIGNING_KEY\" | sed \"s/^/> /\"; \
                   echo \"$SIGNING_KEY\" | tail -n 1 >&2; test {EVAL_ID} = case-0000'}]";
    let project = project(targets, 2, right);
    let key = LINES.join("\n");
    project
        .write(".env", format!("SIGNING_KEY=\"{key}\"\n"))
        .unwrap();
    let arguments = ["--verbose", "--include-trace", "--out", "out.jsonl"];
    let ended = finish(&mut agentv(&project, arguments)).expect(3);
    let folder = run_folders(&project).pop().unwrap();
    let mut written = vec![ended.stdout, ended.stderr];
    let files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for file in files.chain([project.path("out.jsonl")]) {
        written.push(String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned());
    }
    for text in written {
        // The first line is the same in every key.
        let found = LINES[1..].iter().find(|line| text.contains(**line));
        assert_eq!(found, None, "{text}");
    }
}

#[test]
fn an_empty_environment_is_enough() {
    let project = project("targets: [{name: default, provider: echo}]", 1, right);
    let mut command = agentv(&project, NONE);
    clean(&mut command);
    finish(command.env_clear()).expect(0);
}
