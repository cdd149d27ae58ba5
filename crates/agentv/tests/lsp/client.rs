//! An editor: a process of `agentv lsp`, and what it published.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A client of the language server.
pub(crate) struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i64,
    /// The published diagnostics in their order, by address.
    published: HashMap<String, Vec<Value>>,
    /// The other messages of the server.
    pub(crate) messages: Vec<Value>,
}

impl Client {
    /// Starts a server for a folder.
    pub(crate) fn start(root: &Path) -> Client {
        Client::start_with(root, &json!({}))
    }

    pub(crate) fn start_with(root: &Path, capabilities: &Value) -> Client {
        let mut process = Command::new(env!("CARGO_BIN_EXE_agentv"))
            .arg("lsp")
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut client = Client {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            requests: 0,
            published: HashMap::new(),
            messages: Vec::new(),
        };
        let parameters = json!({
            "processId": null, "rootUri": address(root), "capabilities": capabilities,
        });
        client.request("initialize", &parameters);
        client.notify("initialized", &json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let head = format!("Content-Length: {}\r\n\r\n", body.len());
        self.input.write_all(head.as_bytes()).unwrap();
        self.input.write_all(body.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "the server ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its result or its error.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => json!({ "error": error }),
                    None => message["result"].clone(),
                };
            }
            self.keep(message);
        }
    }

    fn keep(&mut self, message: Value) {
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().unwrap().to_owned();
            let published = self.published.entry(uri).or_default();
            published.push(message["params"].clone());
        } else {
            self.messages.push(message);
        }
    }

    pub(crate) fn open(&mut self, file: &Path, text: &str) {
        let document =
            json!({"uri": address(file), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Replaces a range of a document.
    pub(crate) fn change(&mut self, file: &Path, version: i64, range: &Value, text: &str) {
        let params = json!({
            "textDocument": {"uri": address(file), "version": version},
            "contentChanges": [{"range": range, "text": text}],
        });
        self.notify("textDocument/didChange", &params);
    }

    /// Waits until diagnostics of this version were published `times` times, and returns the last.
    pub(crate) fn diagnostics_after(&mut self, file: &Path, version: i64, times: usize) -> Value {
        let uri = address(file);
        loop {
            let published = self.published.get(&uri).into_iter().flatten();
            let mut of_version = published.filter(|published| published["version"] == version);
            if let Some(found) = of_version.nth(times - 1) {
                return found["diagnostics"].clone();
            }
            let message = self.receive();
            self.keep(message);
        }
    }

    /// Returns the versions of the diagnostics that were published of a file, in their order.
    pub(crate) fn versions(&self, file: &Path) -> Vec<i64> {
        let published = self.published.get(&address(file)).into_iter().flatten();
        published
            .map(|published| published["version"].as_i64().unwrap())
            .collect()
    }

    pub(crate) fn diagnostics(&mut self, file: &Path, version: i64) -> Value {
        self.diagnostics_after(file, version, 1)
    }

    /// Waits for a message of the server that is not about diagnostics.
    pub(crate) fn message(&mut self, method: &str) -> Value {
        loop {
            let at = self
                .messages
                .iter()
                .position(|message| message["method"] == method);
            if let Some(at) = at {
                return self.messages.remove(at);
            }
            let message = self.receive();
            self.keep(message);
        }
    }

    /// Asks about a position in a document.
    pub(crate) fn at(&mut self, request: &str, file: &Path, position: &Value) -> Value {
        let params = json!({"textDocument": {"uri": address(file)}, "position": position});
        self.request(&format!("textDocument/{request}"), &params)
    }

    /// Asks about a document.
    pub(crate) fn about(&mut self, request: &str, file: &Path) -> Value {
        let params = json!({"textDocument": {"uri": address(file)}});
        self.request(&format!("textDocument/{request}"), &params)
    }

    pub(crate) fn quick_fixes(&mut self, file: &Path, range: &Value) -> Vec<Value> {
        let params = json!({
            "textDocument": {"uri": address(file)}, "range": range, "context": {"diagnostics": []},
        });
        let fixes = self.request("textDocument/codeAction", &params);
        fixes.as_array().cloned().unwrap_or_default()
    }

    /// Ends the server as an editor does.
    pub(crate) fn end(mut self) {
        assert_eq!(self.request("shutdown", &Value::Null), Value::Null);
        self.notify("exit", &Value::Null);
        assert!(self.process.wait().unwrap().success());
    }
}

/// Returns the address of a file in a temporary folder.
pub(crate) fn address(file: &Path) -> String {
    format!("file://{}", file.display())
}

/// Returns the position of an offset, in UTF-16 units.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": before[start..].encode_utf16().count()})
}

/// Returns the position of the first letter of a word.
pub(crate) fn position_of(text: &str, word: &str) -> Value {
    position(text, text.find(word).unwrap())
}
