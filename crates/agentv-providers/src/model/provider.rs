//! Asks a model.

use agentv_core::{BoxFuture, Provider, ProviderError, Request, Transcript};
use genai::chat::ChatOptions;
use genai::{Client, ServiceTarget};
use tokio_util::sync::CancellationToken;

use super::answer::{blocked, transcript};
use super::asked::Asked;
use super::conversation::chat_of;
use super::failure::failure;

/// One model of a vendor, with how it is asked.
pub(super) struct ModelProvider {
    pub(super) client: Client,
    /// The address and all headers, the key among them.
    pub(super) target: ServiceTarget,
    pub(super) options: ChatOptions,
    pub(super) asked: Asked,
}

impl ModelProvider {
    async fn ask(&self, request: &Request) -> Result<Transcript, ProviderError> {
        let chat = chat_of(&request.prompt);
        let asking = self
            .client
            .exec_chat(self.target.clone(), chat, Some(&self.options));
        match asking.await {
            Ok(response) => transcript(&self.asked, response),
            Err(error) => match &error {
                genai::Error::ChatResponseGeneration { response_body, .. } => {
                    blocked(&self.asked, response_body).ok_or_else(|| failure(&self.asked, error))
                }
                _ => Err(failure(&self.asked, error)),
            },
        }
    }
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
