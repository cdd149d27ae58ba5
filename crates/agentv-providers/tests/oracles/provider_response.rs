//! Any bytes as the answer of a server, of every vendor's protocol, through a real connection.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentv_core::{Cause, Provider, ProviderError, Request, Transcript};
use agentv_providers::{Environment, Surroundings, Targets};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{KEY, comes_back, is_a_sentence};

/// The first letter of an input, the provider that it selects, and a field of the target.
type AskedTarget = (u8, &'static str, Option<(&'static str, &'static str)>);

const TARGETS: &[AskedTarget] = &[
    (b'o', "openai", None),
    (b'r', "openai", Some(("api", "responses"))),
    (b'a', "anthropic", None),
    (b'g', "gemini", None),
    (b'b', "bedrock", None),
    (b'l', "ollama", None),
    (b'z', "azure", None),
    (b'd', "deepseek", None),
    (b'q', "groq", None),
    (b'm', "mistral", None),
    (b'x', "xai", None),
    (b't', "together", None),
    (b'f', "fireworks", None),
    (b'u', "openrouter", None),
    (b'v', "vllm", None),
    (b'h', "http", None),
    (
        b'p',
        "http",
        Some(("response_path", "choices[0].message.content")),
    ),
];

/// The status of the answer, by the second letter of the input.
const STATUSES: &[(u8, u16)] = &[
    (b'2', 200),
    (b'c', 201),
    (b'3', 301),
    (b'7', 307),
    (b'4', 400),
    (b'k', 401),
    (b'f', 403),
    (b'n', 404),
    (b't', 408),
    (b'u', 422),
    (b'9', 429),
    (b'5', 500),
    (b'g', 502),
    (b'o', 503),
    (b'l', 504),
    (b'x', 529),
    (b'?', 599),
];

/// The time after which a request on this machine counts as hanging.
const DEADLINE: Duration = Duration::from_secs(20);

/// A server on this machine, and a target of every kind that asks it.
pub struct Exchange {
    runtime: Runtime,
    reply: Arc<Mutex<Vec<u8>>>,
    providers: Vec<Arc<dyn Provider>>,
    request: Request,
    _root: TempDir,
}

impl Default for Exchange {
    fn default() -> Exchange {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let reply: Arc<Mutex<Vec<u8>>> = Arc::default();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        runtime.spawn(listen(listener, Arc::clone(&reply)));
        let root = tempfile::tempdir().expect("a temporary folder");
        let providers = providers(&address, root.path());
        Exchange {
            runtime,
            reply,
            providers,
            request: Request::of_text("Hi", root.path().into(), DEADLINE),
            _root: root,
        }
    }
}

fn providers(address: &str, root: &std::path::Path) -> Vec<Arc<dyn Provider>> {
    let targets = TARGETS.iter().map(|(letter, provider, field)| {
        let mut target = json!({"name": char::from(*letter).to_string(), "provider": provider});
        match *provider {
            "http" => target["url"] = json!(format!("{address}/ask")),
            "azure" => target["endpoint"] = json!(address),
            _ => target["base_url"] = json!(address),
        }
        match *provider {
            "http" => target["headers"] = json!({"authorization": format!("Bearer {KEY}")}),
            _ => {
                target["api_key"] = json!(KEY);
                target["model"] = json!("m");
            }
        }
        if let Some((name, value)) = field {
            target[*name] = json!(value);
        }
        target
    });
    let file = json!({"targets": targets.collect::<Vec<_>>()});
    let path = root.join("targets.yaml");
    std::fs::write(&path, file.to_string()).expect("the targets file");
    let surroundings = Surroundings {
        folder: root.to_owned(),
        root: root.to_owned(),
        working_dir: root.to_owned(),
    };
    let targets = Targets::read(&path, &Arc::from("targets.yaml"), &surroundings);
    let targets = targets.expect("targets");
    let resolved = TARGETS.iter().map(|(letter, ..)| {
        let name = char::from(*letter).to_string();
        let resolved = targets.resolve(&name, &Environment::default());
        resolved.expect("a target").target.provider
    });
    resolved.collect()
}

impl Exchange {
    /// Checks that the response gives an answer or a short error, the same one twice, without the key.
    /// A status that is not a success is an error, and an answer can be recorded.
    ///
    /// The first line of the input has a letter for the target, one for the status, and a header. The
    /// rest is the body.
    pub fn provider_response(&self, bytes: &[u8]) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (head, body) = match end {
            Some(end) => (&bytes[..end], &bytes[end + 1..]),
            None => (bytes, &[][..]),
        };
        let [target, status, header @ ..] = head else {
            return;
        };
        let place = TARGETS.iter().position(|(letter, ..)| letter == target);
        let place = place.unwrap_or(usize::from(*target) % TARGETS.len());
        let known = STATUSES.iter().find(|(letter, _)| letter == status);
        let (_, status) = *known.unwrap_or(&STATUSES[usize::from(*status) % STATUSES.len()]);
        *self.reply.lock().expect("the reply") = reply(status, header, body);
        let answer = self.ask(place);
        assert_eq!(self.ask(place), answer, "asked again");
        match answer {
            Ok(transcript) => {
                assert!((200..300).contains(&status));
                comes_back(&transcript);
            }
            Err(error) => holds(&error, status),
        }
    }

    fn ask(&self, place: usize) -> Result<Transcript, ProviderError> {
        let cancel = CancellationToken::new();
        let asking = self.providers[place].answer(&self.request, &cancel);
        let answer = self.runtime.block_on(async {
            let answer = tokio::time::timeout(DEADLINE, asking).await;
            answer.expect("an answer in time")
        });
        // Times differ from call to call, and records have them in another place.
        let answer = answer.map(|transcript| Transcript {
            first_token_ms: None,
            ..transcript
        });
        // Until a date: the clock has moved on.
        answer.map_err(|error| ProviderError {
            retry_after: error.retry_after.map(|wait| match wait.as_secs() {
                0 => Duration::ZERO,
                seconds => Duration::from_secs(seconds / 100),
            }),
            ..error
        })
    }
}

fn holds(error: &ProviderError, status: u16) {
    is_a_sentence(&error.message);
    assert!(!error.message.contains(KEY), "{error:?}");
    match error.cause {
        Cause::Status(code) => assert!(code == status || status < 300, "{error:?}"),
        Cause::Answer | Cause::Network => assert!(status < 400, "{error:?}"),
        Cause::Setup => assert!(matches!(status, 200..300 | 429), "{error:?}"),
        Cause::Timeout | Cause::Command | Cause::Missing | Cause::Cancelled => {
            panic!("{error:?}")
        }
    }
}

/// Returns a response that is valid HTTP whatever its body is. A header that cannot be sent is omitted.
fn reply(status: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    let header = std::str::from_utf8(header).ok();
    let header = header.and_then(|header| header.split_once(": "));
    let is_name = |name: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        // These say where the body ends, or what is done to it before anybody reads it.
        let framing = [
            "content-length",
            "transfer-encoding",
            "connection",
            "upgrade",
        ];
        !name.is_empty()
            && name.bytes().all(fits)
            && !framing.iter().any(|it| name.eq_ignore_ascii_case(it))
    };
    let is_value = |value: &str| value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let mut has_type = false;
    if let Some((name, value)) = header.filter(|(name, value)| is_name(name) && is_value(value)) {
        head.push_str(&format!("{name}: {value}\r\n"));
        has_type = name.eq_ignore_ascii_case("content-type");
    }
    if !has_type {
        head.push_str("content-type: application/json\r\n");
    }
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

async fn listen(listener: TcpListener, reply: Arc<Mutex<Vec<u8>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tokio::spawn(serve(stream, Arc::clone(&reply)));
    }
}

/// Sends the reply to every request of a connection.
async fn serve(mut stream: TcpStream, reply: Arc<Mutex<Vec<u8>>>) -> Option<()> {
    let (reading, mut writing) = stream.split();
    let mut reading = BufReader::new(reading);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            reading
                .read_line(&mut line)
                .await
                .ok()
                .filter(|read| *read > 0)?;
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().ok()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reading.read_exact(&mut body).await.ok()?;
        let bytes = reply.lock().expect("the reply").clone();
        writing.write_all(&bytes).await.ok()?;
    }
}
