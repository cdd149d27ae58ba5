//! A small vendor on this machine, for tests: gives every request the same answer, and records requests.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request as it was received.
#[derive(Debug, Clone)]
pub(super) struct Received {
    /// Method, path and query.
    pub(super) line: String,
    /// Names in lower case.
    pub(super) headers: HashMap<String, String>,
    pub(super) body: Value,
}

/// A reply, and whether the connection stays open after it.
#[derive(Clone)]
pub(super) struct Reply {
    bytes: Vec<u8>,
    stays_open: bool,
    stalls: bool,
}

impl Reply {
    /// JSON with a status and further headers.
    pub(super) fn json(status: u16, headers: &[(&str, &str)], body: &Value) -> Reply {
        Reply::text(status, "application/json", headers, &body.to_string())
    }

    /// A body of any type.
    pub(super) fn text(
        status: u16,
        content_type: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        Reply::bytes(status, content_type, headers, body.as_bytes())
    }

    /// A body of any bytes.
    pub(super) fn bytes(
        status: u16,
        content_type: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut head = format!("HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        Reply {
            bytes: [head.as_bytes(), body].concat(),
            stays_open: true,
            stalls: false,
        }
    }

    /// Truncates the reply after this many bytes, and closes the connection.
    pub(super) fn cut(mut self, length: usize) -> Reply {
        self.bytes.truncate(length);
        self.stays_open = false;
        self
    }

    /// The same, cut after so many bytes, and the connection left open without another byte.
    pub(super) fn stalled(mut self, length: usize) -> Reply {
        self.bytes.truncate(length);
        self.stalls = true;
        self
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// A server that runs until the runtime of the test ends.
pub(super) struct Server {
    /// `http://127.0.0.1:PORT`.
    pub(super) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    connections: Arc<Mutex<usize>>,
}

impl Server {
    pub(super) async fn start(reply: Reply) -> Server {
        Server::start_with(Vec::new(), reply).await
    }

    /// Starts a server that sends the `first` replies one after the other, and then always the same one.
    pub(super) async fn start_with(first: Vec<Reply>, reply: Reply) -> Server {
        let first = Arc::new(Mutex::new(VecDeque::from(first)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server {
            url: format!("http://{}", listener.local_addr().unwrap()),
            received: Arc::default(),
            connections: Arc::default(),
        };
        let received = server.received.clone();
        let connections = server.connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *connections.lock().unwrap() += 1;
                let first = first.clone();
                tokio::spawn(serve(stream, first, reply.clone(), received.clone()));
            }
        });
        server
    }

    /// Returns the requests so far.
    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the number of connections so far.
    pub(super) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

async fn serve(
    mut stream: TcpStream,
    first: Arc<Mutex<VecDeque<Reply>>>,
    usual: Reply,
    received: Arc<Mutex<Vec<Received>>>,
) {
    let (reading, mut writing) = stream.split();
    let mut reading = BufReader::new(reading);
    while let Some(request) = read(&mut reading).await {
        received.lock().unwrap().push(request);
        let reply = first.lock().unwrap().pop_front();
        let reply = reply.unwrap_or_else(|| usual.clone());
        if writing.write_all(&reply.bytes).await.is_err() || !reply.stays_open {
            break;
        }
        if reply.stalls {
            std::future::pending::<()>().await;
        }
    }
}

async fn read(reading: &mut BufReader<impl tokio::io::AsyncRead + Unpin>) -> Option<Received> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reading
            .read_line(&mut line)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let headers = head[1..].iter().filter_map(|line| line.split_once(": "));
    let headers: HashMap<String, String> = headers
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reading.read_exact(&mut body).await.ok()?;
    Some(Received {
        line: head[0].trim_end_matches(" HTTP/1.1").to_owned(),
        headers,
        body: serde_json::from_slice(&body).ok()?,
    })
}
