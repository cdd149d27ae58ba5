//! Calls a model.

use std::sync::atomic::{AtomicBool, Ordering};

use agentv_core::{BoxFuture, Cause, Content, Provider, ProviderError, Request, Transcript};
use genai::chat::{ChatOptions, ChatResponseFormat, JsonSpec};
use genai::{Client, ServiceTarget};
use tokio_util::sync::CancellationToken;

use super::answer::{blocked, transcript};
use super::asked_model::AskedModel;
use super::conversation::chat_of;
use super::failure::failure;
use super::raw_arguments::with_raw_arguments;

/// One model of a vendor, and the settings of its requests.
pub(super) struct ModelProvider {
    pub(super) client: Client,
    /// The address and all headers, including the key.
    pub(super) target: ServiceTarget,
    pub(super) options: ChatOptions,
    pub(super) asked: AskedModel,
    /// True once the vendor has refused a schema, which is then not sent again.
    pub(super) refused_schema: AtomicBool,
}

impl ModelProvider {
    /// Calls the model, with the schema of the request if it has one and the vendor accepts it.
    async fn ask(&self, request: &Request) -> Result<Transcript, ProviderError> {
        let schema = request.output_schema.as_deref();
        let schema = schema.filter(|_| !self.refused_schema.load(Ordering::Relaxed));
        let Some(schema) = schema else {
            return self.exchange(request, &self.options).await;
        };
        let format = ChatResponseFormat::JsonSpec(JsonSpec::new("answer", schema.clone()));
        let options = self.options.clone().with_response_format(format);
        let held = self.exchange(request, &options).await;
        match held {
            Err(error) if matches!(error.cause, Cause::Status(400 | 422)) => {}
            held => return held,
        }
        // A second request without the schema shows whether the vendor refused the schema.
        let plain = self.exchange(request, &self.options).await;
        if plain.is_ok() {
            self.refused_schema.store(true, Ordering::Relaxed);
        }
        plain
    }

    async fn exchange(
        &self,
        request: &Request,
        options: &ChatOptions,
    ) -> Result<Transcript, ProviderError> {
        let chat = chat_of(&request.prompt);
        let asking = self
            .client
            .exec_chat(self.target.clone(), chat, Some(options));
        match asking.await {
            Ok(response) => within_bounds(transcript(&self.asked, response)?),
            Err(error) => match &error {
                genai::Error::ChatResponseGeneration { response_body, .. } => {
                    if let Some(response) = with_raw_arguments(&self.asked, response_body) {
                        return within_bounds(transcript(&self.asked, response)?);
                    }
                    blocked(&self.asked, response_body).ok_or_else(|| failure(&self.asked, error))
                }
                _ => Err(failure(&self.asked, error)),
            },
        }
    }
}

/// The maximum size of an answer, in bytes.
const LARGEST: usize = 64 << 20;

/// Returns the transcript. Fails if its answer is larger than that of any other target may be.
fn within_bounds(transcript: Transcript) -> Result<Transcript, ProviderError> {
    let contents = transcript.output_messages.iter();
    let contents = contents.filter_map(|message| message.content.as_ref());
    let size: usize = contents
        .map(|content| match content {
            Content::Text(text) => text.len(),
            Content::Blocks(_) | Content::Structured(_) => 0,
        })
        .sum();
    if size <= LARGEST {
        return Ok(transcript);
    }
    let message = format!("the answer is larger than {} MiB", LARGEST >> 20);
    Err(ProviderError::new(Cause::Answer, message))
}

impl Provider for ModelProvider {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ProviderError::cancelled()),
                answer = self.ask(request) => answer,
            }
        })
    }
}
