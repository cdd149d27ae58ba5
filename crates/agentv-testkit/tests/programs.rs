//! The programs, as benchmarks and shell tests start them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Running};
use serde_json::Value;

use crate::client::PATIENCE;

/// A running model server and its address.
fn server(arguments: &[&str]) -> (Running, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_model-server"));
    let mut running = Running::start(command.args(arguments).stdout(Stdio::piped())).unwrap();
    let mut lines = BufReader::new(running.child().stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let url = first.strip_prefix("listening on ").unwrap().to_owned();
    (running, url)
}

fn client(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bare-client"));
    command.args(arguments).output().unwrap()
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_bare_client_asks_a_model_server_and_reports() {
    let project = Project::new(&[("a.jsonl", "{\"input\": \"one\"}\n\n{\"input\": \"two\"}\n")]);
    let project = project.unwrap();
    let log = project.path("log");
    let (mut server, url) = server(&["--log", log.to_str().unwrap(), "--latency-ms", "20"]);
    let dataset = project.path("a.jsonl");
    let dataset = dataset.to_str().unwrap();
    let asked = report(&client(&[
        &url,
        "--dataset",
        dataset,
        "--requests",
        "50",
        "--concurrency",
        "5",
    ]));
    assert_eq!(
        (&asked["requests"], &asked["errors"]),
        (&50.into(), &0.into())
    );
    assert!(
        asked["latency_ms"]["p50"].as_f64().unwrap() >= 20.0,
        "{asked}"
    );
    assert!(asked["seconds"].as_f64().unwrap() >= 0.2, "{asked}");
    assert!(asked["cpu_seconds"].as_f64().unwrap() > 0.0, "{asked}");
    assert!(server.until(&Moment::Lines(&log, 50), PATIENCE).unwrap());
    let log = project.read("log").unwrap();
    assert_eq!(log.matches("\"one\"").count(), 25);
}

#[test]
fn errors_are_counted_and_a_script_is_obeyed() {
    let (_server, url) = server(&["--script", "status=500, reset, not-json, no-choices, ok"]);
    let asked = report(&client(&[&url, "--requests", "10", "--concurrency", "1"]));
    assert_eq!(asked["errors"], 4, "{asked}");
}

#[test]
fn a_model_server_refuses_words_that_it_does_not_know() {
    let output = Command::new(env!("CARGO_BIN_EXE_model-server"))
        .args(["--behaviour", "stats=500"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("`stats=500` is none of ok,"), "{error}");
}

#[test]
fn measure_returns_the_cost_of_a_command_and_its_children() {
    let measure = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_measure"));
        command.args(arguments).output().unwrap()
    };
    let busy = "sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; exit 3";
    let cost = report(&measure(&[
        "--exit", "3", "--label", "busy", "--", "sh", "-c", busy,
    ]));
    assert_eq!(cost["label"], "busy");
    let (cpu, wall) = (
        cost["cpu"].as_f64().unwrap(),
        cost["wall"].as_f64().unwrap(),
    );
    assert!(cpu > 0.01 && wall > 0.01, "{cost}");
    assert!(cost["peak_bytes"].as_u64().unwrap() > 500_000, "{cost}");
    assert!(!measure(&["--", "sh", "-c", "exit 3"]).status.success());
}
