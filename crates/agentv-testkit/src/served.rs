//! A program that serves pages on the loopback, asked by a plain client.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The longest time that an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running program that printed its address, ended with the test.
#[derive(Debug)]
pub struct Served {
    child: Child,
    host: String,
}

impl Served {
    /// Starts a program and waits for the address on the first line of its output.
    ///
    /// # Errors
    /// Fails if the program cannot be started, or its first line is not an address.
    pub fn start(command: &mut Command) -> io::Result<Served> {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let mut served = Served {
            child,
            host: String::new(),
        };
        let host = line
            .trim()
            .strip_prefix("http://")
            .map(|rest| rest.trim_end_matches('/'));
        served.host = host
            .ok_or_else(|| io::Error::other(line.clone()))?
            .to_owned();
        Ok(served)
    }

    /// Returns the host and the port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Asks for a path and returns the whole answer, with its head.
    ///
    /// # Errors
    /// Fails if the program does not answer.
    pub fn get(&self, path: &str) -> io::Result<String> {
        self.send(&format!("GET {path} HTTP/1.1\r\n"), "")
    }

    /// Sends JSON to a path as a page of the program does, and returns the whole answer.
    ///
    /// # Errors
    /// Fails if the program does not answer.
    pub fn post(&self, path: &str, json: &str) -> io::Result<String> {
        let (host, length) = (&self.host, json.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\norigin: http://{host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n"
        );
        self.send(&head, json)
    }

    fn send(&self, head: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(&self.host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let host = &self.host;
        write!(
            stream,
            "{head}host: {host}\r\nconnection: close\r\n\r\n{body}"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
