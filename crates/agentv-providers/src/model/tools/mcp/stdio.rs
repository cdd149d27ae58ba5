//! A server that is a command: messages are lines on its stdin and stdout.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agentv_process::{CommandSpec, Dialogue, Ending, ProcessError, Runner, Talked};
use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::post::message_of;
use crate::excerpt::excerpt;

/// The time that a server has to end once its stdin is closed.
const GRACE: Duration = Duration::from_secs(2);
/// The time that its end is waited for. The supervisor gives up earlier.
const LAST_WORDS: Duration = Duration::from_secs(20);
/// A server lives as long as the run.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The number of messages that wait in each direction.
const WAITING: usize = 64;

/// The process of a server. Dropping it ends the process without waiting for it.
pub(super) struct ServerProcess {
    task: JoinHandle<Result<Talked<()>, ProcessError>>,
    cancel: DropGuard,
    /// The first line that the server wrote in place of a message.
    noise: Noise,
}

type Noise = Arc<Mutex<Option<String>>>;

/// Our ends of the messages.
pub(super) struct StdioTransport {
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
}

/// Starts the command of a server under the supervisor.
pub(super) fn start(spec: CommandSpec) -> (ServerProcess, StdioTransport) {
    let (outgoing, to_server) = mpsc::channel(WAITING);
    let (from_server, incoming) = mpsc::channel(WAITING);
    let noise = Noise::default();
    let cancel = CancellationToken::new();
    let task = tokio::spawn({
        let (noise, cancel) = (Arc::clone(&noise), cancel.clone());
        async move {
            let spec = spec.deadline(NO_DEADLINE);
            let carrying =
                async move |dialogue| carry(dialogue, to_server, from_server, noise).await;
            Runner::of_this_program()
                .talk(spec, &cancel, carrying)
                .await
        }
    });
    let process = ServerProcess {
        task,
        cancel: cancel.drop_guard(),
        noise,
    };
    let transport = StdioTransport {
        outgoing: Some(outgoing),
        incoming,
    };
    (process, transport)
}

/// Carries messages in both directions until the server or our side closes.
async fn carry(
    dialogue: Dialogue,
    mut to_server: mpsc::Receiver<Vec<u8>>,
    from_server: mpsc::Sender<ServerJsonRpcMessage>,
    noise: Noise,
) {
    let Dialogue {
        stdin, mut stdout, ..
    } = dialogue;
    let writing = async {
        let Some(mut stdin) = stdin else { return };
        while let Some(line) = to_server.recv().await {
            if stdin.write(&line).await.is_err() {
                break;
            }
        }
        drop(stdin);
        tokio::time::sleep(GRACE).await;
    };
    let reading = async {
        while let Some(line) = stdout.next().await {
            match message_of(line.bytes) {
                // Without a receiver, the rest is only read so that the server can end.
                Some(message) => drop(from_server.send(message).await),
                None => note(&noise, line.bytes),
            }
        }
    };
    tokio::select! {
        () = reading => {}
        () = writing => {}
    }
}

/// Keeps the first line that is not a message. Some servers print their log.
fn note(noise: &Noise, line: &[u8]) {
    let mut noise = noise.lock().unwrap_or_else(PoisonError::into_inner);
    let line = String::from_utf8_lossy(line);
    if noise.is_none() && !line.trim().is_empty() {
        *noise = Some(excerpt(line.trim()));
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        let line = serde_json::to_vec(&item).map(|mut line| {
            line.push(b'\n');
            line
        });
        async move {
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let outgoing = outgoing.ok_or_else(closed)?;
            outgoing.send(line?).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outgoing = None;
        Ok(())
    }
}

impl ServerProcess {
    /// Waits for the end of a server whose messages have ended. Returns its last words.
    pub(super) async fn ended(self) -> String {
        let ServerProcess {
            mut task,
            cancel,
            noise,
        } = self;
        let ended = match tokio::time::timeout(2 * GRACE, &mut task).await {
            Ok(ended) => ended,
            Err(_) => {
                drop(cancel);
                let Ok(ended) = tokio::time::timeout(LAST_WORDS, task).await else {
                    return "it does not end".to_owned();
                };
                ended
            }
        };
        let noise = noise.lock().unwrap_or_else(PoisonError::into_inner).take();
        match ended {
            Ok(Ok(talked)) => last_words(&talked, noise),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Ends a server that may still work. Returns its last words.
    pub(super) async fn stop(self) -> String {
        let ServerProcess {
            task,
            cancel,
            noise,
        } = self;
        let cancel = cancel.disarm();
        cancel.cancel();
        let process = ServerProcess {
            task,
            cancel: cancel.drop_guard(),
            noise,
        };
        process.ended().await
    }
}

/// Describes the end of a server: its status if it ended by itself, and what it wrote last.
fn last_words(talked: &Talked<()>, noise: Option<String>) -> String {
    let stderr = talked.stderr.text();
    let said = stderr.trim();
    // The end of an error says more than its beginning.
    let start = said.ceil_char_boundary(said.len().saturating_sub(400));
    let said = said[start..].trim();
    let end = match talked.ending {
        Ending::Exited(status) => Some(format!("it ended with {status}")),
        Ending::Stopped | Ending::DeadlinePassed | Ending::Cancelled => None,
    };
    let said = (!said.is_empty()).then(|| format!("it wrote to stderr: {said}"));
    let noise = noise.map(|line| format!("it wrote `{line}` to stdout, which is not a message"));
    let words: Vec<String> = [end, said, noise].into_iter().flatten().collect();
    if words.is_empty() {
        return "it wrote nothing".to_owned();
    }
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_inside_a_character_is_a_message() {
        let line = br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"cut \ud83d"}]}}"#;
        let read = serde_json::to_string(&message_of(line).unwrap()).unwrap();
        assert!(read.contains("cut \u{fffd}"), "{read}");
        assert!(message_of(b"Server listens").is_none());
    }
}
