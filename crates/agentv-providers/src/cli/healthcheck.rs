//! The check that must succeed once before the first case.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{Cause, ProviderError, Request};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::command::Command;
use super::provider::LARGEST_OUTPUT;
use super::temporary_files::TemporaryFiles;
use super::values::Values;
use crate::network::{http_client, network_error, status_error};
use crate::target::{SettingError, Settings};

/// The default timeout of a check. That of the target is used if it is shorter.
const USUAL_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct Healthcheck {
    what: What,
    timeout: Duration,
}

enum What {
    Address {
        client: reqwest::Client,
        url: String,
    },
    Command {
        command: Box<Command>,
        folder: Arc<Path>,
    },
}

impl Healthcheck {
    pub(super) fn of(settings: &Settings) -> Result<Option<Healthcheck>, SettingError> {
        let Some(fields) = settings.value("healthcheck").and_then(Value::as_object) else {
            return Ok(None);
        };
        let text = |field: &str| fields.get(field).and_then(Value::as_str);
        let seconds = fields.get("timeout_seconds").and_then(Value::as_f64);
        let timeout = seconds.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.001, 1e9)));
        let what = match text("type") {
            Some("http") => What::Address {
                client: http_client()?,
                url: text("url").unwrap_or_default().to_owned(),
            },
            _ => What::Command {
                command: Box::new(Command::of_fields(settings, fields, Some("healthcheck"))?),
                folder: Arc::from(settings.surroundings().folder.as_path()),
            },
        };
        Ok(Some(Healthcheck {
            what,
            timeout: timeout.unwrap_or(USUAL_TIMEOUT.min(settings.timeout())),
        }))
    }

    pub(super) async fn pass(&self, cancel: &CancellationToken) -> Result<(), ProviderError> {
        match &self.what {
            What::Command { command, folder } => self.command(command, folder, cancel).await,
            What::Address { client, url } => {
                let asked = tokio::time::timeout(self.timeout, address(client, url));
                tokio::select! {
                    asked = asked => asked.unwrap_or_else(|_| Err(self.too_slow())),
                    () = cancel.cancelled() => Err(ProviderError::cancelled()),
                }
            }
        }
    }

    async fn command(
        &self,
        command: &Command,
        folder: &Arc<Path>,
        cancel: &CancellationToken,
    ) -> Result<(), ProviderError> {
        let request = Request::of_text("", Arc::clone(folder), self.timeout);
        let temporary = TemporaryFiles::new(command, "healthcheck", false, None)?;
        temporary.write_prompt(b"").await?;
        let values = Values {
            prompt: "",
            guidelines: "",
            eval_id: "healthcheck",
            attempt: 1,
            files: &[],
            temporary: &temporary,
        };
        let output = command.execute(&values, &request, LARGEST_OUTPUT, cancel);
        output.await.map(drop)
    }

    fn too_slow(&self) -> ProviderError {
        let message = format!("the URL did not respond within {:?}", self.timeout);
        ProviderError::new(Cause::Timeout, message)
    }
}

/// Asks an address. A redirect is a success, too, since the server is there.
async fn address(client: &reqwest::Client, url: &str) -> Result<(), ProviderError> {
    let response = client.get(url).send().await;
    let response = response.map_err(|error| network_error(&error, url))?;
    let status = response.status();
    if status.is_success() || status.is_redirection() {
        return Ok(());
    }
    Err(status_error(status, response.headers(), b""))
}
