//! A server for a test, and a client that sends exactly what a test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use agentv_view::{Binding, Runs, Server};
use serde_json::Value;
use tokio::runtime::Runtime;

/// A running server, which ends with the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    _runtime: Runtime,
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_owned())
    }
}

impl Running {
    /// Serves the runs of a folder on a free port of the loopback.
    pub(crate) fn of(results: &Path) -> Running {
        Running::with(Runs::of_folder(results), Binding::loopback(0))
    }

    pub(crate) fn with(runs: Runs, binding: Binding) -> Running {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(Server::bind(runs, binding)).unwrap();
        let address = server.address();
        let address = address
            .trim_start_matches("http://")
            .split('/')
            .next()
            .unwrap();
        let address = address.parse().unwrap();
        runtime.spawn(server.run());
        Running {
            address,
            _runtime: runtime,
        }
    }

    /// Asks for a path as a browser page of the view does.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let host = self.address.to_string();
        let mut all = vec![("host", &*host)];
        all.extend(headers);
        self.send("GET", path, &all)
    }

    /// Sends JSON as a browser page of the view does.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let (host, origin) = (self.address.to_string(), format!("http://{}", self.address));
        let headers = [
            ("host", &*host),
            ("origin", &*origin),
            ("content-type", "application/json"),
        ];
        self.send_body("POST", path, &headers, &body.to_string())
    }

    /// Sends a request with exactly these headers.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send_text(method, path, headers, "")
    }

    /// Sends a request with a body.
    pub(crate) fn send_body(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let length = body.len().to_string();
        let mut headers = headers.to_vec();
        headers.push(("content-length", &length));
        self.send_text(method, path, &headers, body)
    }

    fn send_text(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        // A server that refuses a request may not read its body.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        parse(&answer)
    }

    /// Opens the events of a run, and returns a reader of their data.
    pub(crate) fn events(&self, path: &str) -> impl Iterator<Item = Value> + use<> {
        let mut stream = self.connect();
        let host = self.address;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {host}\r\naccept: text/event-stream\r\n\r\n"
        )
        .unwrap();
        let lines = BufReader::new(stream).lines();
        lines
            .map_while(Result::ok)
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .unwrap();
        stream
    }
}

fn parse(answer: &[u8]) -> Answer {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(answer)));
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer[end + 4..].to_vec();
    let is_chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Answer {
        status,
        head,
        body: if is_chunked { unchunked(&body) } else { body },
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|bytes| bytes == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    whole
}
