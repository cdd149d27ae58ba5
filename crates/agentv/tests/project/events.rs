//! `--events` carries everything that the terminal and the summary show.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentv_core::{Reporter, RunEvent};
use agentv_report::{Clock, DisplayOptions, PlainProgress, Style, SummaryFold};
use serde_json::Value;

const SUITE: &str = "evalcases:
  - {id: good, expected_outcome: A, input: yes, evaluators: [{contains: yes}]}
  - {id: bad, expected_outcome: A, input: no, evaluators: [{contains: yes}]}
  - {id: none, expected_outcome: A, input: x, execution: {target: gone}, evaluators: [{contains: x}]}
";

const TARGETS: &str = "targets:
  - {name: default, provider: echo}
  - {name: gone, provider: cli, command: [sh, -c, exit 3]}
";

/// A shared buffer.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_display_and_the_summary_can_be_made_from_the_events_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join(".git")).unwrap();
    fs::write(folder.join("suite.yaml"), SUITE).unwrap();
    fs::write(folder.join("targets.yaml"), TARGETS).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_agentv"))
        .args(["run", "suite.yaml", "--events", "-"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("1 of 2 passed"), "the summary: {stderr}");

    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let events: Vec<RunEvent> = lines.collect();
    let mut fold = SummaryFold::new();
    let written = Written::default();
    let options = DisplayOptions {
        style: Style {
            colour: false,
            width: 500,
            unicode: true,
        },
        verbose: false,
        several_targets: true,
        clock: Clock::real(),
    };
    let mut display = PlainProgress::to(written.clone(), Duration::from_secs(60), options);
    for event in &events {
        fold.on_event(event).unwrap();
        display.on_event(event).unwrap();
    }
    display.finish();
    let shown = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let endings: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("fail") || line.starts_with("error"))
        .collect();
    assert_eq!(endings.len(), 2, "{shown}");
    for ending in endings {
        assert!(
            stderr.lines().any(|line| line == ending),
            "{ending}\n{stderr}"
        );
    }

    let mut runs = fs::read_dir(folder.join(".agentv/results")).unwrap();
    let run = runs.next().unwrap().unwrap().path().join("run.json");
    let run: Value = serde_json::from_slice(&fs::read(run).unwrap()).unwrap();
    assert_eq!(serde_json::to_value(fold.finish(0)).unwrap(), run["totals"]);
}
