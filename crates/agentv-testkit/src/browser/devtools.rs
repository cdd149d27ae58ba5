//! The protocol of the browser: JSON messages over two pipes.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The longest time that the browser may take to answer.
const PATIENCE: Duration = Duration::from_secs(180);

/// A connection to a browser, for any number of threads.
#[derive(Debug)]
pub(crate) struct Devtools {
    next: AtomicU64,
    to_browser: Mutex<ChildStdin>,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    /// The receivers of the answers, by message.
    waiting: HashMap<u64, Sender<Value>>,
    /// The events of each session.
    events: HashMap<String, Vec<Value>>,
}

impl Devtools {
    pub(crate) fn new(to_browser: ChildStdin, from_browser: ChildStdout) -> Devtools {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let listener = Arc::clone(&heard);
        thread::spawn(move || listen(from_browser, &listener));
        Devtools {
            next: AtomicU64::new(1),
            to_browser: Mutex::new(to_browser),
            heard,
        }
    }

    /// Calls a method and returns its result.
    pub(crate) fn call(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let (sender, answer) = channel();
        self.heard.lock().unwrap().waiting.insert(id, sender);
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.to_browser.lock().unwrap().write_all(&bytes).unwrap();
        let answer = answer.recv_timeout(PATIENCE);
        let answer = answer.unwrap_or_else(|_| panic!("the browser does not answer {method}"));
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Returns the events of a session so far.
    pub(crate) fn events(&self, session: &str) -> Vec<Value> {
        let heard = self.heard.lock().unwrap();
        heard.events.get(session).cloned().unwrap_or_default()
    }
}

fn listen(from_browser: impl Read, heard: &Mutex<Heard>) {
    let mut from_browser = BufReader::new(from_browser);
    let mut bytes = Vec::new();
    while from_browser
        .read_until(0, &mut bytes)
        .is_ok_and(|count| count > 0)
    {
        let message = serde_json::from_slice::<Value>(bytes.strip_suffix(b"\0").unwrap_or(&bytes));
        bytes.clear();
        let Ok(message) = message else { continue };
        let mut heard = heard.lock().unwrap();
        if let Some(sender) = message["id"]
            .as_u64()
            .and_then(|id| heard.waiting.remove(&id))
        {
            // The caller may have given up.
            drop(sender.send(message));
        } else if let Some(session) = message["sessionId"].as_str() {
            heard
                .events
                .entry(session.to_owned())
                .or_default()
                .push(message);
        }
    }
    // No caller gets an answer any more.
    heard.lock().unwrap().waiting.clear();
}
