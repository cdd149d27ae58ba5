//! A client that works on plain bytes.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use agentv_testkit::model::{Behaviour, ModelServer};
use serde_json::{Value, json};

/// A time that is never reached.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const CHAT: &str = "/v1/chat/completions";

pub(crate) fn start(behaviour: Behaviour) -> ModelServer {
    ModelServer::start(behaviour).unwrap()
}

pub(crate) fn chat_body(message: &str) -> String {
    json!({"model": "m", "messages": [{"role": "user", "content": message}]}).to_string()
}

/// Returns the bytes of a request.
pub(crate) fn request(path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

pub(crate) fn connect(server: &ModelServer) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// The reply up to the end of the connection, and how that ended.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: io::Result<()>,
}

impl Reply {
    pub(crate) fn read(mut stream: TcpStream) -> Reply {
        let mut bytes = Vec::new();
        let end = stream.read_to_end(&mut bytes).map(|_| ());
        Reply { bytes, end }
    }

    fn split(&self) -> (&str, &[u8]) {
        let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = self.bytes.split_at(end.unwrap() + 4);
        (str::from_utf8(head).unwrap(), body)
    }

    pub(crate) fn head(&self) -> &str {
        self.split().0
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.split().1
    }

    pub(crate) fn status(&self) -> u16 {
        self.head().split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head().lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.body()).unwrap()
    }

    /// Checks if the body is as long as the head says.
    pub(crate) fn is_whole(&self) -> bool {
        self.end.is_ok() && self.header("content-length") == Some(&self.body().len().to_string())
    }
}

/// Sends one request on its own connection.
pub(crate) fn send(server: &ModelServer, path: &str, headers: &str, body: &str) -> Reply {
    let mut stream = connect(server);
    let headers = format!("connection: close\r\n{headers}");
    stream
        .write_all(request(path, &headers, body).as_bytes())
        .unwrap();
    Reply::read(stream)
}

/// Requests a chat completion on its own connection.
pub(crate) fn ask(server: &ModelServer, message: &str) -> Reply {
    send(server, CHAT, "", &chat_body(message))
}

/// Returns the text of a chat completion.
pub(crate) fn said(reply: &Reply) -> String {
    let content = &reply.json()["choices"][0]["message"]["content"];
    content.as_str().unwrap().to_owned()
}
