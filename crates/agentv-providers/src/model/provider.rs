//! Calls a model.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agentv_core::{
    BoxFuture, Cause, Message, Profile, ProgramFiles, Provider, ProviderError, Request, Role,
    Toolbox, Transcript,
};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Url};
use tokio_util::sync::CancellationToken;

use super::answer::transcript;
use super::asked_model::AskedModel;
use super::conversation::conversation_of;
use super::failure::failure;
use super::media::MediaFiles;
use super::tools::Tools;
use crate::cli::Program;
use crate::wire::{Ask, Exchange, Format, Media, Parameter, Parameters, Recording, Wire, merge};

/// One model of a vendor, and the settings of its requests.
pub(super) struct ModelProvider {
    pub(super) client: Client,
    pub(super) wire: &'static dyn Wire,
    /// The addresses without and with a stream.
    pub(super) urls: [Url; 2],
    /// All headers, including the key.
    pub(super) headers: HeaderMap,
    /// The model, as it is named in the request.
    pub(super) model: String,
    /// The system prompt in front of every case.
    pub(super) system: Option<String>,
    pub(super) parameters: Parameters,
    pub(super) tools: Tools,
    /// The files of the commands that tools run.
    pub(super) program: Option<Program>,
    /// True if answers are asked for as streams.
    pub(super) stream: bool,
    /// The time without any bytes after which a stream is given up.
    pub(super) idle: Duration,
    pub(super) asked: AskedModel,
    /// True once the vendor has refused a schema, which is then not sent again.
    pub(super) refused_schema: AtomicBool,
    /// True once the vendor has refused a stream, which is then not asked for again.
    pub(super) refused_stream: AtomicBool,
}

impl ModelProvider {
    /// Asks, with the tools of all servers. They are connected before the first request, unless nobody
    /// prepared this provider.
    async fn connect_and_ask(
        &self,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Transcript, ProviderError> {
        self.tools.connect(cancel).await?;
        self.ask(request).await
    }

    /// Asks for an answer of the request's schema, if it has one and the vendor takes it.
    async fn ask(&self, request: &Request) -> Result<Transcript, ProviderError> {
        let schema = request.output_schema.as_ref();
        let schema = schema.filter(|_| {
            self.wire.has(Parameter::JsonSchema) && !self.refused_schema.load(Ordering::Relaxed)
        });
        let own = self.parameters.format.as_ref();
        let Some(schema) = schema else {
            return self.exchange(request, own).await;
        };
        let format = Format::JsonSchema {
            name: "answer".to_owned(),
            schema: Arc::clone(schema),
            strict: Some(true),
        };
        let held = self.exchange(request, Some(&format)).await;
        match held {
            Err(error) if matches!(error.cause, Cause::Status(400 | 422)) => {}
            held => return held,
        }
        // A second request without the schema shows whether the vendor refused the schema.
        let plain = self.exchange(request, own).await;
        if plain.is_ok() {
            self.refused_schema.store(true, Ordering::Relaxed);
        }
        plain
    }

    /// Asks for a stream, if the target wants one and the vendor gives it.
    async fn exchange(
        &self,
        request: &Request,
        format: Option<&Format>,
    ) -> Result<Transcript, ProviderError> {
        let stream = self.stream && !self.refused_stream.load(Ordering::Relaxed);
        let answer = self.exchange_once(request, format, stream).await;
        let is_about_stream = |error: &ProviderError| {
            matches!(error.cause, Cause::Status(400 | 405 | 422 | 501))
                && error.message.to_ascii_lowercase().contains("stream")
        };
        if !stream || !answer.as_ref().is_err_and(is_about_stream) {
            return answer;
        }
        let whole = self.exchange_once(request, format, false).await;
        if whole.is_ok() {
            self.refused_stream.store(true, Ordering::Relaxed);
        }
        whole
    }

    async fn exchange_once(
        &self,
        request: &Request,
        format: Option<&Format>,
        stream: bool,
    ) -> Result<Transcript, ProviderError> {
        let files = self.files(request).await?;
        let body = self.body(request, &files, format, stream)?;
        let url = self.urls[usize::from(stream)].clone();
        let mut sent = reqwest::Request::new(Method::POST, url);
        *sent.headers_mut() = self.headers.clone();
        *sent.body_mut() = Some(body.into());
        let exchange = Exchange {
            client: &self.client,
            wire: self.wire,
            idle: self.idle,
        };
        let log = request.exchanges.as_ref();
        let recording = log.map(|log| Recording::begin(log, &sent));
        let heard = exchange.send(sent, recording).await;
        let answer = heard.and_then(|heard| transcript(&self.asked, heard));
        let mut transcript = answer.map_err(|error| failure(&self.asked, error))?;
        transcript.warnings.extend(self.unsent_names(request));
        Ok(transcript)
    }

    /// Returns the warning about names of messages, if the protocol has no field for them.
    fn unsent_names(&self, request: &Request) -> Option<String> {
        let mut messages = request.prompt.messages.iter();
        let has_name = |message: &Message| {
            let is_turn = matches!(message.role, Role::User | Role::Assistant);
            is_turn && message.name.is_some()
        };
        let is_lost = !self.wire.has_names() && messages.any(has_name);
        is_lost.then(|| {
            let protocol = self.wire.name();
            format!("`name` of a message is not sent: the {protocol} protocol has no such field")
        })
    }

    /// Reads the images, audio and documents of a request.
    async fn files(&self, request: &Request) -> Result<MediaFiles, ProviderError> {
        let files = MediaFiles::named_in(&request.prompt);
        if files.is_empty() {
            return Ok(MediaFiles::default());
        }
        let root = Arc::clone(&request.root);
        let reading = tokio::task::spawn_blocking(move || MediaFiles::read(files, &root));
        match reading.await {
            Ok(files) => files.map_err(|error| setup(error.to_string())),
            Err(error) => Err(setup(error.to_string())),
        }
    }

    /// Returns the body of a request.
    fn body(
        &self,
        request: &Request,
        files: &MediaFiles,
        format: Option<&Format>,
        stream: bool,
    ) -> Result<Vec<u8>, ProviderError> {
        let shows = |media: &Media<'_>| self.wire.shows_in_result(&self.model, media);
        let conversation = conversation_of(request, self.system.as_deref(), files, &shows);
        let conversation = conversation.map_err(|error| setup(error.to_string()))?;
        let body = self.wire.write(&Ask {
            model: &self.model,
            conversation: &conversation,
            parameters: &self.parameters,
            tools: self.tools.offered(),
            format,
            stream,
            dialect: &self.asked.vendor.dialect,
        });
        let body = body.map_err(|error| setup(error.to_string()))?;
        merge(body, &self.parameters.params, self.wire.merged_fields())
            .map_err(|error| setup(format!("cannot write the request: {error}")))
    }
}

fn setup(message: String) -> ProviderError {
    ProviderError::new(Cause::Setup, message)
}

impl Provider for ModelProvider {
    fn prepare<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(self.tools.connect(cancel))
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.tools.end())
    }

    fn profile(&self) -> Option<Profile> {
        Some(Profile {
            protocol: self.wire.name().to_owned(),
            model: self.model.clone(),
            price: self.asked.quote(),
            tools: self.tools.profile(),
            lacks_tools: !self.tools.is_connected(),
            images: self.asked.takes_images(),
            stream: self.stream,
        })
    }

    fn toolbox(&self) -> Option<&dyn Toolbox> {
        self.tools
            .has_results()
            .then_some(&self.tools as &dyn Toolbox)
    }

    fn runs_commands(&self) -> bool {
        self.program.is_some()
    }

    fn program(&self, folder: &Path) -> ProgramFiles {
        let program = self.program.as_ref();
        program
            .map(|program| program.files(folder))
            .unwrap_or_default()
    }

    fn request_body(&self, request: &Request) -> Option<Result<String, ProviderError>> {
        let files = MediaFiles::read(MediaFiles::named_in(&request.prompt), &request.root);
        let files = files.map_err(|error| setup(error.to_string()));
        let format = self.parameters.format.as_ref();
        let body = files.and_then(|files| self.body(request, &files, format, self.stream));
        Some(body.map(|body| String::from_utf8_lossy(&body).into_owned()))
    }

    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ProviderError::cancelled()),
                answer = self.connect_and_ask(request, cancel) => answer,
            }
        })
    }
}
