//! A real NATS server with JetStream, on a port and a folder of its own.

use std::fs;
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::crash::{Running, Signal};

/// The longest time that a start or an end may take.
const LONGEST: Duration = Duration::from_secs(120);

const PAUSE: Duration = Duration::from_millis(5);

/// A NATS server. It is killed at the end, and its folder is removed.
#[derive(Debug)]
pub struct NatsServer {
    running: Option<Running>,
    folder: TempDir,
    port: u16,
    /// Further lines of its configuration.
    settings: String,
}

impl NatsServer {
    /// Returns the program; `None` if it is not installed. `NATS_SERVER` may name it.
    pub fn program() -> Option<PathBuf> {
        let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        let found = folders.map(|folder| folder.join("nats-server"));
        named.into_iter().chain(found).find(|path| path.is_file())
    }

    /// Starts a server. `settings` are further lines of its configuration.
    ///
    /// # Errors
    /// Fails if it is not installed, or does not start.
    pub fn start(settings: &str) -> io::Result<NatsServer> {
        let mut server = NatsServer {
            running: None,
            folder: tempfile::tempdir()?,
            port: 0,
            settings: settings.to_owned(),
        };
        server.start_again()?;
        Ok(server)
    }

    /// Returns its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends it with a signal, and waits for its end.
    ///
    /// # Errors
    /// Fails if it does not end.
    pub fn stop(&mut self, signal: Signal) -> io::Result<()> {
        if let Some(running) = self.running.take() {
            running.signal(signal)?;
            running.wait(LONGEST)?;
        }
        Ok(())
    }

    /// Starts it again, on the same port and with the same storage.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn start_again(&mut self) -> io::Result<()> {
        let program = NatsServer::program()
            .ok_or_else(|| io::Error::other("nats-server is not installed"))?;
        let (ports, storage) = (self.folder.path().join("ports"), self.storage());
        let _ = fs::remove_dir_all(&ports);
        fs::create_dir_all(&ports)?;
        let port = match self.port {
            0 => "-1".to_owned(),
            port => port.to_string(),
        };
        let configuration = self.folder.path().join("nats.conf");
        let text = format!(
            "listen: \"127.0.0.1:{port}\"\nports_file_dir: {ports:?}\njetstream {{ store_dir: {storage:?} }}\n{}\n",
            self.settings
        );
        fs::File::create(&configuration)?.write_all(text.as_bytes())?;
        let log = fs::File::create(self.folder.path().join("log"))?;
        let mut command = Command::new(program);
        command
            .arg("-c")
            .arg(&configuration)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        self.running = Some(Running::start(&mut command)?);
        self.port = wait_for_port(&ports)?;
        Ok(())
    }

    /// Returns the names of the streams that it stores.
    pub fn streams(&self) -> Vec<String> {
        let accounts = fs::read_dir(self.storage().join("jetstream"));
        let accounts = accounts.into_iter().flatten().flatten();
        let streams = accounts.flat_map(|account| fs::read_dir(account.path().join("streams")));
        let entries = streams.flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn storage(&self) -> PathBuf {
        self.folder.path().join("storage")
    }
}

/// Waits until the server has written its ports and accepts connections.
fn wait_for_port(folder: &Path) -> io::Result<u16> {
    let until = Instant::now() + LONGEST;
    while Instant::now() < until {
        let files = fs::read_dir(folder)?.flatten();
        let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        let port = texts.filter_map(|text| port_in(&text)).next();
        if let Some(port) = port
            && TcpStream::connect(("127.0.0.1", port)).is_ok()
        {
            return Ok(port);
        }
        sleep(PAUSE);
    }
    Err(io::Error::new(
        io::ErrorKind::TimedOut,
        "nats-server does not start",
    ))
}

/// Returns the port for clients in a file of ports.
fn port_in(text: &str) -> Option<u16> {
    let ports: serde_json::Value = serde_json::from_str(text).ok()?;
    let address = ports["nats"][0].as_str()?;
    address.rsplit(':').next()?.parse().ok()
}
