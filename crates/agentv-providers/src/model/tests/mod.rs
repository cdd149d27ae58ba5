//! Models are asked for real, at a small vendor on this machine.

mod answers;
mod connections;
mod failures;
mod fields;
mod parameters;
mod schemas;
mod streams;
mod turns;
mod vendors;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Message, Prompt, Provider, ProviderError, Request, Role, Transcript};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{Received, Reply, Server};
use crate::target::{SettingError, Settings};
use crate::{Environment, kinds};

const KEY: &str = "sk-test-0123456789";

/// The provider of a target with these fields, in an environment with these variables.
fn made(
    kind: &str,
    fields: Value,
    variables: &[(&str, &str)],
) -> Result<Arc<dyn Provider>, SettingError> {
    let variables = variables.iter();
    let variables = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let settings = Settings::of_test(fields, Environment::new(variables));
    (kinds::named(kind).unwrap().build)(&settings)
}

fn conversation() -> Prompt {
    let messages = [
        (Role::System, "You are terse."),
        (Role::User, "What is 2+2?"),
        (Role::Assistant, "4"),
        (Role::User, "And 3+3?"),
    ];
    Prompt {
        question: String::new(),
        guidelines: "Be kind.".to_owned(),
        messages: messages
            .map(|(role, text)| Message::new(role, text))
            .to_vec(),
    }
}

const SYSTEM: &str = "You are terse.";
const GUIDELINES: &str = "[[ ## Guidelines ## ]]\n\nBe kind.";

async fn ask(provider: &dyn Provider) -> Result<Transcript, ProviderError> {
    let folder: Arc<Path> = Arc::from(Path::new("/"));
    let request = Request {
        prompt: conversation(),
        ..Request::of_text("", folder, Duration::from_secs(60))
    };
    provider.answer(&request, &CancellationToken::new()).await
}

/// Returns the request to the vendor and the result, for fields with a `base_url`.
async fn exchange(kind: &str, mut fields: Value, reply: Reply) -> (Received, Transcript) {
    let server = Server::start(reply).await;
    fields["base_url"] = json!(server.url);
    let provider = made(kind, fields, &[]).unwrap();
    let transcript = ask(provider.as_ref()).await.unwrap();
    (server.received().remove(0), transcript)
}

async fn failure(kind: &str, mut fields: Value, reply: Reply) -> ProviderError {
    let server = Server::start(reply).await;
    fields["base_url"] = json!(server.url);
    fields["api_key"] = json!(KEY);
    let provider = made(kind, fields, &[]).unwrap();
    let error = ask(provider.as_ref()).await.unwrap_err();
    assert!(!error.message.contains(KEY), "{error}");
    error
}

fn chat_answer() -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-2024-08-06",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "6", "refusal": null}
        }],
        "usage": {
            "prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010,
            "prompt_tokens_details": {"cached_tokens": 400}
        }
    })
}
