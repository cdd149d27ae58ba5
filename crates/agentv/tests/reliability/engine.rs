//! An engine for tests: a real NATS server, workers as processes, and a network that stops.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use agentv_testkit::crash::Signal;
use agentv_testkit::{NatsServer, Project};
use tempfile::TempDir;

use crate::LONGEST;
use crate::program::{Ended, Program, agentv, clean, finish};

/// Starts a server. Prints why a test is skipped if there is none.
pub(crate) fn nats() -> Option<NatsServer> {
    nats_with("")
}

/// Starts a server with further settings.
pub(crate) fn nats_with(settings: &str) -> Option<NatsServer> {
    if NatsServer::program().is_none() {
        println!("skipped: nats-server is not installed");
        return None;
    }
    Some(NatsServer::start(settings).unwrap())
}

/// A worker: a process with a home and a working folder of its own.
pub(crate) struct Worker {
    program: Program,
    home: TempDir,
}

/// A worker that is not started yet.
pub(crate) struct WorkerCommand {
    command: Command,
    home: TempDir,
}

impl WorkerCommand {
    pub(crate) fn new(url: &str, slots: usize) -> WorkerCommand {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
        command.args(["worker", "--engine", url, "--slots", &slots.to_string()]);
        clean(&mut command);
        command.env("HOME", home.path()).current_dir(home.path());
        WorkerCommand { command, home }
    }

    pub(crate) fn args(mut self, arguments: &[&str]) -> WorkerCommand {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> WorkerCommand {
        self.command.env(name, value);
        self
    }

    pub(crate) fn start(mut self) -> Worker {
        Worker {
            program: Program::start(&mut self.command),
            home: self.home,
        }
    }
}

impl Worker {
    /// Starts a worker.
    pub(crate) fn start(url: &str, slots: usize) -> Worker {
        WorkerCommand::new(url, slots).start()
    }

    /// Returns its home, which is its working folder, too.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.program.has_ended()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.program.signal(signal);
    }

    /// Kills it, as a machine that loses its power.
    pub(crate) fn kill(self) {
        self.program.signal(Signal::SIGKILL);
        self.program.wait();
    }

    /// Asks it to leave once it has begun, and waits until it has left.
    pub(crate) fn leave(self) -> Ended {
        self.until_says("connected");
        self.program.signal(Signal::SIGTERM);
        self.program.wait()
    }

    /// Waits until it has said something.
    #[track_caller]
    pub(crate) fn until_says(&self, text: &str) {
        wait_until(text, || self.program.said().contains(text));
    }
}

/// Returns `agentv run cases.jsonl --engine URL` in a project.
pub(crate) fn run_on(url: &str, project: &Project, arguments: &[&str]) -> Command {
    let engine = ["--engine", url];
    agentv(project, engine.iter().chain(arguments))
}

/// Returns `agentv engine ACTION`.
pub(crate) fn engine(url: &str, action: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command.args(["engine", action, "--engine", url]);
    clean(&mut command);
    finish(&mut command)
}

/// Waits for a state. Panics if it does not come.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + LONGEST;
    while !is_so() {
        assert!(Instant::now() < until, "waited in vain: {what}");
        sleep(Duration::from_millis(2));
    }
}

/// Checks that nothing of a run is left on a server.
#[track_caller]
pub(crate) fn nothing_is_left_on(server: &NatsServer) {
    assert_eq!(server.streams(), Vec::<String>::new());
}

/// A network between workers and a server, which can be stopped: connections stay, and nothing passes.
pub(crate) struct Network {
    port: u16,
    is_stopped: Arc<AtomicBool>,
}

impl Network {
    pub(crate) fn to(server: &NatsServer) -> Network {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (to, stopped) = (server.port(), Arc::clone(&is_stopped));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect(("127.0.0.1", to)) {
                    connect(client, server, &stopped);
                }
            }
        });
        Network { port, is_stopped }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Stops it, or lets everything pass again.
    pub(crate) fn stop(&self, is_stopped: bool) {
        self.is_stopped.store(is_stopped, Ordering::SeqCst);
    }
}

fn connect(client: TcpStream, server: TcpStream, stopped: &Arc<AtomicBool>) {
    let pairs = [
        (client.try_clone().unwrap(), server.try_clone().unwrap()),
        (server, client),
    ];
    for (from, to) in pairs {
        let stopped = Arc::clone(stopped);
        thread::spawn(move || {
            let _ = pass(from, to, &stopped);
        });
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, stopped: &AtomicBool) -> io::Result<()> {
    let mut buffer = [0; 64 << 10];
    loop {
        let read = from.read(&mut buffer)?;
        while stopped.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(5));
        }
        if read == 0 {
            return to.shutdown(std::net::Shutdown::Both);
        }
        to.write_all(&buffer[..read])?;
    }
}

/// A client that speaks the text protocol of NATS, to pretend to be another version.
pub(crate) struct RawClient {
    stream: TcpStream,
    received: Arc<Mutex<String>>,
}

impl RawClient {
    pub(crate) fn connect(server: &NatsServer) -> RawClient {
        let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
        let received = Arc::new(Mutex::new(String::new()));
        let (mut reading, into) = (stream.try_clone().unwrap(), Arc::clone(&received));
        thread::spawn(move || {
            let mut buffer = [0; 64 << 10];
            while let Ok(read) = reading.read(&mut buffer) {
                if read == 0 {
                    return;
                }
                let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                into.lock().unwrap().push_str(&text);
            }
        });
        let mut client = RawClient { stream, received };
        client.send("CONNECT {\"verbose\":false}\r\nPING\r\n");
        client.until_received("PONG");
        client
    }

    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn subscribe(&mut self, subject: &str) {
        self.send(&format!("SUB {subject} 1\r\n"));
    }

    pub(crate) fn publish(&mut self, subject: &str, text: &str) {
        self.send(&format!("PUB {subject} {}\r\n{text}\r\n", text.len()));
    }

    /// Returns the JSON messages that were received.
    pub(crate) fn messages(&self) -> Vec<String> {
        let received = self.received.lock().unwrap();
        let lines = received.split("\r\n");
        let whole = |line: &&str| serde_json::from_str::<serde_json::Map<_, _>>(line).is_ok();
        lines.filter(whole).map(ToOwned::to_owned).collect()
    }

    pub(crate) fn has_received(&self, text: &str) -> bool {
        self.received.lock().unwrap().contains(text)
    }

    #[track_caller]
    pub(crate) fn until_received(&self, text: &str) {
        wait_until(text, || self.has_received(text));
    }
}

/// Returns every file under a folder that contains a text.
pub(crate) fn files_with(folder: PathBuf, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| contains(&bytes, text.as_bytes())) {
                found.push(path);
            }
        }
    }
    found
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
