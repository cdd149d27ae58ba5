//! A coding agent that replays a recording, and misbehaves on request.
//!
//! The first arguments are the folder of a recording and a [`Conduct`](AgentConduct); all others are
//! those that a harness passes to the real agent, and are ignored. The recording has the stream of the
//! agent (`stream.jsonl`) and the files that it leaves in its home (`home/`).

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde_json::{Map, Value, json};

/// The conduct of a fake agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentConduct {
    /// Replays the recording and exits with 0.
    Proper,
    /// Prints half of the stream and then nothing, without exiting.
    Hangs,
    /// Prints nothing at all, without exiting.
    Mute,
    /// Prints the whole stream and does not exit.
    StaysAfterEnd,
    /// Prints the whole stream and then one more line after the other, without exiting.
    BabblesAfterEnd,
    /// Leaves a daemon in a session of its own, whose id is in `daemon.pid`.
    LeavesDaemon,
    /// Prints lines that are not events between the events.
    PrintsRubbish,
    /// Prints the whole stream and exits with 1.
    FailsAfterEnd,
    /// Prints half of the stream and exits with 1.
    Crashes,
    /// Ignores SIGTERM and prints half of the stream.
    IgnoresTermination,
    /// Calls the model at its base address before it replays the recording, until it is refused or has
    /// made five calls.
    CallsModel,
}

impl AgentConduct {
    /// All conducts.
    pub const ALL: &[AgentConduct] = &[
        AgentConduct::Proper,
        AgentConduct::Hangs,
        AgentConduct::Mute,
        AgentConduct::StaysAfterEnd,
        AgentConduct::BabblesAfterEnd,
        AgentConduct::LeavesDaemon,
        AgentConduct::PrintsRubbish,
        AgentConduct::FailsAfterEnd,
        AgentConduct::Crashes,
        AgentConduct::IgnoresTermination,
        AgentConduct::CallsModel,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            AgentConduct::Proper => "proper",
            AgentConduct::Hangs => "hangs",
            AgentConduct::Mute => "mute",
            AgentConduct::StaysAfterEnd => "stays-after-end",
            AgentConduct::BabblesAfterEnd => "babbles-after-end",
            AgentConduct::LeavesDaemon => "leaves-daemon",
            AgentConduct::PrintsRubbish => "prints-rubbish",
            AgentConduct::FailsAfterEnd => "fails-after-end",
            AgentConduct::Crashes => "crashes",
            AgentConduct::IgnoresTermination => "ignores-termination",
            AgentConduct::CallsModel => "calls-model",
        }
    }
}

/// The variable with further folders, separated by `:`, in which the agent tries to write a file.
const TRIED_FOLDERS: &str = "FAKE_AGENT_WRITES";

/// The file of a recording that has the stream. It can name the recording: a sandbox shows an agent the folders of
/// the files in its command.
const STREAM: &str = "stream.jsonl";

/// Runs the agent with these arguments, without the name of the program. It notes what it got in
/// `fake-agent.json` in its working directory: arguments, variables, stdin, the number of processes that it
/// sees, and the folders that it can write to, of its own ones and those in `FAKE_AGENT_WRITES`.
pub fn fake_agent(arguments: &[String]) -> ExitCode {
    let [recording, conduct, ..] = arguments else {
        let _ = writeln!(
            io::stderr(),
            "usage: fake-agent RECORDING CONDUCT [ARGUMENT…]"
        );
        return ExitCode::from(2);
    };
    let mut conducts = AgentConduct::ALL.iter().copied();
    let Some(conduct) = conducts.find(|known| known.name() == conduct) else {
        let _ = writeln!(io::stderr(), "`{conduct}` is not a conduct");
        return ExitCode::from(2);
    };
    match play(Path::new(recording), conduct, arguments) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "fake agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play(recording: &Path, conduct: AgentConduct, arguments: &[String]) -> io::Result<ExitCode> {
    let is_file = recording.ends_with(STREAM);
    let recording = recording.parent().filter(|_| is_file).unwrap_or(recording);
    let stream = fs::read_to_string(recording.join(STREAM))?;
    if stream.contains("\"jsonrpc\"") {
        return converse(&stream);
    }
    note(arguments)?;
    if let Some(home) = std::env::var_os("HOME") {
        copy(&recording.join("home"), Path::new(&home))?;
    }
    let lines: Vec<&str> = stream.lines().collect();
    let half = lines.len() / 2;
    match conduct {
        AgentConduct::Mute => wait(),
        AgentConduct::Hangs => {
            print(&lines[..half])?;
            wait();
        }
        AgentConduct::IgnoresTermination => {
            ignore_termination()?;
            print(&lines[..half])?;
            wait();
        }
        AgentConduct::Crashes => {
            print(&lines[..half])?;
            writeln!(io::stderr(), "panic: the agent has crashed")?;
            return Ok(ExitCode::FAILURE);
        }
        AgentConduct::StaysAfterEnd => {
            print(&lines)?;
            wait();
        }
        AgentConduct::BabblesAfterEnd => loop {
            print(&lines)?;
            std::thread::sleep(Duration::from_millis(50));
        },
        AgentConduct::FailsAfterEnd => {
            print(&lines)?;
            return Ok(ExitCode::FAILURE);
        }
        AgentConduct::PrintsRubbish => {
            for line in lines {
                print(&[
                    "",
                    "{\"type\":",
                    "Debugger attached.",
                    "[1,2]",
                    "null",
                    "\u{1b}[31m",
                ])?;
                io::stdout().write_all(b"\xff\xfe not text\n")?;
                print(&[line])?;
            }
        }
        AgentConduct::LeavesDaemon => {
            let daemon = Command::new("setsid")
                .args(["sleep", "600"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            fs::write("daemon.pid", daemon.id().to_string())?;
            print(&lines)?;
        }
        AgentConduct::CallsModel => {
            calls_model()?;
            print(&lines)?;
        }
        AgentConduct::Proper => print(&lines)?,
    }
    // The exit code of the recorded run, if it was not 0.
    let exit = fs::read_to_string(recording.join("exit")).unwrap_or_default();
    Ok(ExitCode::from(exit.trim().parse::<u8>().unwrap_or(0)))
}

/// Replays a conversation in JSON-RPC: a response waits for its request, and a request for its response.
/// The messages of the other side are noted in `conversation.jsonl`.
fn converse(stream: &str) -> io::Result<ExitCode> {
    let mut heard: Vec<Value> = Vec::new();
    let mut lines = io::stdin().lines();
    let mut wait_for = |id: &Value, is_request: bool| -> io::Result<()> {
        let is_it =
            |message: &Value| message["id"] == *id && message.get("method").is_some() == is_request;
        while !heard.iter().any(is_it) {
            let Some(line) = lines.next() else {
                return Err(io::Error::other("the other side has left"));
            };
            heard.push(serde_json::from_str(&line?)?);
        }
        let notes = heard.iter().map(|message| format!("{message}\n"));
        fs::write("conversation.jsonl", notes.collect::<String>())
    };
    for line in stream.lines() {
        let message: Value = serde_json::from_str(line)?;
        let is_request = message.get("method").is_some();
        let id = message.get("id");
        if let (Some(id), false) = (id, is_request) {
            wait_for(id, true)?;
        }
        print(&[line])?;
        if let (Some(id), true) = (id, is_request) {
            wait_for(id, false)?;
        }
    }
    wait();
    Ok(ExitCode::SUCCESS)
}

fn note(arguments: &[String]) -> io::Result<()> {
    let mut prompt = String::new();
    io::stdin().read_to_string(&mut prompt)?;
    let variables: Map<String, Value> = std::env::vars()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    let own = ["HOME", "TMPDIR"].into_iter();
    let folders = own.chain([TRIED_FOLDERS]).filter_map(std::env::var_os);
    let folders = folders.flat_map(|folders| std::env::split_paths(&folders).collect::<Vec<_>>());
    let is_writable = |folder: &PathBuf| fs::write(folder.join("fake-agent-was-here"), "").is_ok();
    let writable: Vec<PathBuf> = folders.filter(is_writable).collect();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process = |name: String| name.bytes().all(|byte| byte.is_ascii_digit());
    let processes = processes.filter_map(|entry| entry.file_name().into_string().ok());
    let note = json!({
        "arguments": arguments,
        "variables": variables,
        "prompt": prompt,
        "processes": processes.filter(|name| is_process(name.clone())).count(),
        "writable": writable,
    });
    fs::write("fake-agent.json", note.to_string())
}

fn print(lines: &[&str]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in lines {
        writeln!(stdout, "{line}")?;
        stdout.flush()?;
    }
    Ok(())
}

/// Waits for ever.
fn wait() {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

#[cfg(unix)]
fn ignore_termination() -> io::Result<()> {
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, flag).map(|_| ())
}

#[cfg(not(unix))]
fn ignore_termination() -> io::Result<()> {
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Calls Anthropic's API at the address of the environment, as Claude Code or Copilot gets it, and notes the
/// statuses in `calls.json`.
fn calls_model() -> io::Result<()> {
    let variable = |name: &str| {
        let names = ["ANTHROPIC", "COPILOT_PROVIDER"].map(|agent| format!("{agent}_{name}"));
        let mut values = names.iter().filter_map(|name| std::env::var(name).ok());
        values.next().unwrap_or_default()
    };
    let (base, key) = (variable("BASE_URL"), variable("API_KEY"));
    let host = base.trim_start_matches("http://").to_owned();
    let body = json!({
        "model": "claude-sonnet-4-5", "stream": true, "tools": [{"name": "Bash", "input_schema": {}}],
        "messages": [{"role": "user", "content": "Hi"}],
    });
    let body = body.to_string();
    let mut statuses = Vec::new();
    for key in [
        key.as_str(),
        key.as_str(),
        key.as_str(),
        key.as_str(),
        "another-key",
    ] {
        let mut connection = std::net::TcpStream::connect(&host)?;
        let length = body.len();
        write!(
            connection,
            "POST /v1/messages?beta=true HTTP/1.1\r\nhost: {host}\r\nx-api-key: {key}\r\n\
             content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )?;
        let mut reply = String::new();
        connection.read_to_string(&mut reply)?;
        let status = reply.split(' ').nth(1).unwrap_or_default().to_owned();
        statuses.push(status);
        fs::write("calls.json", json!(statuses).to_string())?;
    }
    Ok(())
}
